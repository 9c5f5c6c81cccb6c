"""Pairs of records whose summed LB1 prices exceed their squared distance."""

from __future__ import annotations

import numpy as np

from engine.bounds.base import BOUND_STAGE, CentredRecords, map_parallel
from engine.core.context import SILENT, RunContext
from engine.core.typing import Integers, Values
from engine.kernels.bounds.excess import (
    list_overpriced_pairs_until_full,
    write_max_price_in_boxes,
)
from engine.kernels.index.leaves import FANOUT, LeafTree

MAX_UNCONDITIONAL_RECORDS = 20_000
"""Records whose pairs can be searched in any case."""

MAX_WORK = 2e10
"""Boxes and leaves, times attributes, that the search for pairs may measure."""

PRICE_SHARES = (1.0, 0.85, 0.7, 0.5, 0.35, 0.25, 0.15, 0.08, 0.04, 0.0)
"""By what prices are multiplied, the first with which the search keeps to `MAX_WORK`.

Tables of many records and many more attributes than ten have no near neighbours: there
no search is much faster than measuring all pairs, and lower prices prove less.
"""

_SAMPLED_LEAVES = 48
"""Leaves whose search tells how much work all will be."""

_RECORDS_PER_CALL = 2048
"""Records a call; keeps the cancel answer near 0.1 s."""


def safe_prices_and_overpriced_pairs(
    leaves: LeafTree, records: CentredRecords, price: Values, ctx: RunContext
) -> tuple[Values, Integers]:
    """Return prices, lowered if needed, and all pairs whose summed prices exceed d2.

    Parameters
    ----------
    records : CentredRecords
        In the order of the leaves.
    price : ndarray of float64, shape (n_records,)
        At least 0.

    Returns
    -------
    price : ndarray of float64, shape (n_records,)
        Those given, or a share of them.
    pairs : ndarray of int64, shape (n_pairs, 2)
        All pairs whose prices together exceed their d2; each once.
    """
    n, p = leaves.X.shape[0], leaves.values.shape[1]
    picked = np.unique(
        np.linspace(0, (n - 1) // FANOUT, _SAMPLED_LEAVES).astype(np.int64)
    )
    scale = n / min(n, FANOUT * picked.size)
    for share in PRICE_SHARES:
        search = _Search(leaves, records, share * price)
        work = 0
        for leaf in picked if n > MAX_UNCONDITIONAL_RECORDS else ():
            ctx.tick(0, 1, BOUND_STAGE)
            stop = min((leaf + 1) * FANOUT, n)
            pairs, more = search.find_pairs(leaf * FANOUT, stop, SILENT)
            work += more + len(pairs)
        if work * scale * p <= MAX_WORK:
            break
    parts = -(-n // (16 * _RECORDS_PER_CALL))

    def find(number: int, ctx: RunContext) -> Integers:
        return search.find_pairs(n * number // parts, n * (number + 1) // parts, ctx)[0]

    return search.price, np.concatenate(map_parallel(find, parts, ctx))


class _Search:
    """The search for pairs whose prices together exceed their d2.

    Parameters
    ----------
    leaves : LeafTree
    records : CentredRecords
        In the order of the leaves.
    price : ndarray of float64, shape (n_records,)
    """

    def __init__(
        self, leaves: LeafTree, records: CentredRecords, price: Values
    ) -> None:
        self.leaves, self.records, self.price = leaves, records, price
        one, two, three = (np.empty((len(low), FANOUT)) for low in leaves.low)
        write_max_price_in_boxes(price, one, two, three)
        self.highest = one, two, three

    def find_pairs(
        self, start: int, stop: int, ctx: RunContext
    ) -> tuple[Integers, int]:
        """Return the pairs of some records with later ones, and the work it was."""
        batches, work, first = [np.empty((0, 2), dtype=np.int64)], 0, start
        room = 8 * _RECORDS_PER_CALL
        pairs = np.empty((room, 2), dtype=np.int64)
        while first < stop:
            ctx.tick(first - start, stop - start, BOUND_STAGE)
            counts = np.zeros(2, dtype=np.int64)
            begin = first
            first = list_overpriced_pairs_until_full(
                self.leaves,
                self.price,
                self.highest[0],
                self.highest[1],
                self.highest[2],
                self.records.slack,
                self.records.relative,
                first,
                min(first + _RECORDS_PER_CALL, stop),
                pairs,
                counts,
            )
            if first == begin:
                pairs = np.empty((2 * len(pairs), 2), dtype=np.int64)
            batches.append(pairs[: counts[0]].copy())
            work += int(counts[1])
        return np.concatenate(batches), work
