"""Build directed forests of near records, and break trees into parts of k or more."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import kernel
from engine.kernels.index.blocks import BlockIndex
from engine.kernels.index.queries import write_nearest


@kernel
def write_k_nearest(
    blocks: BlockIndex,
    start: int,
    max_values: int,
    neighbours: Integers,
    sq_dists: Values,
) -> int:
    """Write the k nearest of each record from one on, itself among them, as heaps.

    Parameters
    ----------
    blocks : BlockIndex
        All records; each counts among those nearest to itself.
    start : int
    max_values : int
        Stop after so many values have been read.
    neighbours, sq_dists : ndarray of int64 and float64, shape (n_records, k)
        Receive records and squared distances, the farthest of each row first.

    Returns
    -------
    int
        The record to go on from.
    """
    i, limit = start, blocks.count[4] + max_values
    while i < neighbours.shape[0] and blocks.count[4] < limit:
        write_nearest(blocks, blocks.X[i], neighbours[i], sq_dists[i])
        i += 1
    return i


@kernel
def _find_root(tree: Integers, i: int) -> int:
    """Return the number of record i's tree, with path compression."""
    while tree[i] != i:
        # Path halving: every other record on the way skips one.
        tree[i] = tree[tree[i]]
        i = tree[i]
    return i


@kernel
def link_small_trees(
    order: Integers,
    neighbours: Integers,
    sq_dists: Values,
    linked_to: Integers,
    tree_of_record: Integers,
    tree_sizes: Integers,
) -> int:
    """Link the root of each tree below k to its nearest outside record; count links.

    A tree has one record without a link, its root. Of the root's k-1 nearest at
    least one lies outside a tree of fewer than k records.

    Parameters
    ----------
    order : ndarray of int64, shape (n_records,)
        Records in the order in which they are asked.
    neighbours, sq_dists : ndarray of int64 and float64, shape (n_records, k)
        The k records nearest to each one.
    linked_to : ndarray of int64, shape (n_records,)
        Record that each record links to, -1 for roots; changed in place.
    tree_of_record, tree_sizes : ndarray of int64, shape (n_records,)
        Which tree a record is in, and records per tree; kept between calls.

    Returns
    -------
    int
        Links made; once it is 0, every tree has at least k records.
    """
    k = neighbours.shape[1]
    links = 0
    for i in order:
        own_tree = _find_root(tree_of_record, i)
        if linked_to[i] >= 0 or tree_sizes[own_tree] >= k:
            continue
        best, record = np.inf, -1
        # The nearest outside its tree, of equals the lowest record.
        for t in range(k):
            j, d = neighbours[i, t], sq_dists[i, t]
            if (d < best or (d == best and j < record)) and _find_root(
                tree_of_record, j
            ) != own_tree:
                best, record = d, j
        linked_to[i] = record
        other = _find_root(tree_of_record, record)
        # The whole tree joins the other, which has the root of both.
        tree_of_record[own_tree] = other
        tree_sizes[other] += tree_sizes[own_tree]
        links += 1
    return links


class Forest(NamedTuple):
    """Rooted trees of records, with the edges that may still be cut.

    Attributes
    ----------
    parent : ndarray of int64, shape (n_records,)
        -1 for roots.
    length : ndarray of float64, shape (n_records,)
        Squared length of the edge to the parent.
    child, sibling : ndarray of int64, shape (n_records,)
        First child, and next child of the same parent; -1 for none.
    below : ndarray of int64, shape (n_records,)
        Records of each subtree.
    visit : ndarray of int64, shape (n_records,)
        Scratch: records of one tree, parents before children.
    roots : ndarray of int64, shape (n_records,)
        Roots of the trees to be looked at.
    counts : ndarray of int64, shape (2,)
        Roots to be looked at, groups made.
    """

    parent: Integers
    length: Values
    child: Integers
    sibling: Integers
    below: Integers
    visit: Integers
    roots: Integers
    counts: Integers


