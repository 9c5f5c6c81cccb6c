"""Build directed forests of near records, and break trees into parts of k or more."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import kernel
from engine.kernels.index.blocks import BlockIndex, write_nearest


@kernel
def write_k_nearest(
    blocks: BlockIndex, start: int, stop: int, neighbours: Integers, sq_dists: Values
) -> None:
    """Write the k nearest of each record of a range, itself among them, as heaps.

    Parameters
    ----------
    blocks : BlockIndex
        All records; each counts among those nearest to itself.
    start, stop : int
    neighbours, sq_dists : ndarray of int64 and float64, shape (n_records, k)
        Receive records and squared distances, the farthest of each row first.
    """
    for i in range(start, stop):
        write_nearest(blocks, blocks.X[i], neighbours[i], sq_dists[i])


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
        own = _find_root(tree_of_record, i)
        if linked_to[i] >= 0 or tree_sizes[own] >= k:
            continue
        best, record = np.inf, -1
        # The nearest outside its tree, of equals the lowest record.
        for t in range(k):
            j, d = neighbours[i, t], sq_dists[i, t]
            if (d < best or (d == best and j < record)) and _find_root(
                tree_of_record, j
            ) != own:
                best, record = d, j
        linked_to[i] = record
        other = _find_root(tree_of_record, record)
        # The whole tree joins the other, which has the root of both.
        tree_of_record[own] = other
        tree_sizes[other] += tree_sizes[own]
        links += 1
    return links


class Forest(NamedTuple):
    """Rooted trees of records, with the edges that may still be cut.

    A record that must hold two parts together is a node in both, and counts in one.

    Attributes
    ----------
    record : ndarray of int64, shape (n_nodes,)
        Record of each node.
    weight : ndarray of int64, shape (n_nodes,)
        1 where the node counts, 0 where it only holds its part together.
    parent : ndarray of int64, shape (n_nodes,)
        -1 for roots.
    length : ndarray of float64, shape (n_nodes,)
        Squared length of the edge to the parent.
    child, sibling : ndarray of int64, shape (n_nodes,)
        First child, and next child of the same parent; -1 for none.
    below : ndarray of int64, shape (n_nodes,)
        Weight of each node's subtree.
    visit : ndarray of int64, shape (n_nodes,)
        Scratch: nodes of one tree, parents before children.
    roots : ndarray of int64, shape (n_nodes,)
        Roots of the trees to be looked at.
    counts : ndarray of int64, shape (3,)
        Nodes in use, roots to be looked at, groups made.
    """

    record: Integers
    weight: Integers
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
    room = 2 * n  # every part has two records or more, so less than n nodes are added
    forest = Forest(
        record=np.arange(room, dtype=np.int64),
        weight=np.ones(room, dtype=np.int64),
        parent=np.full(room, -1, dtype=np.int64),
        length=np.zeros(room),
        child=np.full(room, -1, dtype=np.int64),
        sibling=np.full(room, -1, dtype=np.int64),
        below=np.zeros(room, dtype=np.int64),
        visit=np.zeros(room, dtype=np.int64),
        roots=np.zeros(room, dtype=np.int64),
        counts=np.array([n, 0, 0], dtype=np.int64),
    )
    _build_forest(forest, linked_to, sq_lengths)
    return forest


@kernel
def _build_forest(forest: Forest, target: Integers, length: Values) -> None:
    for i in range(target.shape[0]):
        if target[i] >= 0:
            _attach(forest, i, target[i], length[i])
        else:
            forest.roots[forest.counts[1]] = i
            forest.counts[1] += 1


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
def _weigh(forest: Forest, root: int) -> int:
    """List a tree's nodes in `visit`, weigh their subtrees; return how many nodes."""
    forest.visit[0] = root
    listed, m = 0, 1
    # Breadth first: parents come before children.
    while listed < m:
        node = forest.visit[listed]
        listed += 1
        forest.below[node] = forest.weight[node]
        below = forest.child[node]
        while below >= 0:
            forest.visit[m] = below
            m += 1
            below = forest.sibling[below]
    # Backwards, every subtree is weighed before its parent asks.
    for t in range(m - 1, 0, -1):
        forest.below[forest.parent[forest.visit[t]]] += forest.below[forest.visit[t]]
    return m


