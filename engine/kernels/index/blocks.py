"""Index of remaining records in blocks, from which records are removed.

Records that lie together share a block of :data:`BOX_WIDTH`; blocks that lie together
share a bundle of :data:`BLOCKS_PER_BUNDLE`. A block keeps its values attribute by
attribute, so that the loop over its records runs in vector registers. Blocks and
bundles know a box around their records, so that a query passes over most of them.

Distances are those of :func:`engine.kernels.index.boxes.write_sq_dists_to_columns`;
ties go to the lowest record number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from engine.core.context import Look, look_at_nothing, steps_per_look
from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import array_free_kernel, kernel
from engine.kernels.index.box_fitting import (
    add_to_compensated_sum,
    fit_attribute_boxes,
    fit_coded_boxes,
)
from engine.kernels.index.boxes import BLOCKS_PER_BUNDLE, BOX_WIDTH
from engine.kernels.index.halving import sort_into_kd_leaves
from engine.kernels.index.shared import RepeatedCoordinates, encode_repeated_coordinates

COMPACTION_FACTOR = 4
"""Blocks are filled anew once no more than one in so many of their records remains."""


class BlockIndex(NamedTuple):
    """Remaining records in blocks with bounding boxes, for queries and removal.

    A box is what is known about a block or a bundle without looking inside. Boxes
    ``0 .. n_blocks - 1`` belong to the blocks, those that follow to the bundles.

    Attributes
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
        The values, read-only.
    values : ndarray of float64, shape (n_blocks, n_uncoded, BOX_WIDTH)
        The remaining records' values of attributes without codes; the live places of a
        block come first.
    uncoded : ndarray of int64, shape (n_uncoded,)
        Attributes without codes: the rows of `values`.
    codes : ndarray of int64, shape (n_blocks, n_coded, BOX_WIDTH)
        Codes that stand for the other attributes: places in `code_sq_dists`.
    spans, corners : ndarray
        What codes stand for; see :class:`engine.kernels.index.shared.RecordCodes`.
    code_sq_dists : ndarray of float64, shape (n_codes,)
        Scratch: squared distances of the present query's point from all codes.
    code_of : ndarray of int64, shape (n_records, n_coded)
        The codes by record, read-only.
    records : ndarray of int64, shape (n_blocks, BOX_WIDTH)
        Record number in each live place.
    slot : ndarray of int64, shape (n_records,)
        ``block * BOX_WIDTH + place`` of each record; -1 for the record removed first,
        -2 for the next, and so on.
    live : ndarray of int64, shape (n_blocks,)
        Records left in each block.
    count : ndarray of int64, shape (5,)
        Records remaining, records when they were arranged, blocks in use, distances
        measured by queries, and values read for all that was asked and removed, about.
    total : ndarray of float64, shape (2, n_attributes)
        Sum of the remaining records, and the rounding error of that sum.
    low, high : ndarray of float64, shape (n_attributes, n_boxes)
        Smallest and largest values in each box; ``low > high`` once it is empty.
    origin : ndarray of float64, shape (n_attributes, n_boxes)
        Point from which `reach` was measured.
    reach : ndarray of float64, shape (n_boxes,)
        No record in the box is farther than this from `origin`.
    bound : ndarray of float64, shape (2, n_boxes)
        Scratch: the present query's bounds; NaN once a bundle has been opened.
    block_sq_dists : ndarray of float64, shape (BOX_WIDTH,)
        Scratch: squared distances of one block's records.
    stack : ndarray of int64, shape (64, 2)
        Scratch of :func:`compact_blocks`.
    """

    X: Values
    values: Values
    uncoded: Integers
    codes: Integers
    spans: Integers
    corners: Values
    code_sq_dists: Values
    code_of: Integers
    records: Integers
    slot: Integers
    live: Integers
    count: Integers  # type: ignore[assignment]  # a tuple's method has that name
    total: Values
    low: Values
    high: Values
    origin: Values
    reach: Values
    bound: Values
    block_sq_dists: Values
    stack: Integers


def make_block_index(
    X: Values,
    repeated_coordinates: Sequence[RepeatedCoordinates] = (),
    look: Look = look_at_nothing,
) -> BlockIndex:
    """Return an index of all records of X, arranged in blocks.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
        C-contiguous and finite; kept, not copied.
    repeated_coordinates : sequence of RepeatedCoordinates
        Attributes in which many records are equal: they save time, and change no
        result of a query.
    look : callable
        Called between steps.
    """
    result = allocate_block_index(X, repeated_coordinates)
    compact_blocks(result, look)
    return result


def allocate_block_index(
    X: Values, repeated_coordinates: Sequence[RepeatedCoordinates] = ()
) -> BlockIndex:
    """Return the arrays of an index of X, in which no block is in use yet.

    Parameters
    ----------
    X, repeated_coordinates
        As in :func:`make_block_index`.
    """
    coding = encode_repeated_coordinates(X, repeated_coordinates)
    X = X.view()
    X.flags.writeable = False  # one array type, so that kernels compile once
    n, p = X.shape
    m = -(-n // BOX_WIDTH)
    n_boxes = m + -(-m // BLOCKS_PER_BUNDLE)
    return BlockIndex(
        X=X,
        values=np.zeros((m, coding.uncoded.size, BOX_WIDTH)),
        uncoded=coding.uncoded,
        codes=np.zeros((m, coding.codes.shape[1], BOX_WIDTH), dtype=np.int64),
        spans=coding.spans,
        corners=coding.corners,
        code_sq_dists=np.zeros(coding.n_codes),
        code_of=coding.codes,
        records=np.zeros((m, BOX_WIDTH), dtype=np.int64),
        slot=np.zeros(n, dtype=np.int64),
        live=np.zeros(m, dtype=np.int64),
        count=np.zeros(5, dtype=np.int64),
        total=np.zeros((2, p)),
        low=np.zeros((p, n_boxes)),
        high=np.zeros((p, n_boxes)),
        origin=np.zeros((p, n_boxes)),
        reach=np.zeros(n_boxes),
        bound=np.zeros((2, n_boxes)),
        block_sq_dists=np.zeros(BOX_WIDTH),
        stack=np.zeros((64, 2), dtype=np.int64),
    )


def compact_blocks(blocks: BlockIndex, look: Look = look_at_nothing) -> None:
    """Rearrange the remaining records into as few blocks as possible, in place.

    To be called again when half of the records or more are gone.

    Parameters
    ----------
    blocks : BlockIndex
        Of no use to anybody if `look` raises.
    look : callable
        Called between steps.
    """
    remaining = np.flatnonzero(blocks.slot >= 0)
    n, m = remaining.size, -(-remaining.size // BOX_WIDTH)
    # The first places of the blocks serve as the order to be sorted.
    order = blocks.records.reshape(-1)
    order[:n] = remaining
    blocks.count[:3] = n, n, m
    blocks.live[:] = 0
    blocks.live[:m] = BOX_WIDTH
    if n % BOX_WIDTH:
        blocks.live[m - 1] = n % BOX_WIDTH
    blocks.total[:] = 0.0
    # Empty boxes; none has a reach yet that would rule anything out.
    blocks.low[:] = np.inf
    blocks.high[:] = -np.inf
    blocks.reach[:] = np.inf
    sort_into_kd_leaves(
        blocks.X, order, n, BOX_WIDTH, BLOCKS_PER_BUNDLE, blocks.stack, look
    )
    step = steps_per_look(2 * BOX_WIDTH * blocks.X.shape[1])
    for first in range(0, m, step):
        look()
        _fill(blocks, first, min(first + step, m))


@array_free_kernel
def should_go_on(blocks: BlockIndex, min_remaining: int, limit: int) -> bool:
    """Return whether a kernel should form more groups before its caller looks.

    Parameters
    ----------
    min_remaining : int
        Records of which so many must remain.
    limit : int
        Of the values read that the blocks count.
    """
    count = blocks.count
    is_sparse = COMPACTION_FACTOR * count[0] <= count[1]
    return bool(count[0] >= min_remaining and count[4] < limit and not is_sparse)


@kernel
def _fill(blocks: BlockIndex, first: int, last: int) -> None:
    """Write the values of some blocks' records into them, and draw the boxes."""
    # Block by block, as `sort_into_kd_leaves` has put near records side by side.
    for b in range(first, last):
        for place in range(blocks.live[b]):
            i = blocks.records[b, place]
            blocks.slot[i] = b * BOX_WIDTH + place
            add_to_compensated_sum(blocks.total, blocks.X, i, 1.0)
            for row in range(blocks.uncoded.shape[0]):
                blocks.values[b, row, place] = blocks.X[i, blocks.uncoded[row]]
            for c in range(blocks.code_of.shape[1]):
                blocks.codes[b, c, place] = blocks.code_of[i, c]
        for row in range(blocks.uncoded.shape[0]):
            j = blocks.uncoded[row]
            fit_attribute_boxes(
                blocks.values, blocks.live, blocks.low, blocks.high, b, row, j
            )
        for c in range(blocks.code_of.shape[1]):
            fit_coded_boxes(
                blocks.codes,
                blocks.spans,
                blocks.corners,
                blocks.live,
                blocks.low,
                blocks.high,
                b,
                c,
            )


