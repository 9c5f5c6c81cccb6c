"""Readings of mu-Approx: forests of near records, and trees broken up."""

from __future__ import annotations

import numpy as np

from engine.core.typing import Integers, Values
from tests.readings import kernels

Tree = dict[int, dict[int, float]]
"""By record: the records it is linked with, and squared lengths."""


def forest_groups(
    X: Values, k: int, links_first: str, links: str, cut: str, limit: str
) -> Integers:
    """Return groups of k to 2k - 1 records.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    k : int
    links_first, links, cut, limit : str
        As :mod:`tests.readings.choices` declares them.
    """
    largest = max(2 * k - 1, 3 * k - 5) if limit == "3k-5" else 2 * k - 1
    labels = np.empty(len(X), dtype=np.int64)
    groups = 0
    for tree in _grow_forest(X, k, links_first, links):
        waiting = [tree]
        while waiting:
            part = waiting.pop()
            if len(part) > largest:
                waiting += _split(part, k, largest, cut)
                continue
            rest = np.array(sorted(part))
            while len(rest) >= 2 * k:
                sq = np.square(X[rest] - X[rest].mean(axis=0)).sum(axis=1)
                near = np.square(X[rest] - X[rest[sq.argmax()]]).sum(axis=1)
                order = np.argsort(near, kind="stable")
                labels[rest[order[:k]]] = groups
                groups, rest = groups + 1, np.sort(rest[order[k:]])
            labels[rest] = groups
            groups += 1
    return labels


def _grow_forest(X: Values, k: int, links_first: str, links: str) -> list[Tree]:
    """Link the roots of small trees to the nearest record outside, as is read."""
    n = len(X)
    kth = kernels.kth_distances(X, k)
    order = {
        "the most isolated": np.argsort(-kth, kind="stable"),
        "the least isolated": np.argsort(kth, kind="stable"),
        "first of the file": np.arange(n),
    }[links_first]
    target = np.full(n, -1, dtype=np.int64)
    kernels.link_forest(X, k, order, links == "until its tree has k", target)
    edges: Tree = {i: {} for i in range(n)}
    for i, j in enumerate(target.tolist()):
        if j >= 0:
            edges[i][j] = edges[j][i] = float(np.square(X[i] - X[j]).sum())
    trees, tree_records = [], set[int]()
    for i in range(n):
        if i not in tree_records:
            reached = _reach(edges, i, -1)
            tree_records.update(reached)
            trees.append({record: edges[record] for record in reached})
    return trees


def _reach(tree: Tree, start: int, without: int) -> list[int]:
    """Return the records connected with one, but for those behind another."""
    records, known_records = [start], {start, without}
    for i in records:
        for j in tree[i]:
            if j not in known_records:
                known_records.add(j)
                records.append(j)
    return records


def _part(tree: Tree, records: set[int]) -> Tree:
    return {i: {j: d for j, d in tree[i].items() if j in records} for i in records}


def _split(tree: Tree, k: int, largest: int, cut: str) -> tuple[Tree, Tree]:
    """Split a tree in two parts of at least k records each."""
    root = min(tree)
    order, parent = [root], {root: -1}
    for i in order:
        for j in tree[i]:
            if j != parent[i]:
                parent[j] = i
                order.append(j)
    below = dict.fromkeys(order, 1)
    for i in reversed(order[1:]):
        below[parent[i]] += below[i]
    total = len(tree)
    possible = [i for i in order[1:] if min(below[i], total - below[i]) >= k]
    if not possible:
        return _split_at_pivot(tree, k, largest)
    child = {
        "the longest edge": lambda: max(
            possible, key=lambda i: (tree[i][parent[i]], -i)
        ),
        "the most even": lambda: min(
            possible, key=lambda i: (abs(total - 2 * below[i]), i)
        ),
        "from the lowest record": lambda: possible[0],
    }[cut]()
    part_records = set(_reach(tree, child, parent[child]))
    return _part(tree, part_records), _part(tree, set(tree) - part_records)


def _split_at_pivot(tree: Tree, k: int, largest: int) -> tuple[Tree, Tree]:
    """Split where every branch of a record has fewer than k.

    The record goes with the first part where it completes k records, and where the
    others, which it holds together no more, need not be split again.
    """
    pivot = next(
        i for i in sorted(tree) if max(map(len, _branches(tree, i)), default=0) < k
    )
    branches = _branches(tree, pivot)
    n_pivots = int(len(tree) - k <= largest)
    exact = [branch for branch in branches if n_pivots and len(branch) == k - 1]
    gone = exact[-1] if exact else set[int]()
    for branch in branches:
        if len(gone) + n_pivots >= k:
            break
        gone |= branch
    if len(gone) < k:
        gone |= {pivot}
    return _part(tree, gone), _part(tree, set(tree) - gone)


def _branches(tree: Tree, pivot: int) -> list[set[int]]:
    """Return the parts that a record holds together, the farthest first."""
    farthest_first = sorted(tree[pivot].items(), key=lambda edge: (-edge[1], edge[0]))
    return [set(_reach(tree, j, pivot)) for j, _ in farthest_first]
