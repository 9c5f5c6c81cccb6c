"""Naive IMHM, from the paper's figure 2: one block unless it has too many records."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment

from engine.core.typing import Values
from tests.reference.mdav import pairs
from tests.reference.path import best_cut
from tests.reference.steps import (
    Labels,
    centroid,
    farthest,
    labels_of,
    squared_distances,
)

Groups = list[list[int]]


def first_groups(X: Values, k: int) -> Groups:
    """MDAV; fewer than k left join one after the other, the centroids move."""
    pool = list(range(len(X)))
    groups = pairs(X, pool, k, 2 * k)
    if len(pool) >= k:
        return [*groups, pool]
    for i in pool:
        middles = np.array([centroid(X, sorted(group)) for group in groups])
        groups[int(np.argmin(squared_distances(middles, X[i])))].append(i)
    return groups


def give_to_centres(distances: Values, k: int) -> list[int]:
    """Places filled at the least cost: k of each centre must be, k - 1 more may be."""
    n, c = distances.shape
    places = [(centre, True) for centre in range(c) for _ in range(k)]
    places += [(centre, False) for centre in range(c) for _ in range(k - 1)]
    gain = 1.0 + distances.max() * n
    table = np.array(
        [[row[centre] - gain * must for centre, must in places] for row in distances]
    )
    return [places[column][0] for column in linear_sum_assignment(table)[1]]


def path_through(X: Values, groups: Groups, distances: Values) -> list[int]:
    """Always on to the centroid nearest to any record of the group just left."""
    everyone = list(range(len(X)))
    start = farthest(X, everyone, centroid(X, everyone))
    current = next(g for g, group in enumerate(groups) if start in group)
    ahead = [g for g in range(len(groups)) if g != current]
    path: list[int] = []
    before = current
    while ahead:
        following = min(
            ahead, key=lambda g: (min(distances[i, g] for i in groups[current]), g)
        )
        path += sorted(groups[current], key=lambda i: (-distances[i, following], i))
        ahead.remove(following)
        before, current = current, following
    return path + sorted(groups[current], key=lambda i: (distances[i, before], i))


def distances_of(X: Values, groups: Groups) -> Values:
    """Distance of each record from each centroid."""
    middles = [centroid(X, sorted(group)) for group in groups]
    return np.sqrt(np.array([squared_distances(X, v) for v in middles]).T)


def sse_of(X: Values, groups: Groups) -> float:
    """Sum of squared distances from the centroids."""
    return sum(
        float(squared_distances(X[group], centroid(X, sorted(group))).sum())
        for group in groups
    )


def optimise(X: Values, groups: Groups, k: int, min_change: float) -> Groups:
    """Rounds on one block, until neither the programme nor the cuts help."""
    best, lowest = groups, np.inf
    for _ in range(100):
        owner = give_to_centres(distances_of(X, groups), k)
        count = len(groups)
        groups = [[i for i in range(len(X)) if owner[i] == g] for g in range(count)]
        if not sse_of(X, groups) < lowest - min_change:
            for _ in range(100):
                before = sse_of(X, groups)
                path = path_through(X, groups, distances_of(X, groups))
                groups, _ = best_cut(X, path, k)
                if not sse_of(X, groups) < before - min_change:
                    break
        sse = sse_of(X, groups)
        if not sse < lowest - min_change:
            return best
        best, lowest = groups, sse
    return best


def in_blocks(X: Values, groups: Groups, k: int, block_records: int) -> Labels:
    """All blocks, each with groups whose centroids follow one another."""
    middles = np.array([centroid(X, sorted(group)) for group in groups])
    everyone = list(range(len(groups)))
    outermost = farthest(middles, everyone, centroid(middles, everyone))
    distance = squared_distances(middles, middles[outermost])
    chain = sorted(everyone, key=lambda g: (distance[g], g))
    blocks = min(len(groups), -(-len(X) // block_records))
    everybody = list(range(len(X)))
    total = float(squared_distances(X, centroid(X, everybody)).sum())
    result: Groups = []
    done = 0
    for place in range(blocks):
        size = len(groups) // blocks + (place < len(groups) % blocks)
        chosen = sorted(chain[done : done + size])
        done += size
        records = sorted(i for g in chosen for i in groups[g])
        inside = [sorted(records.index(i) for i in groups[g]) for g in chosen]
        part = optimise(X[records], inside, k, 1e-9 * total)
        result += [[records[i] for i in group] for group in part]
    return labels_of(result, len(X))


def imhm(X: Values, k: int, block_records: int = 1100) -> Labels:
    """MDAV's groups, refined."""
    return in_blocks(X, first_groups(X, k), k, block_records)
