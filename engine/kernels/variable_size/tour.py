"""Shorter tours through records, by 2-opt."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import kernel
from engine.kernels.records.distance import sq_dist

MIN_GAIN = 1e-9
"""Share of the removed edges that an exchange must save, so that rounding ends it."""


@kernel
def shorten_tour(
    X: Values,
    near: Integers,
    tour: Integers,
    place: Integers,
    is_open: NDArray[np.bool_],
    start: int,
    max_steps: int,
) -> int:
    """Exchange pairs of edges of a closed tour for shorter ones, record by record.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    near : ndarray of int64, shape (n_records, n_near)
        Near records of each record, the nearest first, itself perhaps among them.
    tour : ndarray of int64, shape (n_records,)
        Records along the tour; the first follows the last.
    place : ndarray of int64, shape (n_records,)
        Where each record stands in `tour`.
    is_open : ndarray of bool, shape (n_records,)
        Records whose edges may still be exchanged. Records without an exchange are
        closed, the ends of exchanged edges opened.
    start : int
        The record to begin with.
    max_steps : int
        Stop after so many records have been looked at, or changed places.

    Returns
    -------
    int
        The record to go on from.
    """
    i, steps = start, 0
    while i < tour.shape[0] and steps < max_steps:
        moved = 0
        if is_open[i]:
            moved = _exchange_edge(X, near, tour, place, is_open, i, 1)
            if moved == 0:
                moved = _exchange_edge(X, near, tour, place, is_open, i, -1)
        steps += near.shape[1] + moved
        if moved == 0:
            is_open[i] = False
            i += 1
    return i


@kernel
def _exchange_edge(
    X: Values,
    near: Integers,
    tour: Integers,
    place: Integers,
    is_open: NDArray[np.bool_],
    i: int,
    step: int,
) -> int:
    """Exchange the edge after (1) or before (-1) a record, where a tour gets shorter.

    The edges (i, j) and (c, e) become (i, c) and (j, e), for the nearest c for which
    the tour gets shorter.

    Returns
    -------
    int
        How many records may have changed places; 0 where no exchange helps.
    """
    n = tour.size
    j = tour[(place[i] + step) % n]
    removed = np.sqrt(sq_dist(X[i], X[j]))
    for c in near[i]:
        added = np.sqrt(sq_dist(X[i], X[c]))
        if added >= removed:
            return 0
        e = tour[(place[c] + step) % n]
        both = removed + np.sqrt(sq_dist(X[c], X[e]))
        if c == i or both - added - np.sqrt(sq_dist(X[j], X[e])) <= MIN_GAIN * both:
            continue
        low, high = min(place[i], place[c]), max(place[i], place[c])
        _reverse(tour, place, low + (step == 1), high - (step != 1))
        is_open[i] = is_open[j] = is_open[c] = is_open[e] = True
        return int(high - low)
    return 0


@kernel
def _reverse(tour: Integers, place: Integers, low: int, high: int) -> None:
    """Reverse the places from `low` to `high` of a tour."""
    while low < high:
        a, b = tour[low], tour[high]
        tour[low], tour[high] = b, a
        place[b], place[a] = low, high
        low += 1
        high -= 1
