"""Nearest records of other persons: exact for small tables, approximate for large."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.core.context import RunContext, steps_per_look
from engine.core.message import Message
from engine.core.typing import Integers, Values
from engine.kernels.persons.nearest_persons import write_nearest_other_persons
from engine.neighbours.splitting import kd_tree_order

MAX_EXACT_RECORDS = 10_000
"""Records up to which nearest others are looked for among all records."""

BLOCK_RECORDS = 256
"""Records of a block, in which nearest others are looked for in larger tables."""

STAGE = Message("Nearest persons")


def nearest_records_of_other_persons(
    X: Values, persons: Integers, n_persons: int, share_of_table: float, ctx: RunContext
) -> Integers:
    """Return near records of other persons for each record, nearest in small tables.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_coordinates)
    persons : ndarray of int64, shape (n_records,)
        Persons, -1 of nobody.
    n_persons : int
        Persons wanted for each.
    share_of_table : float
        Share of the table's records that these are.

    Returns
    -------
    ndarray of int64, shape (n_records, length)
        Nearest first, -1 where there are no more persons.
    """
    order, borders = kd_tree_order(X, count_search_blocks(X.shape[0], share_of_table))
    near = nearest_of_other_persons_in_blocks(
        np.ascontiguousarray(X[order]), persons[order], n_persons, borders, ctx
    )
    neighbours = np.empty(near.shape, dtype=np.int64)
    for column in range(near.shape[1]):  # one at a time: each is as long as X
        is_there = near[:, column] >= 0
        neighbours[order, column] = np.where(is_there, order[near[:, column]], -1)
    return neighbours


def count_search_blocks(n_records: int, share_of_table: float) -> int:
    """Return the number of blocks into which records are split for neighbour searches.

    A part of a table (`share_of_table` of it) is split if all of the table would be.
    """
    is_exact = n_records <= share_of_table * MAX_EXACT_RECORDS
    return 1 if is_exact else max(1, n_records // BLOCK_RECORDS)


def nearest_of_other_persons_in_blocks(
    X: Values, persons: Integers, n_persons: int, offsets: Integers, ctx: RunContext
) -> NDArray[np.int32]:
    """Return each record's nearest record of each of its nearest persons, in blocks.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_coordinates)
    persons : ndarray of int64, shape (n_records,)
    n_persons : int
    offsets : ndarray of int64, shape (n_blocks + 1,)
        Block b is records ``offsets[b]`` to ``offsets[b + 1] - 1``.
    """
    n = X.shape[0]
    near = np.full((n, min(n_persons, n - 1)), -1, dtype=np.int32)
    widest = int(np.diff(offsets).max())
    step = min(widest, steps_per_look(widest))
    squared = np.empty((step, near.shape[1]))
    for low, high in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        for first in range(low, high, step):
            ctx.tick(first, n, STAGE)
            last = min(first + step, high)
            write_nearest_other_persons(
                X, persons, low, high, first, last, near, squared
            )
    return near
