"""Search for a release: try plans in batches until time or trials run out."""

from __future__ import annotations

import copy
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import takewhile
from typing import Any

import numpy as np

from engine.analysis.need.keeps import Keep, KeepScene
from engine.analysis.need.models.model_fit import RefittableModel
from engine.analysis.need.plan_search.trials import (
    PlanSampler,
    Trial,
    aggregations_to_try,
    margin_per_keep,
    rank_feasible_trials,
)
from engine.analysis.need.subgroups import loss_per_record, make_subgroups
from engine.bounds import LowerBound
from engine.core.context import SILENT, RunContext
from engine.core.errors import Cancelled, EngineError
from engine.core.message import Message
from engine.core.numerics.statistics import loss_percent, mean_by_group
from engine.core.parallel import map_in_threads
from engine.core.partition import Partition
from engine.core.typing import Integers, Values
from engine.data.conversion.numeric import is_numeric_column
from engine.data.persons import persons_per_class
from engine.data.table import Table
from engine.kernels.compilation.compiling import monotonic_without_compiling
from engine.pipeline.grouping.group import GroupedParts
from engine.pipeline.grouping.prepare import PreparationCache, PreparedTable
from engine.pipeline.outcome import Outcome, Release
from engine.pipeline.plan import Plan
from engine.pipeline.planning.resolve_plan import ResolvedPlan, resolve_plan
from engine.pipeline.remarks import early_stop_message
from engine.pipeline.run import (
    build_grouped_parts,
    outcome_of_groups,
    release_of_groups,
)
from engine.points.base import Points

MAX_CACHED_PREPARATIONS = 16
"""Preparations that are remembered: plans with weights of their own share few."""

MAX_CACHED_GROUPINGS = 64
"""Groups that are remembered, for plans with other common values."""


def is_deadline_past(deadline: float | None) -> bool:
    """Return whether a deadline is past; None never is.

    Parameters
    ----------
    deadline : float or None
        Reading of :func:`monotonic_without_compiling`.
    """
    return deadline is not None and monotonic_without_compiling() >= deadline


def context_cancelled_at_deadline(
    ctx: RunContext, deadline: float | None
) -> RunContext:
    """Return a context that cancels what it is given to once a deadline is past."""
    if deadline is None and ctx is SILENT:
        return ctx
    return RunContext(
        lambda _share, stage: ctx.tick(0.0, 1.0, stage),
        cancelled=lambda: is_deadline_past(deadline),
    )


