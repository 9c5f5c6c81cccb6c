"""Naive paths through records, and the best cut of a path by plain recursion."""

from collections.abc import Callable
from functools import cache
from itertools import pairwise

import numpy as np

from engine.core.typing import Values
from tests.reference.steps import (
    Labels,
    centroid,
    farthest,
    labels_of,
    nearest,
    squared_distances,
)


def walk(X: Values, first: int) -> list[int]:
    """From a record to the nearest one not visited yet, until all are visited."""
    path, pool = [first], [i for i in range(len(X)) if i != first]
    while pool:
        path += nearest(X, pool, X[path[-1]], 1)
        pool.remove(path[-1])
    return path


def sse_backwards(X: Values, run: list[int]) -> float:
    """SSE of a run, its records added one after the other from the last.

    Adding x to a group of s records costs s/(s+1) |x - c|^2.
    """
    sse, middle = 0.0, X[run[-1]]
    for s, i in enumerate(reversed(run[:-1]), start=1):
        sse += s / (s + 1) * squared_distances(X[[i]], middle)[0]
        middle = middle + (X[i] - middle) / (s + 1)
    return float(sse)


def best_cut(X: Values, path: list[int], k: int) -> tuple[list[list[int]], float]:
    """The runs of k to 2k-1 records with the smallest SSE; ties to short last runs."""

    @cache
    def best(m: int) -> tuple[float, int]:
        if m == 0:
            return 0.0, 0
        choices = [
            (best(m - s)[0] + sse_backwards(X, path[m - s : m]), s)
            for s in range(k, min(2 * k, m + 1))
        ]
        return min(choices, default=(np.inf, 0))

    runs: list[list[int]] = []
    m = len(path)
    while m > 0:
        s = best(m)[1]
        runs.insert(0, path[m - s : m])
        m -= s
    return runs, best(len(path))[0]


def through_groups(X: Values, labels: Labels) -> list[int]:
    """Groups by nearest centroid from the outermost; members from far to near."""
    groups = [np.flatnonzero(labels == g).tolist() for g in range(labels.max() + 1)]
    middles = np.array([centroid(X, group) for group in groups])
    everyone = list(range(len(X)))
    outermost = farthest(middles, list(range(len(groups))), centroid(X, everyone))
    chain = walk(middles, outermost)
    path: list[int] = []
    for current_group, next_group in pairwise(chain):
        distance = squared_distances(X, middles[next_group])
        path += sorted(groups[current_group], key=lambda i, d=distance: (-d[i], i))
    before = middles[chain[-2] if len(chain) > 1 else chain[-1]]
    return path + nearest(X, groups[chain[-1]], before, len(groups[chain[-1]]))


def cut_groups(X: Values, k: int, method: Callable[[Values, int], Labels]) -> Labels:
    """MHM along the groups of another method."""
    runs, _ = best_cut(X, through_groups(X, method(X, k)), k)
    return labels_of(runs, len(X))
