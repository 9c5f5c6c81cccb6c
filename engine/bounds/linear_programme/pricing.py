"""Pricing problem: search for groups of largest gain, and the bound that they leave."""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from engine.bounds.base import BOUND_STAGE, EPS, CentredRecords
from engine.bounds.linear_programme.cuts import PricedCuts
from engine.core.context import SILENT, RunContext
from engine.core.message import Message
from engine.core.parallel import max_run_threads
from engine.core.typing import Integers, Values
from engine.kernels.bounds.prices import (
    DistancesAndNeighbours,
    KernelPrices,
    LargestGainGroups,
    make_pricing_scratch,
)
from engine.kernels.bounds.pricing import find_groups_of_largest_gain

T = TypeVar("T")

_ANCHORS_PER_CALL = 48
"""Anchors a call: short enough for the cancel answer, long enough for the threads."""

_DISTANCE_ROWS = 64
"""Rows of the distance matrix at once."""


NO_CUTS = PricedCuts((), np.empty(0))


@dataclass(frozen=True, eq=False)
class PricedGroups:
    """Groups of one size, their gains (negative reduced costs), and bounds per anchor.

    Attributes
    ----------
    groups : ndarray of int64, shape (n_groups, s)
    gains : ndarray of float64, shape (n_groups,)
    highest : ndarray of float64, shape (n_records,)
        For each record a number that no group it is the anchor of exceeds in gain;
        infinity where the search was ended before.
    complete : bool
        Whether the search left nothing open: then these are all groups that gain more
        than was asked, up to the number kept for each anchor.
    """

    groups: Integers
    gains: Values
    highest: Values
    complete: bool = True