def make_forest(linked_to: Integers, sq_lengths: Values) -> Forest:
    """Return the rooted trees in which each record is a child of `linked_to`.

    Parameters
    ----------
    linked_to : ndarray of int64, shape (n_records,)
        Record that each record links to, -1 for roots.
    sq_lengths : ndarray of float64, shape (n_records,)
        Squared length of each link.
    """
    n = linked_to.size
    forest = Forest(
        parent=np.full(n, -1, dtype=np.int64),
        length=np.zeros(n),
        child=np.full(n, -1, dtype=np.int64),
        sibling=np.full(n, -1, dtype=np.int64),
        below=np.zeros(n, dtype=np.int64),
        visit=np.zeros(n, dtype=np.int64),
        roots=np.zeros(n, dtype=np.int64),
        counts=np.zeros(2, dtype=np.int64),
    )
    _build_forest(forest, linked_to, sq_lengths)
    return forest


@kernel
def _build_forest(forest: Forest, target: Integers, length: Values) -> None:
    for i in range(target.shape[0]):
        if target[i] >= 0:
            _attach(forest, i, target[i], length[i])
        else:
            forest.roots[forest.counts[0]] = i
            forest.counts[0] += 1


@kernel
def _attach(forest: Forest, node: int, parent: int, length: float) -> None:
    forest.parent[node] = parent
    forest.length[node] = length
    forest.sibling[node] = forest.child[parent]
    forest.child[parent] = node


@kernel
def _detach(forest: Forest, node: int) -> None:
    parent = forest.parent[node]
    if forest.child[parent] == node:
        forest.child[parent] = forest.sibling[node]
    else:
        before = forest.child[parent]
        while forest.sibling[before] != node:
            before = forest.sibling[before]
        forest.sibling[before] = forest.sibling[node]
    forest.parent[node] = forest.sibling[node] = -1


@kernel
def _count_below(forest: Forest, root: int) -> int:
    """List a tree in `visit`, count each subtree in `below`; return its records."""
    forest.visit[0] = root
    listed, m = 0, 1
    # Breadth first: parents come before children.
    while listed < m:
        node = forest.visit[listed]
        listed += 1
        forest.below[node] = 1
        below = forest.child[node]
        while below >= 0:
            forest.visit[m] = below
            m += 1
            below = forest.sibling[below]
    # Backwards, every subtree is counted before its parent asks.
    for t in range(m - 1, 0, -1):
        forest.below[forest.parent[forest.visit[t]]] += forest.below[forest.visit[t]]
    return m


@kernel
def _is_edge_longer(forest: Forest, a: int, b: int) -> bool:
    """Return whether a's edge to its parent is longer than b's; ties to low records."""
    if forest.length[a] != forest.length[b]:
        return bool(forest.length[a] > forest.length[b])
    a_end, b_end = forest.parent[a], forest.parent[b]
    a_low, b_low = min(a, a_end), min(b, b_end)
    if a_low != b_low:
        return bool(a_low < b_low)
    return bool(max(a, a_end) < max(b, b_end))


@kernel
def _longest_cut(forest: Forest, m: int, k: int) -> int:
    """Return the child end of the longest edge with k on both sides, -1 if none."""
    total, best = forest.below[forest.visit[0]], -1
    for t in range(1, m):
        node = forest.visit[t]
        if (
            forest.below[node] >= k
            and total - forest.below[node] >= k
            and (best < 0 or _is_edge_longer(forest, node, best))
        ):
            best = node
    return best


@kernel
def _make_root(forest: Forest, node: int) -> None:
    """Turn the edges between a node and its root round."""
    above, length = forest.parent[node], forest.length[node]
    if above < 0:
        return
    _detach(forest, node)
    # Parent becomes child, all the way up to the old root.
    while True:
        following, its_length = forest.parent[above], forest.length[above]
        if following >= 0:
            _detach(forest, above)
        _attach(forest, above, node, length)
        if following < 0:
            return
        node, above, length = above, following, its_length


@kernel
def _find_pivot(forest: Forest, root: int, k: int) -> int:
    """Return the node around which every subtree has fewer than k records.

    Only for trees of 2k or more without an edge to cut.
    """
    node = root
    while True:
        # Only one child can have k or more: with two, an edge could be cut.
        heavy = forest.child[node]
        while heavy >= 0 and forest.below[heavy] < k:
            heavy = forest.sibling[heavy]
        if heavy < 0:
            return node
        node = heavy


