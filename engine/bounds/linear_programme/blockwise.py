"""Column-generation bound LB2 of large tables: dual ascent by blocks, correction.

Prices that no group exceeds add up to a bound, see :mod:`column_generation`. They begin
at LB1's. Then, block after block of neighbouring records, a linear programme raises the
prices of a block, while those of the records around it stay: groups that reach out of
the block count with these. Blocks are shifted, and raised again.

In the end all groups of k records are looked for that gain, wherever they reach, and
each anchor pays what its best group gains: the sum that is left is the bound. A group
with anchor i, the record of the highest price, gains no more than

    p_i + sum of p_j - d2_ij / k - h_j   over its k - 1 other records,              (1)

as all pairs in it cost d2 / k; h_j is half of what pairs with the k - 2 records nearest
to j cost, as each pair counts from both ends. So a record j is left out of the search
for i where (1) is at most 0 for it with the best of the others, and the tables searched
stay small.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from numpy.typing import NDArray

from engine.bounds.base import BOUND_STAGE, EPS, CentredRecords, LowerBound
from engine.bounds.edge_cover import EDGE_COVER_KIND as EDGE_COVER
from engine.bounds.edge_cover import edge_cover_sse_and_prices
from engine.bounds.linear_programme.column_generation import (
    context_with_deadline,
    single_group_sse_lower_bound,
)
from engine.bounds.linear_programme.column_search import (
    COLUMN_GENERATION_KIND,
    MAX_BRANCHES,
    ColumnGeneration,
    generate_columns_in_place,
)
from engine.bounds.linear_programme.master import MasterProblem
from engine.bounds.linear_programme.pricing import NO_CUTS, Pricer, safe_dual_bound
from engine.core.context import SILENT, RunContext
from engine.core.parallel import map_in_threads
from engine.core.typing import Integers, Values
from engine.kernels.index.halving import kd_leaf_order
from engine.neighbours.neighbour_lists import nearest_neighbours

MAX_BLOCKWISE_RECORDS = 20_000
"""Records up to which there is time for this bound."""

BLOCK_RECORDS = 500
"""Records of a block."""

HALO_PER_K = 4
"""Neighbours of each record, as a multiple of k, that surround a block."""

MAX_BLOCK_STEPS = 25
"""Largest number of steps of a block's linear programme."""

ASCENT_TIME_SHARE = 0.6
"""Share of the time for raising prices; the rest is for groups across blocks."""

MAX_SEARCH_RECORDS = 6_000
"""Records of one search at most: their distances must fit into memory."""

DISTANCE_TOLERANCE = 1e-9
"""Share of nearest distances that their search may get wrong, far above rounding."""

_ANCHOR_ROWS = 32
"""Anchors whose distances to all records are looked at together."""


def blockwise_bound(
    X: NDArray[np.float64],
    k: int,
    ctx: RunContext = SILENT,
    seconds: float = math.inf,
    block_records: int = BLOCK_RECORDS,
) -> LowerBound:
    """Return a bound up to LB2 without cuts, raised block by block, and at least LB1.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    k : int
        Minimum group size, at least 2.
    ctx : RunContext
        May end the search with what is proven (``enough``).
    seconds : float
        Time budget. Where it ends before the search for groups that cross blocks does,
        LB1 is what is proven.
    block_records : int
        Records of a block.

    Notes
    -----
    Safe against rounding as LB2 is.

    References
    ----------
    Sudoso AM, Aloise D (2024). A column generation algorithm with dynamic constraint
    aggregation for minimum sum-of-squares clustering. arXiv:2410.06187, which
    aggregates records where this divides them.
    """
    records = CentredRecords.from_array(X)
    if records.n < k or records.sst == 0.0:
        return records.lower_bound(COLUMN_GENERATION_KIND, 0.0)
    if records.n < 2 * k:
        return records.lower_bound(
            COLUMN_GENERATION_KIND, single_group_sse_lower_bound(records)
        )
    ctx = context_with_deadline(ctx, seconds)
    cover_sse, prices = edge_cover_sse_and_prices(records, k, ctx.subcontext(0.0, 0.1))
    ctx.note("bound", cover_sse)
    look = partial(ctx.tick, 0.1, 1, BOUND_STAGE)
    order = kd_leaf_order(records.X, block_records, look=look)
    _raise_all(
        records,
        prices,
        order,
        k,
        block_records,
        context_with_deadline(ctx, ASCENT_TIME_SHARE * seconds),
    )
    blocks = np.split(order, range(block_records, records.n, block_records))
    highest = _max_gains(records, prices, blocks, k, ctx.subcontext(0.7, 1.0))
    bound = cover_sse
    if highest is not None:
        bound = safe_dual_bound(prices, NO_CUTS, highest, k)
    if bound <= cover_sse:
        return records.lower_bound(EDGE_COVER, cover_sse)
    ctx.note("bound", bound)
    return records.lower_bound(COLUMN_GENERATION_KIND, bound)


def _raise_all(
    records: CentredRecords,
    prices: Values,
    order: Integers,
    k: int,
    size: int,
    ctx: RunContext,
) -> None:
    """Raise the prices of blocks in turn, in place, until time is over."""
    near = nearest_neighbours(
        records.X, min(HALO_PER_K * k, records.n - 1), ctx.subcontext(0.1, 0.1)
    )
    for start in range(0, records.n, size):
        if ctx.enough():
            return
        _raise(records, prices, order[start : start + size], near, k, ctx)
        ctx.tick(0.1 + 0.6 * start / records.n, 1.0, BOUND_STAGE)


