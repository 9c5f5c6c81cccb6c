"""The order of the rooms: from a plan and a table to an outcome."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from dataclasses import replace as replace_field
from types import MappingProxyType
from typing import Any

import numpy as np

from engine.bounds import NO_BOUND, LowerBound, best_bound, total_bound
from engine.bounds.nearest import nearest_bound
from engine.bounds.per_attribute import per_attribute_bound
from engine.core.context import SILENT, RunContext
from engine.core.errors import ParameterError
from engine.core.message import Message, all_of, some_of
from engine.core.parameters import Float
from engine.core.partition import Partition, merge
from engine.core.statistics import total_sum_of_squares
from engine.core.trace import Trace
from engine.core.typing import Integers, Values
from engine.data.kinds import Kind, Role
from engine.data.table import Table
from engine.kernels._jit import load_numba
from engine.measures import Protected, measures
from engine.measures.classes import Classes, smallest_class
from engine.methods.base import Microaggregator, make_method, methods
from engine.methods.search.as_written import check_rules, trade_as_written
from engine.methods.search.refined import polish
from engine.pipeline.aggregate import Grouped, replace
from engine.pipeline.cost import FEW, PAIRS
from engine.pipeline.households import Households
from engine.pipeline.outcome import (
    Outcome,
    Release,
    library_versions,
    uniqueness_of,
)
from engine.pipeline.plan import Plan
from engine.pipeline.prepare import Block, Preparations, Prepared
from engine.pipeline.privacy import enforced
from engine.pipeline.probabilistic import Probabilistic
from engine.pipeline.remarks import on_survival, on_uniqueness
from engine.pipeline.resolved import ResolvedPlan, resolve
from engine.pipeline.seeds import SeedFigures, seeds_of
from engine.pipeline.survived import survived
from engine.points.base import Points

Regroup = Callable[[Prepared], Partition]
"""Gives groups for prepared records, such as those of an earlier release."""


def lower_bound(
    plan: ResolvedPlan,
    prepared: Prepared,
    ctx: RunContext = SILENT,
    thorough: bool = False,
) -> LowerBound:
    """Return what no release can stay below that the plan's method might make.

    In large tables it looks at numbers and the smallest columns of categories only: a
    bound on a projection is one on all, as projection shortens. A `thorough` one takes
    its time; see :func:`engine.bounds.best_bound`.
    """
    points, traits = prepared.points, methods.info(plan.method).traits
    if traits.probabilistic:
        return NO_BOUND
    if prepared.suppressed is not None:
        if traits.per_attribute:  # whose records are left out of all columns
            return NO_BOUND
        return prepared.suppressed.bound(points)
    bounds, done, whole = [], 0, True
    total = len(prepared.blocks) * points.n_records
    for block in prepared.blocks:
        mine = _of_block(prepared, block)
        X = mine.X
        work = 0.0 if thorough or mine.space.plain else float(X.shape[0]) * X.size
        if work > 10 * PAIRS:
            X, whole = X[:, mine.space.narrow(FEW)], False
        for records in block.strata:
            part = ctx.part(done / total, (done + records.size) / total)
            some = X if records.size == len(X) else X[records]
            if traits.per_attribute:
                bounds.append(per_attribute_bound(some, plan.k, part))
            elif PAIRS < work <= 10 * PAIRS:
                bounds.append(nearest_bound(some, plan.k, part))
            else:
                bounds.append(best_bound(some, plan.k, part, thorough))
            done += records.size
    return _of_all(bounds, points, whole)


def _of_all(bounds: list[LowerBound], points: Points, whole: bool = True) -> LowerBound:
    """Return the bound of all parts, as a share of what all directions vary."""
    sst = None if points.space.exact and whole else points.sst
    return total_bound(bounds, points.X, points.weights, sst)


def _of_block(prepared: Prepared, block: Block) -> Points:
    points = prepared.points
    return points if len(prepared.blocks) == 1 else points.columns(block.columns)


@dataclass
class _Tally:
    """What methods have said beside their groups, stratum after stratum."""

    runs: int = 0
    bounds: list[LowerBound] = field(default_factory=list)
    iterations: list[int] = field(default_factory=list)
    turns: list[int] = field(default_factory=list)
    centres: list[Values] = field(default_factory=list)
    sizes: list[Values] = field(default_factory=list)
    n_centres: int = 0
    warnings: list[Message] = field(default_factory=list)

    def add(self, method: Microaggregator, some: Points, found: Partition) -> None:
        self.runs += 1
        if method.bound_ is not None:
            self.bounds.append(method.bound_)
        if method.n_iter_ is not None:
            self.iterations.append(method.n_iter_)
        if method.n_turns_ is not None:
            self.turns.append(method.n_turns_)
        self.warnings += method.warnings_
        if not method.info.traits.probabilistic:
            return
        if method.centres_ is None:  # so few records that all are one group
            self.centres.append(some.X.mean(axis=0)[np.newaxis])
            self.sizes.append(found.sizes.astype(np.float64))
            self.n_centres += 1
        else:
            assert method.expected_sizes_ is not None
            assert method.n_centres_ is not None
            self.n_centres += method.n_centres_
            self.centres.append(method.centres_)
            self.sizes.append(method.expected_sizes_)

    def take_centres(self, points: Points) -> list[Values | None]:
        """Return what each attribute's groups become in its own units, and forget it.

        None where the method does not say so.

        Parameters
        ----------
        points : Points
            What was grouped.
        """
        if not self.centres:
            return [None] * points.n_attributes
        coordinates, self.centres = np.vstack(self.centres), []
        attributes = range(points.n_attributes)
        return [points.space.values_at(coordinates, j) for j in attributes]


@dataclass(frozen=True, eq=False)
class Groups:
    """What grouping gave.

    Attributes
    ----------
    grouped : Grouped
    bound : LowerBound or None
        What the method has proven itself, where it does.
    iterations : tuple of int
        Steps that the method took in each stratum, where it searches.
    turns : tuple of int
        Turns after the steps, likewise.
    probabilistic : Probabilistic or None
        Group sizes, where they were drawn.
    warnings : tuple of Message
        What the method says of its groups.
    """

    grouped: Grouped
    bound: LowerBound | None
    iterations: tuple[int, ...]
    turns: tuple[int, ...]
    probabilistic: Probabilistic | None
    warnings: tuple[Message, ...]


def group(plan: ResolvedPlan, prepared: Prepared, ctx: RunContext) -> Groups:
    """Run the plan's method, in each block and stratum on its own."""
    points, blocks = prepared.points, prepared.blocks
    if plan.polish and plan.polish_for == "release":
        check_rules(plan.aggregations, prepared.households is not None)
    tally, found = _Tally(), list[Partition]()
    centres: list[Values | None] = [None] * points.n_attributes
    for number, block in enumerate(blocks):
        share = ctx.part(number / len(blocks), (number + 1) / len(blocks))
        mine, of_all = _of_block(prepared, block), 1.0 / len(blocks)
        found.append(
            _group_block(plan, mine, block, tally, share, of_all, prepared.households)
        )
        for j, values in zip(block.columns, tally.take_centres(mine), strict=True):
            centres[j] = values
    partition = found[0]
    if len(found) > 1:
        attributes = np.empty((points.n_attributes, points.n_records), dtype=np.int64)
        for block, each in zip(blocks, found, strict=True):
            attributes[list(block.columns)] = each.labels
        partition = Partition.by_attribute(attributes, plan.k, bool(tally.sizes))
    proven = None
    # What is proven of households says nothing of records.
    if prepared.households is None and len(tally.bounds) == tally.runs > 0:
        proven = _of_all(tally.bounds, points)
    drawn = None
    if tally.sizes:
        expected = np.concatenate(tally.sizes)
        realised = np.concatenate([each.sizes for each in found])
        drawn = Probabilistic(
            plan.k, tally.n_centres, expected, realised, n_blocks=len(blocks)
        )
    warnings = tuple(dict.fromkeys(tally.warnings))
    grouped = Grouped(partition, tuple(centres))
    steps, turns = tuple(tally.iterations), tuple(tally.turns)
    return Groups(grouped, proven, steps, turns, drawn, warnings)


