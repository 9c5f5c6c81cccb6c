"""Naive r-gather: every distance is tried in turn by bisection, flows by sets."""

from collections import deque

import numpy as np

from engine.core.typing import Values
from tests.reference.steps import Labels, labels_of, squared_distances


def exchange(centre: int, reach: dict[int, list[int]], owner: dict[int, int]) -> bool:
    """Give a centre one more record by the shortest chain of exchanges."""
    chains = deque([(centre, [])])
    visited_centres, offered = {centre}, set()
    while chains:
        taker, chain = chains.popleft()
        for record in reach[taker]:
            if record in offered:
                continue
            offered.add(record)
            if record not in owner:
                for gainer, moved in [*chain, (taker, record)]:
                    owner[moved] = gainer
                return True
            if owner[record] not in visited_centres:
                visited_centres.add(owner[record])
                chains.append((owner[record], [*chain, (taker, record)]))
    return False


def gather(distance: Values, k: int, limit: float) -> list[list[int]] | None:
    """Groups around centres no two of which are within the limit, if all get k."""
    everyone = range(len(distance))
    centres: list[int] = []
    for i in everyone:
        if all(distance[i, c] > limit for c in centres):
            centres.append(i)
    reach = {
        c: sorted(
            (i for i in everyone if distance[c, i] <= limit),
            key=lambda i, c=c: (distance[c, i], i),
        )
        for c in centres
    }
    owner: dict[int, int] = {}
    for c in centres:
        for _ in range(k):
            if not exchange(c, reach, owner):
                return None
    for i in everyone:
        if i not in owner:
            owner[i] = min(centres, key=lambda c: (distance[i, c], c))
    return [[i for i in everyone if owner[i] == c] for c in centres]


def r_gather(X: Values, k: int) -> Labels:
    """Bisect the distances of pairs within which every record has k-1 others."""
    distance = np.array([squared_distances(X, x) for x in X])
    lowest_limit = max(sorted(row)[k - 1] for row in distance.tolist())
    limits = sorted({d for row in distance.tolist() for d in row if d >= lowest_limit})
    low, high = 0, len(limits) - 1
    while low < high:
        middle = (low + high) // 2
        if gather(distance, k, limits[middle]) is None:
            low = middle + 1
        else:
            high = middle
    groups = gather(distance, k, limits[high])
    assert groups is not None
    return labels_of(groups, len(X))
