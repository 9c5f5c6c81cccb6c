"""Records nearest to each record."""

from __future__ import annotations

from functools import partial

import numpy as np

from engine.core.context import RunContext, steps_per_look
from engine.core.typing import Integers, Values
from engine.kernels.index.blocks import make_block_index
from engine.kernels.variable_size.forest import write_k_nearest
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
    X, n, done = points.X, points.n_records, 0
    near, squared = np.empty((n, count), dtype=np.int64), np.empty((n, count))
    look = partial(ctx.tick, 0, n, stage)
    blocks = make_block_index(X, points.shared_coordinates, look)
    while done < n:
        ctx.tick(done, n, stage)
        done = write_k_nearest(blocks, done, steps_per_look(), near, squared)
    return near, squared
