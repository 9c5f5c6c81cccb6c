"""Naive k-Ward: every pair of clusters is measured before every merge."""

from itertools import combinations

import numpy as np

from engine.core.typing import Values
from tests.reference.steps import Labels, labels_of, nearest, squared_distances

Cluster = tuple[list[int], Values]
"""Records, rising, and their sum."""


def cluster(X: Values, members: list[int]) -> Cluster:
    """A cluster of some records."""
    total = X[members[0]].copy()
    for i in members[1:]:
        total = total + X[i]
    return members, total


def cheapest(clusters: list[Cluster], k: int) -> tuple[int, int]:
    """The pair whose merge raises SSE least; two that both have k do not merge."""
    size = np.array([len(members) for members, _ in clusters])
    centroids = np.array([total / len(members) for members, total in clusters])
    best, pair = np.inf, (0, 0)
    for a in range(len(clusters) - 1):
        cost = size[a] * size / (size[a] + size)
        cost = cost * squared_distances(centroids, centroids[a])
        cost[: a + 1] = np.inf
        if size[a] >= k:
            cost[size >= k] = np.inf
        if cost.min() < best:
            best, pair = cost.min(), (a, int(cost.argmin()))
    return pair


def one_level(X: Values, k: int) -> list[list[int]]:
    """Clusters of at least k records, in order of lowest record."""
    n = len(X)
    if (X[0] == X).all():
        runs = [list(range(start, start + k)) for start in range(0, n - k + 1, k)]
        runs[-1] += range(len(runs) * k, n)
        return runs
    distance = np.array([squared_distances(X, x) for x in X])
    ends = min(combinations(range(n), 2), key=lambda pair: (-distance[pair], pair))
    pool = [i for i in range(n) if i not in ends]
    clusters = []
    for seed in ends:
        group = sorted([seed, *nearest(X, pool, X[seed], k - 1)])
        pool = [i for i in pool if i not in group]
        clusters.append(cluster(X, group))
    clusters = sorted(clusters + [cluster(X, [i]) for i in pool], key=lambda c: c[0])
    while any(len(members) < k for members, _ in clusters):
        a, b = cheapest(clusters, k)
        (first_members, sum_one), (other, sum_other) = clusters[a], clusters.pop(b)
        clusters[a] = sorted(first_members + other), sum_one + sum_other
    return [members for members, _ in clusters]


def divide(X: Values, members: list[int], k: int) -> list[list[int]]:
    """Groups of fewer than 2k records."""
    if len(members) < 2 * k:
        return [members]
    parts = [[members[i] for i in part] for part in one_level(X[members], k)]
    return [group for part in parts for group in divide(X, part, k)]


def k_ward(X: Values, k: int) -> Labels:
    """Ward's merges, cheapest first, never of two groups that have k; then inside."""
    return labels_of(divide(X, list(range(len(X))), k), len(X))
