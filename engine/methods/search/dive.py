"""Dives: groups by the linear programme alone, the heaviest fixed again and again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.bounds.column_search import KEEP, Search
from engine.bounds.cuts import Cuts, Group
from engine.bounds.master import Master, Solution
from engine.core.context import RunContext
from engine.core.partition import Labels
from engine.core.typing import Booleans, Values
from engine.methods.search.groups import STAGE, labels_of
from engine.methods.search.refined import refine

THRESHOLDS = (0.7, 0.9, 0.8, 0.6)
"""Weights from which groups are fixed together, in dives one after the other."""

OUT = -1e12
"""Price, in units of the mean price, of a record that no group may hold."""

FRESH = 3
"""Rounds of new groups after each step of a dive."""

RISE = 1e-3
"""Share by which the programme's value rises before new groups are looked for."""

BRANCHES = 2000
"""Branches for each anchor in a dive, where groups need not be the best."""


def dive(search: Search, threshold: float, ctx: RunContext) -> Labels | None:
    """Return groups that follow the linear programme, refined.

    Again and again, the groups of largest weight are fixed and the programme is
    solved for what remains, with new groups of the records that are still free.

    Parameters
    ----------
    search : Search
        One that nothing else needs, see :func:`apart`: its programme changes.
    threshold : float
        Groups of at least this weight are fixed together; a lower one takes fewer
        steps.
    ctx : RunContext

    Returns
    -------
    ndarray of int64 or None
        None where `ctx` said that it is enough, or the solver failed.
    """
    n, master = search.records.n, search.master
    limit = np.full(n, 20.0 * float(np.abs(search.prices).max()))
    master.set_box(-limit, limit)
    free = np.ones(n, dtype=bool)
    chosen: list[int] = []
    value = -np.inf
    while free.sum() >= search.k:
        ctx.tick(n - int(free.sum()), n, STAGE)
        solution = _solve_for(search, free, value, ctx)
        if solution is None:
            return None
        if solution.value > (1.0 + RISE) * value:
            value = solution.value
        some = _heaviest(master.groups, solution.weights, free, threshold)
        if not some:
            break
        master.fix(some)
        chosen += some
    groups = [master.groups[g] for g in chosen]
    if not groups:
        return None
    labels = labels_of(groups, n)
    _join_rest(search, labels)
    return refine(search.records.X, labels, search.k, ctx.part(1.0, 1.0))


def apart(search: Search) -> Search:
    """Return a search to dive in while the other goes on.

    It has no cuts that cost nothing: a dive solves many programmes, which take half as
    long without these rows.
    """
    master = Master(search.records.X, search.master.unit)
    _enter(master, search.master.groups)
    cuts = search.cuts.priced
    master.add_cuts(cuts.sets)
    return replace(search, master=master, cut_prices=cuts.prices, middle=None)


def _enter(master: Master, groups: Sequence[Group]) -> None:
    """Add groups of any sizes to a programme."""
    for size in sorted({len(group) for group in groups}):
        master.add(np.array([group for group in groups if len(group) == size]))


def _solve_for(
    search: Search, free: Booleans, value: float, ctx: RunContext
) -> Solution | None:
    """Solve the programme, with new groups of free records that gain at its prices.

    Where it is worth no more than some value, those known are good enough.
    """
    k, n = search.k, search.records.n
    out = OUT * float(np.abs(search.prices).mean())
    solution = search.master.solve(ctx)
    for _ in range(FRESH):
        if solution is None:
            return None
        if solution.value <= (1.0 + RISE) * value:
            break
        prices = np.where(free, solution.prices, out)
        cuts = Cuts(search.master.cuts, solution.cut_prices)
        fresh = 0
        for s in range(k, min(2 * k, n + 1)):
            found = search.pricer.find(
                prices, s, search.floor, KEEP, BRANCHES, cuts, ctx=ctx.part(0.0, 0.0)
            )
            fresh += search.master.add(found.groups)
            if fresh > 0:
                break
        if fresh == 0:
            break
        solution = search.master.solve(ctx)
    return solution


def _heaviest(
    groups: Sequence[Group], weights: Values, free: Booleans, threshold: float
) -> list[int]:
    """Return the groups of free records with the largest weights, one at least."""
    some: list[int] = []
    for g in np.argsort(-weights, kind="stable").tolist():
        if weights[g] < 1e-6 or (some and weights[g] < threshold):
            break
        if free[list(groups[g])].all():
            some.append(g)
            free[list(groups[g])] = False
    return some


def _join_rest(search: Search, labels: Labels) -> None:
    """Put each record without a group into that of the nearest record with one."""
    squared = search.pricer.near.squared
    having = np.flatnonzero(labels >= 0)
    for i in np.flatnonzero(labels < 0):
        labels[i] = labels[having[squared[i, having].argmin()]]
