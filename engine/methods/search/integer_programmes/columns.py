"""Candidate groups (columns) of an integer programme."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.bounds.base import DualPrices
from engine.bounds.linear_programme.column_search import ColumnGeneration
from engine.bounds.linear_programme.cuts import (
    Group,
    PricedCuts,
    group_incidence_matrix,
)
from engine.core.context import RunContext
from engine.core.typing import Values
from engine.methods.search.integer_programmes.groups import group_costs


@dataclass(frozen=True, eq=False)
class GroupColumns:
    """Candidate groups of an integer programme, with their SSE.

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


def reduced_gains(proof: DualPrices, groups: Sequence[Group], costs: Values) -> Values:
    """Return prices minus SSE minus cut prices of each group, shape (n_groups,)."""
    cuts = PricedCuts(proof.cuts_as_sets, proof.cut_prices)
    holds = group_incidence_matrix(groups, proof.prices.size)
    gains = holds @ proof.prices - costs
    return np.asarray(gains - cuts.coefficients(holds) @ cuts.prices)


def all_relevant_columns(
    search: ColumnGeneration, gap: float, room: int, branches: int, ctx: RunContext
) -> GroupColumns | None:
    """Return all groups that a partition within `gap` of the bound may contain.

    Every group of a partition costs it, above the bound, as much as its gain is below
    0; so one that alone costs more than the gap is out.

    Parameters
    ----------
    gap : float
        Best groups' SSE less :attr:`ColumnGeneration.bound`.
    room : int
        Groups at most.
    branches : int
        Branches for each anchor at most.

    Returns
    -------
    GroupColumns or None
        None where there are too many.
    """
    # What the prices prove may be less than the bound, which may be another's.
    gap += max(search.bound - float(search.prices.sum()) + search.cuts.total_price, 0.0)
    floor = -gap * (1.0 + 1e-9) - search.min_gain
    k, n = search.k, search.records.n
    groups: list[Group] = []
    for s in range(k, min(2 * k, n + 1)):
        remaining_room = room - len(groups)
        pricing = search.pricer.price_groups(
            search.prices,
            s,
            floor,
            remaining_room + 1,
            branches,
            search.cuts,
            capacity=remaining_room + 1,
            ctx=ctx.subcontext(0.0, 0.0),
        )
        if not pricing.complete or len(pricing.groups) > remaining_room:
            return None
        groups += map(tuple, np.sort(pricing.groups, axis=1).tolist())
    return GroupColumns(groups, group_costs(search.records.X, groups), True)


def cheapest_columns(
    search: ColumnGeneration, gap: float, room: int, branches: int, ctx: RunContext
) -> GroupColumns:
    """Return the groups that cost least above their record prices, by anchor.

    Each anchor gets as many: records that lie close together have more groups of next
    to no cost than there is room for, and the others are those where much is to gain.

    Parameters
    ----------
    gap : float
        What they cost at most.
    room : int
        Groups at most, but one for each anchor in any case.
    branches : int
        Branches for each anchor at most, and fewer for larger groups, which matter
        less; what they do not reach is left out.
    """
    k, n = search.k, search.records.n
    each = max(room // n, 1)
    best: list[list[tuple[float, Group]]] = [[] for _ in range(n)]
    for s in range(k, min(2 * k, n + 1)):
        pricing = search.pricer.price_groups(
            search.prices,
            s,
            -gap - search.min_gain,
            each,
            -(-branches // (s - k + 1) ** 2),
            search.cuts,
            ctx=ctx.subcontext(0.0, 0.0),
        )
        gains = pricing.gains.tolist()
        for group, gain in zip(pricing.groups.tolist(), gains, strict=True):
            best[group[0]].append((-gain, tuple(sorted(group))))
    groups = [group for some in best for _, group in sorted(some)[:each]]
    return GroupColumns(groups, group_costs(search.records.X, groups), False)