@kernel
def _nearest_subtree(forest: Forest, pivot: int, size: int) -> int:
    """Return the nearest child of a root with `size` records below, -1 for none."""
    chosen, node = -1, forest.child[pivot]
    while node >= 0:
        if forest.below[node] == size and (
            chosen < 0
            or forest.length[node] < forest.length[chosen]
            or (forest.length[node] == forest.length[chosen] and node < chosen)
        ):
            chosen = node
        node = forest.sibling[node]
    return chosen


@kernel
def _farthest_subtree(forest: Forest, pivot: int) -> int:
    """Return the child on the longest edge of a root, ties to low records."""
    chosen = node = int(forest.child[pivot])
    while node >= 0:
        if _is_edge_longer(forest, node, chosen):
            chosen = node
        node = forest.sibling[node]
    return chosen


@kernel
def _label_tree(forest: Forest, root: int, labels: Integers) -> None:
    """Give the records of a tree the number of the group being made."""
    for t in range(_count_below(forest, root)):
        labels[forest.visit[t]] = forest.counts[1]


@kernel
def _split_at(
    forest: Forest, pivot: int, k: int, max_size: int, labels: Integers
) -> bool:
    """Make a group of some of a root's subtrees; return whether the rest is one, too.

    Every subtree has fewer than k records. Where all but k of the tree's records are
    few enough for a group, the pivot completes k-1 others: the nearest subtree of k-1
    records, or the farthest ones, if they have k-1 together. The rest is a group then,
    which the pivot holds together without counting in it. Otherwise the farthest
    subtrees leave until they have k records, and the pivot stays with the rest.
    """
    pivot_may_leave = forest.below[pivot] - k <= max_size
    missing = k - 1 if pivot_may_leave else k
    node = -1
    if pivot_may_leave:
        node = _nearest_subtree(forest, pivot, k - 1)
    while missing > 0:
        if node < 0:
            node = _farthest_subtree(forest, pivot)
        _detach(forest, node)
        missing -= forest.below[node]
        _label_tree(forest, node, labels)
        node = -1
    group = forest.counts[1]
    forest.counts[1] += 1
    if not pivot_may_leave or missing < 0:
        return False
    _label_tree(forest, pivot, labels)
    forest.counts[1] += 1
    labels[pivot] = group
    return True


@kernel
def break_up_trees(
    forest: Forest, k: int, max_visited_records: int, labels: Integers
) -> None:
    """Break trees up, in place, into groups of k to max(2k-1, 3k-5) records.

    The longest edge with k records on both sides is cut; where there is none, the
    tree is split at its pivot (Aggarwal et al. 2005, Domingo-Ferrer et al. 2008).

    Parameters
    ----------
    forest : Forest
        Trees of k records or more, changed in place.
    max_visited_records : int
        Stop after looking at so many records, so that the caller can report progress.
    labels : ndarray of int64, shape (n_records,)
        Receives the group of each record of a finished tree.
    """
    max_size = max(2 * k - 1, 3 * k - 5)
    visited = 0
    while forest.counts[0] > 0 and visited < max_visited_records:
        top = forest.counts[0] - 1
        root = forest.roots[top]
        m = _count_below(forest, root)
        visited += m
        if m <= max_size:
            _label_tree(forest, root, labels)
            forest.counts[0] -= 1
            forest.counts[1] += 1
            continue
        end = _longest_cut(forest, m, k)
        if end >= 0:
            _detach(forest, end)
            forest.roots[top + 1] = end
            forest.counts[0] += 1
            continue
        # No edge has k on both sides: split at the pivot, as its root.
        pivot = _find_pivot(forest, root, k)
        _make_root(forest, pivot)
        visited += _count_below(forest, pivot)
        forest.roots[top] = pivot
        if _split_at(forest, pivot, k, max_size, labels):
            forest.counts[0] -= 1
