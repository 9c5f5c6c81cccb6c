"""Naive CAAT: the source's seven steps, every distance measured anew."""

from __future__ import annotations

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
    left = list(range(n))
    start = int(np.random.default_rng(seed).integers(n, size=1)[0])
    groups: list[list[int]] = []
    while len(left) >= k:
        group = [start]
        left.remove(start)
        while len(group) < k:
            away = {i: distance(attributes, group, [i]) for i in left}
            least = min(away.values())
            tied = [i for i in left if away[i] == least]
            for i in tied if ties == "all" else tied[:1]:
                group.append(i)
                left.remove(i)
        groups.append(group)
        if left:
            start = max(left, key=lambda i: (distance(attributes, group, [i]), -i))
    for i in left:
        away = {
            g: distance(attributes, members, [i]) for g, members in enumerate(groups)
        }
        groups[min(away, key=lambda g: (away[g], g))].append(i)
    return labels_of(groups, n)
