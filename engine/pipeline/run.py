"""Pipeline entry points: run a plan on a table, as a whole or step by step."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from types import MappingProxyType

from engine.bounds import NO_BOUND, LowerBound
from engine.core.arguments import check_arguments
from engine.core.context import SILENT, RunContext
from engine.core.errors import InfeasibleError, ParameterError
from engine.core.message import Message, Topic
from engine.core.numerics.statistics import total_sum_of_squares
from engine.core.numerics.trace import SearchTrace
from engine.core.partition import Labels, Partition
from engine.data.table import Table
from engine.kernels.compilation.compiling import monotonic_without_compiling
from engine.measures import MeasuredRelease, Score, measures
from engine.measures.classes import ClassCache
from engine.methods.base import methods
from engine.persons.group import MAX_COMPARED
from engine.pipeline.column_survival import measure_survival_by_column
from engine.pipeline.grouping.bound import bound_or_warning, lower_bound
from engine.pipeline.grouping.group import (
    GroupedParts,
    Regroup,
    group_records,
    groups_from_partition,
)
from engine.pipeline.grouping.persons import check_persons_per_group
from engine.pipeline.grouping.prepare import PreparationCache, PreparedTable
from engine.pipeline.grouping.privacy import enforce_privacy
from engine.pipeline.grouping.suppress import NONE_SUPPRESSED
from engine.pipeline.outcome import (
    Outcome,
    Release,
    library_versions,
    released_uniqueness,
)
from engine.pipeline.plan import Plan
from engine.pipeline.planning.resolve_plan import ResolvedPlan, resolve_plan
from engine.pipeline.planning.seeds import SeedFigures, seeds_of_plan
from engine.pipeline.protection.aggregate import (
    BuiltRelease,
    GroupingResult,
    build_release,
)
from engine.pipeline.remarks import (
    block_k_warnings,
    choices_warnings,
    early_stop_warnings,
    lost_columns_warnings,
    uncompared_digits_warnings,
    uniqueness_warnings,
)

MergedGroups = tuple[GroupingResult, tuple[Message, ...]]
"""Groups that meet a plan's privacy requirements, and messages on the cost."""

IMPROVING_MESSAGE = Message(
    "These are the groups that the method begins with; better ones are on their way."
).with_topic(Topic.IMPROVING)
"""What is said of an outcome that a better one will replace before the run ends."""


@check_arguments
def run(
    plan: Plan,
    table: Table,
    ctx: RunContext = SILENT,
    preparations: PreparationCache | None = None,
    bound: LowerBound | None = None,
    thorough: bool = False,
    regroup: Regroup | None = None,
) -> Outcome:
    """Protect a table by a plan; return the outcome.

    Parameters
    ----------
    plan : Plan
    table : Table
    ctx : RunContext
        Progress and cancel.
    preparations : PreparationCache, optional
        Preparations of the same table, to save time in several runs.
    bound : LowerBound, optional
        If known already; :data:`engine.bounds.NO_BOUND` where none is wanted.
    thorough : bool
        Whether a lower bound that is not given may take minutes; see
        :func:`engine.bounds.strongest_affordable_bound`.
    regroup : callable, optional
        Takes a `PreparedTable` and returns a `Partition`, in place of the method.

    Raises
    ------
    EngineError
        If the run is not possible. One sentence says what to change; nothing is written
        or kept.
    """
    started = time.perf_counter()
    if preparations is not None:
        table.check_fingerprint(preparations.table.fingerprint)
    resolved = resolve_plan(plan, table)
    ctx.tick(0, 1, Message("Preparing"))
    prepared = (preparations or PreparationCache(table)).get(resolved)
    return protect_prepared(
        resolved, table, prepared, ctx, bound, thorough, started, regroup
    )


