"""Better groups by integer programmes over regions of neighbouring groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.bounds.column_generation import Search
from engine.bounds.cuts import Group, membership
from engine.core.context import RunContext
from engine.core.parallel import side_by_side
from engine.core.partition import Labels
from engine.core.typing import Integers, Values
from engine.methods.search.columns import Columns, gains_of
from engine.methods.search.groups import (
    STAGE,
    costs_of,
    groups_of,
    labels_of,
    total_sse,
)
from engine.methods.search.programme import Turns, choose

FIRST, GROWTH = 25, 1.5
"""Groups of a region at first, and by what they grow once all regions were tried."""

LARGEST = 0.5
"""Share of all groups that a region takes at most."""

BESIDE = 8
"""Regions at once, on as many cores as there are; a number of its own, so that the
same groups come out on any number of cores."""

MOST = 240
"""Groups to choose from for each group of a region: those that cost least above the
prices of their records. More of them take long and are hardly ever chosen."""

NODES = 200
"""Nodes of the integer programme of a region."""


@dataclass(frozen=True, eq=False)
class _Region:
    """Some of the groups, and the groups that may take their places."""

    inside: NDArray[np.bool_]
    columns: Columns


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
    finder = _Finder(search, columns)
    width = float(FIRST)
    while width <= LARGEST * (labels.max() + 1):
        tried: set[Group] = set()
        before = total_sse(search.records.X, labels)
        while True:
            if ctx.enough():
                return labels
            regions = finder.regions(labels, int(width), tried)
            if not regions:
                break
            found = _choose(search, regions, labels, ctx)
            if ctx.enough():
                return labels
            turns.add()
            if found is not labels:
                labels = found
                ctx.note("sse", total_sse(search.records.X, labels))
        gained = before - total_sse(search.records.X, labels)
        if gained < worth * (before - search.bound):
            break
        width = GROWTH * width
    return labels


def _choose(
    search: Search, regions: list[_Region], labels: Labels, ctx: RunContext
) -> Labels:
    """Return the groups with those of each region chosen anew."""

    def task(number: int, inner: RunContext) -> list[Group]:
        region = regions[number]
        quiet = RunContext(
            lambda share, stage: inner.tick(share, 1.0, stage), enough=ctx.enough
        )
        chosen, _ = choose(
            search, region.columns, labels, region.inside, NODES, Turns(), quiet
        )
        return [group for group in groups_of(chosen) if region.inside[group[0]]]

    found = side_by_side(task, len(regions), ctx.part(0.0, 0.0), STAGE)
    old = groups_of(labels)
    inside = np.logical_or.reduce([region.inside for region in regions])
    groups = [group for group in old if not inside[group[0]]]
    groups += [group for some in found for group in some]
    return labels if set(groups) == set(old) else labels_of(groups, labels.size)


class _Finder:
    """Regions where there may be something to gain."""

    def __init__(self, search: Search, columns: Columns) -> None:
        gains = gains_of(search, columns.groups, columns.costs)
        best = np.argsort(-gains, kind="stable").tolist()
        self._search = search
        self._columns = Columns(
            [columns.groups[g] for g in best], columns.costs[best], False
        )
        self._holds = membership(self._columns.groups, search.records.n)
        self._sizes = np.asarray(self._holds.sum(axis=1)).ravel()

    def regions(self, labels: Labels, width: int, tried: set[Group]) -> list[_Region]:
        """Return regions of some groups that share none, and note them as tried.

        Parameters
        ----------
        labels : ndarray of int64, shape (n_records,)
        width : int
            Groups of each.
        tried : set of Group
            Groups from whose neighbourhood no more is expected.
        """
        X, groups = self._search.records.X, groups_of(labels)
        means, excess = _means(X, groups), self._excess(groups)
        used = np.zeros(len(groups), dtype=bool)
        found: list[_Region] = []
        for centre in np.argsort(-excess, kind="stable").tolist():
            if groups[centre] in tried:
                continue
            far = np.square(means - means[centre]).sum(axis=1)
            some = np.argsort(far, kind="stable")[:width]
            if used[some].any():
                continue
            used[some] = True
            # What lies well inside of a region needs no other of the same width.
            tried.update(groups[g] for g in some[: width // 2].tolist())
            found.append(self._region(groups, some))
            if len(found) == BESIDE:
                break
        return found

    def _excess(self, groups: list[Group]) -> Values:
        """Return what each group costs above its records' prices, less cuts."""
        costs = costs_of(self._search.records.X, groups)
        return -gains_of(self._search, groups, costs)

    def _region(self, groups: list[Group], some: Integers) -> _Region:
        inside = np.zeros(self._search.records.n, dtype=bool)
        for g in some.tolist():
            inside[list(groups[g])] = True
        whole = self._holds @ inside.astype(np.float64) == self._sizes
        best = np.flatnonzero(whole)[: MOST * some.size]
        listed = [self._columns.groups[g] for g in best.tolist()]
        return _Region(inside, Columns(listed, self._columns.costs[best], False))


def _means(X: Values, groups: list[Group]) -> Values:
    """Return the mean of each group, shape (n_groups, n_attributes)."""
    return np.array([X[list(group)].mean(axis=0) for group in groups])
