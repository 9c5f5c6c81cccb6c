"""Trials of plans, and the choice of the plans to try next.

A batch is drawn from the trials before it alone, so that the same seed tries the same
plans in the same order, on any number of cores; a clock only says how many there are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.analysis.need.keeps import MISSED_MARGIN, Keep, KeepResult
from engine.analysis.need.surrogate import predict_scores
from engine.data.table import Table
from engine.pipeline.plan import Plan

BATCH_SIZE = 8
"""Plans that are drawn from the same trials."""

N_PARENTS = 6
"""Best trials that new plans are varied from."""

METHODS = ("refined", "blocked", "mdav", "vmdav")
"""Methods that take steps and no clock, the least loss first."""

COMMON_VALUES = {True: ("mean", "median"), False: ("mode",)}
"""Ways to make a common value, of numbers and of categories."""

N_CANDIDATES = 96
"""Plans that a batch is chosen from by what is predicted of them."""

BOLDNESS = (0.0, 0.0, 0.0, 0.5, 0.5, 1.0, 2.0)
"""Standard deviations that are added to the means, for each of a batch but one."""

MAX_WEIGHT, MIN_WEIGHT = 64.0, 1.0 / 64.0
"""Attribute weights stay between these."""

LOSS_PRICE = 1e-3
"""How much of a keep a per cent of loss counts as, where plans are predicted."""

MIN_PREDICTED_MARGIN = -0.4
"""What is worse is bad enough: a prediction is to be exact where it matters."""


@dataclass(frozen=True)
class Trial:
    """A tried plan, its loss and its margins; its release is not stored.

    Attributes
    ----------
    plan : Plan
    loss : float or None
        Of its groups in per cent, on z-scores and with equal weights; None where the
        plan could not be carried out.
    reached : tuple of KeepResult
        Of each keep.
    margin : float
        Of the keep that is missed by most; what is above 0 holds.
    smallest : int
        People, or records where all are of different people, in the smallest group.
    second_plan : Plan or None
        Of a second release with the same groups, where two are asked for.
    """

    plan: Plan
    loss: float | None = None
    reached: tuple[KeepResult, ...] = ()
    margin: float = MISSED_MARGIN
    smallest: int = 0
    second_plan: Plan | None = None

    @property
    def is_feasible(self) -> bool:
        """Whether the plan could be run."""
        return self.loss is not None

    @property
    def rank(self) -> tuple[bool, float, float]:
        """Sort key, lower is better: infeasibility, missed margin, then loss."""
        loss = math.inf if self.loss is None else self.loss
        return (not self.is_feasible, max(0.0, -self.margin), loss)

    @property
    def score(self) -> float:
        """What a prediction is about: what is missed, and a little of the loss."""
        missed = min(0.0, max(self.margin, MIN_PREDICTED_MARGIN))
        return missed - LOSS_PRICE * (self.loss or 0.0)

    def summary(self) -> dict[str, Any]:
        """Return the trial as plain values, ready for JSON."""
        values = [each.value for each in self.reached]
        return {
            "method": self.plan.method,
            "scaling": self.plan.scaling,
            "attribute_weights": dict(self.plan.attribute_weights),
            "aggregations": dict(self.plan.aggregations),
            "k": self.plan.k,
            "smallest": self.smallest,
            "loss": self.loss,
            "keeps": [None if math.isnan(value) else value for value in values],
        }


def rank_feasible_trials(trials: Sequence[Trial]) -> list[Trial]:
    """Return the feasible trials, best first."""
    feasible = [trial for trial in trials if trial.is_feasible]
    return sorted(feasible, key=lambda trial: trial.rank)


def keep_margins(keeps: Sequence[Keep], results: Sequence[KeepResult]) -> list[float]:
    """Return each keep's margin; below 0 the keep is missed."""
    return [keep.margin(each.value) for keep, each in zip(keeps, results, strict=True)]


class PlanSampler:
    """Sampler of the plans to try next on one table: random, varied or predicted.

    Parameters
    ----------
    table : Table
    base : Plan
        All choices that are not varied.
    keeps : sequence of Keep
    seed : int
    """

    def __init__(
        self, table: Table, base: Plan, keeps: Sequence[Keep], seed: int
    ) -> None:
        self.base, self.keeps = base, tuple(keeps)
        self.names = tuple(base.quasi_identifiers)
        self._frame = table.frame
        self._random = np.random.default_rng([seed, 37])

    def next_plans(self, trials: Sequence[Trial]) -> list[Plan]:
        """Return the next batch of plans to try, given the trials so far."""
        if len(trials) <= 1:
            return self._first_plans()
        parents = rank_feasible_trials(trials)[:N_PARENTS]
        if len(trials) < 3 * BATCH_SIZE or len(parents) < 2:
            return [self._drawn_plan() for _ in range(BATCH_SIZE)]
        candidates = [self._drawn_plan() for _ in range(N_CANDIDATES // 4)]
        while len(candidates) < N_CANDIDATES:
            ranks = len(parents) * self._random.random(2) ** 2
            first, second = (parents[int(rank)] for rank in ranks)
            candidates.append(self._varied_plan(first, second))
        plans = self._most_promising(trials, candidates)
        return [*plans, self._drawn_plan()]

    def _most_promising(
        self, trials: Sequence[Trial], candidates: Sequence[Plan]
    ) -> list[Plan]:
        """Return all but one of a batch, by what the trials so far predict.

        One part goes by the mean that is predicted, the others add ever more of its
        doubt.
        """
        feasible = [trial for trial in trials if trial.is_feasible]
        mean, doubt = predict_scores(
            np.array([self._features(trial.plan) for trial in feasible]),
            np.array([trial.score for trial in feasible]),
            np.array([self._features(plan) for plan in candidates]),
        )
        chosen: list[int] = []
        for boldness in BOLDNESS:
            value = mean + boldness * doubt
            value[chosen] = -np.inf
            chosen.append(int(value.argmax()))
        return [candidates[number] for number in chosen]

    def _features(self, plan: Plan) -> list[float]:
        """Return a plan as a point, near to those of plans that resemble it."""
        weights = [float(plan.attribute_weights.get(name, 1.0)) for name in self.names]
        values = [plan.aggregations.get(name) == "median" for name in self.names]
        return [
            *np.log(weights).tolist(),
            *(float(plan.method == method) for method in METHODS),
            float(plan.scaling == "range"),
            *map(float, values),
        ]

    def _first_plans(self) -> list[Plan]:
        """Return each method as it is: the search never ends worse than these."""
        plans = []
        for method in METHODS:
            plans += [
                self.base.replace(method=method, parameters={}, scaling=scaling)
                for scaling in ("zscore", "range")
            ]
        return [plan for plan in dict.fromkeys(plans) if plan != self.base]

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
        step = float(np.exp(self._random.normal(-1.0, 0.9)))
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
        if not self.keeps:
            return []
        worst = int(np.argmin(keep_margins(self.keeps, trial.reached)))
        part = trial.reached[worst].weakest
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
                ways = COMMON_VALUES[is_numeric_column(self._frame[name])]
                chosen[name] = ways[int(self._random.integers(len(ways)))]
        return plan.replace(aggregations=chosen) if chosen else plan


def is_numeric_column(column: object) -> bool:
    """Return whether a column is numeric and not Boolean."""
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    dtype = column.dtype  # type: ignore[attr-defined]
    return bool(is_numeric_dtype(dtype) and not is_bool_dtype(dtype))
