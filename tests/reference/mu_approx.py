"""Naive mu-Approx: trees are sets of edges, and every step looks at all of them."""

from __future__ import annotations

import numpy as np

from engine.core.typing import Values
from tests.reference.steps import (
    Labels,
    centroid,
    farthest,
    labels_of,
    nearest,
    squared_distances,
)

Edges = frozenset[frozenset[int]]


def reach(edges: Edges, start: int) -> set[int]:
    """All records that edges connect with one record."""
    reached = {start}
    while True:
        grown = reached.union(*(edge for edge in edges if edge & reached))
        if grown == reached:
            return reached
        reached = grown


def grow_forest(X: Values, k: int) -> list[tuple[Edges, set[int]]]:
    """(edges, records) of each tree, once all have k records.

    In passes, the most isolated record first, each root of a small tree links to
    the nearest record outside it.
    """
    everyone = range(len(X))
    distance = np.array([squared_distances(X, x) for x in X])
    order = sorted(everyone, key=lambda i: (-np.sort(distance[i])[k - 1], i))
    links: dict[int, int] = {}

    def tree(i: int) -> set[int]:
        return reach(frozenset(map(frozenset, links.items())), i)

    while any(len(tree(i)) < k for i in everyone):
        for i in order:
            if i not in links and len(tree(i)) < k:
                outside = [j for j in everyone if j not in tree(i)]
                links[i] = min(outside, key=lambda j: (distance[i, j], j))
    edges = frozenset(map(frozenset, links.items()))
    trees = {frozenset(tree(i)) for i in everyone}
    return [(frozenset(e for e in edges if e <= t), set(t)) for t in trees]


def split(
    X: Values, k: int, edges: Edges, counted: set[int]
) -> tuple[tuple[Edges, set[int]], tuple[Edges, set[int]]] | None:
    """Cut the longest edge with k on both sides, or else split at the pivot.

    `counted` are the records that count here; others only hold the tree together.
    """

    def length(edge: frozenset[int]) -> float:
        i, j = sorted(edge)
        return float(squared_distances(X[[i]], X[j])[0])

    def side(edge: frozenset[int], end: int) -> set[int]:
        return reach(edges - {edge}, end)

    def part(records: set[int], counting: set[int]) -> tuple[Edges, set[int]]:
        return frozenset(e for e in edges if e <= records), counting & counted

    by_length = sorted(edges, key=lambda e: (-length(e), sorted(e)))
    for edge in by_length:
        here, there = (side(edge, end) for end in sorted(edge))
        if min(len(here & counted), len(there & counted)) >= k:
            return part(here, here), part(there, there)

    nodes = set[int]().union(*edges)
    for pivot in sorted(nodes):
        branches = [e for e in by_length if pivot in e]
        subtrees = [side(e, *(e - {pivot})) for e in branches]
        if any(len(subtree & counted) >= k for subtree in subtrees):
            continue
        own = {pivot} & counted
        # the nearest of the subtrees with k-1 records; of equally near ones the lowest
        exact = [
            (length(e), sorted(e - {pivot}), subtree)
            for e, subtree in zip(branches, subtrees, strict=True)
            if len(subtree & counted) == k - 1
        ]
        gone = min(exact)[2] if own and exact else set()
        for subtree in subtrees:
            if len(gone & counted) + len(own) >= k:
                break
            gone |= subtree
        with_pivot = own if len(gone & counted) < k else set()
        left = counted - gone - with_pivot
        if len(left) < k:
            return None
        rest = (nodes - gone) | {pivot}
        return (
            part(gone | {pivot}, gone | with_pivot),
            part(rest, rest - {pivot} | (own - with_pivot)),
        )
    return None


def mu_approx(X: Values, k: int) -> Labels:
    """Trees broken up to at most max(2k-1, 3k-5), then groups of 2k or more in two."""
    groups: list[list[int]] = []
    trees = grow_forest(X, k)
    while trees:
        edges, counted = trees.pop()
        halves = None
        if len(counted) > max(2 * k - 1, 3 * k - 5):
            halves = split(X, k, edges, counted)
        if halves is None:
            groups.append(sorted(counted))
        else:
            trees += halves
    finished: list[list[int]] = []
    for group in sorted(groups):
        rest = group
        while len(rest) >= 2 * k:
            first = farthest(X, rest, centroid(X, rest))
            others = [i for i in rest if i != first]
            finished.append([first, *nearest(X, others, X[first], k - 1)])
            rest = [i for i in rest if i not in finished[-1]]
        finished.append(rest)
    return labels_of(finished, len(X))
