"""Each record's nearest others: exact for small tables, nearly so for large ones."""

from __future__ import annotations

import numpy as np

from engine.core.context import SILENT, RunContext
from engine.core.message import Message
from engine.core.typing import Integers, Values
from engine.kernels.coded import Coded
from engine.kernels.index.boxes import WIDTH
from engine.kernels.index.halving import split_in_halves
from engine.kernels.index.neighbours import ask_neighbours, scan_lots

EXACT = 4096
"""Tables of so many records are one lot, so that the lists are exact."""

WIDTHS = (320, 288, 256)
"""Records per lot of each split; different widths part different records."""

STRETCH = (2.0, 4.0, 8.0)
"""How much wider categories count in each split: near records mostly share them."""

ASKED = 5
"""Neighbours whose neighbours are looked at, and how many of theirs."""

WORK = 20_000_000
"""Pairs of records that one kernel call may measure: some 0.05 s between ticks."""

STAGE = Message("Nearest records")


def near_records(
    X: Values,
    length: int,
    ctx: RunContext = SILENT,
    records: Coded | None = None,
    places: int = 0,
) -> Integers:
    """Return the records nearest to each record.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
        C-contiguous, at least two records.
    length : int
        Records wanted for each, at most n_records - 1 are given.
    ctx : RunContext
    records : Coded, optional
        Where distances are measured, if not in X, which then only says where large
        tables are split.
    places : int
        The last so many columns of X are places of categories.

    Returns
    -------
    ndarray of int64, shape (n_records, length)
        Nearest first, without the record itself.

    Notes
    -----
    Up to :data:`EXACT` records the lists are exact, ties by the lowest record. Larger
    tables are split into lots by medians of the widest attribute, several times and
    each time along other directions; records of a lot know each other, and in the
    end each record asks its nearest for theirs. So time and memory are linear in n.
    On 100,000 records with ten independent attributes, the worst case, about seven of
    ten true neighbours are found; what takes the place of the others is hardly farther.
    """
    n = X.shape[0]
    numbers, codes, squares = Coded.of_numbers(X) if records is None else records
    length = min(length, n - 1)
    near = np.full((n, length), -1, dtype=np.int64)
    squared = np.full((n, length), np.inf)
    widths = (n,) if n <= EXACT else WIDTHS
    stack, apart = np.empty((64, 2), dtype=np.int64), np.empty(WIDTH)
    for turn, width in enumerate(widths):
        order = np.arange(n, dtype=np.int64)
        if n > EXACT:
            along = turned(X, turn)
            if places:
                along = along.copy()
                along[:, -places:] *= STRETCH[turn]
            split_in_halves(along, order, n, width, 1, stack)
        boxes, levels = -(-width // WIDTH), codes.shape[1]
        values = np.zeros((boxes, numbers.shape[1], WIDTH))
        marks = np.zeros((boxes, levels, WIDTH), dtype=np.int64)
        lengths = np.zeros((boxes, levels, WIDTH))
        step, lots = max(1, WORK // (width * width)), -(-n // width)
        for first in range(0, lots, step):
            ctx.tick(turn + first / lots, len(widths) + 1, STAGE)
            last = min(first + step, lots)
            scan_lots(
                numbers,
                codes,
                squares,
                order,
                width,
                first,
                last,
                near,
                squared,
                values,
                marks,
                lengths,
                apart,
            )
        ctx.note("distances", n * min(width, n))
    if n > EXACT:
        asked = min(ASKED, length)
        known = near[:, :asked].copy()
        step = WORK // (8 * asked * asked)  # far apart in memory
        for first in range(0, n, step):
            ctx.tick(len(widths) + first / n, len(widths) + 1, STAGE)
            last = min(first + step, n)
            ask_neighbours(
                numbers, codes, squares, known, asked, first, last, near, squared
            )
        ctx.note("distances", n * asked * asked)
    ctx.tick(1, 1, STAGE)
    return near


def turned(X: Values, turn: int) -> Values:
    """Return X with pairs of attributes turned by 45 degrees, other pairs each turn.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    turn : int
        0 leaves all as it is.
    """
    if turn == 0:
        return X
    p = X.shape[1]
    found = X.copy()
    along = np.roll(np.arange(p), turn - 1)
    for a, b in zip(along[::2], along[1::2], strict=False):
        found[:, a] = X[:, a] + X[:, b]
        found[:, b] = X[:, a] - X[:, b]
    return found
