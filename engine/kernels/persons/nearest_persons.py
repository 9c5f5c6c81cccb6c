"""Search for the nearest records of other persons."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import array_free_kernel
from engine.kernels.records.distance import sq_dist_of_rows


@array_free_kernel
def write_nearest_other_persons(
    X: Values,
    persons: Integers,
    first_candidate: int,
    last_candidate: int,
    first_record: int,
    last_record: int,
    neighbours: NDArray[np.int32],
    sq_dists: Values,
) -> None:
    """Write for some records the nearest record of each of their nearest other persons.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_coordinates)
    persons : ndarray of int64, shape (n_records,)
    first_candidate, last_candidate : int
        Records among which neighbours are sought.
    first_record, last_record : int
        Records whose neighbours are written.
    neighbours : ndarray of int32, shape (n_records, length)
        Receives records, nearest first; -1 where there are fewer persons.
    sq_dists : ndarray of float64, shape (last_record - first_record or more, length)
        Scratch: their squared distances.
    """
    length = neighbours.shape[1]
    for i in range(first_record, last_record):
        count = 0
        for j in range(first_candidate, last_candidate):
            if persons[j] == persons[i] and (persons[i] >= 0 or i == j):
                continue
            d = sq_dist_of_rows(X, i, X, j)
            if count == length and d >= sq_dists[i - first_record, length - 1]:
                continue
            # A person is listed once, by its nearest record.
            at = -1
            if persons[j] >= 0:
                for t in range(count):
                    if persons[neighbours[i, t]] == persons[j]:
                        at = t
                        break
            if at >= 0:
                if d >= sq_dists[i - first_record, at]:
                    continue
            elif count < length:
                at, count = count, count + 1
            else:
                at = length - 1
            while at > 0 and sq_dists[i - first_record, at - 1] > d:
                neighbours[i, at], sq_dists[i - first_record, at] = (
                    neighbours[i, at - 1],
                    sq_dists[i - first_record, at - 1],
                )
                at -= 1
            neighbours[i, at], sq_dists[i - first_record, at] = j, d
        for t in range(count, length):
            neighbours[i, t] = -1