def protect_prepared(
    plan: ResolvedPlan,
    table: Table,
    prepared: PreparedTable,
    ctx: RunContext = SILENT,
    known_bound: LowerBound | None = None,
    thorough: bool = False,
    started: float | None = None,
    regroup: Regroup | None = None,
    on_early: Callable[[Outcome], None] | None = None,
) -> Outcome:
    """Group prepared records, build and measure the release; return the outcome.

    Then, where the plan asks for several seeds, do the same with each of the others
    for its figures.

    Parameters
    ----------
    prepared : PreparedTable
        What `engine.pipeline.grouping.prepare.PreparationCache` gives for this plan.
    ctx, known_bound, thorough, regroup
        As in :func:`run`, whose `bound` is the known one.
    started : float, optional
        Reading of :func:`time.perf_counter` from which the total seconds count; now
        unless given.
    on_early : callable, optional
        Called with the outcome of the groups that a search begins with, where it says
        so; a warning about ``"improving"`` tells it from what is returned.

    Raises
    ------
    EngineError
    """
    started = time.perf_counter() if started is None else started
    # Groups that are given are no luck.
    first, *others = seeds_of_plan(plan) if regroup is None else [plan.seed]
    share = 1.0 / (1 + len(others))
    part = ctx.subcontext(0.0, share) if others else ctx
    outcome = _protect(
        plan, table, prepared, part, known_bound, thorough, started, regroup, on_early
    )
    if not others:
        return outcome
    figures_by_seed = [_seed_figures(outcome, first)]
    for place, seed in enumerate(others, start=1):
        part = ctx.subcontext(place * share, (place + 1) * share)
        seed_plan = ResolvedPlan(**{**plan.model_dump(), "seed": seed, "seeds": 1})
        now = time.perf_counter()
        seed_outcome = _protect(
            seed_plan, table, prepared, part, outcome.bound, thorough, now
        )
        if ctx.enough():
            break  # what was stopped early says nothing of the others
        figures_by_seed.append(_seed_figures(seed_outcome, seed))
    seconds = {**outcome.seconds, "total": time.perf_counter() - started}
    return dataclasses.replace(
        outcome,
        seconds=MappingProxyType(seconds),
        by_seed=tuple(figures_by_seed) if len(figures_by_seed) > 1 else (),
    )


def _seed_figures(outcome: Outcome, seed: int) -> SeedFigures:
    return SeedFigures(
        seed,
        outcome.information_loss,
        outcome.scores["certainty-penalty"].value,
        outcome.partition.n_groups,
        outcome.k_released,
        outcome.seconds["partition"],
    )


def _protect(
    plan: ResolvedPlan,
    table: Table,
    prepared: PreparedTable,
    ctx: RunContext,
    bound: LowerBound | None,
    thorough: bool,
    started: float,
    regroup: Regroup | None = None,
    on_early: Callable[[Outcome], None] | None = None,
) -> Outcome:
    """Carry a plan out with its first seed."""
    trace = SearchTrace()
    # What measures take is little where the bound is there already.
    grouped_at = 0.8 if bound is None else 0.95
    grouping = ctx.subcontext(0.0, grouped_at)
    if methods.info(plan.method).traits.time_budget:
        if bound is None:
            bound = lower_bound(plan, prepared, ctx.subcontext(0.0, 0.0), thorough)
        grouping = grouping.with_listener(trace)
        _tell_the_aim(grouping, prepared, bound)
    clock = monotonic_without_compiling()
    if on_early is not None and not plan.enforces_privacy and prepared.persons is None:

        def take(labels: Labels) -> None:
            """Hand on the outcome of the method's first groups."""
            first_grouping = GroupingResult(Partition(labels, plan.k))
            groups = GroupedParts(
                first_grouping, None, (), (), None, (IMPROVING_MESSAGE,)
            )
            on_early(
                outcome_of_groups(
                    plan,
                    table,
                    prepared,
                    groups,
                    bound or NO_BOUND,
                    seconds=monotonic_without_compiling() - clock,
                    started=started,
                )
            )

        grouping = grouping.with_labels_callback(take)
    merging = ctx.subcontext(grouped_at, grouped_at)
    groups = _group_privately(plan, table, prepared, grouping, merging, regroup)
    seconds = monotonic_without_compiling() - clock
    stopped = (
        early_stop_warnings(plan, groups.iterations, seconds) if ctx.enough() else ()
    )
    outcome = outcome_of_groups(
        plan,
        table,
        prepared,
        groups,
        bound,
        ctx.subcontext(grouped_at, 1.0),
        thorough,
        seconds,
        started,
        stopped,
        trace,
    )
    ctx.tick(1, 1, Message("Done"))
    return outcome


