"""Naive V-MDAV: every distance is measured anew at every step."""

import numpy as np

from engine.core.typing import Values
from tests.reference.steps import (
    Labels,
    farthest,
    join_nearest_centroid,
    labels_of,
    nearest,
    squared_distances,
)


def vmdav(
    X: Values, k: int, gamma: float | str = 0.2, rest: str = "centroid"
) -> Labels:
    """Groups around the record farthest from the centroid, extended by gain."""
    if gamma == "auto":
        tried = [vmdav(X, k, step / 10, rest) for step in range(21)]
        return tried[int(np.argmin([_sse(X, labels) for labels in tried]))]
    middle = X.mean(axis=0)
    pool = list(range(len(X)))
    groups: list[list[int]] = []
    while len(pool) >= k:
        r = farthest(X, pool, middle)
        pool.remove(r)
        group = [r, *nearest(X, pool, X[r], k - 1)]
        pool = [i for i in pool if i not in group]
        while len(group) < 2 * k - 1 and pool:
            d_in, x = min((squared_distances(X[group], X[i]).min(), i) for i in pool)
            others = [i for i in pool if i != x]
            d_out = min(squared_distances(X[others], X[x]), default=np.inf)
            if gamma == 0 or not d_in < gamma * gamma * d_out:
                break
            group.append(x)
            pool.remove(x)
        groups.append(group)
    if rest == "record":
        join_nearest_record(X, groups, pool)
    else:
        join_nearest_centroid(X, groups, pool)
    return labels_of(groups, len(X))


def join_nearest_record(X: Values, groups: list[list[int]], left: list[int]) -> None:
    """Put each record left over into the group that the nearest record is in."""
    owner = {i: g for g, group in enumerate(groups) for i in group}
    for i in left:
        groups[owner[nearest(X, sorted(owner), X[i], 1)[0]]].append(i)


def _sse(X: Values, labels: Labels) -> float:
    groups = [X[labels == g] for g in range(labels.max() + 1)]
    return float(sum(((G - G.mean(axis=0)) ** 2).sum() for G in groups))
