"""Groups that an integer programme chooses from: all that matter, or the likely."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.bounds.base import Prices
from engine.bounds.column_search import Search
from engine.bounds.cuts import Cuts, Group, membership
from engine.core.context import RunContext
from engine.core.typing import Values
from engine.methods.search.groups import costs_of


@dataclass(frozen=True, eq=False)
class Columns:
    """Groups to choose from.

    Attributes
    ----------
    groups : list of tuple of int
        Sorted members.
    costs : ndarray of float64, shape (n_groups,)
        Their SSEs.
    complete : bool
        Whether no other group can be part of a better partition.
    """

    groups: list[Group]
    costs: Values
    complete: bool


def gains_of(proof: Prices, groups: Sequence[Group], costs: Values) -> Values:
    """Return prices less SSE less cuts of each group, shape (n_groups,)."""
    cuts = Cuts(proof.sets, proof.cut_prices)
    holds = membership(groups, proof.prices.size)
    gains = holds @ proof.prices - costs
    return np.asarray(gains - cuts.charged(holds) @ cuts.prices)


def all_columns(
    search: Search, gap: float, room: int, branches: int, ctx: RunContext
) -> Columns | None:
    """Return all groups that a partition better than `gap` above the bound may hold.

    Every group of a partition costs it, above the bound, as much as its gain is below
    0; so one that alone costs more than the gap is out.

    Parameters
    ----------
    search : Search
    gap : float
        Of the best groups' SSE above :attr:`Search.bound`.
    room : int
        Groups at most.
    branches : int
        Branches for each anchor at most.
    ctx : RunContext

    Returns
    -------
    Columns or None
        None where there are too many.
    """
    # What the prices prove may be less than the bound, which may be another's.
    gap += max(search.bound - float(search.prices.sum()) + search.cuts.paid, 0.0)
    floor = -gap * (1.0 + 1e-9) - search.floor
    k, n = search.k, search.records.n
    groups: list[Group] = []
    for s in range(k, min(2 * k, n + 1)):
        left = room - len(groups)
        found = search.pricer.find(
            search.prices,
            s,
            floor,
            left + 1,
            branches,
            search.cuts,
            capacity=left + 1,
            ctx=ctx.part(0.0, 0.0),
        )
        if not found.complete or len(found.groups) > left:
            return None
        groups += map(tuple, np.sort(found.groups, axis=1).tolist())
    return Columns(groups, costs_of(search.records.X, groups), True)


def likely_columns(
    search: Search, gap: float, room: int, branches: int, ctx: RunContext
) -> Columns:
    """Return the groups that cost least above their records' prices, by anchor.

    Each anchor gets as many: records that lie close together have more groups of next
    to no cost than there is room for, and the others are those where much is to gain.

    Parameters
    ----------
    search : Search
    gap : float
        What they cost at most.
    room : int
        Groups at most, but one for each anchor in any case.
    branches : int
        Branches for each anchor at most, and fewer for larger groups, which matter
        less; what they do not reach is left out.
    ctx : RunContext
    """
    k, n = search.k, search.records.n
    each = max(room // n, 1)
    best: list[list[tuple[float, Group]]] = [[] for _ in range(n)]
    for s in range(k, min(2 * k, n + 1)):
        found = search.pricer.find(
            search.prices,
            s,
            -gap - search.floor,
            each,
            -(-branches // (s - k + 1) ** 2),
            search.cuts,
            ctx=ctx.part(0.0, 0.0),
        )
        gains = found.gains.tolist()
        for group, gain in zip(found.groups.tolist(), gains, strict=True):
            best[group[0]].append((-gain, tuple(sorted(group))))
    groups = [group for some in best for _, group in sorted(some)[:each]]
    return Columns(groups, costs_of(search.records.X, groups), False)