@array_free_kernel
def remove_from_blocks(blocks: BlockIndex, i: int) -> None:
    """Remove record i from the index."""
    values, codes, records = blocks.values, blocks.codes, blocks.records
    slot, live, low, high = blocks.slot, blocks.live, blocks.low, blocks.high
    b, place = slot[i] // BOX_WIDTH, slot[i] % BOX_WIDTH
    # The last live record takes its place.
    last = live[b] - 1
    moved = records[b, last]
    records[b, place] = moved
    slot[moved] = b * BOX_WIDTH + place
    live[b] = last
    blocks.count[0] -= 1
    blocks.count[4] += BOX_WIDTH
    # -1 for the first record that was removed, -2 for the next.
    slot[i] = blocks.count[0] - slot.shape[0]
    add_to_compensated_sum(blocks.total, blocks.X, i, -1.0)
    for row in range(values.shape[1]):
        j, value = blocks.uncoded[row], values[b, row, place]
        values[b, row, place] = values[b, row, last]
        # Only a record on the rim of its box can make it smaller.
        if value == low[j, b] or value == high[j, b]:
            fit_attribute_boxes(values, live, low, high, b, row, j)
            blocks.count[4] += last
    for c in range(codes.shape[1]):
        code, others = codes[b, c, place], 0
        codes[b, c, place] = codes[b, c, last]
        for other in range(last):
            others += codes[b, c, other] == code
        # Only the last record of its code can.
        if others == 0:
            fit_coded_boxes(codes, blocks.spans, blocks.corners, live, low, high, b, c)
            blocks.count[4] += last * blocks.spans[c, 1]
