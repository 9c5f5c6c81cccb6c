"""Original records against released classes: nearest ones, and levels of agreement."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import kernel

Values = NDArray[np.float64]
Integers = NDArray[np.int64]

SAME = 1.0 + 1e-9
"""Distances that differ by less are equal but for rounding."""


@kernel
def _squared(
    i: int,
    c: int,
    limit: float,
    known: Values,
    seen: Values,
    places: Integers,
    low: Integers,
    high: Integers,
    cost: Values,
) -> float:
    """Return a squared distance, or something above `limit`."""
    total = 0.0
    for j in range(places.shape[1]):
        if places[i, j] < low[c, j] or places[i, j] > high[c, j]:
            total += cost[j]
    for j in range(known.shape[1]):
        if total > limit:
            return total
        difference = known[i, j] - seen[c, j]
        total += difference * difference
    return total


@kernel
def nearest_classes(
    records: Integers,
    first: int,
    last: int,
    known: Values,
    seen: Values,
    places: Integers,
    low: Integers,
    high: Integers,
    cost: Values,
    classes: Integers,
    sizes: Integers,
    candidates: Integers,
    own: Integers,
) -> None:
    """Find how many released records are nearest to each original one.

    Parameters
    ----------
    records : ndarray of int64, shape (n_linked,)
        Records to link.
    first, last : int
        Which of them this call links.
    known, seen, places, low, high, classes, sizes
        As in :class:`engine.measures.linkage.Linkage`.
    cost : ndarray of float64, shape (n_categories,)
        What a category that does not fit adds to a squared distance.
    candidates : ndarray of int64, shape (n_linked,)
        Receives the number of released records that no other is nearer than.
    own : ndarray of int64, shape (n_linked,)
        Receives how many of them are in the record's own class.
    """
    for place in range(first, last):
        i = records[place]
        mine = classes[i]
        best = _squared(i, mine, np.inf, known, seen, places, low, high, cost)
        for c in range(sizes.shape[0]):
            squared = _squared(i, c, best, known, seen, places, low, high, cost)
            best = min(best, squared)
        limit = best * SAME
        candidates[place] = own[place] = 0
        for c in range(sizes.shape[0]):
            squared = _squared(i, c, limit, known, seen, places, low, high, cost)
            if squared <= limit:
                candidates[place] += sizes[c]
                if c == mine:
                    own[place] = sizes[c]


@kernel
def _level(
    i: int,
    c: int,
    j: int,
    known: Values,
    seen: Values,
    places: Integers,
    low: Integers,
    high: Integers,
    close: float,
    apart: float,
) -> int:
    """Return 0 where an attribute agrees, 1 where nearly so, 2 where it does not."""
    n_numbers = known.shape[1]
    if j >= n_numbers:
        place = places[i, j - n_numbers]
        fits = low[c, j - n_numbers] <= place <= high[c, j - n_numbers]
        return 0 if fits else 2
    difference = abs(known[i, j] - seen[c, j])
    if difference <= close:
        return 0
    return 1 if difference < apart else 2


@kernel
def agreement(
    records: Integers,
    known: Values,
    seen: Values,
    places: Integers,
    low: Integers,
    high: Integers,
    close: float,
    apart: float,
    levels: NDArray[np.int8],
) -> None:
    """Write how far records agree with each class in each attribute.

    Parameters
    ----------
    records : ndarray of int64, shape (n_compared,)
    known, seen, places, low, high
        As in :class:`engine.measures.linkage.Linkage`.
    close, apart : float
        Numbers agree up to the first difference and disagree from the second.
    levels : ndarray of int8, shape (n_compared * n_classes, n_attributes)
        Receives 0 where they agree, 1 where nearly so, 2 where they do not; numbers
        first, then categories.
    """
    pair = 0
    for i in records:
        for c in range(seen.shape[0]):
            for j in range(levels.shape[1]):
                levels[pair, j] = _level(
                    i, c, j, known, seen, places, low, high, close, apart
                )
            pair += 1


@kernel
def heaviest_classes(
    records: Integers,
    first: int,
    last: int,
    known: Values,
    seen: Values,
    places: Integers,
    low: Integers,
    high: Integers,
    close: float,
    apart: float,
    weights: Values,
    classes: Integers,
    sizes: Integers,
    candidates: Integers,
    own: Integers,
) -> None:
    """Find how many released records have the largest sum of weights.

    Parameters
    ----------
    records, first, last, known, seen, places, low, high, classes, sizes
        As in :func:`nearest_classes`.
    close, apart
        As in :func:`agreement`.
    weights : ndarray of float64, shape (n_attributes, 3)
        Of each level of agreement.
    candidates, own : ndarray of int64, shape (n_linked,)
        Receive what they do in :func:`nearest_classes`.
    """
    totals = np.empty(sizes.shape[0])
    for place in range(first, last):
        i, best = records[place], -np.inf
        for c in range(sizes.shape[0]):
            total = 0.0
            for j in range(weights.shape[0]):
                level = _level(i, c, j, known, seen, places, low, high, close, apart)
                total += weights[j, level]
            totals[c] = total
            best = max(best, total)
        limit = best - 1e-9 * (1.0 + abs(best))
        candidates[place] = own[place] = 0
        for c in range(sizes.shape[0]):
            if totals[c] >= limit:
                candidates[place] += sizes[c]
                if c == classes[i]:
                    own[place] = sizes[c]