def _given(plan: ResolvedPlan, partition: Partition) -> Groups:
    """Return groups that do not come from the plan's method."""
    traits = methods.info(plan.method).traits
    whole = not plan.blocks and plan.household is None
    if not whole or traits.per_attribute or traits.probabilistic:
        raise ParameterError(
            "Earlier groups are groups of whole records, which {what} do not make: "
            "choose another method, and no blocks.",
            what=(Message("blocks") if plan.blocks else Message("households"))
            if not whole
            else plan.method,
        )
    said = Message(
        "The groups are unions of those of an earlier release, and not the method's."
    )
    return Groups(Grouped(partition), None, (), (), None, (said,))


def _group_block(
    plan: ResolvedPlan,
    points: Points,
    block: Block,
    tally: _Tally,
    ctx: RunContext,
    of_all: float,
    households: Integers | None,
) -> Partition:
    n, done = points.n_records, 0
    parts = []
    for records in block.strata:
        parameters = _parameters(plan, of_all * records.size / n)
        method = make_method(plan.method, plan.k, parameters, plan.seed)
        if method.info.traits.probabilistic:  # draws tell nothing of one another
            method.stream = tally.runs
        some, units = points if records.size == n else points.subset(records), None
        if households is not None:
            units = Households.of(some.X, households[records])
            some = units.points
        share = ctx.part(done / n, (done + records.size) / n)
        if plan.polish:
            found = method.partition(some, share.part(0.0, 0.5))
            end = 1.0 if plan.polish_for == "groups" else 0.75
            found = polish(some, found, share.part(0.5, end))
            if plan.polish_for == "release":
                rules, rest = plan.aggregations, share.part(end, 1.0)
                found = trade_as_written(some, found, rules, rest)
        else:
            found = method.partition(some, share)
        tally.add(method, some, found)
        parts.append((records, found if units is None else units.persons(found)))
        done += records.size
    return merge(parts)