@kernel
def _is_edge_longer(forest: Forest, a: int, b: int) -> bool:
    """Return whether a's edge to its parent is longer than b's; ties to low records."""
    if forest.length[a] != forest.length[b]:
        return bool(forest.length[a] > forest.length[b])
    a_end, b_end = forest.record[forest.parent[a]], forest.record[forest.parent[b]]
    a_low, b_low = min(forest.record[a], a_end), min(forest.record[b], b_end)
    if a_low != b_low:
        return bool(a_low < b_low)
    return bool(max(forest.record[a], a_end) < max(forest.record[b], b_end))


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
def _choose_subtree(forest: Forest, pivot: int, weight: int) -> int:
    """Return the child of a root that leaves it next, -1 if there is none.

    With a weight, the nearest one of just that weight, else the farthest one.
    """
    chosen, node = -1, forest.child[pivot]
    while node >= 0:
        if weight == 0:
            if chosen < 0 or _is_edge_longer(forest, node, chosen):
                chosen = node
        elif forest.below[node] == weight and (
            chosen < 0
            or forest.length[node] < forest.length[chosen]
            or (
                forest.length[node] == forest.length[chosen]
                and forest.record[node] < forest.record[chosen]
            )
        ):
            chosen = node
        node = forest.sibling[node]
    return chosen


@kernel
def _move(forest: Forest, node: int, parent: int) -> None:
    """Give a node another parent, at the same distance."""
    length = forest.length[node]
    _detach(forest, node)
    _attach(forest, node, parent, length)


@kernel
def _split_at(forest: Forest, pivot: int, k: int) -> int:
    """Move some of a root's subtrees to a new tree; return its root, -1 for none.

    A subtree of exactly k-1 records takes the pivot along, the nearest if there are
    several. Otherwise subtrees leave, the farthest first, until they have k-1 records
    and take the pivot along, or have more. A pivot that counts elsewhere already is
    taken along by nobody.
    """
    total, own = forest.below[pivot], forest.weight[pivot]
    twin = int(forest.counts[0])
    forest.record[twin] = forest.record[pivot]
    forest.weight[twin] = 0
    moved = 0
    # k-1 with the pivot, or k and more without it.
    while moved + own < k:
        node = -1
        if moved == 0 and own == 1:
            node = _choose_subtree(forest, pivot, k - 1)
        if node < 0:
            node = _choose_subtree(forest, pivot, 0)
        moved += forest.below[node]
        _move(forest, node, twin)
    if moved < k:  # k-1 and the pivot
        forest.weight[pivot], forest.weight[twin] = 0, 1
        moved += 1
    # Both sides have k: the new tree stands.
    if total - moved >= k:
        forest.counts[0] += 1
        return twin
    # Too few stay: all comes back.
    while forest.child[twin] >= 0:
        _move(forest, forest.child[twin], pivot)
    forest.weight[pivot] = own
    return -1


@kernel
def _shed(forest: Forest, root: int) -> int:
    """Return the root to go on with: a lone child of a node that does not count."""
    only = int(forest.child[root])
    if forest.weight[root] == 0 and forest.sibling[only] < 0:
        _detach(forest, only)
        return only
    return root


@kernel
def break_up_trees(
    forest: Forest, k: int, max_visited_nodes: int, labels: Integers
) -> None:
    """Break trees up, in place, into parts of k or more records.

    The longest edge with k records on both sides is cut; where there is none, the
    tree is split at its pivot (Aggarwal et al. 2005, Domingo-Ferrer et al. 2008).

    Parameters
    ----------
    forest : Forest
        Changed in place.
    max_visited_nodes : int
        Stop after looking at so many nodes, so that the caller can report progress.
    labels : ndarray of int64, shape (n_records,)
        Receives the group of each record of a finished tree.
    """
    largest = max(2 * k - 1, 3 * k - 5)
    seen = 0
    while forest.counts[1] > 0 and seen < max_visited_nodes:
        root = forest.roots[forest.counts[1] - 1]
        m = _weigh(forest, root)
        seen += m
        total = forest.below[root]
        other = -1
        if total > largest:
            # Too large: cut the longest edge that leaves k on both sides.
            other = _longest_cut(forest, m, k)
            if other >= 0:
                _detach(forest, other)
            else:
                # No such edge: split at the pivot, as its root.
                pivot = _find_pivot(forest, root, k)
                _make_root(forest, pivot)
                seen += _weigh(forest, pivot)
                other = _split_at(forest, pivot, k)
                root = pivot
        if other >= 0:
            forest.roots[forest.counts[1] - 1] = _shed(forest, root)
            forest.roots[forest.counts[1]] = _shed(forest, other)
            forest.counts[1] += 1
            continue
        forest.counts[1] -= 1
        # Small enough: a group.
        for t in range(m):
            node = forest.visit[t]
            if forest.weight[node] == 1:
                labels[forest.record[node]] = forest.counts[2]
        forest.counts[2] += 1
