"""MD: the two remaining records farthest apart, found without looking at all pairs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import kernel
from engine.kernels.blocks import Blocks, farthest, nearest, remove
from engine.kernels.distance import squared_distance

Values = NDArray[np.float64]
Integers = NDArray[np.int64]


def start_partners(X: Values) -> tuple[Values, Integers]:
    """Return what :func:`farthest_pair` keeps between calls, before the first.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)

    Returns
    -------
    bound : ndarray of float64, shape (n_records,)
        |x_i - x_j| is at most the sum of both distances to the mean; widened by far
        more than rounding can cost.
    partner : ndarray of int64, shape (n_records,)
        -1: no record has been looked at.
    """
    radius = np.sqrt(np.square(X - X.mean(axis=0)).sum(axis=1))
    bound = np.square(radius + radius.max()) * (1 + 1e-9)
    return bound, np.full(X.shape[0], -1, dtype=np.int64)


@kernel
def _lowest_other(blocks: Blocks, i: int) -> int:
    """Return the lowest remaining record but i."""
    for other in range(blocks.slot.shape[0]):
        if blocks.slot[other] >= 0 and other != i:
            return other
    return -1


@kernel
def farthest_pair(blocks: Blocks, bound: Values, partner: Integers) -> tuple[int, int]:
    """Return the two remaining records farthest apart, the lower number first.

    ``bound[i]`` is never below the squared distance of record i to its farthest
    remaining partner: it was exact when it was last computed, and removing records
    can only lower that. So only records at the top of the bounds are looked at.

    Parameters
    ----------
    blocks : Blocks
        At least two records must remain.
    bound, partner : ndarray of float64 and int64, shape (n_records,)
        Kept between calls; :func:`start_partners` makes them.
    """
    while True:
        top = -1
        for b in range(blocks.count[2]):
            for place in range(blocks.live[b]):
                i = blocks.records[b, place]
                if (
                    top < 0
                    or bound[i] > bound[top]
                    or (bound[i] == bound[top] and i < top)
                ):
                    top = i
        mate = partner[top]
        if mate >= 0 and blocks.slot[mate] >= 0:
            return top, mate
        mate = farthest(blocks, blocks.X[top])
        if mate == top:  # all that remain are equal
            mate = _lowest_other(blocks, top)
        partner[top] = mate
        bound[top] = squared_distance(blocks.X[top], blocks.X[mate])


@kernel
def farthest_pair_groups(
    blocks: Blocks,
    while_at_least: int,
    most: int,
    group: int,
    labels: Integers,
    bound: Values,
    partner: Integers,
    found: Integers,
    squared: Values,
) -> int:
    """Form two groups at a time, around the records farthest apart.

    Parameters
    ----------
    blocks : Blocks
    while_at_least : int
        Go on while so many records remain, at least 2k.
    most : int
        Stop after so many pairs, so that the caller can report progress.
    group : int
        Number of the next group.
    labels : ndarray of int64, shape (n_records,)
        Receives the number of the group for its members.
    bound, partner
        As in :func:`farthest_pair`.
    found, squared : ndarray of int64 and float64, shape (k - 1,)
        Scratch.

    Returns
    -------
    int
        Number of the next group.
    """
    for _ in range(most):
        if blocks.count[0] < while_at_least:
            break
        r, s = farthest_pair(blocks, bound, partner)
        remove(blocks, r)
        remove(blocks, s)
        for seed in (r, s):
            labels[seed] = group
            nearest(blocks, blocks.X[seed], found, squared)
            for i in found:
                remove(blocks, i)
                labels[i] = group
            group += 1
    return group
