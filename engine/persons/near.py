"""The nearest records of other persons: exact for small tables, nearly so for large."""

from __future__ import annotations

import numpy as np

from engine.core.context import RunContext
from engine.core.message import Message
from engine.core.typing import Integers, Values
from engine.kernels.persons.pool import near_persons
from engine.neighbours.splitting import split_evenly

EXACT = 10_000
"""Records up to which nearest others are looked for among all."""

LOT = 512
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
    n = X.shape[0]
    near = np.full((n, min(length, n - 1)), -1, dtype=np.int64)
    squared = np.full(near.shape, np.inf)
    order, borders = split_evenly(X, 1 if n <= EXACT else n // LOT)
    X, codes = np.ascontiguousarray(X[order]), codes[order]
    for low, high in zip(borders[:-1].tolist(), borders[1:].tolist(), strict=True):
        step = max(1, WORK // (high - low))
        for first in range(low, high, step):
            ctx.tick(first, n, STAGE)
            last = min(first + step, high)
            near_persons(X, codes, low, high, first, last, near, squared)
    found = np.empty_like(near)
    found[order] = np.where(near >= 0, order[near], -1)
    return found
