"""Lists of nearest records: scans of lots, and neighbours of neighbours."""

from __future__ import annotations

from engine.core.typing import Integers, Values
from engine.kernels._jit import kernel
from engine.kernels.index.boxes import WIDTH, measure


@kernel
def _insert(near: Integers, squared: Values, i: int, other: int, d: float) -> None:
    """Put a record into record i's list; among equals, those that came first lead.

    Parameters
    ----------
    near : ndarray of int64, shape (n_records, length)
        Nearest first; the last one makes room.
    squared : ndarray of float64, shape (n_records, length)
    i : int
    other : int
        The new record, nearer than the last; ignored if it is listed.
    d : float
        Its squared distance.
    """
    place = near.shape[1] - 1
    for listed in range(place + 1):
        if near[i, listed] == other:
            return
    while place > 0 and squared[i, place - 1] > d:
        near[i, place] = near[i, place - 1]
        squared[i, place] = squared[i, place - 1]
        place -= 1
    near[i, place], squared[i, place] = other, d


@kernel
def scan_lots(
    X: Values,
    codes: Integers,
    squares: Values,
    order: Integers,
    width: int,
    first: int,
    last: int,
    near: Integers,
    squared: Values,
    values: Values,
    marks: Integers,
    lengths: Values,
    apart: Values,
) -> None:
    """Let the records of each lot know each other.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_numbers)
    codes, squares
        As in :class:`engine.kernels.coded.Coded`.
    order : ndarray of int64, shape (n_records,)
        Lot b is records ``order[b * width : (b + 1) * width]``.
    width : int
    first, last : int
        Lots to scan.
    near : ndarray of int64, shape (n_records, length)
        Nearest records known so far, nearest first; -1 where there is none yet.
    squared : ndarray of float64, shape (n_records, length)
        Their squared distances, infinite where there is none yet.
    values : ndarray of float64, shape (ceil(width / WIDTH), n_numbers, WIDTH)
        Scratch.
    marks : ndarray of int64, shape (ceil(width / WIDTH), n_levels, WIDTH)
        Scratch: codes.
    lengths : ndarray of float64, shape (ceil(width / WIDTH), n_levels, WIDTH)
        Scratch: their squared lengths.
    apart : ndarray of float64, shape (WIDTH,)
        Scratch.
    """
    n, p = X.shape
    m, worst = codes.shape[1], near.shape[1] - 1
    for lot in range(first, last):
        start = lot * width
        size = min(width, n - start)
        for place in range(size):
            box, column = place // WIDTH, place % WIDTH
            for j in range(p):
                values[box, j, column] = X[order[start + place], j]
            for level in range(m):
                code = codes[order[start + place], level]
                marks[box, level, column] = code
                lengths[box, level, column] = squares[code]
        for box in range((size + WIDTH - 1) // WIDTH):
            here = values[box]
            begin = start + box * WIDTH
            filled = min(WIDTH, start + size - begin)
            for place in range(size):
                i = order[start + place]
                measure(here, X[i], apart)
                for level in range(m):
                    code = codes[i, level]
                    length = squares[code]
                    for column in range(WIDTH):
                        differs = marks[box, level, column] != code
                        more = length + lengths[box, level, column]
                        apart[column] += more if differs else 0.0
                limit, nearer = squared[i, worst], 0
                for column in range(filled):
                    nearer += apart[column] < limit
                if nearer == 0:
                    continue
                for column in range(filled):
                    if apart[column] < limit:
                        other = order[begin + column]
                        if other != i:
                            _insert(near, squared, i, other, apart[column])
                            limit = squared[i, worst]


@kernel
def ask_neighbours(
    X: Values,
    codes: Integers,
    squares: Values,
    known: Integers,
    asked: int,
    first: int,
    last: int,
    near: Integers,
    squared: Values,
) -> None:
    """Let records get to know the neighbours of their neighbours.

    Parameters
    ----------
    X, codes, squares
        As in :func:`scan_lots`.
    known : ndarray of int64, shape (n_records, at least asked)
        The lists before anybody asked.
    asked : int
        Neighbours that are asked, and neighbours that each of them names.
    first, last : int
        Records that ask.
    near, squared : ndarray
        As in :func:`scan_lots`.
    """
    p, length = X.shape[1], near.shape[1]
    for i in range(first, last):
        for a in range(asked):
            friend = known[i, a]
            for b in range(asked):
                other = known[friend, b]
                if other == i:
                    continue
                d = 0.0
                for j in range(p):
                    difference = X[i, j] - X[other, j]
                    d += difference * difference
                for level in range(codes.shape[1]):
                    mine, theirs = codes[i, level], codes[other, level]
                    if mine != theirs:
                        d += squares[mine] + squares[theirs]
                if d < squared[i, length - 1]:
                    _insert(near, squared, i, other, d)
