"""Naive MST partitioning, large trees split by naive DBFS or MFS."""

from engine.core.typing import Values
from tests.reference.dbfs import dbfs
from tests.reference.mfs import mfs
from tests.reference.steps import Labels
from tests.reference.trees import cut_spanning_tree, split_large


def mst_diameter(X: Values, k: int, split: str = "nearest") -> Labels:
    """Cut the tree, then split what is too large."""
    method = {"nearest": dbfs, "grown": mfs}[split]
    return split_large(X, k, cut_spanning_tree(X, k), method)
