"""Naive LB0: every record pays for its k-1 nearest."""

import numpy as np
from numpy.typing import NDArray


def nearest_bound(X: NDArray[np.float64], k: int) -> float:
    """LB0 = 1/(2k) times the sum of d2 of every record to its k-1 nearest."""
    total = 0.0
    for x in X:
        d2 = np.sort(((X - x) ** 2).sum(axis=1))
        total += float(d2[1:k].sum())  # d2[0] is the record itself
    return total / (2 * k)
