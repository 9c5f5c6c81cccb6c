"""Choice of a lower bound by number of records, k and effort; sums over parts."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.bounds.base import EPS, CentredRecords, LowerBound
from engine.bounds.edge_cover import edge_cover_bound
from engine.bounds.linear_programme.blockwise import (
    MAX_BLOCKWISE_RECORDS,
    blockwise_bound,
)
from engine.bounds.linear_programme.column_generation import (
    MAX_LB2_RECORDS,
    column_generation_bound,
)
from engine.bounds.nearest_neighbour_bound import nearest_bound
from engine.core.context import SILENT, RunContext
from engine.core.numerics.statistics import loss_percent, weighted_mean

MAX_DEFAULT_LB1_RECORDS = 200_000
"""Records up to which a run carries LB1; of more, LB0: less than half the time."""

THOROUGH_BOUND_SECONDS = 120.0
"""Time for LB2 where a thorough bound is asked for."""

MAX_SMALL_K = 129
"""Up to here LB1 is at least as high as LB0."""

_KINDS_BY_STRENGTH = (
    "per-attribute",
    "nearest",
    "persons",
    "edge-cover",
    "column-generation",
)
"""Kinds of bounds, weakest first."""


def strongest_affordable_bound(
    X: NDArray[np.float64], k: int, ctx: RunContext = SILENT, thorough: bool = False
) -> LowerBound:
    """Return bound LB0 or LB1 by size and k; up to LB2 for small tables if `thorough`.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    k : int
        Minimum group size, at least 2.
    thorough : bool
        LB2 for up to 5,000 records, and block by block for up to 20,000, as far as it
        comes in two minutes; LB1 for more.
    """
    if thorough and X.shape[0] <= MAX_LB2_RECORDS:
        return column_generation_bound(X, k, ctx, THOROUGH_BOUND_SECONDS)
    if thorough and X.shape[0] <= MAX_BLOCKWISE_RECORDS:
        return blockwise_bound(X, k, ctx, THOROUGH_BOUND_SECONDS)
    if thorough or X.shape[0] <= MAX_DEFAULT_LB1_RECORDS:
        bound = edge_cover_bound(X, k, ctx)
        if k <= MAX_SMALL_K:
            return bound
        # LB1 looks at fewer pairs the larger k is, so that LB0 can be higher.
        return max(bound, nearest_bound(X, k, ctx), key=lambda each: each.sse)
    return nearest_bound(X, k, ctx)


def sum_bounds_of_parts(
    bounds: Sequence[LowerBound],
    X: NDArray[np.float64],
    weights: NDArray[np.float64] | None = None,
    sst: float | None = None,
) -> LowerBound:
    """Return a table's lower bound, from the sum over separately grouped parts.

    Parameters
    ----------
    bounds : sequence of LowerBound
        One per part: strata, or blocks of attributes.
    X : ndarray of float64, shape (n_records, n_attributes)
        All records and attributes.
    weights : ndarray of float64, shape (n_records,), optional
        How many units each record stands for. A weighted SSE is at least the smallest
        weight times the SSE, because the weighted mean is only one of the centres
        that the mean is better than.
    sst : float, optional
        Sum of squares of the points that X is a projection of, weighted where there
        are weights. A bound on projected points is one on the points themselves,
        because projection shortens every distance.
    """
    if len(bounds) == 1 and weights is None and sst is None:
        return bounds[0]
    if not bounds:
        return LowerBound("nearest", 0.0, 0.0)
    kind = min((bound.kind for bound in bounds), key=_KINDS_BY_STRENGTH.index)
    sse = math.fsum(bound.sse for bound in bounds)
    if weights is None and sst is None:
        return CentredRecords.from_array(X).lower_bound(kind, sse)
    if weights is not None:
        sse *= float(weights.min()) * (1.0 - 4.0 * EPS)
    if sst is None:
        assert weights is not None
        squares = np.square(X - weighted_mean(X, weights))
        sst = float((weights[:, np.newaxis] * squares).sum())
    # Adding n * p terms can have made SST too small, and the share too large.
    sst *= 1.0 + EPS * (X.size + 8.0)
    return LowerBound(kind, sse, loss_percent(sse, sst))
