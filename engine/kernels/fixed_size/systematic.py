"""Pairwise systematic microaggregation: groups grown from both ends of one order."""

from __future__ import annotations

from engine.core.typing import Integers, Values
from engine.kernels._jit import kernel
from engine.kernels.index.blocks import Blocks, nearest, remove


@kernel
def _grow(
    blocks: Blocks,
    seed: int,
    k: int,
    group: int,
    labels: Integers,
    total: Values,
    middle: Values,
    found: Integers,
    squared: Values,
) -> None:
    """Grow a group to k records, each time by the one that adds least SSE.

    Adding x to s records with centroid c costs s/(s+1) |x - c|^2: the record nearest
    to the centroid adds least. `seed` no longer remains.
    """
    labels[seed] = group
    total[:] = blocks.X[seed]
    for size in range(1, k):
        for j in range(total.shape[0]):
            middle[j] = total[j] / size
        nearest(blocks, middle, found, squared)
        x = found[0]
        remove(blocks, x)
        labels[x] = group
        for j in range(total.shape[0]):
            total[j] += blocks.X[x, j]


@kernel
def end_groups(
    blocks: Blocks,
    while_at_least: int,
    most: int,
    group: int,
    labels: Integers,
    k: int,
    both: bool,
    order: Integers,
    ends: Integers,
    total: Values,
    middle: Values,
    found: Integers,
    squared: Values,
) -> int:
    """Form groups of k around the first and the last remaining record of an order.

    Parameters
    ----------
    blocks : Blocks
    while_at_least : int
        Go on while so many records remain.
    most : int
        Stop after so many rounds, so that the caller can report progress.
    group : int
        Number of the next group.
    labels : ndarray of int64, shape (n_records,)
        Receives the number of the group for its members.
    k : int
    both : bool
        Whether a round forms a group at either end, or only around the first record.
    order : ndarray of int64, shape (n_records,)
        All records, by the sort key.
    ends : ndarray of int64, shape (2,)
        Where in `order` the remaining records begin and end; kept between calls,
        starts with 0 and n_records - 1.
    total, middle : ndarray of float64, shape (n_attributes,)
        Scratch.
    found, squared : ndarray of int64 and float64, shape (1,)
        Scratch.

    Returns
    -------
    int
        Number of the next group.
    """
    for _ in range(most):
        if blocks.count[0] < while_at_least:
            break
        while blocks.slot[order[ends[0]]] < 0:
            ends[0] += 1
        while blocks.slot[order[ends[1]]] < 0:
            ends[1] -= 1
        first, last = order[ends[0]], order[ends[1]]
        remove(blocks, first)
        if both:
            remove(blocks, last)
        _grow(blocks, first, k, group, labels, total, middle, found, squared)
        group += 1
        if both:
            _grow(blocks, last, k, group, labels, total, middle, found, squared)
            group += 1
    return group
