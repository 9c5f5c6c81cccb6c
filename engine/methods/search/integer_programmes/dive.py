"""Diving heuristic: fix the heaviest groups of the linear programme repeatedly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.bounds.linear_programme.column_search import (
    COLUMNS_PER_ANCHOR,
    ColumnGeneration,
)
from engine.bounds.linear_programme.cuts import Group, PricedCuts
from engine.bounds.linear_programme.master import MasterProblem, MasterSolution
from engine.core.context import RunContext
from engine.core.partition import Labels
from engine.core.typing import Booleans, Values
from engine.methods.search.integer_programmes.groups import (
    CHOOSING_STAGE,
    labels_from_groups,
)
from engine.methods.search.refined import refine_labels

DIVE_THRESHOLDS = (0.7, 0.9, 0.8, 0.6)
"""Weights from which groups are fixed together, in dives one after the other."""

FORBIDDEN_PRICE = -1e12
"""Price, in units of the mean price, of a record that no group may hold."""

PRICING_ROUNDS = 3
"""Rounds of new groups after each step of a dive."""

MIN_RISE = 1e-3
"""Share by which the programme's value rises before new groups are looked for."""

MAX_BRANCHES = 2000
"""Branches for each anchor in a dive, where groups need not be the best."""


def dive_for_groups(
    search: ColumnGeneration, threshold: float, ctx: RunContext
) -> Labels | None:
    """Return refined groups: fix the heaviest, solve the rest, repeat; None if stopped.

    Again and again, the groups of largest weight are fixed and the programme is
    solved for what remains, with new groups of the records that are still free.

    Parameters
    ----------
    search : ColumnGeneration
        One that nothing else needs, see :func:`copy_search`: its programme changes.
    threshold : float
        Groups of at least this weight are fixed together; a lower one takes fewer
        steps.

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
        ctx.tick(n - int(free.sum()), n, CHOOSING_STAGE)
        solution = _solve_for(search, free, value, ctx)
        if solution is None:
            return None
        if solution.value > (1.0 + MIN_RISE) * value:
            value = solution.value
        some = _heaviest_groups(master.groups, solution.weights, free, threshold)
        if not some:
            break
        master.fix_groups(some)
        chosen += some
    groups = [master.groups[g] for g in chosen]
    if not groups:
        return None
    labels = labels_from_groups(groups, n)
    _join_rest(search, labels)
    return refine_labels(search.records.X, labels, search.k, ctx.subcontext(1.0, 1.0))


def copy_search(search: ColumnGeneration) -> ColumnGeneration:
    """Return a copy of a column generation for a dive, without idle cuts.

    It has no cuts that cost nothing: a dive solves many programmes, which take half as
    long without these rows.
    """
    master = MasterProblem(search.records.X, search.master.unit)
    _enter(master, search.master.groups)
    cuts = search.cuts.with_positive_price
    master.add_cuts(cuts.sets)
    return replace(search, master=master, cut_prices=cuts.prices, middle=None)


def _enter(master: MasterProblem, groups: Sequence[Group]) -> None:
    """Add groups of any sizes to a programme."""
    for size in sorted({len(group) for group in groups}):
        master.add_groups(np.array([group for group in groups if len(group) == size]))


def _solve_for(
    search: ColumnGeneration, free: Booleans, value: float, ctx: RunContext
) -> MasterSolution | None:
    """Solve the programme, with new groups of free records that gain at its prices.

    Where it is worth no more than some value, those known are good enough.
    """
    k, n = search.k, search.records.n
    out = FORBIDDEN_PRICE * float(np.abs(search.prices).mean())
    solution = search.master.solve(ctx)
    for _ in range(PRICING_ROUNDS):
        if solution is None:
            return None
        if solution.value <= (1.0 + MIN_RISE) * value:
            break
        prices = np.where(free, solution.prices, out)
        cuts = PricedCuts(search.master.cuts, solution.cut_prices)
        fresh = 0
        for s in range(k, min(2 * k, n + 1)):
            pricing = search.pricer.price_groups(
                prices,
                s,
                search.min_gain,
                COLUMNS_PER_ANCHOR,
                MAX_BRANCHES,
                cuts,
                ctx=ctx.subcontext(0.0, 0.0),
            )
            fresh += search.master.add_groups(pricing.groups)
            if fresh > 0:
                break
        if fresh == 0:
            break
        solution = search.master.solve(ctx)
    return solution


def _heaviest_groups(
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


def _join_rest(search: ColumnGeneration, labels: Labels) -> None:
    """Put each record without a group into that of the nearest record with one."""
    squared = search.pricer.near.squared
    having = np.flatnonzero(labels >= 0)
    for i in np.flatnonzero(labels < 0):
        labels[i] = labels[having[squared[i, having].argmin()]]
