"""Squared Euclidean distances."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.core.typing import Values
from engine.kernels.compilation._jit import inlined_kernel, kernel

MIN_UNROLLED_COORDINATES = 16
"""Coordinates from which on several sums run side by side."""


@kernel
def sq_dist(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Return the squared Euclidean distance of two points of shape (p,)."""
    total = 0.0
    for j in range(a.shape[0]):
        difference = a[j] - b[j]
        total += difference * difference
    return total


@inlined_kernel
def sq_dist_of_rows(A: Values, i: int, B: Values, j: int) -> float:
    """Return the squared distance of row i of A from row j of B.

    Views of the rows would cost more than the sum: each is counted atomically.
    """
    p = A.shape[1]
    if p >= MIN_UNROLLED_COORDINATES:
        return _sq_dist_side_by_side(A, i, B, j)
    total = 0.0
    for a in range(p):
        difference = A[i, a] - B[j, a]
        total += difference * difference
    return total


@kernel
def _sq_dist_side_by_side(A: Values, i: int, B: Values, j: int) -> float:
    """Return the squared distance of rows with many coordinates.

    They are summed in eight sums side by side, always the same, which processors add
    at once; one sum would wait for each of its terms.
    """
    p, done = A.shape[1], 0
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = 0.0
    while done + 8 <= p:
        d0 = A[i, done] - B[j, done]
        d1 = A[i, done + 1] - B[j, done + 1]
        d2 = A[i, done + 2] - B[j, done + 2]
        d3 = A[i, done + 3] - B[j, done + 3]
        d4 = A[i, done + 4] - B[j, done + 4]
        d5 = A[i, done + 5] - B[j, done + 5]
        d6 = A[i, done + 6] - B[j, done + 6]
        d7 = A[i, done + 7] - B[j, done + 7]
        s0 += d0 * d0
        s1 += d1 * d1
        s2 += d2 * d2
        s3 += d3 * d3
        s4 += d4 * d4
        s5 += d5 * d5
        s6 += d6 * d6
        s7 += d7 * d7
        done += 8
    total = ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))
    while done < p:
        difference = A[i, done] - B[j, done]
        total += difference * difference
        done += 1
    return total
