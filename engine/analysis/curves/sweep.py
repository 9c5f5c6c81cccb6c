"""Loss and linkage against a method's parameter, with a noise baseline.

Torra (2020) states that loss rises with m1, m2 and 1 / lambda and falls with the number
of centres, which holds for many tables and not for all, and leaves to later work how to
choose them, and the comparison with other ways to protect data with edits;
doi:10.3233/JIFS-189074. The baseline adds normal noise to each number and moves
the records onto the same edits. It is for comparison alone: nothing releases it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from engine.bounds import NO_BOUND
from engine.core.context import SILENT
from engine.core.errors import ParameterError
from engine.core.parameters import rename_to_declared
from engine.core.partition import Partition
from engine.data.table import Table
from engine.measures import MeasuredRelease, measures
from engine.measures.classes import ClassCache
from engine.methods import methods
from engine.pipeline.evaluate import evaluate
from engine.pipeline.grouping.prepare import PreparationCache
from engine.pipeline.plan import Plan
from engine.pipeline.planning.resolve_plan import resolve_plan
from engine.pipeline.planning.seeds import seeds_of_plan
from engine.pipeline.run import run
from engine.points.base import Points

LOSS, LINKAGE = "information-loss", "record-linkage"


@dataclass(frozen=True)
class SweepResult:
    """Mean loss and linkage over seeds, for one value of a parameter or noise.

    Attributes
    ----------
    value : int, float or str
        Of the parameter; of the baseline the noise's standard deviation, in those of
        the columns.
    loss, linkage : float
        Information loss and share of the records found, in per cent.
    least, most : float
        Smallest and largest loss of a seed, in per cent.
    k_released : int
        The smallest k of any seed, counted on the released values.
    """

    value: float | str
    loss: float
    linkage: float
    least: float
    most: float
    k_released: int

    def summary(self) -> dict[str, Any]:
        """Return the result as plain values, ready for JSON."""
        return asdict(self)


def sweep_parameter(
    plan: Plan, table: Table, parameter_name: str, values: Sequence[Any]
) -> tuple[SweepResult, ...]:
    """Return loss and linkage for several values of a parameter of the method.

    Parameters
    ----------
    plan : Plan
        Means are over its seeds.
    parameter_name : str
        Of the parameter.
    values : sequence of object

    Raises
    ------
    ParameterError
        If the method has no such parameter or it cannot have a value, before anything
        runs.
    """
    declared = methods.info(plan.method).parameters
    (option,) = rename_to_declared(declared, {parameter_name: None})
    others = {key: each for key, each in plan.parameters.items() if key != option}
    plans = [
        plan.replace(parameters={**others, option: value}, seeds=1) for value in values
    ]
    preparations, seeds = PreparationCache(table), seeds_of_plan(plan)
    results = []
    for each in plans:
        rows = []
        for seed in seeds:
            seeded = each.replace(seed=seed)
            outcome = run(seeded, table, SILENT, preparations, NO_BOUND)
            risk = evaluate(outcome, table, (LINKAGE,), preparations=preparations)
            linked = risk[LINKAGE].value
            rows.append((outcome.information_loss, linked, outcome.k_released))
        results.append(_mean_result(each.parameters[option], rows))
    return tuple(results)


def noise_baseline(
    plan: Plan, table: Table, deviations: Sequence[float]
) -> tuple[SweepResult, ...]:
    """Return loss and linkage per deviation of normal noise, under the same edits.

    Parameters
    ----------
    plan : Plan
        Columns, scaling, edits and seeds.
    deviations : sequence of float
        Of the noise, in standard deviations of the columns.

    Raises
    ------
    ParameterError
        If a deviation is negative, or a quasi-identifier is no number.
    """
    if any(not 0.0 <= spread < math.inf for spread in deviations):
        raise ParameterError("The noise's deviation must be a number of at least 0.")
    resolved = resolve_plan(plan, table)
    points = PreparationCache(table).get(resolved).points
    for attribute in points.attributes:
        if attribute.is_nominal or attribute.words is not None:
            raise ParameterError(
                "Column {column!r} holds no numbers, to which noise could be added: "
                "leave it out, or the baseline.",
                column=attribute.name,
            )
    seeds, results = range(plan.seed, plan.seed + plan.seeds), []
    for deviation in deviations:
        rows = [_with_noise(points, deviation, seed) for seed in seeds]
        results.append(_mean_result(deviation, rows))
    return tuple(results)


def _with_noise(
    points: Points, deviation: float, seed: int
) -> tuple[float, float, int]:
    """Return loss, linkage and k of one draw of the noise."""
    rng = np.random.default_rng(seed)
    spread = deviation * points.values.std(axis=0)
    noisy = points.values + rng.normal(0.0, 1.0, points.values.shape) * spread
    noisy = np.where(points.missing, np.nan, noisy)
    if points.rules is not None:
        noisy = points.rules.project(noisy)
    frame = pd.DataFrame(noisy, columns=list(points.names))
    released = np.where(points.missing, points.values, noisy)
    cache = ClassCache()
    classes = cache.get_classes(frame, points.names)
    partition = Partition(classes, 2, guarantees_k=False)
    protected = MeasuredRelease(points, released, partition, frame, seen=cache)
    loss, linkage = (measures.get(key)(protected).value for key in (LOSS, LINKAGE))
    return loss, linkage, int(partition.sizes.min())


def _mean_result(value: Any, rows: Sequence[tuple[float, float, int]]) -> SweepResult:
    losses, linked, ks = zip(*rows, strict=True)
    return SweepResult(
        value,
        math.fsum(losses) / len(rows),
        math.fsum(linked) / len(rows),
        min(losses),
        max(losses),
        min(ks),
    )