def _raise(
    records: CentredRecords,
    prices: Values,
    block: Integers,
    near: Integers,
    k: int,
    ctx: RunContext,
) -> None:
    """Raise the prices of a block, in place; what is around it stays or pays."""
    some = np.union1d(block, near[block])
    if some.size < 2 * k:
        return
    part = records.select(some)
    still = RunContext(lambda _, stage: ctx.tick(0.0, 1.0, stage), enough=ctx.enough)
    unit = max(float(prices[some].mean()), 1e-12 * records.sst / records.n)
    pricer = Pricer(part, k, still)
    search = ColumnGeneration(
        part,
        k,
        pricer,
        MasterProblem(part.X, unit),
        prices[some],
        float(prices[some].sum()),
        free=np.isin(some, block),
    )
    first = pricer.price_groups(prices[some], k, -unit, 5, 3000, ctx=still)
    search.master.add_groups(first.groups)
    generate_columns_in_place(search, still, MAX_BLOCK_STEPS)
    prices[some] = search.prices


def _max_gains(
    records: CentredRecords,
    prices: Values,
    blocks: list[Integers],
    k: int,
    ctx: RunContext,
) -> Values | None:
    """Return an upper bound on any group's gain, by anchor; None on timeout."""
    highest = np.full(records.n, np.inf)
    rank = np.empty(records.n, dtype=np.int64)
    rank[np.lexsort((np.arange(records.n), -prices))] = np.arange(records.n)
    others = prices - _half_neighbour_sums(records, k)

    def task(number: int, part: RunContext) -> None:
        inner = RunContext(part.report_share, enough=ctx.enough)
        anchors = np.sort(blocks[number])
        _look(records, prices, others, rank, anchors, k, highest, inner)

    map_in_threads(task, len(blocks), ctx, BOUND_STAGE)
    return highest if np.isfinite(highest).all() else None


def _half_neighbour_sums(records: CentredRecords, k: int) -> Values:
    """Return half the sum of d2 to the k - 2 nearest records, shape (n_records,)."""
    if k == 2:
        return np.zeros(records.n)
    from scipy.spatial import cKDTree

    distances = np.asarray(cKDTree(records.X).query(records.X, k - 1)[0])[:, 1:]
    near = records.lower_sq_distances(np.square(distances)) * (1.0 - DISTANCE_TOLERANCE)
    return np.asarray(0.5 / k * near.sum(axis=1))


def _look(
    records: CentredRecords,
    prices: Values,
    others: Values,
    rank: Integers,
    anchors: Integers,
    k: int,
    highest: Values,
    ctx: RunContext,
) -> None:
    """Write what no group gains whose anchor is one of these."""
    reached, gains = _reachable_records(records, prices, others, rank, anchors, k, ctx)
    some = np.union1d(np.flatnonzero(reached), anchors)
    if ctx.enough():
        return
    if some.size > MAX_SEARCH_RECORDS:
        if anchors.size == 1:
            highest[anchors] = np.maximum(gains, 0.0)  # (1) holds, if nothing better
            return
        for half in np.array_split(anchors, 2):
            _look(records, prices, others, rank, half, k, highest, ctx)
        return
    if some.size < k:
        highest[anchors] = 0.0
        return
    pricer = Pricer(records.select(some), k, ctx.subcontext(0.5, 0.6))
    places = np.searchsorted(some, anchors)
    rest = ctx.subcontext(0.6, 1.0)
    pricing = pricer.price_groups(
        prices[some], k, 0.0, 1, MAX_BRANCHES, ctx=rest, anchors=places
    )
    highest[anchors] = np.minimum(pricing.highest[places], np.maximum(gains, 0.0))


def _reachable_records(
    records: CentredRecords,
    prices: Values,
    others: Values,
    rank: Integers,
    anchors: Integers,
    k: int,
    ctx: RunContext,
) -> tuple[NDArray[np.bool_], Values]:
    """Return which records groups of these anchors may hold, and (1) of each anchor."""
    n = records.n
    reached, gains = np.zeros(n, dtype=np.bool_), np.zeros(anchors.size)
    slack = EPS * 64.0 * k * float(np.abs(prices).max())
    for start in range(0, anchors.size, _ANCHOR_ROWS):
        if ctx.enough():
            break
        ctx.tick(0.5 * start, anchors.size, BOUND_STAGE)
        rows = anchors[start : start + _ANCHOR_ROWS]
        squared = np.zeros((rows.size, n))
        for column in records.X.T:
            squared += np.square(column[rows, None] - column)
        credit = others - records.lower_sq_distances(squared) * (
            (1.0 - 4.0 * k * EPS) / k
        )
        # Others come after the anchor in the order of falling prices.
        credit[rank[rows, None] >= rank] = -np.inf
        best = np.partition(credit, n - k + 1, axis=1)[:, n - k + 1 :]
        total = prices[rows] + best.sum(axis=1) + slack
        some = np.isfinite(total)  # there are k - 1 others
        gains[start : start + _ANCHOR_ROWS] = np.where(some, total, 0.0)
        bar = np.full(rows.size, np.inf)
        bar[some] = best[some].min(axis=1) - total[some]
        reached |= (credit > bar[:, None]).any(axis=0)
    return reached, gains
