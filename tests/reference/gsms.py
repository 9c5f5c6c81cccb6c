"""Naive GSMS: both sums of squares are measured for every neighbourhood."""

import numpy as np

from engine.core.typing import Values
from tests.reference.steps import Labels, join_nearest_centroid, labels_of, nearest

TIE = 1e-9
"""Gains that differ by a smaller share than this are equal but for rounding."""


def sse(X: Values, members: list[int]) -> float:
    """Sum of squared distances to the centroid."""
    if not members:
        return 0.0
    return float(np.square(X[members] - X[members].mean(axis=0)).sum())


def gsms(X: Values, k: int) -> Labels:
    """The neighbourhood that leaves the least SSE(group) + SSE(all remaining)."""
    Y = X - X[0]  # exact where values are large but near each other
    pool = list(range(len(X)))
    groups: list[list[int]] = []
    while len(pool) >= k:
        whole = sse(Y, pool)
        gain, hood = {}, {}
        for i in pool:
            others = [j for j in pool if j != i]
            hood[i] = [i, *nearest(X, others, X[i], k - 1)]
            rest = [j for j in pool if j not in hood[i]]
            gain[i] = whole - sse(Y, hood[i]) - sse(Y, rest)
        best = max(gain.values())
        seed = min(i for i in pool if gain[i] >= best - TIE * abs(best))
        groups.append(hood[seed])
        pool = [i for i in pool if i not in hood[seed]]
    join_nearest_centroid(X, groups, pool)
    return labels_of(groups, len(X))
