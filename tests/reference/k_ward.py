"""Naive k-Ward: every pair of clusters is measured before every merge."""

from itertools import combinations

import numpy as np

from engine.core.typing import Values
from tests.reference.mfs import grow
from tests.reference.projection import first_component, zscore_sum
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


def ends_of(X: Values, k: int, ends: str, score: Values) -> list[list[int]]:
    """The two clusters of k that a level begins with."""
    if ends in ("z-scores", "component"):
        ranking = sorted(range(len(X)), key=lambda i: (score[i], i))
        return [ranking[:k], ranking[len(X) - k :]]
    distance = np.array([squared_distances(X, x) for x in X])
    pairs = combinations(range(len(X)), 2)
    seeds = min(pairs, key=lambda pair: (-distance[pair], pair))
    pool, groups = [i for i in range(len(X)) if i not in seeds], []
    for seed in seeds:
        if ends == "grown":
            groups.append(grow(X, seed, pool, k))
        else:
            groups.append([seed, *nearest(X, pool, X[seed], k - 1)])
        pool = [i for i in pool if i not in groups[-1]]
    return groups


def one_level(X: Values, k: int, ends: str, score: Values) -> list[list[int]]:
    """Clusters of at least k records, in order of lowest record."""
    n = len(X)
    if (X[0] == X).all():
        runs = [list(range(start, start + k)) for start in range(0, n - k + 1, k)]
        runs[-1] += range(len(runs) * k, n)
        return runs
    groups = [sorted(group) for group in ends_of(X, k, ends, score)]
    pool = [i for i in range(n) if i not in groups[0] + groups[1]]
    clusters = [cluster(X, group) for group in groups]
    clusters = sorted(clusters + [cluster(X, [i]) for i in pool], key=lambda c: c[0])
    while any(len(members) < k for members, _ in clusters):
        a, b = cheapest(clusters, k)
        (first_members, sum_one), (other, sum_other) = clusters[a], clusters.pop(b)
        clusters[a] = sorted(first_members + other), sum_one + sum_other
    return [members for members, _ in clusters]


def divide(
    X: Values, members: list[int], k: int, ends: str, score: Values
) -> list[list[int]]:
    """Groups of fewer than 2k records."""
    if len(members) < 2 * k:
        return [members]
    level = one_level(X[members], k, ends, score[members])
    parts = [[members[i] for i in part] for part in level]
    return [group for part in parts for group in divide(X, part, k, ends, score)]


def k_ward(X: Values, k: int, ends: str = "farthest") -> Labels:
    """Ward's merges, cheapest first, never of two groups that have k; then inside."""
    score = first_component(X) if ends == "component" else zscore_sum(X)
    return labels_of(divide(X, list(range(len(X))), k, ends, score), len(X))