class PlanSearch:
    """Search for the plan whose release of one table best meets the keeps.

    Parameters
    ----------
    table : Table
    base : Plan
        All choices that the search does not vary; its k is the least that the rules
        allow.
    keeps : sequence of Keep
    designs : sequence of RefittableModel
    seed : int
    second_designs : sequence of RefittableModel
        Models of a second release.
    cache : PreparationCache, optional
        Of the same table, to share with another search.
    subgroups : sequence of str
        Columns within whose values the keeps of the first release count as well.

    Attributes
    ----------
    keeps : tuple of Keep
        Those of all records, then those of each subgroup.
    """

    def __init__(
        self,
        table: Table,
        base: Plan,
        keeps: Sequence[Keep],
        designs: Sequence[RefittableModel],
        seed: int = 0,
        cache: PreparationCache | None = None,
        second_designs: Sequence[RefittableModel] = (),
        subgroups: Sequence[str] = (),
    ) -> None:
        self.table, self.base = table, base
        self.whole_keeps, self.designs = tuple(keeps), tuple(designs)
        self.subgroups = make_subgroups(
            table,
            subgroups,
            [keep for keep in keeps if keep.release == 1],
            designs,
            tuple(n for n in self.names if is_numeric_column(table.frame[n])),
            base.k,
        )
        self.keeps = (
            *self.whole_keeps,
            *(keep for each in self.subgroups for keep in each.keeps),
        )
        self.second_designs = tuple(second_designs)
        self.trials: list[Trial] = []
        self.cache = cache or PreparationCache(table, MAX_CACHED_PREPARATIONS)
        self.seed, self._fixed = seed, dict[str, Any]()
        self._drawer = self._make_drawer()
        self._grouped: dict[Plan, GroupedParts] = {}
        self._stopped: dict[Plan, GroupedParts] = {}

    def _make_drawer(self) -> PlanSampler:
        logged = {name for each in self.designs for name in each.model.logged_columns}
        ways = aggregations_to_try(self.table, resolve_plan(self.base, self.table))
        return PlanSampler(self.table, self.base, self.keeps, ways, self.seed, logged)

    def copy_with_fixed(self, **fixed: Any) -> PlanSearch:
        """Return a search without trials, all of whose plans have the given choices.

        Parameters
        ----------
        fixed
            k, or the share of records that are left out.
        """
        other = copy.copy(self)
        other.base, other.trials = self.base.replace(**fixed), []
        other._fixed, other._drawer = fixed, other._make_drawer()
        return other

    @cached_property
    def _points(self) -> tuple[Points, Integers]:
        """Z-scored points of all records, and the place among them of each row."""
        plain = self.base.replace(
            scaling="zscore", attribute_weights={}, transforms={}, suppress=0.0
        )
        points = self.cache.get(resolve_plan(plain, self.table)).points
        places = np.full(self.table.n_records, -1, dtype=np.int64)
        places[points.rows] = np.arange(points.rows.size)
        return points, places

    def points_of(self, rows: Integers) -> Points:
        """Return the z-scored points of the given rows of the table."""
        points, places = self._points
        return points.subset(places[rows])

    def losses_of(self, partition: Partition, rows: Integers) -> Values:
        """Return each released record's loss, see :func:`loss_per_record`."""
        X, labels = self.points_of(rows).X, partition.labels
        return loss_per_record(X, labels, mean_by_group(X, labels))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Quasi-identifiers, in the order of the plan."""
        return tuple(self.base.quasi_identifiers)

    def best_trials(self) -> list[Trial]:
        """Return the feasible trials, best first."""
        return rank_feasible_trials(self.trials)

    def begin(self, ctx: RunContext, deadline: float | None = None) -> None:
        """Try the base plan.

        An early stop ends the search and no plan, so that each can be carried out
        again. Only where the groups of people take longer than there is time the best
        by then are taken, which then are those of the outcome too, and it says so.

        Parameters
        ----------
        deadline : float, optional
            Reading of :func:`monotonic_without_compiling` at which these groups must
            be there.

        Raises
        ------
        EngineError
            What every plan would be refused for, in its own sentence.
        """
        whole = RunContext(
            lambda _share, stage: ctx.tick(0.0, 1.0, stage),
            enough=lambda: is_deadline_past(deadline),
        )
        self.trials.append(self._measure_plan(self.base, whole))

    def extend(
        self,
        n_trials: int | None,
        until: float | None,
        ctx: RunContext,
        deadline: float | None = None,
    ) -> None:
        """Try plans until their number is reached, or time is up.

        Parameters
        ----------
        n_trials : int or None
            How many in all.
        until : float or None
            Reading of :func:`monotonic_without_compiling` after which no trial begins.
        deadline : float, optional
            Reading at which those that began are given up; `until` unless given.
        """
        from threadpoolctl import threadpool_limits

        began = monotonic_without_compiling()
        deadline = until if deadline is None else deadline
        # Sums must not depend on cores, nor small matrices wait for threads.
        with threadpool_limits(1):
            while not ctx.enough():
                if n_trials is not None and len(self.trials) >= n_trials:
                    return
                if is_deadline_past(until):
                    return
                drawn = self._drawer.next_plans(self.trials)
                plans = [plan.replace(**self._fixed) for plan in drawn]
                if n_trials is not None:
                    plans = plans[: n_trials - len(self.trials)]
                measured = map_in_threads(
                    lambda number, _, plans=plans: (  # type: ignore[misc]
                        None
                        if is_deadline_past(until)
                        else self.try_plan_in_time(plans[number], deadline)
                    ),
                    len(plans),
                    ctx.subcontext(0.0, 0.0),
                    "Trying plans",
                )
                # Those before the first one that came too late: in the same order.
                self.trials += [
                    trial for trial in takewhile(bool, measured) if trial is not None
                ]
                share = len(self.trials) / n_trials if n_trials else 0.0
                if until is not None:
                    spent = monotonic_without_compiling() - began
                    share = spent / max(1e-9, until - began)
                ctx.tick(min(1.0, share), 1.0, Message("Trying plans"))

    def try_plan(self, plan: Plan, ctx: RunContext = SILENT) -> Trial:
        """Return the trial of a plan; not feasible if its run fails."""
        try:
            return self._measure_plan(plan, ctx)
        except Cancelled:
            raise
        except EngineError:
            return Trial(plan)

    def try_plan_in_time(
        self, plan: Plan, deadline: float | None, ctx: RunContext = SILENT
    ) -> Trial | None:
        """Return the trial of a plan; None if it was given up at the deadline."""
        limited = context_cancelled_at_deadline(ctx, deadline)
        try:
            return self.try_plan(plan, limited)
        except Cancelled:
            if is_deadline_past(deadline):
                return None
            raise

    def outcome_of(self, plan: Plan, bound: LowerBound | None = None) -> Outcome:
        """Return the outcome of a plan, with the groups of its trial where known.

        Parameters
        ----------
        bound : LowerBound, optional
            If known already, or not wanted.
        """
        started = time.perf_counter()
        resolved = resolve_plan(plan, self.table)
        prepared = self.cache.get(resolved)
        groups = self._groups_of(resolved, prepared, SILENT)
        return outcome_of_groups(
            resolved, self.table, prepared, groups, bound, started=started
        )

    def _measure_plan(self, plan: Plan, ctx: RunContext = SILENT) -> Trial:
        plans = [plan, *self._second_plans(plan)]
        resolved = [resolve_plan(each, self.table) for each in plans]
        prepared = self.cache.get(resolved[0])
        grouped = self._groups_of(resolved[0], prepared, ctx).grouped
        partition = grouped.partition
        releases = [
            release_of_groups(each, self.table, prepared, grouped) for each in resolved
        ]
        scene = self.compare_release(partition, releases[0])
        first, second = (
            [keep for keep in self.whole_keeps if keep.release == number]
            for number in (1, 2)
        )
        reached = tuple(keep.reached(scene) for keep in first)
        second_plan = None
        if second:
            others = [
                tuple(keep.reached(other) for keep in second)
                for other in (
                    self.compare_release(partition, release, self.second_designs)
                    for release in releases[1:]
                )
            ]
            best = max(
                range(len(others)),
                key=lambda place: min(margin_per_keep(second, others[place])),
            )
            second_plan, reached = plans[1 + best], (*reached, *others[best])
        if self.subgroups:
            rows = releases[0].rows
            losses = self.losses_of(partition, rows)
            for each in self.subgroups:
                reached += each.reached(scene, rows, losses)
        counts = persons_per_class(partition.labels, prepared.persons)
        return Trial(
            plan,
            scene.loss,
            reached,
            min(margin_per_keep(self.keeps, reached), default=0.0),
            int(counts.min()),
            second_plan,
        )

    def _groups_of(
        self, plan: ResolvedPlan, prepared: PreparedTable, ctx: RunContext
    ) -> GroupedParts:
        """Return a plan's groups, from those of plans with other values if possible."""
        key = plan.replace(aggregations={}, rounding="types")
        if key in self._stopped:
            return self._stopped[key]
        grouped = self._grouped.pop(key, None)
        if grouped is None:
            began = time.perf_counter()
            grouped = build_grouped_parts(plan, self.table, prepared, ctx)
            if prepared.persons is not None and ctx.enough():
                seconds = time.perf_counter() - began
                early = early_stop_message(plan, grouped.iterations, seconds)
                self._stopped[key] = replace(
                    grouped, warnings=(*grouped.warnings, early)
                )
                return self._stopped[key]
        # What was asked for last is remembered longest.
        self._grouped[key] = grouped
        for old in list(self._grouped)[:-MAX_CACHED_GROUPINGS]:
            self._grouped.pop(old, None)
        return grouped

    def _second_plans(self, plan: Plan) -> list[Plan]:
        """Return plans of a second release with the groups of the first one.

        Common values may differ; whoever holds both is then left with the same people.
        Empty where one release is asked for.
        """
        if all(keep.release == 1 for keep in self.keeps):
            return []
        ways: list[dict[str, str]] = [{}]
        for way in ("mean", "median"):
            numbers = {
                name: way
                for name in self.names
                if is_numeric_column(self.table.frame[name])
            }
            ways.append({**plan.aggregations, **numbers})
        plans = [plan, *(plan.replace(aggregations=way) for way in ways)]
        return list(dict.fromkeys(plans))

    def compare_release(
        self,
        partition: Partition,
        release: Release,
        designs: Sequence[RefittableModel] | None = None,
    ) -> KeepScene:
        """Return a release with the same records of the original, for keeps.

        Its models are those of the first release unless others are given.
        """
        original = self.table.frame.iloc[release.rows]
        points = self.points_of(release.rows)
        if partition.attributes is None:
            sse = points.sse(partition.labels)
        else:
            parts = [
                points.attribute_sse(j, labels)
                for j, labels in enumerate(partition.attributes)
            ]
            sse = float(points.space.weights @ np.array(parts))
        numeric = tuple(
            name
            for name in self.names
            if is_numeric_column(original[name])
            and is_numeric_column(release.frame[name])
        )
        loss = loss_percent(sse, points.sst)
        models = self.designs if designs is None else tuple(designs)
        return KeepScene(original, release.frame, loss, models, numeric)
