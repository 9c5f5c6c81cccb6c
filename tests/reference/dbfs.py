"""Naive DBFS: MD, whose leftovers join one after the other."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from engine.core.typing import Values
from tests.reference.steps import (
    Labels,
    centroid,
    labels_of,
    nearest,
    squared_distances,
)


def dbfs(X: Values, k: int) -> Labels:
    """Fewer than k leftovers: all centroids are computed anew after each."""
    distance = np.array([squared_distances(X, x) for x in X])
    left = list(range(len(X)))
    groups: list[list[int]] = []
    while len(left) >= 2 * k:
        ends = min(combinations(left, 2), key=lambda pair: (-distance[pair], pair))
        left = [i for i in left if i not in ends]
        for seed in ends:
            groups.append([seed, *nearest(X, left, X[seed], k - 1)])
            left = [i for i in left if i not in groups[-1]]
    if len(left) >= k:
        return labels_of([*groups, left], len(X))
    for i in left:
        centroids = np.array([centroid(X, sorted(group)) for group in groups])
        groups[int(np.argmin(squared_distances(centroids, X[i])))].append(i)
    return labels_of(groups, len(X))
