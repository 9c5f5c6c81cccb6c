"""Differences of distribution functions before and after protection."""

from __future__ import annotations

import numpy as np

from engine.core.typing import Values
from engine.measures.before_after.numbers import NumericPair


def distribution_steps(pair: NumericPair) -> tuple[Values, Values]:
    """Return all distinct values, and the distribution functions' differences there.

    Returns
    -------
    points : ndarray of float64, shape (n_points,)
        All different values before and after, rising.
    differences : ndarray of float64, shape (n_points,)
        ``F'(point) - F(point)``: between two points the functions stay as they are.
    """
    points, places = np.unique(
        np.concatenate([pair.before, pair.after]), return_inverse=True
    )
    weights = np.concatenate([-pair.weights, pair.weights])
    differences: Values = np.cumsum(
        np.bincount(places, weights, points.size), dtype=np.float64
    )
    differences[-1] = 0.0  # both functions end at 1; what is left is rounding
    return points, differences
