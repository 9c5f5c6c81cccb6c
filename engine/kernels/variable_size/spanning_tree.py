"""Minimum spanning trees by Prim's algorithm in O(n) memory, and cuts of trees."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import kernel

RECORDS_PER_TILE = 256
"""Records measured at a time: their distances stay in the fastest memory."""


class PrimState(NamedTuple):
    """A growing spanning tree, and the distances of the records outside it.

    Attributes
    ----------
    columns : ndarray of float64, shape (n_attributes, n_records - 1)
        Values of the records outside, in the first places.
    records : ndarray of int64, shape (n_records - 1,)
        Record number at each place.
    distance : ndarray of float64, shape (n_records - 1,)
        Squared distance of each place's record to the tree.
    link : ndarray of int64, shape (n_records - 1,)
        Record of the tree that it was measured to; the lowest of equally near ones.
    parent : ndarray of int64, shape (n_records,)
        By record: the record of the tree that it was joined to, -1 for the first.
    length : ndarray of float64, shape (n_records,)
        By record: squared length of that edge, 0 for the first.
    order : ndarray of int64, shape (n_records,)
        Records in the order in which they joined the tree.
    """

    columns: Values
    records: Integers
    distance: Values
    link: Integers
    parent: Integers
    length: Values
    order: Integers


def make_prim_state(X: Values) -> PrimState:
    """Return the state of a tree of record 0 only, with all others outside.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    """
    n = X.shape[0]
    return PrimState(
        columns=np.array(X[1:].T, order="C"),
        records=np.arange(1, n, dtype=np.int64),
        distance=np.full(n - 1, np.inf),
        link=np.zeros(n - 1, dtype=np.int64),
        parent=np.full(n, -1, dtype=np.int64),
        length=np.zeros(n),
        order=np.zeros(n, dtype=np.int64),
    )


@kernel
def grow_spanning_tree(
    X: Values, state: PrimState, n_joined: int, n_wanted: int
) -> None:
    """Join the nearest outside record to the tree until it has `n_wanted` records.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    state : PrimState
    n_joined, n_wanted : int
        Records in the tree before and after the call.
    """
    n, p = X.shape
    squared = np.empty(RECORDS_PER_TILE)
    while n_joined < n_wanted:
        last = state.order[n_joined - 1]
        m = n - n_joined
        best, place = np.inf, 0
        # One pass: distances to the record that joined last, and the nearest of all.
        for start in range(0, m, RECORDS_PER_TILE):
            width = min(RECORDS_PER_TILE, m - start)
            _measure(state.columns, start, width, X[last], squared)
            for t in range(width):
                at = start + t
                d = squared[t]
                # Nearer to the newcomer; of equals, the tree's lowest record.
                if d < state.distance[at] or (
                    d == state.distance[at] and last < state.link[at]
                ):
                    state.distance[at] = d
                    state.link[at] = last
                d = state.distance[at]
                if d < best or (d == best and state.records[at] < state.records[place]):
                    best, place = d, at
        # The nearest joins, and the last one outside takes its place.
        i = state.records[place]
        state.parent[i] = state.link[place]
        state.length[i] = best
        state.order[n_joined] = i
        n_joined += 1
        state.records[place] = state.records[m - 1]
        state.distance[place] = state.distance[m - 1]
        state.link[place] = state.link[m - 1]
        for j in range(p):
            state.columns[j, place] = state.columns[j, m - 1]


@kernel
def _measure(
    columns: Values, start: int, width: int, point: Values, squared: Values
) -> None:
    """Write the squared distances of `width` places to a point."""
    for t in range(width):
        squared[t] = 0.0
    for j in range(point.shape[0]):
        value = point[j]
        column = columns[j]
        for t in range(width):
            difference = column[start + t] - value
            squared[t] += difference * difference


@kernel
def write_subtree_sizes(
    parent: Integers, order: Integers, subtree_sizes: Integers
) -> None:
    """Write the number of records in each record's subtree, itself included.

    Parameters
    ----------
    parent, order : ndarray of int64, shape (n_records,)
        As :class:`PrimState` has them when the tree is complete.
    subtree_sizes : ndarray of int64, shape (n_records,)
    """
    subtree_sizes[:] = 1
    # Children joined after their parents, so backwards they are counted first.
    for t in range(order.shape[0] - 1, 0, -1):
        subtree_sizes[parent[order[t]]] += subtree_sizes[order[t]]


@kernel
def cut_edges(
    parent: Integers,
    subtree_sizes: Integers,
    edges: Integers,
    k: int,
    start: int,
    max_steps: int,
) -> int:
    """Cut edges in order if both parts keep k records; change the tree in place.

    An edge that cannot be cut never can be later, because trees only get smaller.

    Parameters
    ----------
    parent : ndarray of int64, shape (n_records,)
        Changed in place: -1 for the first record of each tree.
    subtree_sizes : ndarray of int64, shape (n_records,)
        Records in each record's subtree; changed in place.
    edges : ndarray of int64
        Edges to try, each named by its child.
    start : int
        Place in `edges` to begin with.
    max_steps : int
        Stop after so many edges tried and records passed on the way up.

    Returns
    -------
    int
        Place to go on from.
    """
    place, steps = start, 0
    while place < edges.shape[0] and steps < max_steps:
        child = edges[place]
        place += 1
        steps += 1
        if subtree_sizes[child] < k:
            continue
        # Both sides of the edge: the subtree, and the rest of its tree.
        root = child
        while parent[root] >= 0:
            root = parent[root]
            steps += 1
        if subtree_sizes[root] - subtree_sizes[child] < k:
            continue
        # All on the way up have fewer below them.
        above = parent[child]
        parent[child] = -1
        while above >= 0:
            subtree_sizes[above] -= subtree_sizes[child]
            above = parent[above]
            steps += 1
    return place


@kernel
def label_trees(parent: Integers, order: Integers, labels: Integers) -> int:
    """Write each record's tree number, by lowest record; return how many trees.

    Parameters
    ----------
    parent : ndarray of int64, shape (n_records,)
    order : ndarray of int64, shape (n_records,)
        Records, parents before children.
    labels : ndarray of int64, shape (n_records,)
        Receives the tree of each record.
    """
    n = parent.shape[0]
    root = np.empty(n, dtype=np.int64)
    number = np.full(n, -1, dtype=np.int64)
    for i in order:
        root[i] = i if parent[i] < 0 else root[parent[i]]
    groups = 0
    for i in range(n):
        if number[root[i]] < 0:
            number[root[i]] = groups
            groups += 1
        labels[i] = number[root[i]]
    return groups
