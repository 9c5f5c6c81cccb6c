"""Naive MST partitioning, large trees split by naive DBFS."""

from engine.core.typing import Values
from tests.reference.dbfs import dbfs
from tests.reference.steps import Labels
from tests.reference.trees import cut_spanning_tree, split_large


def mst_diameter(X: Values, k: int) -> Labels:
    """Cut the tree, then split what is too large."""
    return split_large(X, k, cut_spanning_tree(X, k), dbfs)
