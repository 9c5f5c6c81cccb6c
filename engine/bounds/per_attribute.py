"""Bound for attributes grouped separately: sum of their optimal univariate SSEs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.bounds.base import BOUND_STAGE, LowerBound
from engine.core.context import SILENT, RunContext
from engine.core.numerics.statistics import loss_percent, total_sum_of_squares
from engine.kernels.univariate.runs import extend_run_table, make_run_table

_ROWS_PER_CALL = 262_144
"""Sorted values that one kernel call works off; keeps the cancel answer quick."""


def per_attribute_bound(
    X: NDArray[np.float64], k: int, ctx: RunContext = SILENT
) -> LowerBound:
    """Return the sum of the attributes' optimal univariate SSEs as a lower bound.

    The sum over attributes of what Hansen and Mukherjee's optimal groups lose. It is
    also a bound for groups of whole records, of which others are mostly higher.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    k : int
        Minimum group size, at least 2.

    Notes
    -----
    Lowered by the largest relative error that measuring runs of at most 2k values and
    adding their SSEs can cause; all terms are non-negative.

    References
    ----------
    Hansen & Mukherjee (2003), https://doi.org/10.1109/TKDE.2003.1209020
    """
    n, p = X.shape
    sst = total_sum_of_squares(X)
    if n < k or sst == 0.0:
        return LowerBound("per-attribute", 0.0, 0.0)
    total = 0.0
    rows = max(1, _ROWS_PER_CALL // k) * k
    for j in range(p):
        runs = make_run_table(np.sort(X[:, j]), k)
        for start in range(k, n + 1, rows):
            extend_run_table(runs, k, start, min(n + 1, start + rows))
            ctx.tick(j + start / n, p, BOUND_STAGE)
        total += float(runs.least[n])
    ctx.tick(p, p, BOUND_STAGE)
    relative = float(np.finfo(np.float64).eps) * (16.0 * k + n / k + p + 64)
    sse = total * (1.0 - relative)
    return LowerBound("per-attribute", sse, loss_percent(sse, sst))
