"""Trials of plans, and the choice of the plans to try next.

A batch is drawn from the trials before it alone, so that the same seed tries the same
plans in the same order, on any number of cores; a clock only says how many there are.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.aggregate.defaults import suitable_aggregation_ids
from engine.analysis.need.keeps import MISSED_MARGIN, Keep, KeepValue
from engine.analysis.need.plan_search.surrogate import (
    MAX_POINTS,
    predict_score_means_and_sds,
)
from engine.core.typing import Values
from engine.data.conversion.numeric import is_numeric_column
from engine.data.table import Table
from engine.pipeline.plan import Plan
from engine.pipeline.planning.cost import expected_seconds
from engine.pipeline.planning.resolve_plan import ResolvedPlan

BATCH_SIZE = 8
"""Plans that are drawn from the same trials."""

N_PARENTS = 6
"""Best trials that new plans are varied from."""

LEAST_LOSS: tuple[str, Mapping[str, Any]] = ("refined", {})
"""The grouping that loses least, and takes long: tried once, not varied."""

GROUPINGS: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("refined", {"deal": "never"}),
    ("refined", {"deal": "never", "start": "vmdav"}),
    ("blocked", {"deal": "never"}),
    ("mdav", {}),
    ("vmdav", {}),
    ("mdav2", {}),
    ("gsms", {}),
    ("cbfs", {}),
)
"""Methods with their parameters: all take steps and no clock."""
# In equal time, `iterated` by 20 steps changed the weakest overlap by .004 and .001 (12
# seeds of HMDA and births, standard errors .002 and .005), and polishing the last five
# by -.003 and .002 (4 seeds, .007 and .009): too little to be tried.

COMMON_VALUES = (
    "mean",
    "median",
    "low-median",
    "trimmed-mean",
    "one-step",
    "geometric-mean",
    "mode",
    "ancestor",
)
"""Common values that keep a column's units, or the levels of its hierarchy."""

ROUND_TRIALS = 300
"""Trials after which a search begins anew: it stays near what it began with."""

ROUNDS_PER_MERGE = 4
"""Rounds of which the last one goes on from the best of all."""

N_CANDIDATES = 96
"""Plans that a batch is chosen from by what is predicted of them."""

BOLDNESS = (0.0, 0.5)
"""Standard deviations that are added to the means, for each plan that is predicted."""

WEIGHT_SPREADS = (0.1, 0.3, 1.2)
"""Standard deviations of the logarithms of drawn weights. Which groups a plan gives is
mostly luck; groups by nearly equal weights lose less, so that their luck is better."""

N_DRAWN_PLANS = 2
"""Plans of a batch that are drawn at random."""

N_NEAR_PLANS = 2
"""Plans of a batch whose weights are next to a good one's, so that most groups stay."""

NEAR_STEPS = (0.002, 0.2)
"""Smallest and largest step of their logarithms; all sizes between are as frequent."""

N_REVALUED_PLANS = 2
"""Plans of a batch with the groups of good ones, which then need not be made."""

ABOVE_LEAST_K = (0, 0, 0, 0, 0, 0, 1, 2)
"""What is added to the least k; larger groups are seldom better, and if so by luck."""

FLAG_LENGTH = 0.5
"""How far plans are apart that differ in one choice, where weights count by logs."""

MAX_WEIGHT, MIN_WEIGHT = 64.0, 1.0 / 64.0
"""Attribute weights stay between these."""

LOSS_PRICE = 1e-3
"""How much of a keep a per cent of loss counts as, where plans are predicted."""

MAX_PREDICTED_SHORTFALL = 0.4
"""What is worse than the best by more is bad enough: predictions are to be exact where
it matters, and must not depend on how far the limit of a keep lies above all."""