def outcome_of_groups(
    plan: ResolvedPlan,
    table: Table,
    prepared: PreparedTable,
    groups: GroupedParts,
    bound: LowerBound | None,
    ctx: RunContext = SILENT,
    thorough: bool = False,
    seconds: float = 0.0,
    started: float | None = None,
    stop_messages: tuple[Message, ...] = (),
    trace: SearchTrace | None = None,
) -> Outcome:
    """Return the outcome of groups that are made already.

    Parameters
    ----------
    plan, table, prepared, bound, ctx, thorough, started
        As in :func:`protect_prepared`.
    groups : GroupedParts
    seconds : float
        Time that the groups took.
    stop_messages : tuple of Message
        What is to be said of a search that was stopped.
    trace : SearchTrace, optional

    Raises
    ------
    EngineError
    """
    started = time.perf_counter() if started is None else started
    if bound is None and groups.bound is None:
        bound = lower_bound(plan, prepared, ctx, thorough)
    proven = [each for each in (bound, groups.bound) if each is not None]
    replaced = build_release(plan, table, prepared, groups.grouped)
    release = replaced.release
    class_cache = ClassCache()
    partition, scores = _measure_release(
        plan, prepared, groups.grouped, replaced, class_cache
    )
    best = max(proven, key=lambda each: each.sse)
    strongest, doubt = bound_or_warning(best, scores["information-loss"].value)
    k_released = int(scores["k-anonymity"].value)
    holds = groups.probabilistic is None and k_released >= plan.k
    survival_by_column = measure_survival_by_column(
        plan, table, prepared.points, release.frame, replaced.written, prepared.persons
    )
    uniqueness, on_uniqueness = None, tuple[Message, ...]()
    if holds:
        uniqueness = released_uniqueness(plan, release, prepared.persons, class_cache)
        on_uniqueness = uniqueness_warnings(uniqueness) + uncompared_digits_warnings(
            table, uniqueness, plan.quasi_identifiers
        )
    suppressed = prepared.suppressed or NONE_SUPPRESSED
    seconds_by_step = {"partition": seconds, "total": time.perf_counter() - started}
    outcome = Outcome(
        plan=plan,
        fingerprint=table.fingerprint,
        partition=partition,
        release=release,
        scores=MappingProxyType(scores),
        bound=strongest,
        seconds=MappingProxyType(seconds_by_step),
        versions=library_versions(),
        warnings=prepared.warnings
        + groups.warnings
        + (() if groups.probabilistic is None else (groups.probabilistic.warning,))
        + choices_warnings(plan, table)
        + block_k_warnings(plan, release, k_released, prepared.persons)
        + on_uniqueness
        + lost_columns_warnings(survival_by_column, plan.aggregations)
        + stop_messages
        + doubt,
        iterations=groups.iterations,
        turns=groups.turns,
        trace=() if trace is None else trace.points,
        rules_broken=prepared.rules_broken,
        probabilistic=groups.probabilistic,
        survived=survival_by_column,
        suppressed=suppressed.count,
        suppressed_cells=MappingProxyType(dict(suppressed.cells)),
        suppressed_persons=suppressed.persons,
        suppressed_whole_persons=suppressed.whole_persons,
        surplus=suppressed.surplus,
        persons=prepared.persons,
    )
    return outcome.with_uniqueness(uniqueness)


