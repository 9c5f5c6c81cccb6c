"""Run times on the user's own table, against k, records or attributes.

Only the grouping is timed, as the papers of the field do. Parts of a table are nested:
the records of a smaller one are among those of a larger one, drawn at random, and the
attributes of fewer are the first ones of the plan.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from engine.analysis.curves.experiment import (
    VARIED_LABELS,
    Experiment,
    check_experiment,
)
from engine.core.context import SILENT, RunContext
from engine.core.errors import Cancelled, EngineError
from engine.core.message import NO_MESSAGE, Message
from engine.data.table import Table
from engine.kernels.compilation._jit import load_numba
from engine.kernels.compilation.small_tables import prefer_kernels
from engine.methods import methods
from engine.pipeline.grouping.group import check_group_sizes, group_records
from engine.pipeline.grouping.prepare import PreparationCache
from engine.pipeline.plan import Plan
from engine.pipeline.planning.choices import choice_infos_of
from engine.pipeline.planning.cost import expected_seconds
from engine.pipeline.planning.resolve_plan import ResolvedPlan, resolve_plan

FIXED_CHOICES = {"constraints": (), "small_strata": "merge"}
"""Plan fields that a part of a table might not allow, and their values in timing."""


def plan_fields_not_timed() -> tuple[str, ...]:
    """Return the plan fields that timing leaves out or sets to a value of its own."""
    return tuple(
        name
        for name, info in choice_infos_of(Plan).items()
        if (info.stage == "after" and info.shown != "columns") or name in FIXED_CHOICES
    )


@dataclass(frozen=True)
class MethodTiming:
    """Run times of a method for one value of k, records or attributes.

    Attributes
    ----------
    method : str
    polish : bool
    value : int
        Of what is varied.
    k, n_records, n_attributes : int
    seconds : tuple of float
        Of each run; empty where the method cannot run.
    problem : Message
        Why it cannot; nothing where it can.
    starts : bool
        Whether each run had a seed of its own, so that their mean counts.
    """

    method: str
    polish: bool
    value: int
    k: int
    n_records: int
    n_attributes: int
    seconds: tuple[float, ...]
    problem: Message = NO_MESSAGE
    starts: bool = False

    @property
    def name(self) -> str:
        """The method's identifier, marked if its groups are polished."""
        return self.method + (", polished" if self.polish else "")

    @property
    def best_seconds(self) -> float | None:
        """Shortest time in seconds; None if the method did not run."""
        return min(self.seconds, default=None)

    @property
    def representative_seconds(self) -> float | None:
        """Shortest time in seconds, or the mean if each run had its own seed."""
        if not self.starts or not self.seconds:
            return self.best_seconds
        return math.fsum(self.seconds) / len(self.seconds)

    def summary(self) -> dict[str, Any]:
        """Return the times as plain values, ready for JSON."""
        figures = asdict(self) | {"best": self.best_seconds, "runs": list(self.seconds)}
        del figures["seconds"]
        return figures | {
            "counted": self.representative_seconds,
            "problem": str(self.problem) or None,
        }


def estimate_experiment_seconds(
    experiment: Experiment, plans: Sequence[Plan], table: Table
) -> float:
    """Return a rough estimate of how many seconds an experiment takes."""
    return sum(
        experiment.repeats * expected_seconds(plan, part)
        for part, each in _parts_and_plans(experiment, plans, table)
        for plan in each
    )


def time_methods(
    plans: Sequence[Plan],
    table: Table,
    experiment: Experiment,
    ctx: RunContext = SILENT,
    on_result: Callable[[MethodTiming], None] | None = None,
    known_timings: Sequence[MethodTiming] = (),
) -> tuple[MethodTiming, ...]:
    """Return run times of methods on parts of a table, or with several k.

    Parameters
    ----------
    plans : sequence of Plan
        One for each method, or for each method and k, all with the same columns; each
        value of the experiment replaces that of the plan.
    table : Table
    experiment : Experiment
    ctx : RunContext
        Progress and cancel.
    on_result : callable, optional
        Called with each new timing as soon as it is taken.
    known_timings : sequence of MethodTiming
        Taken before; these are not taken again.

    Returns
    -------
    tuple of MethodTiming
        Value by value, in the order of `plans`.

    Raises
    ------
    ParameterError
        As from :func:`check_experiment`.
    Cancelled
    """
    check_experiment(experiment, plans, table)
    parts = list(_parts_and_plans(experiment, plans, table))
    weights = [
        1e-3 + expected_seconds(entry, part) for part, each in parts for entry in each
    ]
    total, done = sum(weights), 0.0
    timings: list[MethodTiming] = []
    before = {(entry.name, entry.k, entry.value): entry for entry in known_timings}
    ready: set[str] = set()
    for value, (part, each) in zip(experiment.values, parts, strict=True):
        preparations = PreparationCache(part)
        for plan in each:
            weight = weights[len(timings)]
            share = ctx.subcontext(
                done / total,
                (done + weight) / total,
                Message(
                    "{method}, {what} {value:,}",
                    method=methods.info(plan.method).title,
                    what=VARIED_LABELS[experiment.against],
                    value=value,
                ),
            )
            done += weight
            if (plan.name, plan.k, value) in before:
                timings.append(before[plan.name, plan.k, value])
                continue
            # The first run of all reads the compiled loops.
            first = plan.name not in ready
            ready.add(plan.name)
            timings.append(
                _time_plan(plan, preparations, experiment, first, value, share)
            )
            if on_result is not None:
                on_result(timings[-1])
    return tuple(timings)


