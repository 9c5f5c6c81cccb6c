"""The search for a release: plans tried in batches, the best ones varied.

A batch is drawn from the trials before it alone, so that the same seed tries the same
plans in the same order, on any number of cores; a clock only says how many there are.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.analysis.need.formula import Design
from engine.analysis.need.keeps import Keep, Reached, Scene
from engine.bounds import NO_BOUND
from engine.core.context import RunContext
from engine.core.errors import Cancelled, EngineError
from engine.core.message import Message
from engine.core.parallel import map_in_threads
from engine.core.statistics import mean_by_group
from engine.core.typing import Integers
from engine.data.table import Table
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.prepare import PreparationCache
from engine.pipeline.run import run

BATCH_SIZE = 8
"""Plans that are drawn from the same trials."""

N_PARENTS = 6
"""Best trials that new plans are varied from."""

METHODS = ("refined", "blocked", "mdav", "vmdav")
"""Methods that take steps and no clock, the least loss first."""

COMMON_VALUES = {True: ("mean", "median"), False: ("mode",)}
"""Ways to make a common value, of numbers and of categories."""

MAX_WEIGHT, MIN_WEIGHT = 64.0, 1.0 / 64.0
"""Attribute weights stay between these."""


@dataclass(frozen=True, eq=False)
class Trial:
    """A plan that was tried.

    Attributes
    ----------
    plan : Plan
    outcome : Outcome or None
        None where the plan could not be carried out.
    loss : float
        Of its groups in per cent, on z-scores and with equal weights.
    reached : tuple of Reached
        Of each keep.
    margin : float
        Of the keep that is missed by most; what is above 0 holds.
    """

    plan: Plan
    outcome: Outcome | None
    loss: float = math.inf
    reached: tuple[Reached, ...] = ()
    margin: float = -math.inf

    @property
    def order(self) -> tuple[float, float]:
        """What better trials have less of: first what is missed, then the loss.

        A little more than what is asked is worth having, so that noise does not decide.
        """
        return (-min(self.margin, 0.02), self.loss)


class Search:
    """Tries plans on one table.

    Parameters
    ----------
    table : Table
    base : Plan
        All choices that the search does not vary; its k is the least that the rules
        allow.
    keeps : sequence of Keep
    designs : sequence of Design
    seed : int
    """

    def __init__(
        self,
        table: Table,
        base: Plan,
        keeps: Sequence[Keep],
        designs: Sequence[Design],
        seed: int = 0,
    ) -> None:
        self.table, self.base = table, base
        self.keeps, self.designs = tuple(keeps), tuple(designs)
        self.trials: list[Trial] = []
        self._random = np.random.default_rng([seed, 37])
        self._preparations = PreparationCache(table)

    @cached_property
    def points(self) -> tuple[np.ndarray, Integers]:
        """Z-scored points of all records, and the rows that they are of."""
        plain = self.base.replace(
            scaling="zscore", attribute_weights={}, transforms={}, suppress=0.0
        )
        from engine.pipeline.resolved import resolve_plan

        points = self._preparations.get(resolve_plan(plain, self.table)).points
        return points.X, points.rows

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Quasi-identifiers, in the order of the plan."""
        return tuple(self.base.quasi_identifiers)

    def extend(
        self,
        n_trials: int | None,
        deadline: float | None,
        ctx: RunContext,
    ) -> None:
        """Try plans until there are so many, or time is up.

        Parameters
        ----------
        n_trials : int or None
            How many in all.
        deadline : float or None
            Reading of :func:`time.monotonic`.
        ctx : RunContext
        """
        began = time.monotonic()
        while not ctx.enough():
            if n_trials is not None and len(self.trials) >= n_trials:
                return
            if deadline is not None and time.monotonic() >= deadline and self.trials:
                return
            plans = self._next_plans()
            if n_trials is not None:
                plans = plans[: n_trials - len(self.trials)]
            self.trials += map_in_threads(
                lambda number, _, plans=plans: self.try_plan(plans[number]),  # type: ignore[misc]
                len(plans),
                ctx.subcontext(0.0, 0.0),
                "Trying plans",
            )
            share = len(self.trials) / n_trials if n_trials else 0.0
            if deadline is not None:
                share = (time.monotonic() - began) / max(1e-9, deadline - began)
            ctx.tick(min(1.0, share), 1.0, Message("Trying plans"))

    def try_plan(self, plan: Plan) -> Trial:
        """Return what a plan comes to; without an outcome where it cannot be done."""
        try:
            outcome = run(plan, self.table, bound=NO_BOUND)
        except Cancelled:
            raise
        except EngineError:
            return Trial(plan, None)
        scene = self.scene(outcome)
        reached = tuple(keep.reached(scene) for keep in self.keeps)
        margins = [
            keep.margin(each.value)
            for keep, each in zip(self.keeps, reached, strict=True)
        ]
        return Trial(plan, outcome, scene.loss, reached, min(margins, default=0.0))

    def scene(self, outcome: Outcome) -> Scene:
        """Return a release beside the same records of the original."""
        rows = outcome.release.rows
        original = self.table.frame.iloc[rows]
        X, known = self.points
        place = np.full(self.table.n_records, -1, dtype=np.int64)
        place[known] = np.arange(known.size)
        some = X[place[rows]]
        labels = outcome.partition.labels
        apart = some - mean_by_group(some, labels)[labels]
        total = float(((some - some.mean(axis=0)) ** 2).sum())
        loss = 100.0 * float((apart**2).sum()) / total if total > 0 else 0.0
        numeric = tuple(
            name
            for name in self.names
            if _is_number(original[name]) and _is_number(outcome.release.frame[name])
        )
        return Scene(original, outcome.release.frame, loss, self.designs, numeric)

    def _next_plans(self) -> list[Plan]:
        if not self.trials:
            return self._first_plans()
        parents = sorted(
            (trial for trial in self.trials if trial.outcome is not None),
            key=lambda trial: trial.order,
        )[:N_PARENTS]
        if not parents:
            return [self._drawn_plan() for _ in range(BATCH_SIZE)]
        plans = []
        for number in range(BATCH_SIZE):
            if number == BATCH_SIZE - 1 or len(self.trials) < 3 * BATCH_SIZE:
                plans.append(self._drawn_plan())
            else:
                ranks = len(parents) * self._random.random(2) ** 2
                one, other = (parents[int(rank)] for rank in ranks)
                plans.append(self._varied_plan(one, other))
        return plans

    def _first_plans(self) -> list[Plan]:
        """Return each method as it is: the search never ends worse than these."""
        plans = [self.base]
        for method in METHODS:
            plans += [
                self.base.replace(method=method, parameters={}, scaling=scaling)
                for scaling in ("zscore", "range")
            ]
        return list(dict.fromkeys(plans))

    def _drawn_plan(self) -> Plan:
        weights = np.exp(self._random.normal(0.0, 1.2, len(self.names)))
        method = METHODS[int(self._random.integers(len(METHODS) - 1))]
        scaling = ("zscore", "range")[int(self._random.random() < 0.2)]
        plan = self.base.replace(
            method=method,
            parameters={},
            scaling=scaling,
            attribute_weights=self._weights(weights),
        )
        return self._with_common_values(plan, 0.15)

    def _log_weights(self, trial: Trial) -> np.ndarray:
        known = trial.plan.attribute_weights
        return np.log([float(known.get(name, 1.0)) for name in self.names])

    def _varied_plan(self, parent: Trial, second_parent: Trial) -> Plan:
        """Return a plan near a good one, or between two: the weakest gets more."""
        plan, weights = parent.plan, self._log_weights(parent)
        if self._random.random() < 0.3:
            weights = (weights + self._log_weights(second_parent)) / 2.0
        weakest = self._weakest_columns(parent)
        step = float(np.exp(self._random.normal(-0.7, 0.6)))
        if weakest and self._random.random() < 0.5:
            for name in weakest:
                weights[self.names.index(name)] += abs(self._random.normal(0.0, step))
        else:
            some = self._random.random(len(self.names)) < 0.5
            weights += np.where(
                some, self._random.normal(0.0, step, len(self.names)), 0.0
            )
        varied = plan.replace(attribute_weights=self._weights(np.exp(weights)))
        if self._random.random() < 0.1:
            method = METHODS[int(self._random.integers(len(METHODS)))]
            varied = varied.replace(method=method, parameters={})
        return self._with_common_values(varied, 0.05)

    def _weakest_columns(self, trial: Trial) -> list[str]:
        """Return the quasi-identifiers in the weakest part of the worst keep."""
        margins = [
            keep.margin(each.value)
            for keep, each in zip(self.keeps, trial.reached, strict=True)
        ]
        if not margins:
            return []
        part = trial.reached[int(np.argmin(margins))].weakest
        return [name for name in self.names if name in part]

    def _weights(self, weights: np.ndarray) -> dict[str, float]:
        """Return weights of mean 1, which is all that matters of them."""
        even = np.clip(weights / np.exp(np.log(weights).mean()), MIN_WEIGHT, MAX_WEIGHT)
        return {
            name: float(f"{weight:.4g}")
            for name, weight in zip(self.names, even.tolist(), strict=True)
        }

    def _with_common_values(self, plan: Plan, share: float) -> Plan:
        chosen = dict(plan.aggregations)
        for name in self.names:
            if self._random.random() < share:
                ways = COMMON_VALUES[_is_number(self.table.frame[name])]
                chosen[name] = ways[int(self._random.integers(len(ways)))]
        return plan.replace(aggregations=chosen) if chosen else plan


def _is_number(column: object) -> bool:
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    dtype = column.dtype  # type: ignore[attr-defined]
    return bool(is_numeric_dtype(dtype) and not is_bool_dtype(dtype))
