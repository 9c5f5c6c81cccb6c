"""Groups of k-neighbourhoods by density: the part that DBA-1 and LDF share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.context import RunContext
from engine.kernels.blocks import make_blocks
from engine.kernels.density import (
    make_neighbourhoods,
    neighbourhood_groups,
    start_neighbourhoods,
)
from engine.methods.remaining import Remaining
from engine.partition import Labels

ROWS = 512
"""Neighbourhoods that one kernel call finds."""


def form_neighbourhoods(
    X: NDArray[np.float64], k: int, sign: float, ctx: RunContext, stage: str
) -> Labels:
    """Return groups of k-neighbourhoods, formed in the order of their SSE.

    Records left over are in the groups with the nearest centroids.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    k : int
    sign : float
        1 takes the smallest SSE first, -1 the largest.
    ctx : RunContext
    stage : str
        What is being done, for `ctx`.
    """
    n = X.shape[0]
    hoods = make_neighbourhoods(n, length=min(n - 1, 2 * (k - 1) + 8))
    blocks = make_blocks(X)
    for start in range(0, n, ROWS):
        stop = min(n, start + ROWS)
        start_neighbourhoods(blocks, hoods, k, start, stop)
        ctx.tick(stop, 2 * n, stage)
    remaining = Remaining(X, k, ctx.part(0.5, 1.0), stage)
    remaining.form(neighbourhood_groups, k, hoods, sign)
    remaining.join_nearest_centroid()
    return remaining.labels
