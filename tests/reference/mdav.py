"""Naive MDAV, step by step as published; its variants borrow the pairs."""

from engine.core.typing import Values
from tests.reference.steps import (
    Labels,
    centroid,
    farthest,
    join_nearest_centroid,
    labels_of,
    nearest,
)


def take(X: Values, left: list[int], seed: int, k: int) -> list[int]:
    """A record and the k-1 records left that are nearest to it; they leave."""
    left.remove(seed)
    group = [seed, *nearest(X, left, X[seed], k - 1)]
    left[:] = [i for i in left if i not in group]
    return group


def pairs(X: Values, left: list[int], k: int, while_at_least: int) -> list[list[int]]:
    """Two groups at a time, at opposite ends of what is left."""
    groups = []
    while len(left) >= while_at_least:
        r = farthest(X, left, centroid(X, left))
        s = farthest(X, left, X[r])
        groups.append(take(X, left, r, k))
        if s not in left:
            s = farthest(X, left, X[r])
        groups.append(take(X, left, s, k))
    return groups


def mdav(X: Values, k: int) -> Labels:
    """MDAV: k to 2k-1 left form a group, fewer than k join the nearest centroids."""
    pool = list(range(len(X)))
    groups = pairs(X, pool, k, 2 * k)
    if len(pool) >= k:
        groups.append(pool)
    else:
        join_nearest_centroid(X, groups, pool)
    return labels_of(groups, len(X))
