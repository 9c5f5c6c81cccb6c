"""The bound that a run carries: as tight as the time for every run allows."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.bounds.base import LowerBound, Records
from engine.bounds.edge_cover import edge_cover_bound
from engine.bounds.nearest import nearest_bound
from engine.context import SILENT, RunContext

EDGE_COVER_RECORDS = 20_000
"""Largest table whose edge cover every run works out without being asked."""

_STRENGTH = ("per-attribute", "nearest", "edge-cover", "column-generation")
"""Kinds of bounds, weakest first."""


def best_bound(
    X: NDArray[np.float64], k: int, ctx: RunContext = SILENT, thorough: bool = False
) -> LowerBound:
    """Return LB1 for up to 20,000 records, LB0 for more.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    k : int
        Minimum group size, at least 2.
    ctx : RunContext
    thorough : bool
        LB1 for any number of records.
    """
    if thorough or X.shape[0] <= EDGE_COVER_RECORDS:
        return edge_cover_bound(X, k, ctx)
    return nearest_bound(X, k, ctx)


def sum_of_bounds(bounds: Sequence[LowerBound], X: NDArray[np.float64]) -> LowerBound:
    """Return the bound of a table whose strata are grouped each on its own.

    Parameters
    ----------
    bounds : sequence of LowerBound
        One per stratum.
    X : ndarray of float64, shape (n_records, n_attributes)
        All records.
    """
    if len(bounds) == 1:
        return bounds[0]
    kind = min((bound.kind for bound in bounds), key=_STRENGTH.index)
    return Records.of(X).bound(kind, math.fsum(bound.sse for bound in bounds))
