"""MDAV loop, shared by its variants and CBFS: groups around extreme records."""

from __future__ import annotations

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import array_free_kernel
from engine.kernels.index.blocks import BlockIndex, remove_from_blocks, should_go_on
from engine.kernels.index.queries import farthest_record, write_nearest


@array_free_kernel
def form_nearest_group(
    blocks: BlockIndex,
    seed_record: int,
    group: int,
    labels: Integers,
    nearest: Integers,
    sq_dists: Values,
) -> None:
    """Group a record with its nearest remaining records, and remove all of them.

    Parameters
    ----------
    seed_record : int
        The record; it must remain.
    group : int
        Number of the group.
    labels : ndarray of int64, shape (n_records,)
        Receives `group` for the members.
    nearest, sq_dists : ndarray of int64 and float64, shape (k - 1,)
        Scratch.
    """
    remove_from_blocks(blocks, seed_record)
    labels[seed_record] = group
    write_nearest(blocks, blocks.X[seed_record], nearest, sq_dists)
    for i in nearest:
        remove_from_blocks(blocks, i)
        labels[i] = group


@array_free_kernel
def form_extreme_groups(
    blocks: BlockIndex,
    min_remaining: int,
    max_values: int,
    next_group: int,
    labels: Integers,
    n_ends: int,
    point: Values,
    nearest: Integers,
    sq_dists: Values,
) -> int:
    """Form groups around extreme records, by rounds; return the next group number.

    r is the record farthest from the centroid; with two ends, s is the record farthest
    from r. s is sought once r's group is gone: the record that was farthest before then
    still is, unless it joined that group.

    Parameters
    ----------
    min_remaining : int
        Go on while so many records remain.
    max_values : int
        Stop after the round in which so many values have been read, or after which
        the blocks are sparse, so that the caller can report progress or compact them.
    next_group : int
        Number of the next group.
    labels : ndarray of int64, shape (n_records,)
        Receives the number of the group for its members.
    n_ends : int
        1: a round forms a group around r. 2: then one around s.
    point : ndarray of float64, shape (n_attributes,)
        Scratch.
    nearest, sq_dists : ndarray of int64 and float64, shape (k - 1,)
        Scratch.
    """
    X, count, total = blocks.X, blocks.count, blocks.total
    limit = count[4] + max_values
    while should_go_on(blocks, min_remaining, limit):
        # Step 1 of MDAV: the average of what remains, its sum being kept up to date.
        for j in range(point.shape[0]):
            point[j] = (total[0, j] + total[1, j]) / count[0]
        for end in range(n_ends):
            # Steps 1 and 2: r farthest from the average, then s farthest from r.
            extreme = farthest_record(blocks, point, end == 0)
            # Step 3: a group of it and the k-1 nearest of what remains.
            form_nearest_group(blocks, extreme, next_group, labels, nearest, sq_dists)
            for j in range(point.shape[0]):
                point[j] = X[extreme, j]
            next_group += 1
    return next_group
