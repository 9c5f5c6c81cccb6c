"""Approximate neighbour lists: scans of blocks, and neighbours of neighbours."""

from __future__ import annotations

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import kernel
from engine.kernels.index.boxes import BOX_WIDTH, write_sq_dists_to_columns


@kernel
def _insert_neighbour(
    neighbours: Integers, sq_dists: Values, i: int, j: int, d: float
) -> None:
    """Insert a record into record i's list; among equals, earlier ones lead.

    Parameters
    ----------
    neighbours : ndarray of int64, shape (n_records, length)
        Nearest first; the last one makes room.
    sq_dists : ndarray of float64, shape (n_records, length)
    i : int
    j : int
        The new record, nearer than the last; ignored if it is listed.
    d : float
        Its squared distance.
    """
    place = neighbours.shape[1] - 1
    for listed in range(place + 1):
        if neighbours[i, listed] == j:
            return
    while place > 0 and sq_dists[i, place - 1] > d:
        neighbours[i, place] = neighbours[i, place - 1]
        sq_dists[i, place] = sq_dists[i, place - 1]
        place -= 1
    neighbours[i, place], sq_dists[i, place] = j, d


@kernel
def update_neighbours_in_blocks(
    X: Values,
    codes: Integers | None,
    sq_len: Values,
    order: Integers,
    width: int,
    first_block: int,
    last_block: int,
    neighbours: Integers,
    sq_dists: Values,
    values: Values,
    marks: Integers | None,
    lengths: Values | None,
    block_sq_dists: Values,
) -> None:
    """Update neighbour lists with the distances of all pairs within some blocks.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_numbers)
    codes, sq_len
        As in :class:`engine.kernels.records.coded_records.CodedRecords`.
    order : ndarray of int64, shape (n_records,)
        Block b is records ``order[b * width : (b + 1) * width]``.
    width : int
    first_block, last_block : int
        Blocks from `first_block` to ``last_block - 1``.
    neighbours : ndarray of int64, shape (n_records, length)
        Nearest records known so far, nearest first; -1 where there is none yet.
    sq_dists : ndarray of float64, shape (n_records, length)
        Their squared distances, infinite where there is none yet.
    values : ndarray of float64, shape (ceil(width / BOX_WIDTH), n_numbers, BOX_WIDTH)
        Scratch.
    marks : ndarray of int64, shape (ceil(width / BOX_WIDTH), n_levels, BOX_WIDTH)
        Scratch: codes; None without any.
    lengths : ndarray of float64, shape (ceil(width / BOX_WIDTH), n_levels, BOX_WIDTH)
        Scratch: their squared lengths; None without any.
    block_sq_dists : ndarray of float64, shape (BOX_WIDTH,)
        Scratch.
    """
    n, p = X.shape
    worst = neighbours.shape[1] - 1
    for block in range(first_block, last_block):
        start = block * width
        size = min(width, n - start)
        for place in range(size):
            box, column = place // BOX_WIDTH, place % BOX_WIDTH
            for j in range(p):
                values[box, j, column] = X[order[start + place], j]
            if codes is not None and marks is not None and lengths is not None:
                for level in range(codes.shape[1]):
                    code = codes[order[start + place], level]
                    marks[box, level, column] = code
                    lengths[box, level, column] = sq_len[code]
        for box in range((size + BOX_WIDTH - 1) // BOX_WIDTH):
            box_values = values[box]
            begin = start + box * BOX_WIDTH
            filled = min(BOX_WIDTH, start + size - begin)
            for place in range(size):
                i = order[start + place]
                write_sq_dists_to_columns(box_values, X[i], block_sq_dists)
                if codes is not None and marks is not None and lengths is not None:
                    for level in range(codes.shape[1]):
                        code = codes[i, level]
                        length = sq_len[code]
                        for column in range(BOX_WIDTH):
                            differs = marks[box, level, column] != code
                            more = length + lengths[box, level, column]
                            block_sq_dists[column] += more if differs else 0.0
                limit, nearer = sq_dists[i, worst], 0
                for column in range(filled):
                    nearer += block_sq_dists[column] < limit
                if nearer == 0:
                    continue
                for column in range(filled):
                    if block_sq_dists[column] < limit:
                        other = order[begin + column]
                        if other != i:
                            _insert_neighbour(
                                neighbours, sq_dists, i, other, block_sq_dists[column]
                            )
                            limit = sq_dists[i, worst]


@kernel
def update_neighbours_of_neighbours(
    X: Values,
    codes: Integers | None,
    sq_len: Values,
    previous_lists: Integers,
    n_examined: int,
    first_record: int,
    last_record: int,
    neighbours: Integers,
    sq_dists: Values,
) -> None:
    """Update some records' neighbour lists with near neighbours of near neighbours.

    Parameters
    ----------
    X, codes, sq_len
        As in :func:`update_neighbours_in_blocks`.
    previous_lists : ndarray of int64, shape (n_records, at least n_examined)
        The neighbour lists before the first call.
    n_examined : int
        Nearest neighbours of a record, and of each of these, that are looked at.
    first_record, last_record : int
        Records whose lists are updated, up to ``last_record - 1``.
    neighbours, sq_dists : ndarray
        As in :func:`update_neighbours_in_blocks`.
    """
    p, length = X.shape[1], neighbours.shape[1]
    for i in range(first_record, last_record):
        for a in range(n_examined):
            friend = previous_lists[i, a]
            for b in range(n_examined):
                other = previous_lists[friend, b]
                if other == i:
                    continue
                d = 0.0
                for j in range(p):
                    difference = X[i, j] - X[other, j]
                    d += difference * difference
                if codes is not None:
                    for level in range(codes.shape[1]):
                        own_code, other_code = codes[i, level], codes[other, level]
                        if own_code != other_code:
                            d += sq_len[own_code] + sq_len[other_code]
                if d < sq_dists[i, length - 1]:
                    _insert_neighbour(neighbours, sq_dists, i, other, d)