def _parameters(plan: ResolvedPlan, share: float) -> dict[str, Any]:
    """Return the method's parameters, with a part's share of a search's seconds."""
    info = methods.info(plan.method)
    budget = info.traits.time_budget
    if not budget or share == 1.0:
        return plan.parameters
    declared = next(each for each in info.parameters if each.name == budget)
    least = declared.low if isinstance(declared, Float) and declared.low else 0.0
    return {**plan.parameters, budget: max(least, share * plan.parameters[budget])}


def run(
    plan: Plan,
    table: Table,
    ctx: RunContext = SILENT,
    preparations: Preparations | None = None,
    bound: LowerBound | None = None,
    thorough: bool = False,
    regroup: Regroup | None = None,
) -> Outcome:
    """Protect a table.

    Parameters
    ----------
    plan : Plan
    table : Table
    ctx : RunContext
        Progress and cancel.
    preparations : Preparations, optional
        Of the same table, where what is prepared is to be used again.
    bound : LowerBound, optional
        If known already, or not wanted.
    thorough : bool
        Whether a lower bound that is not given may take minutes; see
        :func:`engine.bounds.best_bound`.
    regroup : callable, optional
        Gives the groups in place of the method.

    Raises
    ------
    EngineError
        With one sentence that says what to change; nothing is written or kept.
    """
    started = time.perf_counter()
    resolved = resolve(plan, table)
    ctx.tick(0, 1, Message("Preparing"))
    prepared = (preparations or Preparations(table)).of(resolved)
    return protect(resolved, table, prepared, ctx, bound, thorough, started, regroup)


def protect(
    plan: ResolvedPlan,
    table: Table,
    prepared: Prepared,
    ctx: RunContext = SILENT,
    bound: LowerBound | None = None,
    thorough: bool = False,
    started: float | None = None,
    regroup: Regroup | None = None,
) -> Outcome:
    """Group prepared records, give them common values, and measure the release.

    Then, where the plan asks for several seeds, do the same with each of the others
    for its figures.

    Parameters
    ----------
    plan : ResolvedPlan
    table : Table
    prepared : Prepared
        What :class:`engine.pipeline.prepare.Preparations` gives for this plan.
    ctx, bound, thorough, regroup
        As in :func:`run`.
    started : float, optional
        Reading of :func:`time.perf_counter` from which the total seconds count; now
        unless given.

    Raises
    ------
    EngineError
    """
    started = time.perf_counter() if started is None else started
    # Groups that are given are no luck.
    first, *others = seeds_of(plan) if regroup is None else [plan.seed]
    share = 1.0 / (1 + len(others))
    part = ctx.part(0.0, share) if others else ctx
    outcome = _protect(plan, table, prepared, part, bound, thorough, started, regroup)
    if not others:
        return outcome
    found = [_figures(outcome, first)]
    for place, seed in enumerate(others, start=1):
        part = ctx.part(place * share, (place + 1) * share)
        again = ResolvedPlan(**{**plan.model_dump(), "seed": seed, "seeds": 1})
        now = time.perf_counter()
        one = _protect(again, table, prepared, part, outcome.bound, thorough, now)
        if ctx.enough():
            break  # what was stopped early says nothing of the others
        found.append(_figures(one, seed))
    seconds = {**outcome.seconds, "total": time.perf_counter() - started}
    return dataclasses.replace(
        outcome,
        seconds=MappingProxyType(seconds),
        by_seed=tuple(found) if len(found) > 1 else (),
    )


