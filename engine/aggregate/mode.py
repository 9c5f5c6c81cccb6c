"""The mode: a value that really occurs, and occurs most often."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.aggregate.base import AggregationInfo, Values, aggregations


@aggregations.register(
    AggregationInfo(
        "mode", "Mode", "The group's most frequent value; of several, the smallest."
    )
)
def mode(values: Values, labels: NDArray[np.int64], n_groups: int) -> Values:
    """Return the mode of each group, shape (n_groups, n_attributes)."""
    out = np.empty((n_groups, values.shape[1]))
    for j in range(values.shape[1]):
        order = np.lexsort((values[:, j], labels))
        column, group = values[order, j], labels[order]
        new = (column[1:] != column[:-1]) | (group[1:] != group[:-1])
        first = np.flatnonzero(np.concatenate([[True], new]))
        count = np.diff(np.append(first, column.size))
        most_frequent = np.lexsort((column[first], -count, group[first]))
        group = group[first][most_frequent]
        best = np.flatnonzero(np.concatenate([[True], group[1:] != group[:-1]]))
        out[:, j] = column[first[most_frequent[best]]]
    return out
