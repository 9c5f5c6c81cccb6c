"""The mode: a value that really occurs, and occurs most often."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.aggregate.base import AggregationInfo, Values, aggregations, by_group


@aggregations.register(
    AggregationInfo(
        "mode", "Mode", "The group's most frequent value; of several, the smallest."
    )
)
def mode(values: Values, labels: NDArray[np.int64], n_groups: int) -> Values:
    """Return the mode of each group, shape (n_groups, n_attributes)."""
    out = np.empty((n_groups, values.shape[1]))
    for group, members in enumerate(by_group(labels, n_groups)):
        for j in range(values.shape[1]):
            found, counts = np.unique(values[members, j], return_counts=True)
            out[group, j] = found[np.argmax(counts)]
    return out
