"""Better groups by integer programmes over regions of neighbouring groups."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engine.bounds.base import Prices, Records
from engine.bounds.column_search import (
    FINE,
    Search,
    generate,
    start,
    tighten_hastily,
)
from engine.bounds.cuts import Group, membership
from engine.core.context import RunContext
from engine.core.parallel import side_by_side
from engine.core.partition import Labels
from engine.core.typing import Booleans, Values
from engine.methods.search.annealing import iterate
from engine.methods.search.columns import Columns, all_columns, gains_of
from engine.methods.search.dive import THRESHOLDS, apart, dive
from engine.methods.search.groups import (
    STAGE,
    costs_of,
    groups_of,
    labels_of,
    total_sse,
)
from engine.methods.search.programme import UNLIMITED, Turns, choose
from engine.methods.search.refined import rounding_noise

FIRST, GROWTH = 25, 1.5
"""Groups of a region at first, and by what they grow once all regions were tried."""

LARGEST = 0.6
"""Share of all groups that a region takes at most."""

BESIDE = 8
"""Regions at once, on as many cores as there are; a number of its own, so that the
same groups come out on any number of cores."""

MOST = 5
"""Groups that a region chooses from for each of its records: those that cost least
above the prices of their records. With more of them an integer programme takes minutes
where much is open, and what it finds there is hardly ever better."""

NODES = 200
"""Nodes of the integer programme of a region."""

RECORDS, WIDEST = 200, 600
"""Records of a region that makes groups of its own, at first and at most."""

CUTS = 3
"""Times that such a region adds cuts ahead of its dive. Of small groups they prove most
regions best possible; what more of them close costs more time than it gains."""

STEPS = 150
"""Steps of annealing in such a region for each of its records."""

SWEEPS = 10
"""Times that all such regions are annealed at most, as long as that gains enough."""

IDLE = 4
"""Rounds of such regions in a row that gain next to nothing, after which it is over."""

BRANCHES = 20_000
"""Branches for each anchor where the groups that matter to a region are listed."""


Way = Callable[[Booleans, Labels, RunContext], list[Group]]
"""Gives the groups of a region anew: of the records inside, whose groups are given."""


def improve(
    search: Search,
    columns: Columns,
    labels: Labels,
    turns: Turns,
    ctx: RunContext,
    worth: float = 0.0,
) -> Labels:
    """Return groups of which no region has better ones among those listed.

    Prices say where a partition loses more than it has to: in groups that cost more
    than their records' prices. Regions begin there. An integer programme chooses the
    groups of each anew, several regions that share no group side by side; when none is
    left that was not tried, regions grow (large neighbourhood search: Shaw 1998,
    doi:10.1007/3-540-49481-2_30).

    Parameters
    ----------
    search : Search
    columns : Columns
        Groups to choose from.
    labels : ndarray of int64, shape (n_records,)
        The groups so far.
    turns : Turns
        Counts each round of regions that came to its end; another changes nothing.
    ctx : RunContext
        Told each lower SSE, as the figure ``"sse"``.
    worth : float
        Share of what is open that regions have to gain where wider ones, which take
        longer, are tried; 0 tries them all.
    """
    X, way, proof = search.records.X, _from_listed(search, columns), search.proof
    width = float(FIRST)
    while width <= LARGEST * (labels.max() + 1):
        tried: set[Group] = set()
        before = total_sse(X, labels)
        while regions := _regions(X, proof, labels, int(width), int(width) // 2, tried):
            if ctx.enough():
                return labels
            labels = _round(X, regions, way, labels, turns, ctx)
        gained = before - total_sse(X, labels)
        if gained < worth * (before - search.bound):
            break
        width = GROWTH * width
    return labels


def renew(
    records: Records,
    k: int,
    proof: Prices,
    labels: Labels,
    size: int,
    seed: int,
    turns: Turns,
    ctx: RunContext,
    worth: float = 0.0,
    most: int = UNLIMITED,
) -> Labels:
    """Return groups that got better where regions, each on its own, had better ones.

    First by annealing, again and again, as each time it comes out elsewhere. Then a
    region is small enough for a linear programme, cuts and a dive of its own: they find
    groups that those over all records have no reason to make.

    Parameters
    ----------
    records : Records
    k : int
    proof : Prices
        Regions begin where groups cost most above these.
    labels : ndarray of int64, shape (n_records,)
        The groups so far.
    size : int
        Records of a region, about.
    seed : int
    turns : Turns
        Counts each round of regions that came to its end.
    ctx : RunContext
        Told each lower SSE, as the figure ``"sse"``.
    worth : float
        SSE that a round is to gain; after :data:`IDLE` in a row that do not it is over.
    most : int
        Sweeps and rounds at most, together.
    """
    X, width, idle, done = records.X, -(-size // k), 0, 0
    while done < min(SWEEPS, most):
        before, tried = total_sse(X, labels), set[Group]()
        cool = _by_annealing(records, k, [seed, done])
        done += 1
        while regions := _regions(X, proof, labels, width, -(-width // 2), tried):
            if ctx.enough():
                return labels
            labels = _round(X, regions, cool, labels, turns, ctx)
        if before - total_sse(X, labels) <= worth:
            break
    way, tried = _from_its_own(records, k, seed), set()
    while idle < IDLE and done < most and not ctx.enough():
        regions = _regions(X, proof, labels, width, -(-width // 8), tried)
        if not regions:
            break
        done += 1
        before = total_sse(X, labels)
        labels = _round(X, regions, way, labels, turns, ctx)
        idle = 0 if before - total_sse(X, labels) > worth else idle + 1
    return labels


def _round(
    X: Values,
    regions: list[Booleans],
    way: Way,
    labels: Labels,
    turns: Turns,
    ctx: RunContext,
) -> Labels:
    """Return the groups with those of each region anew, as far as they are better."""

    def task(number: int, inner: RunContext) -> list[Group]:
        quiet = RunContext(
            lambda share, stage: inner.tick(share, 1.0, stage), enough=ctx.enough
        )
        return way(regions[number], labels, quiet)

    found = side_by_side(task, len(regions), ctx.part(0.0, 0.0), STAGE)
    if ctx.enough():
        return labels
    turns.add()
    old = groups_of(labels)
    groups = [g for g in old if not any(inside[g[0]] for inside in regions)]
    groups += [group for some in found for group in some]
    if set(groups) != set(old):
        labels = labels_of(groups, labels.size)
        ctx.note("sse", total_sse(X, labels))
    return labels


def _from_listed(search: Search, columns: Columns) -> Way:
    """Return the way to choose from listed groups."""
    gains = gains_of(search.proof, columns.groups, columns.costs)
    best = np.argsort(-gains, kind="stable")
    groups = [columns.groups[g] for g in best.tolist()]
    costs, holds = columns.costs[best], membership(groups, search.records.n)
    sizes = np.asarray(holds.sum(axis=1)).ravel()

    def way(inside: Booleans, labels: Labels, ctx: RunContext) -> list[Group]:
        most = MOST * int(inside.sum())
        some = np.flatnonzero(holds @ inside.astype(np.float64) == sizes)[:most]
        listed = Columns([groups[g] for g in some.tolist()], costs[some], False)
        chosen, _ = choose(search, listed, labels, inside, NODES, Turns(), ctx)
        return [group for group in groups_of(chosen) if inside[group[0]]]

    return way


def _from_its_own(records: Records, k: int, seed: int) -> Way:
    """Return the way to make and choose groups as if there were no other records.

    Annealing leaves groups that linear programmes stay near, and these know what
    groups annealing does not come across: each finds what the other does not. Where
    all groups that could then be better are few, an integer programme tries them.
    """
    cool = _by_annealing(records, k, [seed])
    threshold = THRESHOLDS[seed % len(THRESHOLDS)]

    def way(inside: Booleans, labels: Labels, ctx: RunContext) -> list[Group]:
        some = np.flatnonzero(inside)
        part = Records.of(records.X[some])
        own = labels_of(cool(inside, labels, ctx), labels.size)[some]
        sse = total_sse(part.X, own)
        noise = rounding_noise(part.X, sse)
        if sse > noise:
            inner = start(part, k, ctx)
            for cut in range(CUTS + 1):
                left = sse - inner.bound
                if left <= noise or (cut and not tighten_hastily(inner, left, ctx, 1)):
                    break
                inner.least = FINE * left
                generate(inner, ctx)
            if sse - inner.bound > noise and not ctx.enough():
                found = dive(apart(inner), threshold, ctx)
                if found is not None and total_sse(part.X, found) < sse - noise:
                    own = found
            left, room = total_sse(part.X, own) - inner.bound, MOST * some.size
            if left > noise and not ctx.enough():
                columns = all_columns(inner, left, room, BRANCHES, ctx)
                if columns is not None:
                    every = np.ones(some.size, dtype=bool)
                    own, _ = choose(inner, columns, own, every, NODES, Turns(), ctx)
        return [tuple(some[list(group)].tolist()) for group in groups_of(own)]

    return way


def _by_annealing(records: Records, k: int, seeds: list[int]) -> Way:
    """Return the way to anneal the groups of a region."""

    def way(inside: Booleans, labels: Labels, ctx: RunContext) -> list[Group]:
        some = np.flatnonzero(inside)
        own = np.unique(labels[some], return_inverse=True)[1].astype(np.int64)
        X = np.ascontiguousarray(records.X[some])
        sse = total_sse(X, own)
        draw = np.random.SeedSequence([*seeds, *some.tolist()])
        chance = int(draw.generate_state(1, np.uint64)[0])
        if sse > rounding_noise(X, sse):
            cooled = iterate(X, own, k, chance, STEPS * some.size, ctx=ctx).labels
            if total_sse(X, cooled) < sse - rounding_noise(X, sse):
                own = cooled
        return [tuple(some[list(group)].tolist()) for group in groups_of(own)]

    return way


def _regions(
    X: Values, proof: Prices, labels: Labels, width: int, inner: int, tried: set[Group]
) -> list[Booleans]:
    """Return the records of regions that share no group, and note them as tried.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    proof : Prices
    labels : ndarray of int64, shape (n_records,)
    width, inner : int
        Groups of each, and how many of them count as tried.
    tried : set of Group
        Groups from whose neighbourhood no more is expected.
    """
    groups = groups_of(labels)
    means = np.array([X[list(group)].mean(axis=0) for group in groups])
    gains = gains_of(proof, groups, costs_of(X, groups))
    used = np.zeros(len(groups), dtype=bool)
    found: list[Booleans] = []
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
        found.append(np.isin(labels, labels[[groups[g][0] for g in some.tolist()]]))
        if len(found) == BESIDE:
            break
    return found
