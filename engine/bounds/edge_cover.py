"""Bound LB1: dual prices of the cheapest fractional cover of records by pairs.

In a group of s records let every pair count t/(s-1), for some t < k. Then every record
has t pairs in all, and the pairs' d2 add up to t s/(s-1) <= t k/(k-1) times the group's
SSE. So no partition has an SSE below (k-1)/(k t) of the cheapest cover,

    min sum d2_ij y_ij   with   sum_j y_ij >= t,   0 <= y <= 1,                    (1)

and every u >= 0 proves that no cover is cheaper than

    sum t u_i - sum over all pairs max(0, u_i + u_j - d2_ij).                      (2)

First prices come from steps on a graph of near neighbours, in parts of the table side
by side. Then all pairs of all records are found whose first prices, a little raised,
exceed their d2. Prices that stay below the raised ones cannot exceed any other pair's:
so more steps on the pairs found make prices for which (2), over those pairs, is exact.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from engine.bounds.base import (
    BOUND_STAGE,
    EPS,
    CentredRecords,
    DualPrices,
    LowerBound,
    map_parallel,
    progress_only_context,
)
from engine.bounds.excess import safe_prices_and_overpriced_pairs
from engine.bounds.small_tables import (
    list_overpriced_pairs_of_few,
    take_primal_dual_steps_of_few,
)
from engine.core.context import SILENT, RunContext, steps_per_look
from engine.core.typing import Integers, Values
from engine.kernels.bounds.edge_cover import take_primal_dual_steps
from engine.kernels.compilation.small_tables import should_use_numpy
from engine.kernels.index.leaves import make_leaf_order, make_leaf_tree
from engine.neighbours.neighbour_lists import MAX_EXACT_RECORDS, nearest_neighbours

EDGE_COVER_KIND = "edge-cover"
"""What an outcome calls LB1."""

MAX_EXACT_PAIRS = 128
"""Largest t where neighbours are not exact; matters for k above 129 only."""

ROOM, PER_PAIR = 100e6, 80
"""Bytes that the search may take beside 20 times the data, and what a record's pair
takes: where k is so large that t = k - 1 would ask for more, t is smaller."""

PART_RECORDS = 65_536
"""Records of a part, more where k is large."""

FEW = 20_000
"""Records up to which there is time for more steps."""

STEPS, STEPS_OF_MANY = (300, 150), (60, 30)
"""Steps for the first prices and for the last, below :data:`FEW` records and above."""

PRICE_INCREASE, PRICE_INCREASE_OF_MANY = 0.04, 0.02
"""How far first prices are raised, in shares of the price and of d2 to the t-th.

