"""Bound LB0: squared distances of each record to its k-1 nearest neighbours."""

from __future__ import annotations

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
from engine.core.context import SILENT, RunContext
from engine.kernels.index.leaves import FANOUT, make_leaf_tree
from engine.kernels.index.nearest import write_nearest_in_tree

_NEIGHBOURS_PER_CALL = 16_384
"""Neighbours found by a call, over all records that ask; keeps the cancel answer short.
"""

_MOST, _FEW = 200_000_000, 64
"""Neighbours that are looked for in all, and the fewest of one record.

Those beyond count as much as the farthest one found: only large k come to that.
"""

_LEAVES_PER_PART = 1024
"""Leaves of records whose neighbours are found side by side with those of others."""


def nearest_bound(
    X: NDArray[np.float64], k: int, ctx: RunContext = SILENT
) -> LowerBound:
    """Return a bound of up to 1/(2k) * the sum of d2 to the k-1 nearest neighbours.

    A group's SSE is 1/s times the sum of d2 over its pairs, so each member pays at
    least 1/(2s) times its s-1 smallest d2; per record that grows with s, hence s = k.
    Where k is large, what lies beyond the neighbours looked for counts as the last one.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    k : int
        Minimum group size, at least 2.

    Notes
    -----
    Safe against rounding: each distance is first lowered by the largest error that
    centring and subtracting can cause, and the sum by the largest relative error
    that squaring and adding its non-negative terms can cause.
    """
    records = CentredRecords.from_array(X)
    n = records.n
    if n < k or records.sst == 0.0:
        return records.lower_bound("nearest", 0.0)
    leaves = make_leaf_tree(records.X, partial(ctx.tick, 0, 1, BOUND_STAGE))
    count = -(-n // FANOUT)
    n_near = min(k - 1, max(_FEW, _MOST // n))
    n_far = k - 1 - n_near
    farthest = np.empty(n)
    at_once = max(1, _NEIGHBOURS_PER_CALL // ((n_near + 1) * FANOUT))

    def search(number: int, ctx: RunContext) -> float:
        near = np.empty((at_once * FANOUT, n_near), dtype=np.int64)
        squared = np.empty(near.shape)
        branches = np.empty((2, len(leaves.low[0])), dtype=np.int64)
        bounds = np.empty(branches.shape, dtype=np.float32)
        start = number * _LEAVES_PER_PART
        stop = min(start + _LEAVES_PER_PART, count)
        total = 0.0
        for first in range(start, stop, at_once):
            ctx.tick(first - start, stop - start, BOUND_STAGE)
            last = min(first + at_once, stop)
            write_nearest_in_tree(leaves, first, last, near, squared, branches, bounds)
            n_rows = min(last * FANOUT, n) - first * FANOUT
            distances = np.sqrt(squared[:n_rows]) - records.slack
            safe = np.square(np.maximum(distances, 0.0))
            total += float(safe.sum())
            farthest[leaves.order[first * FANOUT : first * FANOUT + n_rows]] = safe.max(
                axis=1
            )
            if n_far:
                total += n_far * float(safe.max(axis=1).sum())
        return total

    parts = -(-count // _LEAVES_PER_PART)
    totals = map_parallel(search, parts, progress_only_context(ctx))
    ctx.tick(1, 1, BOUND_STAGE)
    relative = records.relative + EPS * (k * FANOUT * at_once / 8 + n / FANOUT + 64)
    # As prices of pairs, half of the farthest d2 proves no less: what two such prices
    # exceed d2 by is at most what the farthest of both do, halved.
    proof = DualPrices(farthest / 2, neighbours=k - 1)
    return records.lower_bound(
        "nearest", sum(totals) * (1.0 - relative) / (2 * k), proof
    )
