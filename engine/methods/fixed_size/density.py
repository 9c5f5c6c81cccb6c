"""Form groups of k-neighbourhoods by SSE, for DBA-1, LDF and GSMS."""

from __future__ import annotations

from functools import partial

from engine.core.context import steps_per_look
from engine.kernels.fixed_size.density import (
    Neighbourhoods,
    allocate_neighbourhoods,
    compute_neighbourhoods,
    form_neighbourhood_groups,
)
from engine.kernels.index.blocks import make_block_index
from engine.methods.steps.remaining import RemainingRecords


def find_neighbourhoods(remaining: RemainingRecords) -> Neighbourhoods:
    """Return the k-neighbourhood of each record, before any record is grouped.

    Takes half of the progress; what `remaining` does next takes the other half.
    """
    points, k, stage = remaining.points, remaining.k, remaining.stage
    n, whole, done = points.n_records, remaining.ctx, 0
    ctx, remaining.ctx = whole.subcontext(0.0, 0.5), whole.subcontext(0.5, 1.0)
    hoods = allocate_neighbourhoods(points.X, n_candidates=min(n - 1, 2 * (k - 1) + 8))
    look = partial(ctx.tick, 0, n, stage)
    blocks = make_block_index(points.X, points.shared_coordinates, look)
    while done < n:
        ctx.tick(done, n, stage)
        done = compute_neighbourhoods(blocks, hoods, k, done, steps_per_look())
    return hoods


def form_neighbourhoods(remaining: RemainingRecords, sign: float) -> None:
    """Group k-neighbourhoods in the order of their SSE; what is left joins groups.

    Parameters
    ----------
    sign : float
        1 takes the smallest SSE first, -1 the largest.
    """
    hoods = find_neighbourhoods(remaining)
    remaining.form_by_kernel(form_neighbourhood_groups, remaining.k, hoods, sign)
    remaining.join_nearest_centroid()
