"""Naive TFRP-1: in turn, the record farthest from either of two fixed points."""

import numpy as np

from engine.core.typing import Values
from tests.reference.steps import (
    Labels,
    farthest,
    join_nearest_centroid,
    labels_of,
    nearest,
)


def tfrp1(X: Values, k: int) -> Labels:
    """The points have equal coordinates: the lowest value of all, and the highest."""
    points = [np.full(X.shape[1], X.min()), np.full(X.shape[1], X.max())]
    pool = list(range(len(X)))
    groups: list[list[int]] = []
    while len(pool) >= k:
        seed = farthest(X, pool, points[len(groups) % 2])
        pool.remove(seed)
        groups.append([seed, *nearest(X, pool, X[seed], k - 1)])
        pool = [i for i in pool if i not in groups[-1]]
    join_nearest_centroid(X, groups, pool)
    return labels_of(groups, len(X))
