"""Cell suppression: suppress cells of categories instead of whole records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.core.errors import InfeasibleError
from engine.core.message import Message, Topic, join_with_and
from engine.core.numerics.statistics import total_sum_of_squares
from engine.core.partition import members_by_group
from engine.core.typing import Integers, Values
from engine.data.persons import count_persons, renumber_persons
from engine.methods.base import make_method
from engine.persons import group_for_k_persons
from engine.persons.group import Knows
from engine.pipeline.grouping.suppress import (
    MAX_SWAP_SEARCH_RECORDS,
    SuppressedRecords,
    budget_as_count,
    sq_dist_to_group_means,
    suppress_outliers,
    suppression_bound,
)
from engine.pipeline.grouping.suppressible_records import Parts
from engine.points.base import Points

CELL_BUDGET_SHARES = (0.0, 0.5, 1.0)
"""Shares of the budget that are tried for cells; records get the rest."""


@dataclass(frozen=True, eq=False)
class SuppressionCandidate:
    """A group of records formed without one column, and the SSE saved per cell.

    Attributes
    ----------
    column : int
    part, stratum : int
        Where the group is.
    records : ndarray of int64
    gain : float
        SSE that each cell saves.
    """

    column: int
    part: int
    stratum: int
    records: Integers
    gain: float


def suppress_costliest_records_and_cells(
    points: Points,
    parts: Parts,
    k: int,
    budget: float,
    persons: Integers | None = None,
    intruder_knows: Knows = "one",
) -> tuple[Points, Parts, SuppressedRecords]:
    """Return points without costly cells, their strata, and what was suppressed.

    Parameters
    ----------
    parts : sequence of (columns, strata)
        As in :func:`engine.pipeline.grouping.suppress.suppress_outliers`.
    budget : float
        As in :func:`engine.pipeline.grouping.suppress.budget_as_count`; as many cells
        as there are quasi-identifiers count as much as one record.
    persons, intruder_knows
        As in :func:`engine.pipeline.grouping.suppress.suppress_outliers`.

    Returns
    -------
    points : Points
        All records, without these cells.
    parts : sequence of (columns, strata)
        Records that may share a group, as they lack the same cells.
    suppressed : SuppressedRecords
        The records, the cells, and a bound for every choice of either.

    Raises
    ------
    InfeasibleError
        If there are too many records, or too few are left.

    Notes
    -----
    A cell that is missing is a value like any other, by which a record can be told
    apart, so that a column is left out of all records of a group that is made without
    it: k holds as it always does. Groups come in the order of what each cell saves.
    The bound is the larger one of two that hold for every choice: that of all
    coordinates without the prices of every record that may be touched, and that of the
    numbers, of which no cell is left out, without those of the records of the budget.
    """
    n, count = points.n_records, budget_as_count(budget, points.n_records)
    if n > MAX_SWAP_SEARCH_RECORDS:
        raise InfeasibleError(
            "Cells can be left out of up to {most:,} records, but there are {n:,}: "
            "leave out records alone.",
            most=MAX_SWAP_SEARCH_RECORDS,
            n=n,
        )
    max_cells = count * points.n_attributes
    groups = _candidate_groups(points, parts, k, max_cells, persons)
    candidates = sorted(groups, key=lambda candidate: -candidate.gain)
    tried = []
    for share in CELL_BUDGET_SHARES:
        cells = _select_candidates(
            candidates, parts, k, int(share * max_cells), persons
        )
        if share and not cells:
            continue
        used = sum(candidate.records.size for candidate in cells)
        records = count - -(-used // points.n_attributes)
        some, within = _remove_cells(points, parts, cells)
        suppressed_records = suppress_outliers(
            some, within, k, float(records), persons, intruder_knows
        )
        loss = sum(_losses_of_kept(some, within, k, suppressed_records.kept, persons))
        tried.append(
            (
                loss,
                some,
                within,
                replace(suppressed_records, cells=_count_by_column(points, cells)),
            )
        )
    _, some, within, best = min(tried, key=lambda candidate: candidate[0])
    return some, within, replace(best, sse=_bound(points, parts, k, count))


def suppressed_cells_message(
    n_cells_by_column: dict[str, int], n_attributes: int
) -> Message:
    """Return the message on how many cells of which columns were left out."""
    return Message(
        "{count:,} cell of {columns} was left out in place of records, within the "
        "budget: {each} cells count as much as one record.",
        "{count:,} cells of {columns} were left out in place of records, within the "
        "budget: {each} cells count as much as one record.",
        count=sum(n_cells_by_column.values()),
        columns=join_with_and(list(n_cells_by_column), quoted=True),
        each=n_attributes,
    ).with_topic(Topic.SUPPRESSED)


def _candidate_groups(
    points: Points, parts: Parts, k: int, max_cells: int, persons: Integers | None
) -> Iterator[SuppressionCandidate]:
    """Yield groups made without a column, and the loss they would save.

    Groups of all records, and of those alone whose category costs most.
    """
    for p, (columns, strata) in enumerate(parts):
        part_points = points if len(parts) == 1 else points.select_attributes(columns)
        nominal = [
            at
            for at, j in enumerate(columns)
            if points.attributes[j].is_nominal and not points.missing[:, j].any()
        ]
        for s, records in enumerate(strata):
            some = part_points.subset(records)
            own_persons = None if persons is None else persons[records]
            labels = _group_points(some, k, own_persons)
            squared_distances = sq_dist_to_group_means(some.X, labels)
            for at in nominal:
                column_distances = sq_dist_to_group_means(
                    some.select_attributes([at]).X, labels
                )
                dear = np.argsort(-column_distances, kind="stable")[: max(max_cells, k)]
                rest = [each for each in range(len(columns)) if each != at]
                for among in (np.arange(records.size), np.sort(dear)):
                    for members, gain in _saving_groups(
                        some, among, rest, squared_distances, k, own_persons
                    ):
                        yield SuppressionCandidate(
                            columns[at], p, s, records[members], gain
                        )


def _saving_groups(
    points: Points,
    among: Integers,
    rest: list[int],
    apart: Values,
    k: int,
    persons: Integers | None,
) -> Iterator[tuple[Integers, float]]:
    """Yield groups of some records in the other columns, and the saving per cell."""
    labels, before = np.zeros(among.size, dtype=np.int64), apart[among]
    without = np.zeros(among.size)
    whose = None if persons is None else persons[among]
    if _count(among, persons) < k:
        return
    if rest:
        less = points.subset(among).select_attributes(rest)
        labels = _group_points(less, k, whose)
        without = sq_dist_to_group_means(less.X, labels)
    saved = np.bincount(labels, before - without)
    for group, members in enumerate(members_by_group(labels)):
        gain = float(saved[group]) / members.size
        if gain > 0.0:
            yield among[members], gain


def _group_points(points: Points, k: int, persons: Integers | None) -> Integers:
    """Return groups of k records, or with records of k persons, quickly made."""
    method = make_method("mdav", k, {}, 0)
    if persons is None:
        return method.partition(points).labels
    codes = renumber_persons(persons)
    return group_for_k_persons(points, codes, method, is_quick=True).partition.labels


def _count(records: Integers, persons: Integers | None) -> int:
    """Return how many records, or persons, some records are."""
    return records.size if persons is None else count_persons(persons[records])


def _select_candidates(
    candidates: Sequence[SuppressionCandidate],
    parts: Parts,
    k: int,
    max_cells: int,
    persons: Integers | None,
) -> list[SuppressionCandidate]:
    """Return the groups that save most per cell; each stratum keeps k or none.

    A record lacks one cell at most, so that all that lack the same are whole groups.
    """
    chosen_candidates, touched = list[SuppressionCandidate](), set[int]()
    records_by_stratum = {
        (p, s): records
        for p, (_, strata) in enumerate(parts)
        for s, records in enumerate(strata)
    }
    for candidate in candidates:
        home, size = (candidate.part, candidate.stratum), candidate.records.size
        stays = np.setdiff1d(records_by_stratum[home], candidate.records)
        few = stays.size > 0 and _count(stays, persons) < k
        if size > max_cells or few or touched & set(candidate.records.tolist()):
            continue
        chosen_candidates.append(candidate)
        touched |= set(candidate.records.tolist())
        records_by_stratum[home], max_cells = stays, max_cells - size
    return chosen_candidates


def _remove_cells(
    points: Points, parts: Parts, cells: Sequence[SuppressionCandidate]
) -> tuple[Points, Parts]:
    """Return points that lack these cells, and strata by missing cells."""
    if not cells:
        return points, parts
    missing, values = points.missing.copy(), points.values.copy()
    home = [np.full(points.n_records, -1, dtype=np.int64) for _ in parts]
    for candidate in cells:
        missing[candidate.records, candidate.column] = True
        values[candidate.records, candidate.column] = 0.0
        home[candidate.part][candidate.records] = candidate.column
    within = [
        (
            columns,
            [
                records[missing_columns[records] == column]
                for records in strata
                for column in np.unique(missing_columns[records]).tolist()
            ],
        )
        for (columns, strata), missing_columns in zip(parts, home, strict=True)
    ]
    X = points.space.coordinates(values, missing)
    values.flags.writeable = False
    return replace(points, X=X, values=values, missing=missing), within


def _losses_of_kept(
    points: Points, parts: Parts, k: int, rows: Integers, persons: Integers | None
) -> Iterator[float]:
    for columns, strata in parts:
        part_points = points if len(parts) == 1 else points.select_attributes(columns)
        for stratum in strata:
            kept_records = np.intersect1d(stratum, rows)
            some, whose = part_points.subset(kept_records), persons
            if persons is not None:
                whose = persons[kept_records]
            if some.n_records:
                for group in members_by_group(_group_points(some, k, whose)):
                    yield float(total_sum_of_squares(some.X[group]))


def _count_by_column(
    points: Points, cells: Sequence[SuppressionCandidate]
) -> dict[str, int]:
    """Return how many cells of each column are left out."""
    n_cells_by_column: dict[str, int] = {}
    for candidate in sorted(cells, key=lambda each: each.column):
        name = points.names[candidate.column]
        n_cells_by_column[name] = (
            n_cells_by_column.get(name, 0) + candidate.records.size
        )
    return n_cells_by_column


def _bound(points: Points, parts: Parts, k: int, count: int) -> float:
    """Return an SSE that no choice of records and cells stays below."""
    touched = min(points.n_records, count * points.n_attributes)
    whole = suppression_bound(points, parts, k, touched)
    numbers = [
        ([j for j in columns if not points.attributes[j].is_nominal], strata)
        for columns, strata in parts
    ]
    some = [(columns, strata) for columns, strata in numbers if columns]
    return max(whole, suppression_bound(points, some, k, count) if some else 0.0)
