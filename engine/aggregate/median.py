"""The median: one extreme member does not move the whole group."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.aggregate.base import AggregationInfo, Values, aggregations


@aggregations.register(
    AggregationInfo(
        "median", "Median", "The group's middle value; robust against extremes."
    )
)
def median(values: Values, labels: NDArray[np.int64], n_groups: int) -> Values:
    """Return the median of each group, shape (n_groups, n_attributes).

    A group of even size takes the mean of its two middle values.
    """
    sizes = np.bincount(labels, minlength=n_groups)
    starts = np.cumsum(sizes) - sizes
    low, high = starts + (sizes - 1) // 2, starts + sizes // 2
    out = np.empty((n_groups, values.shape[1]))
    for j in range(values.shape[1]):
        column = values[np.lexsort((values[:, j], labels)), j]
        out[:, j] = column[low] + (column[high] - column[low]) / 2
    return out
