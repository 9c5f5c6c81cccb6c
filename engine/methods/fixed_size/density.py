"""Form groups of k-neighbourhoods by SSE, for DBA-1, LDF and GSMS."""

from __future__ import annotations

from engine.core.context import RunContext
from engine.kernels.fixed_size.density import (
    Neighbourhoods,
    allocate_neighbourhoods,
    compute_neighbourhoods,
    form_neighbourhood_groups,
)
from engine.kernels.index.blocks import make_block_index
from engine.methods.steps.remaining import RemainingRecords
from engine.points.base import Points

NEIGHBOURHOODS_PER_CALL = 512
"""Neighbourhoods that one kernel call finds."""


def find_neighbourhoods(
    points: Points, k: int, ctx: RunContext, stage: str
) -> Neighbourhoods:
    """Return the k-neighbourhood of each record, before any record is grouped.

    Parameters
    ----------
    stage : str
        What is being done, for `ctx`.
    """
    n = points.n_records
    hoods = allocate_neighbourhoods(points.X, n_candidates=min(n - 1, 2 * (k - 1) + 8))
    blocks = make_block_index(points.X, points.shared_coordinates)
    for start in range(0, n, NEIGHBOURHOODS_PER_CALL):
        stop = min(n, start + NEIGHBOURHOODS_PER_CALL)
        compute_neighbourhoods(blocks, hoods, k, start, stop)
        ctx.tick(stop, n, stage)
    return hoods


def form_neighbourhoods(
    points: Points, k: int, sign: float, ctx: RunContext, stage: str
) -> RemainingRecords:
    """Return records grouped by k-neighbourhoods in the order of their SSE.

    Records left over are in the groups with the nearest centroids.

    Parameters
    ----------
    sign : float
        1 takes the smallest SSE first, -1 the largest.
    stage : str
        What is being done, for `ctx`.
    """
    hoods = find_neighbourhoods(points, k, ctx.subcontext(0.0, 0.5), stage)
    remaining = RemainingRecords(points, k, ctx.subcontext(0.5, 1.0), stage)
    remaining.form_by_kernel(form_neighbourhood_groups, k, hoods, sign)
    remaining.join_nearest_centroid()
    return remaining