def build_grouped_parts(
    plan: ResolvedPlan, table: Table, prepared: PreparedTable, ctx: RunContext = SILENT
) -> GroupedParts:
    """Return a plan's groups and what its method says of them, without a release.

    The same groups as :func:`protect_prepared` gives with the first seed, for searches
    that compare many plans by figures of their own.

    Raises
    ------
    EngineError
    """
    return _group_privately(plan, table, prepared, ctx, ctx)


def release_of_groups(
    plan: ResolvedPlan, table: Table, prepared: PreparedTable, grouped: GroupingResult
) -> Release:
    """Return the release of groups that are made already, by a plan's choices.

    Raises
    ------
    EngineError
    """
    return build_release(plan, table, prepared, grouped).release


def _group_privately(
    plan: ResolvedPlan,
    table: Table,
    prepared: PreparedTable,
    grouping: RunContext,
    merging: RunContext,
    regroup: Regroup | None = None,
) -> GroupedParts:
    """Group records, and merge groups until what the plan enforces holds."""
    if regroup is None:
        groups = group_records(plan, prepared, grouping)
    else:
        groups = groups_from_partition(plan, prepared, regroup(prepared))
    check_persons_per_group(plan, prepared.persons, groups.grouped.partition)
    before = groups.grouped
    grouped, merges = enforce_privacy(plan, table, prepared, before, merging)
    if grouped is not before and prepared.persons is not None and regroup is None:
        grouped, merges = _with_less_lost(
            plan, table, prepared, (grouped, merges), merging
        )
    return dataclasses.replace(
        groups, grouped=grouped, warnings=groups.warnings + merges
    )


def _with_less_lost(
    plan: ResolvedPlan,
    table: Table,
    prepared: PreparedTable,
    merged: MergedGroups,
    ctx: RunContext,
) -> MergedGroups:
    """Return merged groups, or those for all records known if they lose less.

    Of people of whom one record is known, in tables of no more than `MAX_COMPARED`.
    """
    points, knows = prepared.points, plan.intruder_knows
    if knows == "all" or plan.blocks or points.n_records > MAX_COMPARED:
        return merged
    all_known_plan = ResolvedPlan(**{**plan.model_dump(), "intruder_knows": "all"})
    try:
        classes = group_records(all_known_plan, prepared, ctx).grouped.partition
        class_grouping = GroupingResult(Partition(classes.labels, plan.k))
        other = enforce_privacy(plan, table, prepared, class_grouping, ctx)
    except (InfeasibleError, ParameterError):
        return merged  # there are none
    return min(
        (merged, other), key=lambda candidate: points.sse(candidate[0].partition.labels)
    )


def _tell_the_aim(ctx: RunContext, prepared: PreparedTable, bound: LowerBound) -> None:
    """Tell a search whose groups are all of the table what it can reach at best."""
    whole = len(prepared.blocks) == 1 and len(prepared.blocks[0].strata) == 1
    whole = whole and prepared.households is None
    if whole and prepared.points.weights is None:
        ctx.note("sst", total_sum_of_squares(prepared.points.X))
        ctx.note("bound", bound.sse)


def _measure_release(
    plan: ResolvedPlan,
    prepared: PreparedTable,
    grouped: GroupingResult,
    replaced: BuiltRelease,
    class_cache: ClassCache,
) -> tuple[Partition, dict[str, Score]]:
    """Return the groups of whole records, and scores of the always-run measures."""
    partition, frame = grouped.partition, replaced.release.frame
    if partition.attributes is not None:
        classes = class_cache.get_classes(frame, plan.quasi_identifiers)
        partition = Partition(classes, plan.k, partition.guarantees_k)
    protected = MeasuredRelease(
        prepared.points,
        replaced.exact,
        partition,
        frame,
        rounded=replaced.written,
        attributes=grouped.partition.attributes,
        persons=prepared.persons,
        intruder_knows=plan.person_knowledge,
        seen=class_cache,
    )
    always = [info.id for info in measures.infos() if not info.on_demand]
    return partition, {name: measures.get(name)(protected) for name in always}
