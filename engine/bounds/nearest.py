"""LB0: every record lies with k-1 others, at best with its k-1 nearest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from engine.context import SILENT, RunContext

_CHUNK = 4096
"""Records a query; keeps the cancel answer well below a second."""


@dataclass(frozen=True)
class LowerBound:
    """A number that no partition can stay below.

    Attributes
    ----------
    kind : str
        Which bound it is: ``"nearest"`` is LB0.
    sse : float
        No partition into groups of at least k has a smaller SSE.
    per_cent : float
        The same as information loss, ``100 * sse / SST``.
    """

    kind: str
    sse: float
    per_cent: float


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
    n, p = X.shape
    centred = X - X.mean(axis=0)
    sst = float(np.square(centred).sum())
    if n < k or sst == 0.0:
        return LowerBound("nearest", 0.0, 0.0)
    eps = float(np.finfo(np.float64).eps)
    slack = 4.0 * eps * np.sqrt(p) * float(np.abs(X).max() + np.abs(centred).max())
    tree = cKDTree(centred)
    total = 0.0
    for start in range(0, n, _CHUNK):
        ctx.tick(start, n, "Lower bound")
        distances, _ = tree.query(centred[start : start + _CHUNK], k)
        total += float(np.square(np.maximum(distances - slack, 0.0)).sum())
    ctx.tick(n, n, "Lower bound")
    relative = eps * (2.0 * p + k + _CHUNK / 8 + n / _CHUNK + 16)
    sse = total * (1.0 - relative) / (2 * k)
    return LowerBound("nearest", sse, 100.0 * sse / sst)
