"""Naive CBFS."""

from engine.core.typing import Values
from tests.reference.mdav import take
from tests.reference.steps import (
    Labels,
    centroid,
    farthest,
    join_nearest_centroid,
    labels_of,
)


def cbfs(X: Values, k: int) -> Labels:
    """One group at a time around the record farthest from the centroid of the left."""
    pool = list(range(len(X)))
    groups = []
    while len(pool) >= k:
        groups.append(take(X, pool, farthest(X, pool, centroid(X, pool)), k))
    join_nearest_centroid(X, groups, pool)
    return labels_of(groups, len(X))
