"""Distances and sums that other kernels build on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import kernel


@kernel
def squared_distance(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Return the squared Euclidean distance of two points of shape (p,)."""
    total = 0.0
    for j in range(a.shape[0]):
        difference = a[j] - b[j]
        total += difference * difference
    return total
