"""Naive mu-Approx: trees are sets of edges, and every step looks at all of them."""

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
    X: Values, k: int, edges: Edges, records: set[int]
) -> tuple[list[set[int]], list[tuple[Edges, set[int]]]]:
    """Cut the longest edge with k on both sides, or else split at the pivot.

    Groups come first, then the trees that may still be too large.
    """

    def length(edge: frozenset[int]) -> float:
        i, j = sorted(edge)
        return float(squared_distances(X[[i]], X[j])[0])

    def side(edge: frozenset[int], end: int) -> set[int]:
        return reach(edges - {edge}, end)

    def tree(members: set[int]) -> tuple[Edges, set[int]]:
        return frozenset(e for e in edges if e <= members), members

    by_length = sorted(edges, key=lambda e: (-length(e), sorted(e)))
    for edge in by_length:
        first_side, second_side = (side(edge, end) for end in sorted(edge))
        if min(len(first_side), len(second_side)) >= k:
            return [], [tree(first_side), tree(second_side)]

    (pivot, branches) = next(
        (i, [e for e in by_length if i in e])
        for i in sorted(records)
        if all(len(side(e, *(e - {i}))) < k for e in edges if i in e)
    )
    subtrees = [side(e, *(e - {pivot})) for e in branches]
    if len(records) - k <= max_size(k):
        exact = [
            (length(e), sorted(e - {pivot}), subtree)
            for e, subtree in zip(branches, subtrees, strict=True)
            if len(subtree) == k - 1
        ]
        if exact:
            gone = min(exact)[2] | {pivot}
            return [gone, records - gone], []
        gone = set[int]()
        for subtree in subtrees:
            gone |= subtree
            if len(gone) == k - 1:
                gone.add(pivot)
                return [gone, records - gone], []
            if len(gone) >= k:
                return [gone], [tree(records - gone)]
    gone = set[int]()
    while len(gone) < k:
        gone |= subtrees.pop(0)
    return [gone], [tree(records - gone)]


def max_size(k: int) -> int:
    """Records of a part that is broken up no further."""
    return max(2 * k - 1, 3 * k - 5)


def mu_approx(X: Values, k: int) -> Labels:
    """Trees broken up to at most max(2k-1, 3k-5), then groups of 2k or more in two."""
    groups: list[list[int]] = []
    trees = grow_forest(X, k)
    while trees:
        edges, records = trees.pop()
        if len(records) <= max_size(k):
            groups.append(sorted(records))
            continue
        finished_groups, smaller = split(X, k, edges, records)
        groups += map(sorted, finished_groups)
        trees += smaller
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
