"""Naive CBFS."""

from __future__ import annotations

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
    left = list(range(len(X)))
    groups = []
    while len(left) >= k:
        groups.append(take(X, left, farthest(X, left, centroid(X, left)), k))
    join_nearest_centroid(X, groups, left)
    return labels_of(groups, len(X))
