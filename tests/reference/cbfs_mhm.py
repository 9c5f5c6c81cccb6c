"""Naive CBFS-MHM: the path through naive CBFS's groups, cut by plain recursion."""

from engine.core.typing import Values
from tests.reference.cbfs import cbfs
from tests.reference.path import cut_groups
from tests.reference.steps import Labels


def cbfs_mhm(X: Values, k: int) -> Labels:
    """CBFS's groups chained by nearest centroid."""
    return cut_groups(X, k, cbfs)
