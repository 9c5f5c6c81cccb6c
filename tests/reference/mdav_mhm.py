"""Naive MDAV-MHM: the path through naive MDAV's groups, cut by plain recursion."""

from tests.reference.mdav import mdav
from tests.reference.path import cut_groups
from tests.reference.steps import Labels, Values


def mdav_mhm(X: Values, k: int) -> Labels:
    """MDAV's groups chained by nearest centroid."""
    return cut_groups(X, k, mdav)
