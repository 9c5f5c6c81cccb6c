"""Naive MST partitioning, large trees split by naive CBFS."""

from engine.core.typing import Values
from tests.reference.cbfs import cbfs
from tests.reference.steps import Labels
from tests.reference.trees import cut_spanning_tree, split_large


def mst_centroid(X: Values, k: int) -> Labels:
    """Cut the tree, then split what is too large."""
    return split_large(X, k, cut_spanning_tree(X, k), cbfs)
