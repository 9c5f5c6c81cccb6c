"""Naive MD-MHM: the path through naive MD's groups, cut by plain recursion."""

from engine.core.typing import Values
from tests.reference.md import md
from tests.reference.path import cut_groups
from tests.reference.steps import Labels


def md_mhm(X: Values, k: int) -> Labels:
    """MD's groups chained by nearest centroid."""
    return cut_groups(X, k, md)
