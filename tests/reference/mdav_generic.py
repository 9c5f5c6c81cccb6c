"""Naive MDAV-generic."""

from engine.core.typing import Values
from tests.reference.mdav import pairs, take
from tests.reference.steps import Labels, centroid, farthest, labels_of


def mdav_generic(X: Values, k: int) -> Labels:
    """MDAV while 3k are left; then one group if 2k are left, and one of the rest."""
    pool = list(range(len(X)))
    groups = pairs(X, pool, k, 3 * k)
    if len(pool) >= 2 * k:
        groups.append(take(X, pool, farthest(X, pool, centroid(X, pool)), k))
    groups.append(pool)
    return labels_of(groups, len(X))
