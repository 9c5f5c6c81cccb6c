"""Naive second stage of DBA-2, MDAV-2 and TFRP-2: dissolve groups, split large ones."""

from collections.abc import Callable

import numpy as np

from engine.core.typing import Values
from tests.reference.mdav1 import mdav1
from tests.reference.steps import Labels, centroid, labels_of, squared_distances

LEAST_GAIN = 1e-12
"""A fall of SSE by a smaller share than this is rounding, not gain."""


def sse(X: Values, members: list[int]) -> float:
    """Sum of squared distances to the centroid, record by record."""
    total = 0.0
    for d in squared_distances(X[members], centroid(X, members)):
        total += d
    return total


def last_first(X: Values, labels: Labels) -> list[int]:
    """Groups in reverse order of creation."""
    return list(range(labels.max(), -1, -1))


def widest_first(X: Values, labels: Labels) -> list[int]:
    """Groups by falling SSE."""
    groups = range(labels.max() + 1)
    total = [sse(X, list(np.flatnonzero(labels == g))) for g in groups]
    return sorted(groups, key=lambda g: (-total[g], g))


def without(X: Values, groups: dict[int, list[int]], v: int) -> dict[int, list[int]]:
    """The groups after each member of v went to the group with the nearest centroid."""
    others = [g for g in groups if g != v]
    centroids = np.array([centroid(X, groups[g]) for g in others])
    after = {g: list(groups[g]) for g in others}
    for i in groups[v]:
        after[others[int(np.argmin(squared_distances(centroids, X[i])))]].append(i)
    return {g: sorted(members) for g, members in after.items()}


def fine_tune(
    X: Values,
    labels: Labels,
    k: int,
    visits: list[int],
    largest: float = np.inf,
    divide: Callable[[Values, int], Labels] = mdav1,
) -> Labels:
    """Dissolve each group once if SSE falls; then divide those above 2k-1."""
    groups = {v: [int(i) for i in np.flatnonzero(labels == v)] for v in sorted(visits)}
    for v in visits:
        if len(groups) == 1:
            break
        after = without(X, groups, v)
        grown = [g for g in after if len(after[g]) > len(groups[g])]
        before = sse(X, groups[v]) + sum(sse(X, groups[g]) for g in grown)
        fits = all(len(after[g]) <= largest for g in grown)
        if fits and sum(sse(X, after[g]) for g in grown) < before * (1 - LEAST_GAIN):
            groups = after
    final_groups = [members for members in groups.values() if len(members) < 2 * k]
    for members in groups.values():
        if len(members) >= 2 * k:
            inside = divide(X[members], k)
            final_groups += [
                [members[i] for i in np.flatnonzero(inside == g)]
                for g in range(inside.max() + 1)
            ]
    return labels_of(final_groups, len(X))
