"""Naive MD: every pair of records is measured in every round."""

from itertools import combinations

import numpy as np

from engine.core.typing import Values
from tests.reference.steps import (
    Labels,
    join_nearest_centroid,
    labels_of,
    nearest,
    squared_distances,
)


def md(X: Values, k: int) -> Labels:
    """The two farthest records, each with its k-1 nearest, while 2k remain."""
    distance = np.array([squared_distances(X, x) for x in X])
    pool = list(range(len(X)))
    groups: list[list[int]] = []
    while len(pool) >= 2 * k:
        r, s = min(combinations(pool, 2), key=lambda pair: (-distance[pair], pair))
        pool.remove(r)
        pool.remove(s)
        for seed in (r, s):
            group = [seed, *nearest(X, pool, X[seed], k - 1)]
            pool = [i for i in pool if i not in group]
            groups.append(group)
    if len(pool) >= k:
        groups.append(pool)
    else:
        join_nearest_centroid(X, groups, pool)
    return labels_of(groups, len(X))
