"""Improve groups by integer programmes over regions of neighbouring groups."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engine.bounds.base import CentredRecords, DualPrices
from engine.bounds.linear_programme.column_search import (
    CUT_PHASE_GAP_SHARE,
    ColumnGeneration,
    add_cut_rounds_without_proof,
    generate_columns_in_place,
    start_column_generation,
)
from engine.bounds.linear_programme.cuts import Group, group_incidence_matrix
from engine.core.context import RunContext
from engine.core.parallel import map_in_threads
from engine.core.partition import Labels
from engine.core.typing import Booleans, Values
from engine.methods.search.annealing import anneal_groups
from engine.methods.search.integer_programmes.columns import (
    GroupColumns,
    all_relevant_columns,
    reduced_gains,
)
from engine.methods.search.integer_programmes.dive import (
    DIVE_THRESHOLDS,
    copy_search,
    dive_for_groups,
)
from engine.methods.search.integer_programmes.groups import (
    CHOOSING_STAGE,
    group_costs,
    groups_from_labels,
    labels_from_groups,
    total_group_sse,
)
from engine.methods.search.integer_programmes.programme import (
    MAX_SOLVER_LIMIT,
    TurnCounter,
    choose_partition,
)
from engine.methods.search.refined import min_improvement

FIRST_REGION_GROUPS, REGION_GROWTH = 25, 1.5
"""Groups of a region at first, and by what they grow once all regions were tried."""

MAX_REGION_SHARE = 0.6
"""Share of all groups that a region takes at most."""

N_PARALLEL_REGIONS = 8
"""Regions at once, on as many cores as there are; a number of its own, so that the
same groups come out on any number of cores."""

COLUMNS_PER_RECORD = 5
"""Groups that a region chooses from for each of its records: those that cost least
above the prices of their records. With more of them an integer programme takes minutes
where much is open, and what it finds there is hardly ever better."""

MAX_PROGRAMME_NODES = 200
"""Nodes of the integer programme of a region."""

FIRST_REGION_RECORDS, MAX_REGION_RECORDS = 200, 600
"""Records of a region that makes groups of its own, at first and at most."""

MAX_CUT_ROUNDS = 3
"""Times that a region that makes its own groups adds cuts ahead of its dive. With small
groups they prove most regions best possible; more cost more time than they gain."""

ANNEALING_STEPS_PER_RECORD = 150
"""Steps of annealing a region for each of its records."""

MAX_SWEEPS = 10
"""Times that all regions are annealed at most, as long as that gains enough."""

MAX_IDLE_ROUNDS = 4
"""Rounds of regions in a row that gain next to nothing, after which it is over."""

MAX_BRANCHES = 20_000
"""Branches for each anchor where the groups that matter to a region are listed."""


Way = Callable[[Booleans, Labels, RunContext], list[Group]]
"""Gives the groups of a region anew: of the records inside, whose groups are given."""


def improve_from_listed(
    search: ColumnGeneration,
    columns: GroupColumns,
    labels: Labels,
    turns: TurnCounter,
    ctx: RunContext,
    worth: float = 0.0,
) -> Labels:
    """Return labels improved by choosing listed groups anew in each region.

    Prices say where a partition loses more than it has to: in groups that cost more
    than their records' prices. Regions begin there. An integer programme chooses the
    groups of each anew, several regions that share no group side by side; when none is
    left that was not tried, regions grow (large neighbourhood search: Shaw 1998,
    doi:10.1007/3-540-49481-2_30).

    Parameters
    ----------
    columns : GroupColumns
        Groups to choose from.
    labels : ndarray of int64, shape (n_records,)
        The groups so far.
    turns : TurnCounter
        Counts each round of regions that came to its end; another changes nothing.
    ctx : RunContext
        Told each lower SSE, as the figure ``"sse"``.
    worth : float
        Share of what is open that regions have to gain before wider ones, which take
        longer, are tried; 0 tries them all.
    """
    X, way, proof = search.records.X, _choose_from_listed(search, columns), search.proof
    width = float(FIRST_REGION_GROUPS)
    while width <= MAX_REGION_SHARE * (labels.max() + 1):
        tried: set[Group] = set()
        before = total_group_sse(X, labels)
        while regions := _disjoint_regions(
            X, proof, labels, int(width), int(width) // 2, tried
        ):
            if ctx.enough():
                return labels
            labels = _round(X, regions, way, labels, turns, ctx)
        gained = before - total_group_sse(X, labels)
        if gained < worth * (before - search.bound):
            break
        width = REGION_GROWTH * width
    return labels


def improve_by_regions(
    records: CentredRecords,
    k: int,
    proof: DualPrices,
    labels: Labels,
    size: int,
    seed: int,
    turns: TurnCounter,
    ctx: RunContext,
    worth: float = 0.0,
    max_rounds: int = MAX_SOLVER_LIMIT,
) -> Labels:
    """Return labels improved by annealing and column generation in each region.

    First by annealing, again and again, as each time it comes out elsewhere. Then a
    region is small enough for a linear programme, cuts and a dive of its own: they find
    groups that those over all records have no reason to make.

    Parameters
    ----------
    records : CentredRecords
    proof : DualPrices
        Regions begin where groups cost most above these.
    labels : ndarray of int64, shape (n_records,)
        The groups so far.
    size : int
        Records of a region, about.
    turns : TurnCounter
        Counts each round of regions that came to its end.
    ctx : RunContext
        Told each lower SSE, as the figure ``"sse"``.
    worth : float
        SSE that a round is to gain; after :data:`MAX_IDLE_ROUNDS` in a row that do not
        it is over.
    max_rounds : int
        Sweeps and rounds at most, together.
    """
    X, width, idle, done = records.X, -(-size // k), 0, 0
    while done < min(MAX_SWEEPS, max_rounds):
        before, tried = total_group_sse(X, labels), set[Group]()
        cool = _anneal_region(records, k, [seed, done])
        done += 1
        while regions := _disjoint_regions(
            X, proof, labels, width, -(-width // 2), tried
        ):
            if ctx.enough():
                return labels
            labels = _round(X, regions, cool, labels, turns, ctx)
        if before - total_group_sse(X, labels) <= worth:
            break
    way, tried = _from_its_own(records, k, seed), set()
    while idle < MAX_IDLE_ROUNDS and done < max_rounds and not ctx.enough():
        regions = _disjoint_regions(X, proof, labels, width, -(-width // 8), tried)
        if not regions:
            break
        done += 1
        before = total_group_sse(X, labels)
        labels = _round(X, regions, way, labels, turns, ctx)
        idle = 0 if before - total_group_sse(X, labels) > worth else idle + 1
    return labels


def _round(
    X: Values,
    regions: list[Booleans],
    way: Way,
    labels: Labels,
    turns: TurnCounter,
    ctx: RunContext,
) -> Labels:
    """Return the groups with those of each region anew, as far as they are better."""

    def task(number: int, inner: RunContext) -> list[Group]:
        quiet = RunContext(inner.report_share, enough=ctx.enough)
        return way(regions[number], labels, quiet)

    region_groups = map_in_threads(
        task, len(regions), ctx.subcontext(0.0, 0.0), CHOOSING_STAGE
    )
    if ctx.enough():
        return labels
    turns.count_turn()
    old = groups_from_labels(labels)
    groups = [g for g in old if not any(inside[g[0]] for inside in regions)]
    groups += [group for some in region_groups for group in some]
    if set(groups) != set(old):
        labels = labels_from_groups(groups, labels.size)
        ctx.note("sse", total_group_sse(X, labels))
    return labels


def _choose_from_listed(search: ColumnGeneration, columns: GroupColumns) -> Way:
    """Return the way to choose from listed groups."""
    gains = reduced_gains(search.proof, columns.groups, columns.costs)
    best = np.argsort(-gains, kind="stable")
    groups = [columns.groups[g] for g in best.tolist()]
    costs = columns.costs[best]
    holds = group_incidence_matrix(groups, search.records.n)
    sizes = np.asarray(holds.sum(axis=1)).ravel()

    def way(inside: Booleans, labels: Labels, ctx: RunContext) -> list[Group]:
        max_columns = COLUMNS_PER_RECORD * int(inside.sum())
        some = np.flatnonzero(holds @ inside.astype(np.float64) == sizes)[:max_columns]
        listed = GroupColumns([groups[g] for g in some.tolist()], costs[some], False)
        chosen, _ = choose_partition(
            search, listed, labels, inside, MAX_PROGRAMME_NODES, TurnCounter(), ctx
        )
        return [group for group in groups_from_labels(chosen) if inside[group[0]]]

    return way


def _from_its_own(records: CentredRecords, k: int, seed: int) -> Way:
    """Return the way to make and choose groups as if there were no other records.

    Annealing leaves groups that linear programmes stay near, and these know what
    groups annealing does not come across: each finds what the other does not. Where
    all groups that could then be better are few, an integer programme tries them.
    """
    cool = _anneal_region(records, k, [seed])
    threshold = DIVE_THRESHOLDS[seed % len(DIVE_THRESHOLDS)]

    def way(inside: Booleans, labels: Labels, ctx: RunContext) -> list[Group]:
        some = np.flatnonzero(inside)
        part = CentredRecords.from_array(records.X[some])
        region_labels = labels_from_groups(cool(inside, labels, ctx), labels.size)[some]
        sse = total_group_sse(part.X, region_labels)
        noise = min_improvement(part.X, sse)
        if sse > noise:
            inner = start_column_generation(part, k, ctx)
            for cut in range(MAX_CUT_ROUNDS + 1):
                open_sse = sse - inner.bound
                if open_sse <= noise or (
                    cut and not add_cut_rounds_without_proof(inner, open_sse, ctx, 1)
                ):
                    break
                inner.least = CUT_PHASE_GAP_SHARE * open_sse
                generate_columns_in_place(inner, ctx)
            if sse - inner.bound > noise and not ctx.enough():
                dive_labels = dive_for_groups(copy_search(inner), threshold, ctx)
                if (
                    dive_labels is not None
                    and total_group_sse(part.X, dive_labels) < sse - noise
                ):
                    region_labels = dive_labels
            open_sse = total_group_sse(part.X, region_labels) - inner.bound
            room = COLUMNS_PER_RECORD * some.size
            if open_sse > noise and not ctx.enough():
                columns = all_relevant_columns(inner, open_sse, room, MAX_BRANCHES, ctx)
                if columns is not None:
                    every = np.ones(some.size, dtype=bool)
                    region_labels, _ = choose_partition(
                        inner,
                        columns,
                        region_labels,
                        every,
                        MAX_PROGRAMME_NODES,
                        TurnCounter(),
                        ctx,
                    )
        return [
            tuple(some[list(group)].tolist())
            for group in groups_from_labels(region_labels)
        ]

    return way


def _anneal_region(records: CentredRecords, k: int, seeds: list[int]) -> Way:
    """Return the way to anneal the groups of a region."""

    def way(inside: Booleans, labels: Labels, ctx: RunContext) -> list[Group]:
        some = np.flatnonzero(inside)
        region_labels = np.unique(labels[some], return_inverse=True)[1].astype(np.int64)
        X = np.ascontiguousarray(records.X[some])
        sse = total_group_sse(X, region_labels)
        draw = np.random.SeedSequence([*seeds, *some.tolist()])
        chance = int(draw.generate_state(1, np.uint64)[0])
        if sse > min_improvement(X, sse):
            cooled = anneal_groups(
                X,
                region_labels,
                k,
                chance,
                ANNEALING_STEPS_PER_RECORD * some.size,
                ctx=ctx,
            ).labels
            if total_group_sse(X, cooled) < sse - min_improvement(X, sse):
                region_labels = cooled
        return [
            tuple(some[list(group)].tolist())
            for group in groups_from_labels(region_labels)
        ]

    return way


def _disjoint_regions(
    X: Values,
    proof: DualPrices,
    labels: Labels,
    width: int,
    inner: int,
    tried: set[Group],
) -> list[Booleans]:
    """Return the records of regions that share no group, and note them as tried.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    proof : DualPrices
    labels : ndarray of int64, shape (n_records,)
    width, inner : int
        Groups of each, and how many of them count as tried.
    tried : set of Group
        Groups from whose neighbourhood no more is expected.
    """
    groups = groups_from_labels(labels)
    means = np.array([X[list(group)].mean(axis=0) for group in groups])
    gains = reduced_gains(proof, groups, group_costs(X, groups))
    used = np.zeros(len(groups), dtype=bool)
    regions: list[Booleans] = []
    for centre in np.argsort(gains, kind="stable").tolist():
        if groups[centre] in tried:
            continue
        far = np.square(means - means[centre]).sum(axis=1)
        some = np.argsort(far, kind="stable")[:width]
        if used[some].any():
            continue
        used[some] = True
        # What lies well inside of a region needs no other of the same width.
        tried.update(groups[g] for g in some[:inner].tolist())
        regions.append(np.isin(labels, labels[[groups[g][0] for g in some.tolist()]]))
        if len(regions) == N_PARALLEL_REGIONS:
            break
    return regions
