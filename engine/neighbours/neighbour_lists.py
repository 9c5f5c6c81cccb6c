"""Nearest-neighbour lists: exact for small tables, approximate for large ones."""

from __future__ import annotations

from functools import partial

import numpy as np

from engine.core.context import SILENT, RunContext, steps_per_look
from engine.core.message import Message
from engine.core.typing import Integers, Values
from engine.kernels.compilation.small_tables import should_use_numpy
from engine.kernels.index.boxes import BOX_WIDTH
from engine.kernels.index.halving import kd_leaf_order
from engine.kernels.index.neighbours import (
    update_neighbours_in_blocks,
    update_neighbours_of_neighbours,
)
from engine.kernels.records.coded_records import CodedRecords

MAX_EXACT_RECORDS = 4096
"""Records up to which a table is one block, so that its lists are exact."""

BLOCK_WIDTHS = (320, 288, 256)
"""Records per block of each split; different widths separate different records."""

CATEGORY_STRETCHES = (2.0, 4.0, 8.0)
"""Factors on places of categories in each split: near records mostly share them."""

N_EXPANDED_NEIGHBOURS = 5
"""Nearest neighbours of a record, and of each of these, that are looked at."""

NEIGHBOUR_STAGE = Message("Nearest records")


def nearest_neighbours(
    X: Values,
    n_neighbours: int,
    ctx: RunContext = SILENT,
    coded_records: CodedRecords | None = None,
    n_category_columns: int = 0,
) -> Integers:
    """Return each record's nearest records in order; approximate in large tables.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
        C-contiguous, at least two records.
    n_neighbours : int
        Records wanted for each, at most n_records - 1 are given.
    coded_records : CodedRecords, optional
        Records whose distances count, if not those of X, which then only says where
        large tables are split.
    n_category_columns : int
        The last so many columns of X are places of categories.

    Returns
    -------
    ndarray of int64, shape (n_records, length)
        Nearest first, without the record itself.

    Notes
    -----
    Up to :data:`MAX_EXACT_RECORDS` records the lists are exact, ties by the lowest
    record. Larger tables are split into blocks by medians of the widest attribute,
    several times and each time along other directions; lists are updated with all pairs
    of a block, and last with neighbours of neighbours. So time and memory are linear in
    n. On 100,000 records with ten independent attributes, the worst case,
    about seven of ten true neighbours are found; what takes the place of the others is
    hardly farther.
    """
    n = X.shape[0]
    numbers, codes, sq_len = (
        CodedRecords.from_numbers(X) if coded_records is None else coded_records
    )
    n_neighbours = min(n_neighbours, n - 1)
    if codes is None and should_use_numpy(update_neighbours_in_blocks, *numbers.shape):
        ctx.note("distances", n * n)
        ctx.tick(1, 1, NEIGHBOUR_STAGE)
        return _neighbours_of_few(numbers, n_neighbours)
    near = np.full((n, n_neighbours), -1, dtype=np.int64)
    squared = np.full((n, n_neighbours), np.inf)
    widths = (n,) if n <= MAX_EXACT_RECORDS else BLOCK_WIDTHS
    distances = np.empty(BOX_WIDTH)
    for turn, width in enumerate(widths):
        if n > MAX_EXACT_RECORDS:
            along = rotate_attribute_pairs(X, turn)
            if n_category_columns:
                along = along.copy()
                along[:, -n_category_columns:] *= CATEGORY_STRETCHES[turn]
            look = partial(ctx.tick, turn, len(widths) + 1, NEIGHBOUR_STAGE)
            order = kd_leaf_order(along, width, look=look)
        else:
            order = np.arange(n, dtype=np.int64)
        boxes = -(-width // BOX_WIDTH)
        marks: Integers | None = None
        lengths: Values | None = None
        values = np.zeros((boxes, numbers.shape[1], BOX_WIDTH))
        if codes is not None:
            marks = np.zeros((boxes, codes.shape[1], BOX_WIDTH), dtype=np.int64)
            lengths = np.zeros((boxes, codes.shape[1], BOX_WIDTH))
        step, blocks = steps_per_look(width * width), -(-n // width)
        for first in range(0, blocks, step):
            ctx.tick(turn + first / blocks, len(widths) + 1, NEIGHBOUR_STAGE)
            last = min(first + step, blocks)
            update_neighbours_in_blocks(
                numbers,
                codes,
                sq_len,
                order,
                width,
                first,
                last,
                near,
                squared,
                values,
                marks,
                lengths,
                distances,
            )
        ctx.note("distances", n * min(width, n))
    if n > MAX_EXACT_RECORDS:
        n_near = min(N_EXPANDED_NEIGHBOURS, n_neighbours)
        old_neighbours = near[:, :n_near].copy()
        step = steps_per_look(8 * n_near * n_near)  # far apart in memory
        for first in range(0, n, step):
            ctx.tick(len(widths) + first / n, len(widths) + 1, NEIGHBOUR_STAGE)
            last = min(first + step, n)
            update_neighbours_of_neighbours(
                numbers,
                codes,
                sq_len,
                old_neighbours,
                n_near,
                first,
                last,
                near,
                squared,
            )
        ctx.note("distances", n * n_near * n_near)
    ctx.tick(1, 1, NEIGHBOUR_STAGE)
    return near


def rotate_attribute_pairs(X: Values, turn_number: int) -> Values:
    """Return X, at turns above 0 with attribute pairs as sums and differences.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    turn_number : int
        0 returns X itself; others decide which attributes make pairs.
    """
    if turn_number == 0:
        return X
    p = X.shape[1]
    rotated_values = X.copy()
    along = np.roll(np.arange(p), turn_number - 1)
    for a, b in zip(along[::2], along[1::2], strict=False):
        rotated_values[:, a] = X[:, a] + X[:, b]
        rotated_values[:, b] = X[:, a] - X[:, b]
    return rotated_values


@np.errstate(over="ignore", invalid="ignore")  # as kernels do
def _neighbours_of_few(X: Values, length: int) -> Integers:
    """Return exact lists of a small table, without kernels."""
    n = len(X)
    near = np.full((n, length), -1, dtype=np.int64)
    columns = np.ascontiguousarray(X.T)
    for start in range(0, n, BOX_WIDTH):
        rows = np.arange(start, min(start + BOX_WIDTH, n))
        squared = np.zeros((rows.size, n))
        for column in columns:
            difference = column - column[rows, np.newaxis]
            squared += np.square(difference, out=difference)
        squared[rows - start, rows] = np.inf
        limits = np.partition(squared, length - 1, axis=1)[:, length - 1]
        for i, distances, limit in zip(rows, squared, limits, strict=True):
            others = np.flatnonzero((distances <= limit) & (distances < np.inf))
            others = others[distances[others].argsort(kind="stable")][:length]
            near[i, : others.size] = others
    return near
