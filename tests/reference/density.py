"""Naive search by density: every neighbourhood is measured in every round."""

from __future__ import annotations

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
    left = list(range(len(X)))
    groups: list[list[int]] = []
    while len(left) >= k:
        neighbourhoods = {
            i: [i, *nearest(X, [j for j in left if j != i], X[i], k - 1)] for i in left
        }
        # SSE = 1/k times the sum over pairs; every pair stands twice in the matrix
        sse = {i: distance[np.ix_(N, N)].sum() for i, N in neighbourhoods.items()}
        seed = min(left, key=lambda i: (sign * sse[i], i))
        groups.append(neighbourhoods[seed])
        left = [i for i in left if i not in neighbourhoods[seed]]
    join_nearest_centroid(X, groups, left)
    return labels_of(groups, len(X))
