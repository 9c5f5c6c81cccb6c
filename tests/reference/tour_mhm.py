"""Naive tour-MHM: a tour is a list, an exchange of edges a reversed part of it."""

import numpy as np

from engine.core.typing import Values
from tests.reference.path import best_cut
from tests.reference.steps import (
    Labels,
    centroid,
    farthest,
    labels_of,
    nearest,
    squared_distances,
)


def exchange(tour: list[int], near: list[int], length: Values, i: int, step: int):
    """The ends of two edges, and the tour in which other edges replace them."""
    n, at = len(tour), tour.index(i)
    j = tour[(at + step) % n]
    for c in near:
        if length[i, c] >= length[i, j]:
            return None
        other = tour.index(c)
        e = tour[(other + step) % n]
        old = length[i, j] + length[c, e]
        if c != i and old - length[i, c] - length[j, e] > 1e-9 * old:
            low, high = sorted((at, other))
            low, high = (low + 1, high + 1) if step == 1 else (low, high)
            turned = tour[low:high][::-1]
            return {i, j, c, e}, tour[:low] + turned + tour[high:]
    return None


def tour_mhm(X: Values, k: int) -> Labels:
    """From record to record, shorter while two edges can be exchanged, then cut."""
    everyone = list(range(len(X)))
    length = np.sqrt([squared_distances(X, x) for x in X])
    tour = [farthest(X, everyone, centroid(X, everyone))]
    while len(tour) < len(X):
        pool = [i for i in everyone if i not in tour]
        tour.append(nearest(X, pool, X[tour[-1]], 1)[0])
    near = [nearest(X, everyone, x, 11) for x in X]
    unsettled = set(everyone)
    while unsettled:
        for i in everyone:
            while i in unsettled:
                tries = (exchange(tour, near[i], length, i, step) for step in (1, -1))
                improvement = next((each for each in tries if each is not None), None)
                if improvement is None:
                    unsettled.remove(i)
                else:
                    unsettled |= improvement[0]
                    tour = improvement[1]
    edges = [length[a, b] for a, b in zip(tour, tour[1:] + tour[:1], strict=True)]
    cut = (int(np.argmax(edges)) + 1) % len(tour)
    runs, _ = best_cut(X, tour[cut:] + tour[:cut], k)
    return labels_of(runs, len(X))