@dataclass(frozen=True)
class Trial:
    """A tried plan, its loss, keep results and worst margin; no release is stored.

    Attributes
    ----------
    plan : Plan
    loss : float or None
        Of its groups in per cent, on z-scores and with equal weights; None where the
        plan could not be carried out.
    reached : tuple of KeepValue
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
    reached: tuple[KeepValue, ...] = ()
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

    def summary(self) -> dict[str, Any]:
        """Return the trial as plain values, ready for JSON."""
        values = [each.value for each in self.reached]
        return {
            "method": self.plan.method,
            "parameters": dict(self.plan.parameters),
            "scaling": self.plan.scaling,
            "transforms": dict(self.plan.transforms),
            "attribute_weights": dict(self.plan.attribute_weights),
            "aggregations": dict(self.plan.aggregations),
            "rounding": self.plan.rounding,
            "suppress": self.plan.suppress,
            "k": self.plan.k,
            "smallest": self.smallest,
            "loss": self.loss,
            "keeps": [None if math.isnan(value) else value for value in values],
        }


def rank_feasible_trials(trials: Sequence[Trial]) -> list[Trial]:
    """Return the trials whose plan could be run, least missed margin first."""
    feasible = [trial for trial in trials if trial.is_feasible]
    return sorted(feasible, key=lambda trial: trial.rank)


def score_trials(trials: Sequence[Trial]) -> Values:
    """Return each trial's score: its margin if missed, clipped, less a bit of loss."""
    missed = np.minimum(0.0, [trial.margin for trial in trials])
    floor = missed.max() - MAX_PREDICTED_SHORTFALL
    losses = np.array([trial.loss or 0.0 for trial in trials])
    return np.asarray(np.maximum(missed, floor) - LOSS_PRICE * losses)


def margin_per_keep(keeps: Sequence[Keep], results: Sequence[KeepValue]) -> list[float]:
    """Return by how much each keep is met; negative where it is missed."""
    return [keep.margin(each.value) for keep, each in zip(keeps, results, strict=True)]


