"""LB0: every record lies with k-1 others, at best with its k-1 nearest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from engine.bounds.base import EPS, LowerBound, Records
from engine.context import SILENT, RunContext

_CHUNK = 4096
"""Records a query; keeps the cancel answer well below a second."""


def nearest_bound(
    X: NDArray[np.float64], k: int, ctx: RunContext = SILENT
) -> LowerBound:
    """Return LB0 = 1/(2k) * sum over records of d2 to their k-1 nearest.

    A group's SSE is 1/s times the sum of d2 over its pairs, so each member pays at
    least 1/(2s) times its s-1 smallest d2; per record that grows with s, hence s = k.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    k : int
        Minimum group size, at least 2.
    ctx : RunContext

    Notes
    -----
    Safe against rounding: each distance is first lowered by the largest error that
    centring and subtracting can cause, and the sum by the largest relative error
    that squaring and adding its non-negative terms can cause.
    """
    records = Records.of(X)
    n = records.n
    if n < k or records.sst == 0.0:
        return records.bound("nearest", 0.0)
    tree = cKDTree(records.X)
    total = 0.0
    for start in range(0, n, _CHUNK):
        ctx.tick(start, n, "Lower bound")
        distances, _ = tree.query(records.X[start : start + _CHUNK], k)
        total += float(np.square(np.maximum(distances - records.slack, 0.0)).sum())
    ctx.tick(n, n, "Lower bound")
    relative = records.relative + EPS * (k + _CHUNK / 8 + n / _CHUNK + 16)
    return records.bound("nearest", total * (1.0 - relative) / (2 * k))
