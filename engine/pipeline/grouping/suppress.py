"""Outlier suppression: leave out the records that cost most, within a budget."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from engine.bounds import LowerBound
from engine.bounds.base import CentredRecords
from engine.bounds.edge_cover import edge_cover_sse_and_prices
from engine.bounds.persons import (
    MAX_PERSONS_BOUND_RECORDS,
    PERSONS_KIND,
    sse_lower_bound_per_record,
)
from engine.core.errors import InfeasibleError
from engine.core.message import Message, Topic
from engine.core.numerics.statistics import (
    loss_percent,
    mean_by_group,
    total_sum_of_squares,
)
from engine.core.partition import group_per_record, members_by_group
from engine.core.typing import Integers, Values
from engine.data.persons import NOBODY, count_persons, renumber_persons
from engine.methods.base import make_method
from engine.persons import group_for_k_persons
from engine.persons.group import Knows
from engine.pipeline.grouping.suppressible_records import Parts, RemainingStratumCounts
from engine.points.base import Points

MAX_PRICED_RECORDS = 200_000
"""Records up to which there can be a budget for outliers."""

MAX_PRICE_ROUNDS = 4
"""Times that prices are worked out anew while records leave."""

MAX_SWAP_SEARCH_RECORDS = 20_000
"""Records up to which a search improves on the prices."""


@dataclass(frozen=True)
class SurplusRecords:
    """Counts of what is left out so that k persons have as many records.

    Attributes
    ----------
    records : int
    persons, whole_persons : int
        People of whom records are left out, and those left out with all of them.
    """

    records: int = 0
    persons: int = 0
    whole_persons: int = 0

    @property
    def to_message(self) -> Message:
        """Return how many records are left out and why, without naming them."""
        message = Message(
            "{count:,} record was left out, so that at least k people have each "
            "combination of values equally often.",
            "{count:,} records were left out, so that at least k people have each "
            "combination of values equally often.",
            count=self.records,
        )
        return _with_persons(message, self.persons, self.whole_persons)


NO_SURPLUS = SurplusRecords()


@dataclass(frozen=True, eq=False)
class SuppressedRecords:
    """Records kept after suppression, counts of what is gone, and a lower bound on SSE.

    Attributes
    ----------
    kept : ndarray of int64
        Records that stay, rising.
    count : int
        How many do not.
    sse : float
        No groups of at least k, without any `count` records, have a smaller SSE.
    cells : mapping of str to int
        Cells of categories that are left out in place of records, by column.
    kind : str
        Kind of the bound, as in :class:`engine.bounds.LowerBound`.
    persons, whole_persons : int
        People of whom records are left out, and those left out with all of them,
        where k counts persons.
    surplus : SurplusRecords
        Records that are left out beyond the budget. If there are any, `sse` is no bound
        for those that stay.
    """

    kept: Integers
    count: int
    sse: float
    cells: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    kind: str = "edge-cover"
    persons: int = 0
    whole_persons: int = 0
    surplus: SurplusRecords = NO_SURPLUS

    @property
    def to_message(self) -> Message:
        """Return how many records were suppressed and why, without naming them."""
        message = Message(
            "{count:,} record was left out, within the budget: to protect it would "
            "have cost the others most.",
            "{count:,} records were left out, within the budget: to protect them would "
            "have cost the others most.",
            count=self.count,
        )
        return _with_persons(message, self.persons, self.whole_persons)

    def lower_bound(self, points: Points) -> LowerBound:
        """Return the lower bound on the loss of the records that stay."""
        sse = self.sse
        if points.weights is not None:
            sse *= float(points.weights.min())
        return LowerBound(self.kind, sse, loss_percent(sse, points.sst))


def _with_persons(message: Message, n_persons: int, n_whole: int) -> Message:
    """Return what is said of records left out, with the people they are of, if any."""
    if n_persons:
        message = Message(
            "{said} They are records of {count:,} person; {whole:,} left with all "
            "records.",
            "{said} They are records of {count:,} people; {whole:,} left with all "
            "records.",
            said=message,
            count=n_persons,
            whole=n_whole,
        )
    return message.with_topic(Topic.SUPPRESSED)


NONE_SUPPRESSED = SuppressedRecords(np.empty(0, dtype=np.int64), 0, 0.0)
"""What is suppressed of records of which none may be; `kept` names none of them."""


def budget_as_count(budget: float, n_units: int) -> int:
    """Return a budget, a share below 1 or a count, as a count of records or persons."""
    return int(budget * n_units + 1e-9) if budget < 1.0 else int(budget)


def suppress_outliers(
    points: Points,
    parts: Parts,
    k: int,
    budget: float,
    persons: Integers | None = None,
    intruder_knows: Knows = "one",
    unit: str = "record",
) -> SuppressedRecords:
    """Return the records kept, and a bound, when costly records or persons leave.

    Parameters
    ----------
    parts : sequence of (columns, strata)
    budget : float
        As in :func:`budget_as_count`: of records, or of people.
    persons : ndarray of int64, shape (n_records,), optional
        Person of each record, -1 of nobody, where k counts persons.
    intruder_knows : {"one", "all"}
    unit : {"record", "person"}
        What is left out as a whole. Records of nobody stay where it is a person.

    Raises
    ------
    InfeasibleError
        If there are too many records, or too few are left.

    Notes
    -----
    Prices p that no group of at least k pays in full prove that no SSE is below their
    sum (LB1, or what records pay among those of k persons). A record that may stay
    alone, of which there are B at most, is a column and a row more in the programme: in
    its dual no price exceeds that of the budget, so that the sum without its B largest
    prices is a bound with budget; that of a person is the sum of their records'. What
    is dearest leaves first; a search then swaps records with others. Where an intruder
    knows all records of a person, what a record pays is weighed with what it loses in
    classes that are quickly made.
    """
    n = points.n_records
    units = np.arange(n) if persons is None or unit == "record" else persons
    n_units = count_persons(units)
    count = budget_as_count(budget, n_units)
    if n > MAX_PRICED_RECORDS:
        raise InfeasibleError(
            "A budget for outliers takes at most {most:,} records, and there are "
            "{n:,}: leave it out (--suppress).",
            n=n,
            most=MAX_PRICED_RECORDS,
        )
    if n_units - count < k:
        raise _too_few_left_error(budget, count, n_units, k, unit)
    everybody = np.arange(n, dtype=np.int64)
    bound, prices = _record_prices(points, parts, k, everybody)
    sse, kind = _bound_without_largest(bound, _sum_prices(prices, units), count), ""
    if persons is not None and n <= MAX_PERSONS_BOUND_RECORDS:
        charges = _charges(points, parts, k, everybody, persons)
        charged = float(charges.sum()) * (1.0 - 1e-12)
        charged = _bound_without_largest(charged, _sum_prices(charges, units), count)
        sse, kind = max((sse, kind), (charged, PERSONS_KIND))
    kept_records, rounds = everybody, min(MAX_PRICE_ROUNDS, max(1, count))
    remaining = RemainingStratumCounts(parts, n, k, persons, intruder_knows)
    for turn in range(rounds):
        if persons is not None and n <= MAX_PERSONS_BOUND_RECORDS:
            prices = _person_prices(
                points, parts, k, kept_records, persons, intruder_knows
            )
        elif turn:
            prices = _record_prices(points, parts, k, kept_records)[1]
        n_leaving = count * (turn + 1) // rounds - count * turn // rounds
        kept_records = _drop_dearest(kept_records, prices, units, remaining, n_leaving)
    whole = len(parts) == 1 and len(parts[0][1]) == 1
    if whole and persons is None and n <= MAX_SWAP_SEARCH_RECORDS:
        kept_records = _improve_by_swaps(points, kept_records, k)
    suppressed_records = SuppressedRecords(
        kept_records, n - kept_records.size, sse, kind=kind or "edge-cover"
    )
    if persons is None:
        return suppressed_records
    gone = np.setdiff1d(everybody, kept_records)
    return replace(
        suppressed_records,
        persons=count_persons(persons[gone]),
        whole_persons=count_persons(persons) - count_persons(persons[kept_records]),
    )


def _too_few_left_error(
    budget: float, count: int, n: int, k: int, by: str
) -> InfeasibleError:
    figures = {"budget": budget, "count": count, "n": n, "k": k}
    if by == "person":
        return InfeasibleError(
            "A budget of {budget:g} may leave out {count} of {n:,} people, so that "
            "fewer than k = {k} remain: choose a smaller budget (--suppress) or a "
            "smaller k.",
            **figures,
        )
    return InfeasibleError(
        "A budget of {budget:g} may leave out {count} of {n:,} records, so that fewer "
        "than k = {k} remain: choose a smaller budget (--suppress) or a smaller k.",
        **figures,
    )


def suppression_bound(points: Points, parts: Parts, k: int, n_suppressed: int) -> float:
    """Return a lower bound on the SSE, whichever `n_suppressed` records are left out.

    Parameters
    ----------
    parts : sequence of (columns, strata)
        Blocks of some columns, or of all, with their strata.
    k, n_suppressed : int
    """
    everybody = np.arange(points.n_records, dtype=np.int64)
    return _bound_without_largest(
        *_record_prices(points, parts, k, everybody), n_suppressed
    )


def _bound_without_largest(bound: float, prices: Values, count: int) -> float:
    largest = np.sort(np.maximum(prices, 0.0))[prices.size - count :]
    return max(0.0, bound - float(largest.sum()) * (1.0 + 1e-12))


def _record_prices(
    points: Points, parts: Parts, k: int, rows: Integers
) -> tuple[float, Values]:
    """Return LB1 of the kept records, and a price of every record; 0 for the others."""
    total, prices = 0.0, np.zeros(points.n_records)
    for some, X in _kept_in_strata(points, parts, rows):
        records = CentredRecords.from_array(X)
        if records.n >= k and records.sst > 0.0:
            bound, stratum_prices = edge_cover_sse_and_prices(records, k)
            prices[some] += stratum_prices
            total += bound
    return total, prices


def _kept_in_strata(
    points: Points, parts: Parts, rows: Integers
) -> Iterator[tuple[Integers, Values]]:
    """Yield the kept records of each stratum of each part, and their coordinates."""
    for columns, strata in parts:
        whole = list(columns) == list(range(points.n_attributes))
        part_points = points if whole else points.select_attributes(columns)
        for stratum in strata:
            some = np.intersect1d(stratum, rows)
            yield some, part_points.X[some]


def _sum_prices(prices: Values, units: Integers) -> Values:
    """Return what all records of each unit pay, shape (n_units,)."""
    has_unit = units != NOBODY
    return np.asarray(np.bincount(units[has_unit], prices[has_unit]), dtype=np.float64)


def _charges(
    points: Points, parts: Parts, k: int, rows: Integers, persons: Integers
) -> Values:
    """Return what each kept record pays at least among those of k persons."""
    charges = np.zeros(points.n_records)
    for some, X in _kept_in_strata(points, parts, rows):
        if count_persons(persons[some]) >= k:
            charges[some] += sse_lower_bound_per_record(X, persons[some], k)
    return charges


def _person_prices(
    points: Points,
    parts: Parts,
    k: int,
    rows: Integers,
    persons: Integers,
    intruder_knows: Knows,
) -> Values:
    """Return what is saved without each kept record, in proportion."""
    charges = _charges(points, parts, k, rows, persons)
    if intruder_knows == "one":
        return charges
    kept_points, codes = points.subset(rows), renumber_persons(persons[rows])
    groups = group_for_k_persons(
        kept_points,
        codes,
        make_method("mdav", k, {}, 0),
        intruder_knows,
        strata=group_per_record(parts[0][1], points.n_records)[rows],
        is_quick=True,
    )
    assert groups.classes is not None
    same = np.repeat(groups.constant, kept_points.space.widths)
    losses = np.zeros(rows.size)
    for columns, labels in ((same, groups.classes), (~same, groups.partition.labels)):
        if columns.any():
            losses += sq_dist_to_group_means(kept_points.X[:, columns], labels)
    charges[rows] = np.sqrt(charges[rows] * losses)
    return charges


def _drop_dearest(
    rows: Integers,
    prices: Values,
    units: Integers,
    remaining: RemainingStratumCounts,
    count: int,
) -> Integers:
    """Return the records without those of the dearest units that may leave."""
    unit_records = rows[units[rows] != NOBODY]
    order = unit_records[np.argsort(units[unit_records], kind="stable")]
    each, first = np.unique(units[order], return_index=True)
    members = np.split(order, first[1:])
    dear = np.argsort(-_sum_prices(prices, units)[each], kind="stable")
    gone = list[int]()
    for place in dear.tolist():
        if count == 0:
            break
        records = members[place].tolist()
        if remaining.take(records):
            gone += records
            count -= 1
    return np.setdiff1d(rows, np.array(gone, dtype=np.int64))


def sq_dist_to_group_means(X: Values, labels: Integers) -> Values:
    """Return each record's squared distance to its group's mean."""
    centres = mean_by_group(X, labels)
    return np.asarray(np.square(X - centres[labels]).sum(axis=1))


def _improve_by_swaps(points: Points, rows: Integers, k: int) -> Integers:
    """Swap suppressed records with others, as long as groups get better."""
    best = _mdav_loss(points, rows, k)[0]
    for _ in range(MAX_PRICE_ROUNDS):
        labels = _mdav_loss(points, rows, k)[1]
        changed = _swap_once(points.X, rows, labels)
        loss = _mdav_loss(points, changed, k)[0]
        if loss >= best:
            break
        best, rows = loss, changed
    return rows


def _mdav_loss(points: Points, rows: Integers, k: int) -> tuple[float, Integers]:
    """Return the SSE of MDAV's groups of some records, and these groups."""
    some = points.subset(rows)
    labels = make_method("mdav", k, {}, 0).partition(some).labels
    sse = sum(total_sum_of_squares(some.X[group]) for group in members_by_group(labels))
    return float(sse), labels


def _swap_once(X: Values, rows: Integers, labels: Integers) -> Integers:
    """Let each suppressed record take the place that saves most, if any does.

    In a group of s with the sum T, r in place of i changes SSE by
    |r|^2 - |i|^2 - (|T - i + r|^2 - |T|^2) / s.
    """
    inside = rows.copy()
    size = np.bincount(labels).astype(np.float64)
    total = np.column_stack([np.bincount(labels, x) for x in X[rows].T])
    squared = np.square(X).sum(axis=1)
    for r in np.setdiff1d(np.arange(len(X)), rows).tolist():
        sums = total[labels]
        after = np.square(sums - X[inside] + X[r]).sum(axis=1)
        change = squared[r] - squared[inside]
        change -= (after - np.square(sums).sum(axis=1)) / size[labels]
        i = int(np.argmin(change))
        if change[i] < -1e-12 * float(squared.sum()):
            total[labels[i]] += X[r] - X[inside[i]]
            inside[i] = r
    return np.sort(inside)