With these, less than a thousandth of the bound is left to gain, or a hundredth.
"""


@dataclass
class _Cover:
    """The cover problem on a graph, and how far its solution has come.

    Attributes
    ----------
    first, second : ndarray of int64, shape (n_edges,)
        Edges, as places in the order of the tree.
    squared : ndarray of float64, shape (n_edges,)
        Their d2, lowered to be safe.
    demand : int
        t.
    unit : ndarray of float64, shape (n_records,)
        Size of a price near each record.
    most : ndarray of float64, shape (n_records,)
        Highest price that each record may have.
    price : ndarray of float64, shape (n_records,)
        u.
    """

    first: Integers
    second: Integers
    squared: Values
    demand: int
    unit: Values
    most: Values
    price: Values

    @property
    def price_excess(self) -> Values:
        """Excess of prices over d2, shape (n_edges,); never below 0."""
        price_sums = self.price[self.first] + self.price[self.second]
        return np.maximum(price_sums - self.squared, 0.0)


def edge_cover_bound(
    X: NDArray[np.float64], k: int, ctx: RunContext = SILENT
) -> LowerBound:
    """Return the edge-cover bound LB1, mostly at least as high as LB0 (nearest).

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    k : int
        Minimum group size, at least 2.

    Notes
    -----
    For tables of few attributes, or of attributes that go together, time and memory
    grow little faster than the number of records.

    Safe against rounding: distances are lowered by the largest error that centring
    and squaring can cause, and (2) by that of its additions.

    References
    ----------
    Chambolle A, Pock T (2011). A first-order primal-dual algorithm for convex
    problems. Journal of Mathematical Imaging and Vision 40, 120-145.
    doi:10.1007/s10851-010-0251-1
    """
    records = CentredRecords.from_array(X)
    if records.n < k or records.sst == 0.0:
        return records.lower_bound(EDGE_COVER_KIND, 0.0)
    cover, moved, order = _solve(records, k, ctx)
    prices = np.empty(records.n)
    prices[order] = cover.price
    proof = DualPrices(prices, neighbours=cover.demand)
    return records.lower_bound(EDGE_COVER_KIND, _dual_value(cover, moved, k), proof)


def edge_cover_sse_and_prices(
    records: CentredRecords, k: int, ctx: RunContext = SILENT
) -> tuple[float, Values]:
    """Return LB1 as SSE, and record prices whose sum in a group is at most its SSE.

    The prices add up to about LB1: each record has (k-1)/k of its u, and both records
    of a pair have paid half of its excess over d2, times (k-1)/(k t).

    Parameters
    ----------
    records : CentredRecords
        At least k, not all equal.

    Returns
    -------
    bound : float
    prices : ndarray of float64, shape (n_records,)
    """
    cover, records, order = _solve(records, k, ctx)
    prices, excess = cover.demand * cover.price, cover.price_excess
    np.subtract.at(prices, cover.first, excess / 2)
    np.subtract.at(prices, cover.second, excess / 2)
    moved = np.empty(records.n)
    moved[order] = prices * ((k - 1) / (k * cover.demand))
    return _dual_value(cover, records, k), moved


def _dual_value(cover: _Cover, records: CentredRecords, k: int) -> float:
    """Return the SSE that the prices prove: (2) over the pairs that can matter."""
    gain, cost = cover.demand * math.fsum(cover.price), math.fsum(cover.price_excess)
    rounding = EPS * (4.0 * records.n + 16.0) * (gain + cost)
    return (gain - cost - rounding) * ((k - 1) / (k * cover.demand))


def _solve(
    records: CentredRecords, k: int, ctx: RunContext
) -> tuple[_Cover, CentredRecords, Integers]:
    """Return the solved problem, and the records in its order with that order."""
    ctx = progress_only_context(ctx)
    is_few = should_use_numpy(take_primal_dual_steps, *records.X.shape)
    look = partial(ctx.tick, 0, 1, BOUND_STAGE)
    leaves = None if is_few else make_leaf_tree(records.X, look)
    order = make_leaf_order(records.X, look) if leaves is None else leaves.order
    moved = records.select(order)
    room = int((ROOM + 20 * records.X.nbytes) / (PER_PAIR * records.n))
    if records.n > MAX_EXACT_RECORDS:
        room = min(room, MAX_EXACT_PAIRS)
    # (1) bounds the loss for any t below k.
    demand = max(1, min(k - 1, room))
    is_small = records.n <= FEW
    steps = STEPS if is_small else STEPS_OF_MANY
    increase = PRICE_INCREASE if is_small else PRICE_INCREASE_OF_MANY
    price, reach = _initial_prices(
        moved, demand, steps[0], ctx.subcontext(0.0, 0.4), is_few
    )
    highest = (1.0 + increase) * price + increase * reach
    if leaves is None:
        pairs = list_overpriced_pairs_of_few(moved, highest)
    else:
        highest, pairs = safe_prices_and_overpriced_pairs(
            leaves, moved, highest, ctx.subcontext(0.4, 0.8)
        )
    first, second = np.ascontiguousarray(pairs.T)
    cover = _Cover(
        first,
        second,
        _safe_sq_distances(moved, first, second),
        demand,
        _price_units(reach),
        highest,
        np.minimum(price, highest),
    )
    _improve_prices(cover, steps[1], ctx.subcontext(0.8, 1.0), is_few)
    ctx.tick(1, 1, BOUND_STAGE)
    return cover, moved, order


def _initial_prices(
    records: CentredRecords, demand: int, steps: int, ctx: RunContext, is_few: bool
) -> tuple[Values, Values]:
    """Return prices from near neighbours within parts, and d2 to the t-th of these."""
    n = records.n
    parts = max(1, n // max(PART_RECORDS, 8 * demand))
    price, reach = np.empty(n), np.empty(n)

    def solve(number: int, ctx: RunContext) -> None:
        start, stop = n * number // parts, n * (number + 1) // parts
        some = records.select(slice(start, stop))
        X = some.X
        length = min(len(X) - 1, demand + (5 if n > MAX_EXACT_RECORDS else demand + 6))
        near = nearest_neighbours(X, length, ctx.subcontext(0.0, 0.6))
        reach[start:stop] = _safe_sq_distances(
            some, np.arange(len(X)), near[:, demand - 1]
        )
        first, second = _unique_edges(near)
        squared = _safe_sq_distances(some, first, second)
        max_sq_dist = np.zeros(len(X))
        np.maximum.at(max_sq_dist, first, squared)
        np.maximum.at(max_sq_dist, second, squared)
        unit, half = _price_units(reach[start:stop]), reach[start:stop] / 2
        cover = _Cover(first, second, squared, demand, unit, max_sq_dist, half)
        _improve_prices(cover, steps, ctx.subcontext(0.6, 1.0), is_few)
        price[start:stop] = cover.price

    map_parallel(solve, parts, ctx)
    return price, reach


def _price_units(reach: Values) -> Values:
    """Return the size of a price near each record, positive."""
    return np.asarray(0.3 * np.maximum(reach, max(1e-12 * float(reach.max()), 1e-300)))


def _safe_sq_distances(
    records: CentredRecords, first: Integers, second: Integers
) -> Values:
    """Return the d2 of pairs, lowered by their possible rounding error."""
    total = np.zeros(first.size)
    for column in records.X.T:
        total += np.square(column[first] - column[second])
    return records.lower_sq_distances(total)


def _unique_edges(near: Integers) -> tuple[Integers, Integers]:
    """Return each edge once, the smaller number first."""
    n = len(near)
    owner = np.repeat(np.arange(n), near.shape[1])
    other = near.reshape(-1)
    has_neighbour = other >= 0
    owner, other = owner[has_neighbour], other[has_neighbour]
    codes = np.sort(owner * n + other)
    # An edge that both of its ends list is kept where the smaller number lists it.
    back = other * n + owner
    mutual = codes[np.minimum(np.searchsorted(codes, back), codes.size - 1)] == back
    edge_mask = (other > owner) | ~mutual
    owner, other = owner[edge_mask], other[edge_mask]
    return np.minimum(owner, other), np.maximum(owner, other)


def _improve_prices(cover: _Cover, steps: int, ctx: RunContext, is_few: bool) -> None:
    """Take ascent steps on the graph; leave the best prices in place."""
    n, edges = cover.price.size, cover.first.size
    degree = np.bincount(cover.first, minlength=n) + np.bincount(
        cover.second, minlength=n
    )
    degree = np.maximum(degree, 1).astype(np.float64)
    share, missing, best = np.zeros(edges), np.empty(n), np.full(n + 1, -np.inf)
    at_once = min(max(1, steps), steps_per_look(n + edges))
    take_steps = take_primal_dual_steps_of_few if is_few else take_primal_dual_steps
    for done, stop in ctx.iterate_ranges(steps, at_once, BOUND_STAGE):
        take_steps(
            cover.first,
            cover.second,
            cover.squared,
            float(cover.demand),
            cover.unit,
            degree,
            stop - done,
            cover.most,
            share,
            cover.price,
            missing,
            best,
        )
    cover.price[:] = best[:n]
