"""The nearest records of other persons: exact for small tables, nearly so for large."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.core.context import RunContext
from engine.core.message import Message
from engine.core.typing import Integers, Values
from engine.kernels.persons.pool import near_persons
from engine.neighbours.splitting import kd_tree_order

EXACT = 10_000
"""Records up to which nearest others are looked for among all."""

LOT = 256
"""Records among which they are looked for in larger tables."""

WORK = 20_000_000
"""Pairs of records that one kernel call may measure: some 0.05 s between ticks."""

STAGE = Message("Nearest persons")


def near_others(X: Values, codes: Integers, length: int, ctx: RunContext) -> Integers:
    """Return, of the other persons nearest to each record, the nearest record.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_coordinates)
    codes : ndarray of int64, shape (n_records,)
        Persons, -1 of nobody.
    length : int
        Persons wanted for each.
    ctx : RunContext

    Returns
    -------
    ndarray of int64, shape (n_records, length)
        Nearest first, -1 where there are no more persons.
    """
    order, borders = kd_tree_order(X, lots_of(X.shape[0]))
    near = near_in_lots(
        np.ascontiguousarray(X[order]), codes[order], length, borders, ctx
    )
    found = np.empty(near.shape, dtype=np.int64)
    found[order] = np.where(near >= 0, order[near], -1)
    return found


def lots_of(n_records: int) -> int:
    """Return in how many lots nearest records are looked for."""
    return 1 if n_records <= EXACT else n_records // LOT


def near_in_lots(
    X: Values, codes: Integers, length: int, borders: Integers, ctx: RunContext
) -> NDArray[np.int32]:
    """Return the same of records whose lots stand one after another.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_coordinates)
    codes : ndarray of int64, shape (n_records,)
    length : int
    borders : ndarray of int64, shape (n_lots + 1,)
        Each lot is the records from one border to the next.
    ctx : RunContext
    """
    n = X.shape[0]
    near = np.full((n, min(length, n - 1)), -1, dtype=np.int32)
    widest = int(np.diff(borders).max())
    step = min(widest, max(1, WORK // widest))
    squared = np.empty((step, near.shape[1]))
    for low, high in zip(borders[:-1].tolist(), borders[1:].tolist(), strict=True):
        for first in range(low, high, step):
            ctx.tick(first, n, STAGE)
            last = min(first + step, high)
            near_persons(X, codes, low, high, first, last, near, squared)
    return near