def _figures(outcome: Outcome, seed: int) -> SeedFigures:
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
    prepared: Prepared,
    ctx: RunContext,
    bound: LowerBound | None,
    thorough: bool,
    started: float,
    regroup: Regroup | None = None,
) -> Outcome:
    """Carry a plan out with its first seed."""
    points = prepared.points
    trace = Trace()
    # What measures take is little where the bound is there already.
    grouped_at = 0.8 if bound is None else 0.95
    grouping = ctx.part(0.0, grouped_at)
    if methods.info(plan.method).traits.time_budget:
        if bound is None:
            bound = lower_bound(plan, prepared, ctx.part(0.0, 0.0), thorough)
        grouping = grouping.with_listener(trace)
        whole = len(prepared.blocks) == 1 and len(prepared.blocks[0].strata) == 1
        whole = whole and prepared.households is None
        if whole and points.weights is None:
            grouping.note("sst", total_sum_of_squares(points.X))
            grouping.note("bound", bound.sse)
    load_numba()  # no part of the method's time
    clock = time.perf_counter()
    if regroup is None:
        groups = group(plan, prepared, grouping)
    else:
        groups = _given(plan, regroup(prepared))
    merging = ctx.part(grouped_at, grouped_at)
    grouped, merges = enforced(plan, table, prepared, groups.grouped, merging)
    partition, proven, iterations = (
        grouped.partition,
        groups.bound,
        groups.iterations,
    )
    partition_seconds = time.perf_counter() - clock
    early = ctx.enough()
    release, exact, written = replace(plan, table, prepared, grouped)
    seen = Classes()
    if partition.attributes is not None:
        classes = seen.of(release.frame, plan.quasi_identifiers)
        partition = Partition(classes, plan.k, guarantees_k=False)
    protected = Protected(
        points,
        exact,
        partition,
        release.frame,
        rounded=written,
        attributes=grouped.partition.attributes,
        seen=seen,
    )
    always = [info.id for info in measures.infos() if not info.on_demand]
    scores = {name: measures.get(name)(protected) for name in always}
    if bound is None and proven is None:
        bound = lower_bound(plan, prepared, ctx.part(grouped_at, 1.0), thorough)
    known = [each for each in (bound, proven) if each is not None]
    strongest, doubt = _consistent(
        max(known, key=lambda each: each.sse), scores["information-loss"].value
    )
    k_released = int(scores["k-anonymity"].value)
    holds = groups.probabilistic is None and k_released >= plan.k
    left = survived(plan, table, points, release.frame, written)
    told = uniqueness_of(plan, release) if holds else None
    ctx.tick(1, 1, Message("Done"))
    outcome = Outcome(
        plan=plan,
        fingerprint=table.fingerprint,
        partition=partition,
        release=release,
        scores=MappingProxyType(scores),
        bound=strongest,
        seconds=MappingProxyType(
            {
                "partition": partition_seconds,
                "total": time.perf_counter() - started,
            }
        ),
        versions=MappingProxyType(library_versions()),
        warnings=prepared.warnings
        + groups.warnings
        + merges
        + (() if groups.probabilistic is None else (groups.probabilistic.warning,))
        + warnings_of_choices(plan, table)
        + _warnings_about_k(plan, release, k_released)
        + (() if told is None else on_uniqueness(told))
        + on_survival(left, plan.aggregations)
        + (_warnings_about_stop(plan, iterations, partition_seconds) if early else ())
        + doubt,
        iterations=iterations,
        turns=groups.turns,
        trace=trace.points,
        rules_broken=prepared.rules_broken,
        probabilistic=groups.probabilistic,
        survived=left,
        suppressed=0 if prepared.suppressed is None else prepared.suppressed.count,
        suppressed_cells=MappingProxyType(
            {} if prepared.suppressed is None else dict(prepared.suppressed.cells)
        ),
    )
    if told is not None:  # what the cached property would find out again
        vars(outcome)["uniqueness"] = told
    return outcome


