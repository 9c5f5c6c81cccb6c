"""The loops that MDAV, its variants and CBFS share: groups around extreme records."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import kernel
from engine.kernels.blocks import Blocks, centroid, farthest, nearest, remove

Values = NDArray[np.float64]
Integers = NDArray[np.int64]


@kernel
def take_group(
    blocks: Blocks,
    seed: int,
    group: int,
    labels: Integers,
    found: Integers,
    squared: Values,
) -> None:
    """Make a group of a record and the records nearest to it.

    Parameters
    ----------
    blocks : Blocks
    seed : int
        The record; it must remain.
    group : int
        Number of the group.
    labels : ndarray of int64, shape (n_records,)
        Receives `group` for the members.
    found, squared : ndarray, shape (k - 1,)
        Scratch.
    """
    remove(blocks, seed)
    labels[seed] = group
    nearest(blocks, blocks.X[seed], found, squared)
    for i in found:
        remove(blocks, i)
        labels[i] = group


@kernel
def pair_groups(
    blocks: Blocks,
    while_at_least: int,
    most: int,
    group: int,
    labels: Integers,
    middle: Values,
    found: Integers,
    squared: Values,
) -> int:
    """Form two groups at a time, at both ends, while enough records remain.

    r is the record farthest from the centroid, s the record farthest from r.

    Parameters
    ----------
    blocks : Blocks
    while_at_least : int
        Go on while so many records remain.
    most : int
        Stop after so many pairs, so that the caller can report progress.
    group : int
        Number of the next group.
    labels, found, squared
        As in :func:`take_group`.
    middle : ndarray of float64, shape (n_attributes,)
        Scratch.

    Returns
    -------
    int
        Number of the next group.
    """
    for _ in range(most):
        if blocks.count[0] < while_at_least:
            break
        centroid(blocks, middle)
        r = farthest(blocks, middle)
        s = farthest(blocks, blocks.X[r])
        take_group(blocks, r, group, labels, found, squared)
        if blocks.slot[s] < 0:  # taken by r's group: only where distances tie
            s = farthest(blocks, blocks.X[r])
        take_group(blocks, s, group + 1, labels, found, squared)
        group += 2
    return group


@kernel
def single_groups(
    blocks: Blocks,
    while_at_least: int,
    most: int,
    group: int,
    labels: Integers,
    middle: Values,
    found: Integers,
    squared: Values,
) -> int:
    """Form one group at a time around the record farthest from the centroid.

    Takes and returns the same as :func:`pair_groups`.
    """
    for _ in range(most):
        if blocks.count[0] < while_at_least:
            break
        centroid(blocks, middle)
        r = farthest(blocks, middle)
        take_group(blocks, r, group, labels, found, squared)
        group += 1
    return group
