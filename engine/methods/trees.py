"""Minimum spanning trees cut into groups: what the MST methods share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.core.context import RunContext
from engine.core.partition import Labels
from engine.core.typing import Values
from engine.kernels.variable_size.spanning_tree import (
    count_below,
    cut_tree,
    grow_tree,
    label_trees,
    make_outside,
)
from engine.methods.base import Microaggregator, Reference
from engine.methods.remaining import WORK
from engine.points.encode import Encoded

REFERENCE = Reference(
    "Laszlo M, Mukherjee S (2005). Minimum spanning tree partitioning algorithm for "
    "microaggregation. IEEE Transactions on Knowledge and Data Engineering 17(7), "
    "902-911.",
    doi="10.1109/TKDE.2005.112",
)


def cut_spanning_tree(X: Values, k: int, ctx: RunContext, stage: str) -> Labels:
    """Return the trees left when long edges of the minimum spanning tree are cut.

    Edges are tried longest first, of equally long ones that whose child has the
    lowest number (the tree grows from record 0), and cut where both trees keep at
    least k records. Groups are numbered by their lowest record.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    k : int
    ctx : RunContext
    stage : str

    References
    ----------
    Laszlo & Mukherjee (2005), https://doi.org/10.1109/TKDE.2005.112
    """
    n, p = X.shape
    outside = make_outside(X)
    joined = 1
    while joined < n:
        stop = min(n, joined + max(1, WORK // ((n - joined) * p)))
        grow_tree(X, outside, joined, stop)
        joined = stop
        ctx.tick(joined * (2 * n - joined), n * n, stage)  # steps get shorter
    parent, order = outside.parent, outside.order
    edges = np.lexsort((np.arange(n), -outside.length))
    edges = edges[parent[edges] >= 0].astype(np.int64)
    below = np.empty(n, dtype=np.int64)
    count_below(parent, order, below)
    for some in np.array_split(edges, 1 + n // 4096):
        cut_tree(parent, below, some, k)
        ctx.tick(1, 1, stage)
    labels = np.empty(n, dtype=np.int64)
    label_trees(parent, order, labels)
    return labels


def members_of(labels: Labels) -> list[NDArray[np.int64]]:
    """Return the records of each group, rising.

    Parameters
    ----------
    labels : ndarray of int64, shape (n_records,)
    """
    order = np.argsort(labels, kind="stable").astype(np.int64)
    return np.split(order, np.cumsum(np.bincount(labels))[:-1])


def split_large(
    encoded: Encoded, labels: Labels, method: Microaggregator, ctx: RunContext
) -> Labels:
    """Return the groups with every one of 2k or more records split by a method.

    The parts of a group are numbered one after the other, in its place.

    Parameters
    ----------
    encoded : Encoded
    labels : ndarray of int64, shape (n_records,)
    method : Microaggregator
        Gives k, too.
    ctx : RunContext
    """
    found = np.empty_like(labels)
    groups, done = 0, 0
    for records in members_of(labels):
        share = ctx.part(done / labels.size, (done + records.size) / labels.size)
        if records.size >= 2 * method.k:
            part = method.partition(encoded.subset(records), share)
            found[records] = groups + part.labels
            groups += part.n_groups
        else:
            found[records] = groups
            groups += 1
        done += records.size
    return found