class Pricer:
    """Search for the groups of largest gain at given prices (pricing problem).

    Parameters
    ----------
    records : CentredRecords
    k : int
        Minimum group size.
    ctx : RunContext
    """

    def __init__(
        self, records: CentredRecords, k: int, ctx: RunContext = SILENT
    ) -> None:
        n, p = records.X.shape
        length = min(n - 1, max(64, 8 * k))
        squared, order = np.empty((n, n)), np.empty((n, length), dtype=np.int64)
        for start, stop in ctx.iterate_ranges(n, _DISTANCE_ROWS, BOUND_STAGE):
            rows = np.arange(start, stop)
            total = np.zeros((rows.size, n))
            for j in range(p):
                column = records.X[:, j]
                total += np.square(column[rows, None] - column)
            squared[rows] = records.lower_sq_distances(total)
            others = squared[rows]
            others[rows - start, rows] = np.inf
            nearest = np.argpartition(others, length - 1, axis=1)[:, :length]
            nearest.sort(axis=1)
            by_distance = np.argsort(
                np.take_along_axis(others, nearest, axis=1), axis=1, kind="stable"
            )
            order[rows] = np.take_along_axis(nearest, by_distance, axis=1)
        self.k = k
        self.near = DistancesAndNeighbours(squared, order)

    def half_neighbour_sums(self, s: int) -> Values:
        """Return half of each record's d2 share to its s - 2 nearest, (n_records,)."""
        squared, order = self.near
        nearest = np.take_along_axis(squared, order[:, : max(0, s - 2)], axis=1)
        return np.asarray(0.5 / s * (1.0 - 4 * s * EPS) * nearest.sum(axis=1))

    def price_groups(
        self,
        prices: Values,
        group_size: int,
        min_gain: float,
        keep_per_anchor: int,
        max_branches: int,
        cuts: PricedCuts = NO_CUTS,
        capacity: int = 0,
        ctx: RunContext = SILENT,
        anchors: Integers | None = None,
    ) -> PricedGroups:
        """Return the groups of `group_size` records with the largest gain per anchor.

        Parameters
        ----------
        prices : ndarray of float64, shape (n_records,)
        group_size : int
        min_gain : float
            Groups that gain no more are left out.
        keep_per_anchor : int
            Groups for each anchor.
        max_branches : int
            Branches looked at for each anchor.
        cuts : PricedCuts
        capacity : int
            Groups in all beyond which the search ends; 0 for no limit.
        ctx : RunContext
            May end the search with what it has (``enough``).
        anchors : ndarray of int64, optional
            Anchors whose groups are looked for; all records unless given.
        """
        n, cuts = prices.size, cuts.with_positive_price
        by_price = np.lexsort((np.arange(n), -prices))
        rank = np.empty(n, dtype=np.int64)
        rank[by_price] = np.arange(n)
        owner = np.repeat(np.arange(len(cuts.sets)), np.diff(cuts.offsets))
        used = np.bincount(cuts.records, minlength=n)
        inner = KernelPrices(
            price=prices,
            rank=rank,
            half=self.half_neighbour_sums(group_size),
            cut=cuts.records,
            start=cuts.offsets,
            divisor=cuts.divisors,
            cut_price=cuts.prices,
            heaviest=cuts.max_multiplicity,
            first=np.concatenate([[0], np.cumsum(used)]).astype(np.int64),
            at=owner[np.argsort(cuts.records, kind="stable")].astype(np.int64),
        )
        highest = np.full(n, np.inf)
        queue = by_price if anchors is None else by_price[np.isin(by_price, anchors)]
        turns = -(-queue.size // _ANCHORS_PER_CALL)
        room = capacity or keep_per_anchor * _ANCHORS_PER_CALL
        over, counts = threading.Event(), [0] * turns
        if ctx.enough():
            over.set()

        def work(turn: int) -> tuple[Integers, Values, bool]:
            buffers = LargestGainGroups(
                np.empty((room, group_size), dtype=np.int64),
                np.empty(room),
                highest,
                np.zeros(2, dtype=np.int64),
            )
            chunk = queue[turn::turns].astype(np.int64)
            scratch = make_pricing_scratch(n, len(cuts.prices), group_size)
            groups, gains, first = [buffers.groups[:0]], [buffers.gains[:0]], 0
            left_open = 0
            while first < chunk.size and not over.is_set():
                first, count = find_groups_of_largest_gain(
                    self.near,
                    inner,
                    chunk,
                    group_size,
                    min_gain,
                    keep_per_anchor,
                    max_branches,
                    scratch,
                    buffers,
                    first,
                )
                if count < 0:
                    over.set()
                    return buffers.groups[:0], buffers.gains[:0], False
                left_open += int(buffers.nodes[1])
                groups.append(buffers.groups[:count].copy())
                gains.append(buffers.gains[:count].copy())
                counts[turn] += count
                if sum(counts) > capacity > 0:
                    over.set()
            complete = left_open == 0 and first == chunk.size
            return np.concatenate(groups), np.concatenate(gains), complete

        with ThreadPoolExecutor(max_workers=max_run_threads()) as threads:
            tasks = [threads.submit(work, turn) for turn in range(turns)]
            try:
                answers = [
                    _wait(task, turn / turns, ctx, over)
                    for turn, task in enumerate(tasks)
                ]
            finally:
                over.set()
        groups, gains, complete = zip(*answers, strict=True)
        return PricedGroups(
            np.concatenate(groups), np.concatenate(gains), highest, all(complete)
        )


def _wait(task: Future[T], share: float, ctx: RunContext, over: threading.Event) -> T:
    """Return what a task in another thread gives; answer a cancel meanwhile."""
    while True:
        ctx.tick(share, 1.0, Message("Pricing groups"))
        if ctx.enough():
            over.set()
        try:
            return task.result(timeout=0.1)
        except TimeoutError:
            continue


def safe_dual_bound(
    prices: Values, cuts: PricedCuts, max_gain_per_anchor: Values, max_group_size: int
) -> float:
    """Return the lower bound on the SSE that dual prices prove, minus rounding errors.

    Every group of a partition has its own anchor and costs at least its prices less
    what its anchor can gain; a partition pays cuts no more than
    :attr:`PricedCuts.total_price`.

    Parameters
    ----------
    prices : ndarray of float64, shape (n_records,)
    cuts : PricedCuts
    max_gain_per_anchor : ndarray of float64, shape (n_records,)
        For each anchor a number that no group exceeds in gain, at least 0.
    max_group_size : int
        Largest group size that was priced.

    Notes
    -----
    Where no cuts are priced, groups of exactly k suffice: a group G of s > k records
    costs more than its subsets H of k records with weights w = 1 / C(s-1, k-1) each,
    which hold each record once in all, and the weights of those with the same anchor
    add up to at most 1.

    In a group that gains, no price exceeds the anchor's, and prices below 0, shares
    of d2 and cuts together stay below s times the anchor's; hence the slack.
    """
    paid = np.maximum(prices, 0.0)
    slack = (
        EPS
        * (max_group_size * max_group_size + 8.0 * max_group_size + 32.0)
        * 16.0
        * max_group_size
        * float(paid.sum())
    )
    slack += EPS * prices.size * (float(np.abs(prices).sum()) + cuts.total_price)
    total = prices.sum() - cuts.total_price - max_gain_per_anchor.sum()
    return float(total) - slack
