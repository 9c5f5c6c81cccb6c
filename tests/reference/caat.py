"""Naive CAAT: the source's seven steps, every distance measured anew."""

import numpy as np

from engine.core.partition import Labels
from engine.core.typing import Values
from tests.reference.mixed import AttributeInfo, count, distance, numbers_of
from tests.reference.steps import labels_of


def caat(X: Values, k: int, seed: int, ties: str = "first") -> Labels:
    """CAAT of a matrix of numbers."""
    return caat_mixed(numbers_of(X), k, seed, ties)


def caat_mixed(
    attributes: list[AttributeInfo], k: int, seed: int, ties: str = "first"
) -> Labels:
    """CAAT of mixed records."""
    n = count(attributes)
    pool = list(range(n))
    start = int(np.random.default_rng(seed).integers(n, size=1)[0])
    groups: list[list[int]] = []
    while len(pool) >= k:
        group = [start]
        pool.remove(start)
        while len(group) < k:
            distances = {i: distance(attributes, group, [i]) for i in pool}
            lowest_distance = min(distances.values())
            tied = [i for i in pool if distances[i] == lowest_distance]
            for i in tied if ties == "all" else tied[:1]:
                group.append(i)
                pool.remove(i)
        groups.append(group)
        if pool:
            start = max(pool, key=lambda i: (distance(attributes, group, [i]), -i))
    for i in pool:
        distances = {
            g: distance(attributes, members, [i]) for g, members in enumerate(groups)
        }
        groups[min(distances, key=lambda g: (distances[g], g))].append(i)
    return labels_of(groups, n)
