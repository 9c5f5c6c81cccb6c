"""Naive MDAV-1."""

from engine.core.typing import Values
from tests.reference.mdav import pairs, take
from tests.reference.steps import (
    Labels,
    centroid,
    farthest,
    join_nearest_centroid,
    labels_of,
)


def mdav1(X: Values, k: int) -> Labels:
    """MDAV whose last group has k records; the others join the nearest centroids."""
    pool = list(range(len(X)))
    groups = pairs(X, pool, k, 2 * k)
    if len(pool) >= k:
        groups.append(take(X, pool, farthest(X, pool, centroid(X, pool)), k))
    join_nearest_centroid(X, groups, pool)
    return labels_of(groups, len(X))