class PlanSampler:
    """Sampler of the plans to try next on one table: random, varied or predicted.

    Parameters
    ----------
    table : Table
    base : Plan
        All choices that are not varied; its k is the least, its budget of records to
        leave out the largest.
    keeps : sequence of Keep
    ways : mapping of str to sequence of str
        Common values to try, see :func:`aggregations_to_try`.
    seed : int
    logged : collection of str
        Columns whose logarithm a model takes.
    """

    def __init__(
        self,
        table: Table,
        base: Plan,
        keeps: Sequence[Keep],
        ways: Mapping[str, Sequence[str]],
        seed: int,
        logged: Collection[str] = (),
    ) -> None:
        self.base, self.keeps = base, tuple(keeps)
        self.names = tuple(base.quasi_identifiers)
        self._logged = frozenset(logged)
        self._random = np.random.default_rng([seed, 37])
        self._ways = ways
        self._bent = tuple(
            name
            for name in self.names
            if "geometric-mean" in self._ways.get(name, ())
            and base.transforms.get(name, "none") == "none"
        )
        # Who asks for another rounding than the default one gets it.
        self._roundings = (
            ("types", "none") if base.rounding == "types" else (base.rounding,)
        )
        self._groupings = methods_no_slower_than_least_loss(table, base)

    def next_plans(self, trials: Sequence[Trial]) -> list[Plan]:
        """Return the next batch of plans to try, given the trials so far."""
        if len(trials) <= 1:
            return self._first_plans()
        trials = self._trials_of_round(trials)
        parents = rank_feasible_trials(trials)[:N_PARENTS]
        if len(trials) < 3 * BATCH_SIZE or len(parents) < 2:
            return [self._drawn_plan(trials) for _ in range(BATCH_SIZE)]
        candidates = [self._drawn_plan(trials) for _ in range(N_CANDIDATES // 4)]
        while len(candidates) < N_CANDIDATES:
            ranks = len(parents) * self._random.random(2) ** 2
            first, second = (parents[int(rank)] for rank in ranks)
            candidates.append(self._varied_plan(first, second, trials))
        plans = [
            *self._most_promising(trials, candidates),
            *self._near_plans(parents),
            *self._revalued_plans(trials, parents),
            *(self._drawn_plan(trials) for _ in range(N_DRAWN_PLANS)),
        ]
        return list(dict.fromkeys(plans))

    def _trials_of_round(self, trials: Sequence[Trial]) -> Sequence[Trial]:
        """Return the trials that the next plans may go by."""
        turn, place = divmod(len(trials), ROUND_TRIALS)
        whole = (turn + 1) % ROUNDS_PER_MERGE == 0
        return trials if whole else trials[len(trials) - place :]

    def _most_promising(
        self, trials: Sequence[Trial], candidates: Sequence[Plan]
    ) -> list[Plan]:
        """Return the predicted part of a batch, by what the trials so far say.

        One part goes by the mean that is predicted, the others add ever more of its
        doubt.
        """
        feasible = [trial for trial in trials if trial.is_feasible][-MAX_POINTS:]
        mean, doubt = predict_score_means_and_sds(
            np.array([self._features(trial.plan) for trial in feasible]),
            score_trials(feasible),
            np.array([self._features(plan) for plan in candidates]),
        )
        chosen: list[int] = []
        for boldness in BOLDNESS:
            value = mean + boldness * doubt
            value[chosen] = -np.inf
            chosen.append(int(value.argmax()))
        return [candidates[number] for number in chosen]

    def _near_plans(self, parents: Sequence[Trial]) -> list[Plan]:
        """Return plans whose groups differ a little from those of good ones."""
        plans = []
        for _ in range(N_NEAR_PLANS):
            parent = parents[int(len(parents) * self._random.random() ** 2)]
            step = np.exp(self._random.uniform(*np.log(NEAR_STEPS)))
            weights = self._log_weights(parent)
            weights += self._random.normal(0.0, step, len(self.names))
            near = self._weights(np.exp(weights))
            plans.append(parent.plan.replace(attribute_weights=near))
        return plans

    def _revalued_plans(
        self, trials: Sequence[Trial], parents: Sequence[Trial]
    ) -> list[Plan]:
        """Return plans with the groups of good ones and other common values."""
        tried = {trial.plan for trial in trials}
        plans: list[Plan] = []
        for _ in range(4 * N_REVALUED_PLANS):
            rank = int(len(parents) * self._random.random() ** 2)
            plan = self._revalued_plan(parents[rank])
            if plan not in tried and len(plans) < N_REVALUED_PLANS:
                plans.append(plan)
        return plans

    def _revalued_plan(self, trial: Trial) -> Plan:
        """Return a trial's plan with one other common value, or other rounding."""
        weakest = [name for name in self._weakest_columns(trial) if name in self._ways]
        named = [*self._ways, ""]
        if weakest and self._random.random() < 0.6:
            named = weakest
        name, plan = self._drawn(named), trial.plan
        if not name:
            return plan.replace(rounding=self._drawn(self._roundings))
        return plan.replace(
            aggregations={**plan.aggregations, name: self._drawn(self._ways[name])}
        )

    def _features(self, plan: Plan) -> list[float]:
        """Return a plan as a point, near to those of plans that resemble it."""
        weights = [float(plan.attribute_weights.get(name, 1.0)) for name in self.names]
        flags = [
            *(
                plan.aggregations.get(name, "") == way
                for name in self._ways
                for way in self._ways[name][1:]
            ),
            *(plan.transforms.get(name, "none") != "none" for name in self._bent),
            *(
                plan.method == method
                and all(plan.parameters.get(key) == value for key, value in own.items())
                for method, own in self._groupings
            ),
            plan.scaling == "range",
            plan.rounding == "none",
            plan.k > self.base.k,
            plan.suppress < self.base.suppress,
        ]
        return [*np.log(weights).tolist(), *(FLAG_LENGTH * float(f) for f in flags)]

    def _first_plans(self) -> list[Plan]:
        """Return each method as it is: the search never ends worse than these."""
        plans = [
            self.base.replace(method=method, parameters=parameters, scaling=scaling)
            for method, parameters in (LEAST_LOSS, *self._groupings)
            for scaling in ("zscore", "range")
        ]
        return [plan for plan in dict.fromkeys(plans) if plan != self.base]

    def _drawn(self, choices: Sequence[Any]) -> Any:
        return choices[int(self._random.integers(len(choices)))]

    def _drawn_grouping(self, trials: Sequence[Trial]) -> dict[str, Any]:
        """Return a method with its parameters, of those that could be carried out."""
        carried = {trial.plan.method for trial in trials if trial.is_feasible}
        groupings = [each for each in self._groupings if each[0] in carried]
        method, parameters = self._drawn(groupings or self._groupings)
        return {"method": method, "parameters": parameters}

    def _drawn_plan(self, trials: Sequence[Trial]) -> Plan:
        spread = self._drawn(WEIGHT_SPREADS)
        weights = np.exp(self._random.normal(0.0, spread, len(self.names)))
        bent = {
            name: "log"
            for name in self._bent
            if self._random.random() < (0.5 if name in self._logged else 0.1)
        }
        plan = self.base.replace(
            **self._drawn_grouping(trials),
            k=self.base.k + self._drawn(ABOVE_LEAST_K),
            suppress=self.base.suppress * self._drawn((1.0, 1.0, 0.5, 0.0)),
            scaling=self._drawn(("zscore", "zscore", "zscore", "zscore", "range")),
            rounding=self._drawn(self._roundings),
            transforms={**self.base.transforms, **bent},
            attribute_weights=self._weights(weights),
        )
        return self._with_common_values(plan, 0.15)

    def _log_weights(self, trial: Trial) -> np.ndarray:
        weights = trial.plan.attribute_weights
        return np.log([float(weights.get(name, 1.0)) for name in self.names])

    def _varied_plan(
        self, parent: Trial, second_parent: Trial, trials: Sequence[Trial]
    ) -> Plan:
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
        changes: dict[str, Any] = {"attribute_weights": self._weights(np.exp(weights))}
        if self._random.random() < 0.15:
            changes |= self._drawn_grouping(trials)
        if self._random.random() < 0.1:
            changes["rounding"] = self._drawn(self._roundings)
        if self._random.random() < 0.1:
            changes["k"] = self.base.k + self._drawn(ABOVE_LEAST_K)
        if self._bent and self._random.random() < 0.1:
            name = self._drawn(self._bent)
            other = "none" if plan.transforms.get(name) == "log" else "log"
            changes["transforms"] = {**plan.transforms, name: other}
        return self._with_common_values(plan.replace(**changes), 0.05)

    def _weakest_columns(self, trial: Trial) -> list[str]:
        """Return the quasi-identifiers in the weakest part of the worst keep."""
        if not self.keeps:
            return []
        worst = int(np.argmin(margin_per_keep(self.keeps, trial.reached)))
        part = trial.reached[worst].weakest
        return [name for name in self.names if name in part]

    def _weights(self, weights: np.ndarray) -> dict[str, float]:
        """Return weights of mean 1, which is all that matters of them."""
        even = np.clip(weights / np.exp(np.log(weights).mean()), MIN_WEIGHT, MAX_WEIGHT)
        return {
            name: float(f"{weight:.7g}")
            for name, weight in zip(self.names, even.tolist(), strict=True)
        }

    def _with_common_values(self, plan: Plan, share: float) -> Plan:
        chosen = dict(plan.aggregations)
        for name, ways in self._ways.items():
            if self._random.random() < share:
                chosen[name] = self._drawn(ways)
            if name in self._logged and self._random.random() < share:
                chosen[name] = ways[-1]
        return plan.replace(aggregations=chosen) if chosen else plan


def aggregations_to_try(
    table: Table, resolved_plan: ResolvedPlan
) -> dict[str, tuple[str, ...]]:
    """Return the aggregations to try for each quasi-identifier that has several.

    Those that suit its kind: the geometric mean, last, of numbers above 0 alone, the
    mean and the mode of two numbers, and levels where there is a hierarchy.
    """
    varied = {}
    for name in resolved_plan.quasi_identifiers:
        column, has_tree = table.frame[name], name in resolved_plan.hierarchies
        suitable = suitable_aggregation_ids(resolved_plan.kinds[name], column, has_tree)
        numeric = is_numeric_column(column) and "mean" in suitable
        if not has_tree:
            suitable -= {"ancestor"}
        if not numeric or not (column.dropna() > 0).all():
            suitable -= {"geometric-mean"}
        if numeric and column.nunique() == 2:
            suitable &= {"mean", "mode"}
        elif numeric:
            suitable -= {"mode", "ancestor"}
        ways = tuple(way for way in COMMON_VALUES if way in suitable)
        if len(ways) > 1:
            varied[name] = ways
    return varied


def methods_no_slower_than_least_loss(
    table: Table, base: Plan
) -> tuple[tuple[str, Mapping[str, Any]], ...]:
    """Return the methods with parameters expected no slower than that of least loss.

    By one thread: with those of a machine, the plans would depend on it.
    """
    longest, *seconds = (
        expected_seconds(base.replace(method=method, parameters=own), table, False, 1)
        for method, own in (LEAST_LOSS, *GROUPINGS)
    )
    return tuple(
        each
        for each, needed in zip(GROUPINGS, seconds, strict=True)
        if needed <= longest
    )
