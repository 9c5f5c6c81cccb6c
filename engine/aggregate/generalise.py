"""Generalisation: the nearest common ancestor of a group's categories."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.hierarchy import Hierarchy

Integers = NDArray[np.int64]


def common_ancestors(
    tree: Hierarchy, leaves: Integers, labels: Integers, n_groups: int
) -> Integers:
    """Return the nearest common ancestor of each group's leaves.

    Parameters
    ----------
    tree : Hierarchy
    leaves : ndarray of int64, shape (n_records,)
    labels : ndarray of int64, shape (n_records,)
        Group of each record, every number below `n_groups` at least once.
    n_groups : int

    Returns
    -------
    ndarray of int64, shape (n_groups,)
        Node numbers.
    """
    nodes = np.full(n_groups, -1, dtype=np.int64)
    for level in range(tree.height + 1):
        above = tree.ancestors[leaves, level]
        low = np.full(n_groups, tree.levels.size)
        high = np.full(n_groups, -1)
        np.minimum.at(low, labels, above)
        np.maximum.at(high, labels, above)
        met = (nodes < 0) & (low == high)
        nodes[met] = low[met]
    return nodes
