"""Nearest-neighbour paths through records, and optimal cuts of a path."""

from __future__ import annotations

import numpy as np

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import kernel
from engine.kernels.index.blocks import BlockIndex, remove_from_blocks
from engine.kernels.index.queries import farthest_record, write_nearest
from engine.kernels.records.distance import sq_dist


@kernel
def extend_nearest_neighbour_path(
    blocks: BlockIndex,
    order: Integers,
    start: int,
    max_values: int,
    nearest: Integers,
    sq_dists: Values,
) -> int:
    """Extend a path, place by place, to the nearest unvisited record.

    Parameters
    ----------
    blocks : BlockIndex
        The records not visited yet.
    order : ndarray of int64, shape (n_records,)
        The path, known before `start`; filled from there on.
    start : int
        First place to fill, at least 1.
    max_values : int
        Stop after so many values have been read.
    nearest, sq_dists : ndarray, shape (1,)
        Scratch.

    Returns
    -------
    int
        The place to go on from.
    """
    place, limit = start, blocks.count[4] + max_values
    while place < order.shape[0] and blocks.count[4] < limit:
        write_nearest(blocks, blocks.X[order[place - 1]], nearest, sq_dists)
        order[place] = nearest[0]
        remove_from_blocks(blocks, nearest[0])
        place += 1
    return place


@kernel
def update_widest_pair(
    blocks: BlockIndex, start: int, max_values: int, widest: Values
) -> int:
    """Update an end and squared distance of the widest pair by searches from records.

    Parameters
    ----------
    blocks : BlockIndex
        All records.
    start : int
        The record to begin with.
    max_values : int
        Stop after so many values have been read.
    widest : ndarray of float64, shape (2,)
        Record and squared distance of the widest pair so far; ties keep the lowest.

    Returns
    -------
    int
        The record to go on from.
    """
    i, limit = start, blocks.count[4] + max_values
    while i < blocks.X.shape[0] and blocks.count[4] < limit:
        d = sq_dist(blocks.X[i], blocks.X[farthest_record(blocks, blocks.X[i])])
        if d > widest[1]:
            widest[0], widest[1] = i, d
        i += 1
    return i


@kernel
def write_optimal_path_sse(
    X: Values,
    order: Integers,
    k: int,
    start: int,
    stop: int,
    least_sse: Values,
    last_run: Integers,
    middle: Values,
) -> None:
    """Write the optimal SSE of a path's prefixes of `start` to `stop` - 1 records.

    The shortest-path recursion of Hansen and Mukherjee (2003) with the SSE of a run of
    k to 2k-1 records as the cost of an arc. A run grows backwards by one record at a
    time, so that its SSE never comes out of a difference of large sums.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    order : ndarray of int64, shape (n_records,)
        Records along the path.
    start, stop : int
        Fill `least_sse` and `last_run` for m from `start` to ``stop - 1``; start is at
        least 1.
    least_sse : ndarray of float64, shape (n_records + 1,)
        SSE of the first m records, infinite where no cut exists; ``least_sse[0]`` is 0.
    last_run : ndarray of int64, shape (n_records + 1,)
        Length of the last run; the shortest of equally good ones.
    middle : ndarray of float64, shape (n_attributes,)
        Scratch.
    """
    p = X.shape[1]
    for m in range(start, stop):
        least_sse[m] = np.inf
        last_run[m] = 0
        sse = 0.0
        for s in range(min(2 * k - 1, m)):
            i = order[m - 1 - s]
            distance = 0.0
            for j in range(p):
                difference = X[i, j] - middle[j] if s > 0 else 0.0
                distance += difference * difference
                middle[j] = middle[j] + difference / (s + 1) if s > 0 else X[i, j]
            sse += s / (s + 1) * distance
            if s + 1 >= k and least_sse[m - 1 - s] + sse < least_sse[m]:
                least_sse[m] = least_sse[m - 1 - s] + sse
                last_run[m] = s + 1


@kernel
def write_path_labels(order: Integers, last_run: Integers, labels: Integers) -> None:
    """Write the group label of each record under the optimal cuts of a path.

    Parameters
    ----------
    order : ndarray of int64, shape (n_records,)
    last_run : ndarray of int64, shape (n_records + 1,)
        From :func:`write_optimal_path_sse`.
    labels : ndarray of int64, shape (n_records,)
        Receives the group of each record.
    """
    n = order.shape[0]
    groups = 0
    m = n
    while m > 0:
        groups += 1
        m -= last_run[m]
    m = n
    while m > 0:
        groups -= 1
        for place in range(m - last_run[m], m):
            labels[order[place]] = groups
        m -= last_run[m]
