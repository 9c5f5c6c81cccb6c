"""Naive search by density: every neighbourhood is measured in every round."""

import numpy as np

from engine.core.typing import Values
from tests.reference.steps import (
    Labels,
    join_nearest_centroid,
    labels_of,
    nearest,
    squared_distances,
)


def by_density(X: Values, k: int, sign: float) -> Labels:
    """Neighbourhoods of smallest (sign 1) or largest (sign -1) SSE, one by one."""
    distance = np.array([squared_distances(X, x) for x in X])
    pool = list(range(len(X)))
    groups: list[list[int]] = []
    while len(pool) >= k:
        neighbourhoods = {
            i: [i, *nearest(X, [j for j in pool if j != i], X[i], k - 1)] for i in pool
        }
        # SSE = 1/k times the sum over pairs; every pair stands twice in the matrix
        sse = {i: distance[np.ix_(N, N)].sum() for i, N in neighbourhoods.items()}
        seed = min(pool, key=lambda i: (sign * sse[i], i))
        groups.append(neighbourhoods[seed])
        pool = [i for i in pool if i not in neighbourhoods[seed]]
    join_nearest_centroid(X, groups, pool)
    return labels_of(groups, len(X))
