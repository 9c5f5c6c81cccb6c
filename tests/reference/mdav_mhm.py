"""Naive MDAV-MHM: the path through naive MDAV's groups, cut by plain recursion."""

from engine.core.typing import Values
from tests.reference.mdav import mdav
from tests.reference.path import cut_groups
from tests.reference.steps import Labels


def mdav_mhm(X: Values, k: int) -> Labels:
    """MDAV's groups chained by nearest centroid."""
    return cut_groups(X, k, mdav)
