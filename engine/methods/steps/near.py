"""Records nearest to each record."""

from __future__ import annotations

import numpy as np

from engine.core.context import RunContext
from engine.core.typing import Integers, Values
from engine.kernels.index.blocks import make_block_index
from engine.kernels.variable_size.forest import write_k_nearest
from engine.methods.steps.remaining import VALUES_PER_CALL
from engine.points.base import Points


def nearest_records(
    points: Points, count: int, ctx: RunContext, stage: str
) -> tuple[Integers, Values]:
    """Return the nearest records of each record, itself among them, as heaps.

    Parameters
    ----------
    points : Points
    count : int
        At most the number of records.
    stage : str
        What is being done, for `ctx`.

    Returns
    -------
    near, sq_dists : ndarray of int64 and float64, shape (n_records, count)
        The farthest of each row first.
    """
    X = points.X
    n, p = X.shape
    near, squared = np.empty((n, count), dtype=np.int64), np.empty((n, count))
    blocks = make_block_index(X, points.shared_coordinates)
    for start, stop in ctx.iterate_ranges(n, max(1, VALUES_PER_CALL // (n * p)), stage):
        write_k_nearest(blocks, start, stop, near, squared)
    return near, squared
