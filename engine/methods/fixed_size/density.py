"""Groups of k-neighbourhoods: what DBA-1 and LDF share, and GSMS in part."""

from __future__ import annotations

from engine.core.context import RunContext
from engine.kernels.fixed_size.density import (
    Neighbourhoods,
    make_neighbourhoods,
    neighbourhood_groups,
    start_neighbourhoods,
)
from engine.kernels.index.blocks import make_blocks
from engine.methods.remaining import Remaining
from engine.points.base import Points

ROWS = 512
"""Neighbourhoods that one kernel call finds."""


def find_neighbourhoods(
    points: Points, k: int, ctx: RunContext, stage: str
) -> Neighbourhoods:
    """Return the k-neighbourhood of every record while none has a group.

    Parameters
    ----------
    points : Points
    k : int
    ctx : RunContext
    stage : str
        What is being done, for `ctx`.
    """
    n = points.n_records
    hoods = make_neighbourhoods(points.X, length=min(n - 1, 2 * (k - 1) + 8))
    blocks = make_blocks(points.X, points.shared)
    for start in range(0, n, ROWS):
        stop = min(n, start + ROWS)
        start_neighbourhoods(blocks, hoods, k, start, stop)
        ctx.tick(stop, n, stage)
    return hoods


def form_neighbourhoods(
    points: Points, k: int, sign: float, ctx: RunContext, stage: str
) -> Remaining:
    """Form groups of k-neighbourhoods in the order of their SSE.

    Records left over are in the groups with the nearest centroids.

    Parameters
    ----------
    points : Points
    k : int
    sign : float
        1 takes the smallest SSE first, -1 the largest.
    ctx : RunContext
    stage : str
        What is being done, for `ctx`.
    """
    hoods = find_neighbourhoods(points, k, ctx.part(0.0, 0.5), stage)
    remaining = Remaining(points, k, ctx.part(0.5, 1.0), stage)
    remaining.form(neighbourhood_groups, k, hoods, sign)
    remaining.join_nearest_centroid()
    return remaining