def _consistent(
    bound: LowerBound, loss: float
) -> tuple[LowerBound, tuple[Message, ...]]:
    """Return the bound, or none with a warning where the loss lies below it.

    Both are sums over all records, so that rounding moves them by much less than a
    billionth: a bound that comes so near is the loss.
    """
    if abs(bound.per_cent - loss) <= 1e-9 * loss:
        return replace_field(bound, per_cent=loss), ()
    if bound.per_cent <= loss * (1.0 + 1e-9) + 1e-9:
        return bound, ()
    return NO_BOUND, (
        Message(
            "The lower bound came out above the loss, which cannot be, so it is left "
            "out; please report this."
        ),
    )


def _warnings_about_stop(
    plan: ResolvedPlan, iterations: tuple[int, ...], seconds: float
) -> tuple[Message, ...]:
    """Say so where a search was told that it is enough."""
    info = methods.info(plan.method)
    if not info.traits.time_budget:
        return ()
    if not iterations:
        early = Message(
            "{method} was stopped early, after {seconds:.1f} s: the release has the "
            "best groups found by then.",
            method=info.title,
            seconds=seconds,
        )
        return (early.about("stopped"),)
    early = Message(
        "{method} was stopped early, after {seconds:.1f} s and {steps:,} steps: the "
        "release has the best groups found by then.",
        method=info.title,
        seconds=seconds,
        steps=sum(iterations),
    )
    return (early.about("stopped"),)


def _warnings_about_k(
    plan: ResolvedPlan, release: Release, k_released: int
) -> tuple[Message, ...]:
    """Say which k holds where attributes were not all grouped together."""
    info = methods.info(plan.method)
    promise = Message("is not promised")
    if k_released < plan.k:
        promise = Message("does not hold")
    if plan.blocks:
        each = [
            Message(
                "{k} for {columns}",
                k=smallest_class(release.frame, block),
                columns=all_of(block, quoted=True),
            )
            for block in plan.blocks
        ]
        apart = Message(
            "Blocks of columns were grouped apart: k-anonymity {promise} for the "
            "records as a whole, because who is alike in one block need not be in "
            "another. The k that holds in this release is {k} for records, and {each}.",
            promise=promise,
            k=k_released,
            each=each,
        )
        return (apart.about("blocks"),)
    if not info.traits.per_attribute:
        return ()
    alone = min(
        smallest_class(release.frame, (name,)) for name in plan.quasi_identifiers
    )
    each_alone = Message(
        "{method} groups each attribute on its own: k-anonymity {promise} for the "
        "records as a whole. The k that holds in this release is {k} for records, and "
        "{alone} for each attribute taken alone.",
        method=info.title,
        promise=promise,
        k=k_released,
        alone=alone,
    )
    return (each_alone,)


def warnings_of_choices(plan: ResolvedPlan, table: Table) -> tuple[Message, ...]:
    """Say what is risky about a plan, whatever its groups are.

    Parameters
    ----------
    plan : ResolvedPlan
    table : Table
        Its schema proposes roles.
    """
    warnings = [
        Message(
            "Column {column!r} looks like an identifier but stays in the release as it "
            "is.",
            column=name,
        )
        for name in table.schema.with_role(Role.IDENTIFIER)
        if name not in plan.quasi_identifiers + plan.identifiers
    ]
    undecided = [
        name
        for name in table.schema.with_role(Role.UNDECIDED)
        if name in plan.identifiers
    ]
    if undecided:
        warnings.append(
            Message(
                "Nobody has said what column {columns} is, so it is left out of the "
                "release: give it a role.",
                "Nobody has said what columns {columns} are, so they are left out of "
                "the release: give them a role.",
                count=len(undecided),
                columns=some_of(undecided),
            ).about("undecided")
        )
    nominal = any(kind is Kind.NOMINAL for kind in plan.kinds.values())
    if plan.suppress_cells and not (nominal and plan.suppress > 0.0):
        warnings.append(
            Message(
                "No cell is left out: that takes a budget (--suppress) and a "
                "quasi-identifier of categories."
            )
        )
    if plan.recursive_l > 2 and plan.recursive_c == 0.0:
        warnings.append(
            Message(
                "The l = {l} of recursive (c, l)-diversity asks for nothing without a "
                "c (--recursive-c).",
                l=plan.recursive_l,
            )
        )
    if plan.k < 3:
        warnings.append(
            Message(
                "k = {k} is below 3: a member of a group of two can work out the other "
                "one's values.",
                k=plan.k,
            ).about("small-k")
        )
    return tuple(warnings)
