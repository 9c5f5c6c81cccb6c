"""Naive DBFS: MD, whose leftovers join one after the other."""

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
    pool = list(range(len(X)))
    groups: list[list[int]] = []
    while len(pool) >= 2 * k:
        ends = min(combinations(pool, 2), key=lambda pair: (-distance[pair], pair))
        pool = [i for i in pool if i not in ends]
        for seed in ends:
            groups.append([seed, *nearest(X, pool, X[seed], k - 1)])
            pool = [i for i in pool if i not in groups[-1]]
    if len(pool) >= k:
        return labels_of([*groups, pool], len(X))
    for i in pool:
        centroids = np.array([centroid(X, sorted(group)) for group in groups])
        groups[int(np.argmin(squared_distances(centroids, X[i])))].append(i)
    return labels_of(groups, len(X))
