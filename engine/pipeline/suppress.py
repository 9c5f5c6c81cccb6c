"""Outlier suppression: leave out costly records, within a budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from engine.bounds import LowerBound
from engine.bounds.base import CentredRecords
from engine.bounds.edge_cover import edge_cover_prices
from engine.core.errors import InfeasibleError
from engine.core.message import Message, Topic
from engine.core.partition import members_by_group
from engine.core.statistics import loss_percent, total_sum_of_squares
from engine.core.typing import Integers, Values
from engine.methods.base import make_method
from engine.points.base import Points

MAX_PRICED_RECORDS = 200_000
"""Records whose prices are worked out, at most."""

MAX_PRICE_ROUNDS = 4
"""Times that prices are worked out anew while records leave."""

MAX_SWAP_SEARCH_RECORDS = 20_000
"""Records up to which a search improves on the prices."""


Parts = Sequence[tuple[Sequence[int], Sequence[Integers]]]
"""Attributes that are grouped together, and the records that may share a group."""


@dataclass(frozen=True, eq=False)
class SuppressedRecords:
    """Records that are left out, and a bound for any choice of as many.

    Attributes
    ----------
    kept : ndarray of int64
        CentredRecords that stay, rising.
    count : int
        How many do not.
    sse : float
        No groups of at least k, without any `count` records, have a smaller SSE.
    cells : mapping of str to int
        Cells of categories that are left out in place of records, by column.
    """

    kept: Integers
    count: int
    sse: float
    cells: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def to_message(self) -> Message:
        """Return how many records were left out, and why; never which."""
        return Message(
            "{count:,} record was left out, within the budget: to protect it would "
            "have cost the others most.",
            "{count:,} records were left out, within the budget: to protect them would "
            "have cost the others most.",
            count=self.count,
        ).with_topic(Topic.SUPPRESSED)

    def lower_bound(self, points: Points) -> LowerBound:
        """Return the bound for the records that stay."""
        sse = self.sse
        if points.weights is not None:
            sse *= float(points.weights.min())
        return LowerBound("edge-cover", sse, loss_percent(sse, points.sst))


def resolve_budget(budget: float, n_records: int) -> int:
    """Return how many records a budget is: a share below 1, or a count."""
    return int(budget * n_records + 1e-9) if budget < 1.0 else int(budget)


def suppress_outliers(
    points: Points, parts: Parts, k: int, budget: float
) -> SuppressedRecords:
    """Choose records to be left out.

    Parameters
    ----------
    points : Points
    parts : sequence of (columns, strata)
    k : int
    budget : float
        As in :func:`resolve_budget`.

    Raises
    ------
    InfeasibleError
        If there are too many records, or too few are left.

    Notes
    -----
    Prices p that no group of at least k pays in full prove that no SSE is below their
    sum (LB1). A record that may stay alone, of which there are B at most, is a column
    and a row more in the programme: in its dual no price exceeds that of the budget, so
    that the sum without its B largest prices is a bound with budget. These records are
    the ones to leave out first; a search then swaps them with others.
    """
    n = points.n_records
    count = resolve_budget(budget, n)
    if n > MAX_PRICED_RECORDS or n - count < k:
        raise InfeasibleError(
            "A budget of {budget:g} cannot be had with {n:,} records: it takes at most "
            "{most:,}, of which k = {k} have to be left.",
            budget=budget,
            n=n,
            most=MAX_PRICED_RECORDS,
            k=k,
        )
    everybody = np.arange(n, dtype=np.int64)
    bound, prices = _record_prices(points, parts, k, everybody)
    sse = _bound_without_largest(bound, prices, count)
    kept = everybody
    for turn in range(min(MAX_PRICE_ROUNDS, max(1, count))):
        if turn:
            prices = _record_prices(points, parts, k, kept)[1]
        goal = n - (count * (turn + 1)) // min(MAX_PRICE_ROUNDS, max(1, count))
        kept = _drop_dearest(kept, prices, parts, k, kept.size - goal)
    if len(parts) == 1 and len(parts[0][1]) == 1 and n <= MAX_SWAP_SEARCH_RECORDS:
        kept = _improve_by_swaps(points, kept, k)
    return SuppressedRecords(kept, n - kept.size, sse)


def suppression_bound(points: Points, parts: Parts, k: int, count: int) -> float:
    """Return a lower bound on the loss if the `count` dearest records cost nothing.

    Parameters
    ----------
    points : Points
    parts : sequence of (columns, strata)
        Of some columns, or of all.
    k, count : int
    """
    everybody = np.arange(points.n_records, dtype=np.int64)
    return _bound_without_largest(*_record_prices(points, parts, k, everybody), count)


def _bound_without_largest(bound: float, prices: Values, count: int) -> float:
    largest = np.sort(np.maximum(prices, 0.0))[prices.size - count :]
    return max(0.0, bound - float(largest.sum()) * (1.0 + 1e-12))


def _record_prices(
    points: Points,
    parts: Parts,
    k: int,
    kept: Integers,
) -> tuple[float, Values]:
    """Return LB1 of some records, and the price of each of all."""
    total, prices = 0.0, np.zeros(points.n_records)
    for columns, strata in parts:
        whole = list(columns) == list(range(points.n_attributes))
        mine = points if whole else points.select_attributes(columns)
        for stratum in strata:
            some = np.intersect1d(stratum, kept)
            records = CentredRecords.from_array(mine.X[some])
            if records.n >= k and records.sst > 0.0:
                bound, found = edge_cover_prices(records, k)
                prices[some] += found
                total += bound
    return total, prices


def _drop_dearest(
    kept: Integers,
    prices: Values,
    parts: Parts,
    k: int,
    count: int,
) -> Integers:
    """Return the records without the dearest; each stratum keeps at least k."""
    homes, left = list[Integers](), list[Integers]()
    for _columns, strata in parts:
        home = np.full(prices.size, -1, dtype=np.int64)
        for number, records in enumerate(strata):
            home[records] = number
        homes.append(home)
        left.append(np.bincount(home[kept], minlength=len(strata)))
    gone = list[int]()
    for record in kept[np.argsort(-prices[kept], kind="stable")].tolist():
        if len(gone) == count:
            break
        pairs = list(zip(left, homes, strict=True))
        if all(sizes[home[record]] > k for sizes, home in pairs):
            for sizes, home in pairs:
                sizes[home[record]] -= 1
            gone.append(record)
    return np.setdiff1d(kept, np.array(gone, dtype=np.int64))


def _improve_by_swaps(points: Points, kept: Integers, k: int) -> Integers:
    """Swap suppressed records with others, as long as groups get better."""
    best = _mdav_loss(points, kept, k)[0]
    for _ in range(MAX_PRICE_ROUNDS):
        labels = _mdav_loss(points, kept, k)[1]
        changed = _swap_once(points.X, kept, labels)
        loss = _mdav_loss(points, changed, k)[0]
        if loss >= best:
            break
        best, kept = loss, changed
    return kept


def _mdav_loss(points: Points, kept: Integers, k: int) -> tuple[float, Integers]:
    """Return the SSE of MDAV's groups of some records, and these groups."""
    some = points.subset(kept)
    labels = make_method("mdav", k, {}, 0).partition(some).labels
    sse = sum(total_sum_of_squares(some.X[group]) for group in members_by_group(labels))
    return float(sse), labels


def _swap_once(X: Values, kept: Integers, labels: Integers) -> Integers:
    """Let each suppressed record take the place that saves most, if any does.

    In a group of s with the sum T, r in place of i changes SSE by
    |r|^2 - |i|^2 - (|T - i + r|^2 - |T|^2) / s.
    """
    inside = kept.copy()
    size = np.bincount(labels).astype(np.float64)
    total = np.column_stack([np.bincount(labels, x) for x in X[kept].T])
    squared = np.square(X).sum(axis=1)
    for r in np.setdiff1d(np.arange(len(X)), kept).tolist():
        sums = total[labels]
        after = np.square(sums - X[inside] + X[r]).sum(axis=1)
        change = squared[r] - squared[inside]
        change -= (after - np.square(sums).sum(axis=1)) / size[labels]
        i = int(np.argmin(change))
        if change[i] < -1e-12 * float(squared.sum()):
            total[labels[i]] += X[r] - X[inside[i]]
            inside[i] = r
    return np.sort(inside)
