"""Systematic microaggregation: groups grown from one or both ends of an order."""

from __future__ import annotations

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import kernel
from engine.kernels.index.blocks import BlockIndex, remove_from_blocks, should_go_on
from engine.kernels.index.queries import write_nearest


@kernel
def _grow_group(
    blocks: BlockIndex,
    seed: int,
    k: int,
    group: int,
    labels: Integers,
    total: Values,
    middle: Values,
    nearest: Integers,
    sq_dists: Values,
) -> None:
    """Grow a group to k records, each time by the one that adds least SSE.

    Adding x to s records with centroid c costs s/(s+1) |x - c|^2: the record nearest
    to the centroid adds least. `seed` no longer remains.
    """
    labels[seed] = group
    # A loop: an assignment of slices takes seconds to compile.
    for j in range(total.shape[0]):
        total[j] = blocks.X[seed, j]
    for size in range(1, k):
        for j in range(total.shape[0]):
            middle[j] = total[j] / size
        write_nearest(blocks, middle, nearest, sq_dists)
        x = nearest[0]
        remove_from_blocks(blocks, x)
        labels[x] = group
        for j in range(total.shape[0]):
            total[j] += blocks.X[x, j]


@kernel
def form_groups_from_ends(
    blocks: BlockIndex,
    min_remaining: int,
    max_values: int,
    next_group: int,
    labels: Integers,
    k: int,
    both_ends: bool,
    order: Integers,
    ends: Integers,
    total: Values,
    middle: Values,
    nearest: Integers,
    sq_dists: Values,
) -> int:
    """Form groups at one or both ends of a record order; return the next group number.

    Parameters
    ----------
    min_remaining, max_values, next_group, labels
        As in :func:`engine.kernels.fixed_size.mdav.form_extreme_groups`.
    both_ends : bool
        Whether a round forms a group at either end, or only around the first record.
    order : ndarray of int64, shape (n_records,)
        All records, by the sort key.
    ends : ndarray of int64, shape (2,)
        Where in `order` the remaining records begin and end, 0 and n_records - 1 at
        first; changed in place.
    total, middle : ndarray of float64, shape (n_attributes,)
        Scratch.
    nearest, sq_dists : ndarray of int64 and float64, shape (1,)
        Scratch.
    """
    limit = blocks.count[4] + max_values
    while should_go_on(blocks, min_remaining, limit):
        while blocks.slot[order[ends[0]]] < 0:
            ends[0] += 1
        while blocks.slot[order[ends[1]]] < 0:
            ends[1] -= 1
        first, last = order[ends[0]], order[ends[1]]
        remove_from_blocks(blocks, first)
        if both_ends:
            remove_from_blocks(blocks, last)
        _grow_group(
            blocks, first, k, next_group, labels, total, middle, nearest, sq_dists
        )
        next_group += 1
        if both_ends:
            _grow_group(
                blocks, last, k, next_group, labels, total, middle, nearest, sq_dists
            )
            next_group += 1
    return next_group
