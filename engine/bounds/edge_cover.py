"""LB1: what the cheapest fractional cover of all records by pairs costs.

In a group of s records let every pair count (k-1)/(s-1). Then every record has k-1
pairs in all, and the pairs' d2 add up to (k-1) s/(s-1) <= k times the group's SSE. So
no partition has an SSE below 1/k of the cheapest cover,

    min sum d2_ij y_ij   with   sum_j y_ij >= k-1,   0 <= y <= 1,                  (1)

and every u >= 0 proves that no cover is cheaper than

    sum (k-1) u_i - sum over all pairs max(0, u_i + u_j - d2_ij).                  (2)

The prices u come from steps on a graph of near neighbours; only (2), added up over
all pairs, becomes the bound.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from engine.bounds.base import EPS, LowerBound, Records, Values
from engine.context import SILENT, RunContext
from engine.kernels.blocks import Blocks, make_blocks
from engine.kernels.boxes import WIDTH
from engine.kernels.edge_cover import excess_of_pairs, primal_dual_steps

Integers = NDArray[np.int64]

STEPS = (300, 100)
"""Steps on the graph of near neighbours, and once pairs that it lacked have joined it.

They leave less than a thousandth of the bound to gain.
"""

_WORK = 20_000_000
"""Edges or pairs of records a call; keeps the cancel answer near 0.1 s."""

_QUERY = 4096
"""Records a neighbour query."""


@dataclass
class _Cover:
    """The cover problem on a graph, and how far its solution has come.

    Records are numbered in the order of the blocks, so that neighbours lie close
    together in memory.
    """

    blocks: Blocks
    records: Records
    k: int
    first: Integers
    second: Integers
    unit: Values
    share: Values
    price: Values

    @property
    def squared(self) -> Values:
        """Squared lengths of the edges, shape (n_edges,)."""
        total = np.zeros(self.first.size)
        for column in self.records.X.T:
            total += np.square(column[self.first] - column[self.second])
        return self.records.lowered(total)


def edge_cover_bound(
    X: NDArray[np.float64], k: int, ctx: RunContext = SILENT
) -> LowerBound:
    """Return LB1, at least as high as LB0.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    k : int
        Minimum group size, at least 2.
    ctx : RunContext

    Notes
    -----
    Time and memory grow little faster than the number of records: a graph of near
    neighbours, a fixed number of passes over it, and scans over all pairs that pass
    over blocks of records too far apart to matter.

    Safe against rounding: distances are lowered by the largest error that centring
    and squaring can cause, and (2) by that of its additions.

    References
    ----------
    Chambolle A, Pock T (2011). A first-order primal-dual algorithm for convex
    problems. Journal of Mathematical Imaging and Vision 40, 120-145.
    doi:10.1007/s10851-010-0251-1
    """
    records = Records.of(X)
    if records.n < k or records.sst == 0.0:
        return records.bound("edge-cover", 0.0)
    return records.bound("edge-cover", _solve(records, k, ctx)[0])


def edge_cover_prices(
    records: Records, k: int, ctx: RunContext = SILENT
) -> tuple[float, Values]:
    """Return LB1 as SSE, and a price per record; no group's prices exceed its SSE.

    The prices add up to about LB1: each record has (k-1)/k of its u, and both records
    of a pair have paid half of its excess over d2, over k.

    Parameters
    ----------
    records : Records
        At least k, not all equal.
    k : int
    ctx : RunContext

    Returns
    -------
    bound : float
    prices : ndarray of float64, shape (n_records,)
    """
    bound, cover, pairs = _solve(records, k, ctx)
    first, second = pairs.T
    apart = np.square(cover.records.X[first] - cover.records.X[second]).sum(axis=1)
    excess = cover.price[first] + cover.price[second] - cover.records.lowered(apart)
    prices = (k - 1) * cover.price
    np.subtract.at(prices, first, excess / 2)
    np.subtract.at(prices, second, excess / 2)
    moved = np.empty(records.n)
    moved[cover.blocks.records.reshape(-1)[: records.n]] = prices / k
    return bound, moved


def _solve(records: Records, k: int, ctx: RunContext) -> tuple[float, _Cover, Integers]:
    """Return LB1 as SSE, the problem with its last prices, and their excess pairs."""
    cover, best = _start(records, k, ctx.part(0.0, 0.4))
    for turn, steps in enumerate(STEPS):
        start = 0.4 + 0.3 * turn
        _improve(cover, steps, ctx.part(start, start + 0.2))
        value, pairs = _certify(cover, ctx.part(start + 0.2, start + 0.3))
        best = max(best, value)
        if turn == 0 and not _extend(cover, pairs):
            break
    ctx.tick(1, 1, "Lower bound")
    return best, cover, pairs


def _start(records: Records, k: int, ctx: RunContext) -> tuple[_Cover, float]:
    """Return the problem on the graph of nearest neighbours, and LB0 as SSE."""
    blocks = make_blocks(records.X)
    n = records.n
    order = blocks.records.reshape(-1)[:n]
    moved = Records(records.X[order], records.sst, records.slack, records.relative)
    m = min(n - 1, 2 * k + 4)
    tree = cKDTree(moved.X)
    distances, neighbours = np.empty((n, m + 1)), np.empty((n, m + 1), dtype=np.int64)
    for start in range(0, n, _QUERY):
        ctx.tick(start, n, "Lower bound")
        stop = start + _QUERY
        distances[start:stop], neighbours[start:stop] = tree.query(
            moved.X[start:stop], m + 1, workers=-1
        )
    lowered = np.square(np.maximum(distances[:, :k] - moved.slack, 0.0))
    relative = moved.relative + EPS * (n + k + 16)
    nearest = float(lowered.sum()) * (1.0 - relative) / (2 * k)
    ends = np.column_stack([np.repeat(np.arange(n), m + 1), neighbours.ravel()])
    first, second = _unique(ends, n)
    reach = np.square(distances[:, k - 1])
    unit = 0.3 * np.maximum(reach, max(1e-12 * float(reach.max()), 1e-300))
    cover = _Cover(
        blocks, moved, k, first, second, unit, np.zeros(first.size), reach / 2
    )
    return cover, nearest


def _unique(ends: Integers, n: int) -> tuple[Integers, Integers]:
    """Return each edge once, sorted, the smaller number first; no loops."""
    low, high = ends.min(axis=1), ends.max(axis=1)
    codes = np.unique((low * n + high)[low < high])
    return codes // n, codes % n


def _improve(cover: _Cover, steps: int, ctx: RunContext) -> None:
    """Take steps on the graph; leave the best prices in place."""
    n, edges = cover.records.n, cover.first.size
    degree = np.bincount(cover.first, minlength=n) + np.bincount(
        cover.second, minlength=n
    )
    squared = cover.squared
    missing, best = np.empty(n), np.full(n + 1, -np.inf)
    at_once = max(1, min(steps, _WORK // edges))
    for done in range(0, steps, at_once):
        ctx.tick(done, steps, "Lower bound")
        primal_dual_steps(
            cover.first,
            cover.second,
            squared,
            cover.k - 1.0,
            cover.unit,
            degree.astype(np.float64),
            min(at_once, steps - done),
            cover.share,
            cover.price,
            missing,
            best,
        )
    cover.price[:] = best[:n]


def _certify(cover: _Cover, ctx: RunContext) -> tuple[float, Integers]:
    """Return what the prices prove, as SSE, and the pairs that cost them something."""
    blocks, n, k = cover.blocks, cover.records.n, cover.k
    m = blocks.live.size
    padded = np.zeros(m * WIDTH)
    padded[:n] = cover.price
    highest = padded.reshape(m, WIDTH).max(axis=1)
    pairs = np.empty((4 * n * k, 2), dtype=np.int64)
    totals = np.zeros(m)
    found = 0
    at_once = max(1, _WORK // (100 * n))
    for start in range(0, m, at_once):
        ctx.tick(start, m, "Lower bound")
        found = excess_of_pairs(
            blocks,
            cover.price,
            highest,
            cover.records.slack,
            cover.records.relative,
            start,
            min(start + at_once, m),
            pairs,
            found,
            totals,
        )
    gain, cost = (k - 1) * math.fsum(cover.price), math.fsum(totals)
    rounding = EPS * (4.0 * n + m + WIDTH * WIDTH + 16.0) * (gain + cost)
    return (gain - cost - rounding) / k, pairs[:found]


def _extend(cover: _Cover, pairs: Integers) -> bool:
    """Add pairs that the graph lacks; return whether they are enough to matter."""
    n = cover.records.n
    known = cover.first * n + cover.second
    codes = np.setdiff1d(pairs.min(axis=1) * n + pairs.max(axis=1), known)
    if codes.size <= n // 1000:
        return False
    merged = np.concatenate([known, codes])
    order = np.argsort(merged, kind="stable")
    cover.first, cover.second = merged[order] // n, merged[order] % n
    cover.share = np.concatenate([cover.share, np.zeros(codes.size)])[order]
    return True