def _time_plan(
    plan: Plan,
    preparations: PreparationCache,
    experiment: Experiment,
    first: bool,
    value: int,
    ctx: RunContext,
) -> MethodTiming:
    table, seconds, problem = preparations.table, list[float](), NO_MESSAGE
    quasi = plan.quasi_identifiers
    runs = experiment.repeats + first
    try:
        resolved = resolve_plan(plan, table)
        prepared = preparations.get(resolved)
        check_group_sizes(resolved, prepared)
        load_numba()
        for run in range(runs):
            part = ctx.subcontext(run / runs, (run + 1) / runs)
            if experiment.starts:
                seed = plan.seed + max(0, run - first)
                resolved = resolve_plan(plan.replace(seed=seed), table)
            with prefer_kernels():
                clock = time.perf_counter()
                group_records(resolved, prepared, part)
                seconds.append(time.perf_counter() - clock)
    except Cancelled:
        raise
    except EngineError as error:
        problem = error.message
    return MethodTiming(
        plan.method,
        plan.polish,
        value,
        plan.k,
        table.n_records,
        len(quasi),
        () if problem else tuple(seconds[first:]),
        problem,
        experiment.starts,
    )


def _parts_and_plans(
    experiment: Experiment, plans: Sequence[Plan], table: Table
) -> Iterator[tuple[Table, list[Plan]]]:
    """Yield for each value the part of the table, and the plans on it."""
    whole = [resolve_plan(plan, table) for plan in plans]
    order = np.random.default_rng(0).permutation(table.n_records)
    for value in experiment.values:
        if experiment.against == "k":
            yield (
                table,
                [
                    _stripped_plan(plan, plan.quasi_identifiers, k=value)
                    for plan in whole
                ],
            )
        elif experiment.against == "attributes":
            yield (
                table,
                [
                    _stripped_plan(plan, plan.quasi_identifiers[:value])
                    for plan in whole
                ],
            )
        else:
            rows = np.sort(order[:value])
            part = Table.from_frame(table.frame.iloc[rows], table.schema)
            yield (
                replace(part, origin=table.origin),
                [_stripped_plan(plan, plan.quasi_identifiers) for plan in whole],
            )


def _stripped_plan(plan: ResolvedPlan, columns: Sequence[str], **changes: Any) -> Plan:
    """Return a plan for some columns with no steps after grouping."""
    choices = plan.model_dump()
    for name, choice in choice_infos_of(Plan).items():
        if "{column}" in choice.label:
            pairs = choices[name].items()
            choices[name] = {column: one for column, one in pairs if column in columns}
    for name in plan_fields_not_timed():
        del choices[name]
    blocks = (tuple(name for name in block if name in columns) for block in plan.blocks)
    return Plan(
        **{
            **choices,
            **FIXED_CHOICES,
            "quasi_identifiers": tuple(columns),
            "blocks": tuple(block for block in blocks if block),
            **changes,
        }
    )


def growth_exponent(timings: Sequence[MethodTiming]) -> float | None:
    """Return the exponent of the power law that fits one method's times, or None.

    The slope of a line through the logarithms of values and times, by least squares;
    2 means that twice the value takes four times as long.

    Parameters
    ----------
    timings : sequence of MethodTiming
        Of one method.

    Returns
    -------
    float or None
        None with fewer than three times, or where the longest is below a hundredth of
        a second: there it is the clock that is measured.
    """
    points = [
        (timing.value, timing.representative_seconds)
        for timing in timings
        if timing.representative_seconds
    ]
    if len(points) < 3 or max(seconds for _, seconds in points) < 0.01:
        return None
    x = np.log([value for value, _ in points])
    y = np.log([seconds for _, seconds in points])
    slope = float(np.polyfit(x, y, 1)[0])
    return slope if math.isfinite(slope) else None
