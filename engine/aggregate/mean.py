"""The mean: keeps column totals, and loses least in squared error."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.aggregate.base import AggregationInfo, Values, aggregations


@aggregations.register(
    AggregationInfo("mean", "Mean", "The group's average; column means stay the same.")
)
def mean(values: Values, labels: NDArray[np.int64], n_groups: int) -> Values:
    """Return the mean of each group, shape (n_groups, n_attributes).

    Values are taken relative to the smallest of each column, so that a large
    offset costs no digits. Rounding does not take a mean out of its group's range.
    """
    sizes = np.bincount(labels, minlength=n_groups).astype(np.float64)
    out = np.empty((n_groups, values.shape[1]))
    for j in range(values.shape[1]):
        base = values[:, j].min()
        sums = np.bincount(labels, weights=values[:, j] - base, minlength=n_groups)
        low, high = np.full(n_groups, np.inf), np.full(n_groups, -np.inf)
        np.minimum.at(low, labels, values[:, j])
        np.maximum.at(high, labels, values[:, j])
        out[:, j] = np.clip(base + sums / sizes, low, high)
    return out
