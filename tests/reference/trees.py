"""Naive minimum spanning trees, cut by counting both sides of every edge."""

from collections.abc import Callable

import numpy as np

from engine.core.typing import Values
from tests.reference.steps import Labels, squared_distances

Edge = tuple[float, int, int]


def spanning_tree(X: Values) -> list[Edge]:
    """(squared length, child, parent) of each edge, by Prim from record 0."""
    distance = np.array([squared_distances(X, x) for x in X])
    inside, outside = [0], set(range(1, len(X)))
    edges: list[Edge] = []
    while outside:
        d, child, parent = min(
            (distance[i, j], j, i) for i in inside for j in sorted(outside)
        )
        edges.append((float(d), child, parent))
        inside.append(child)
        outside.remove(child)
    return edges


def connected(edges: list[Edge], start: int) -> set[int]:
    """All records that edges connect with one record."""
    reached, grew = {start}, True
    while grew:
        records = {i for _, *ends in edges if set(ends) & reached for i in ends}
        grew = not records <= reached
        reached |= records
    return reached


def cut_spanning_tree(X: Values, k: int) -> Labels:
    """Longest edges first, cut where both trees keep at least k records."""
    edges = spanning_tree(X)
    for edge in sorted(edges, key=lambda edge: (-edge[0], edge[1])):
        rest = [other for other in edges if other != edge]
        if all(len(connected(rest, end)) >= k for end in edge[1:]):
            edges = rest
    labels = np.full(len(X), -1, dtype=np.int64)
    for i in range(len(X)):
        if labels[i] < 0:
            labels[list(connected(edges, i))] = labels.max() + 1
    return labels


def split_large(
    X: Values, k: int, labels: Labels, method: Callable[[Values, int], Labels]
) -> Labels:
    """Split each group of 2k records or more by another method."""
    new_labels = np.full(len(X), -1, dtype=np.int64)
    for g in range(labels.max() + 1):
        members = np.flatnonzero(labels == g)
        large = len(members) >= 2 * k
        parts = method(X[members], k) if large else np.zeros(len(members), np.int64)
        new_labels[members] = new_labels.max() + 1 + parts
    return new_labels
