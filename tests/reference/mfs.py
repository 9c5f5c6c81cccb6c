"""Naive MFS, from algorithm 2 of its paper and the example of its figure 2."""

from __future__ import annotations

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


def grow(X: Values, seed: int, pool: list[int], k: int) -> list[int]:
    """A record, and k - 1 times the one nearest to the mean of those so far."""
    group, total = [seed], X[seed].copy()
    while len(group) < k:
        others = [i for i in pool if i not in group]
        group += nearest(X, others, total / len(group), 1)
        total = total + X[group[-1]]
    return group


def mfs(X: Values, k: int) -> Labels:
    """Groups grown from the two farthest records, while 2k remain."""
    distance = np.array([squared_distances(X, x) for x in X])
    pool = list(range(len(X)))
    groups: list[list[int]] = []
    while len(pool) >= 2 * k:
        r, s = min(combinations(pool, 2), key=lambda pair: (-distance[pair], pair))
        pool.remove(r)
        pool.remove(s)
        for seed in (r, s):
            group = grow(X, seed, pool, k)
            pool = [i for i in pool if i not in group]
            groups.append(group)
    if len(pool) >= k:
        groups.append(pool)
    else:
        join_nearest_centroid(X, groups, pool)
    return labels_of(groups, len(X))
