"""Records whose values the releases of a table, taken together, reveal or narrow.

Ganta, Kasiviswanathan and Smith 2008, doi:10.1145/1401890.1401926.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.analysis.composition.candidates import count_candidates, sole_holder_mask
from engine.analysis.composition.determined_unknowns import determined_record_mask
from engine.analysis.composition.intervals import (
    SumConstraints,
    narrow_mask_and_exactness,
    sum_constraints_from_means,
    tighten_bounds_by_sums,
)
from engine.analysis.composition.statements import (
    ColumnStatement,
    OriginalColumn,
    encode_original_columns,
    release_statements,
)
from engine.analysis.releases.attacked_release import ReleaseWithOrigins
from engine.core.message import Message
from engine.core.typing import Booleans, Integers
from engine.data.persons import count_persons
from engine.data.table import Table

DISCLOSURE_WIDTH = 0.2
"""Width of an interval that is as good as the value, in standard deviations."""


@dataclass(frozen=True, eq=False)
class CompositionResult:
    """Masks and counts of records whose values releases together reveal or narrow.

    Attributes
    ----------
    names : tuple of str
        Of the releases.
    recovered : ndarray of bool, shape (n_records,)
        A value of the record follows exactly: from sums, or as the only one that is
        in all ranges, or as the only record that can have a released value.
    bounded : ndarray of bool, shape (n_records,)
        Not recovered, but all releases together bring a number as near as
        :data:`DISCLOSURE_WIDTH`, or leave fewer categories, where each alone does not.
    columns : mapping of str to int
        Records that are recovered in each column.
    pairs : mapping of (int, int) to int
        Records that two releases alone recover.
    exact : bool
        False where too much is unknown for linear programmes, so that more records
        may be bounded than said.
    people : tuple of int or None
        People with a record that is recovered, and others with one that is bounded;
        None where every record is of another person.
    """

    names: tuple[str, ...]
    recovered: Booleans
    bounded: Booleans
    columns: Mapping[str, int]
    pairs: Mapping[tuple[int, int], int]
    exact: bool
    people: tuple[int, int] | None = None

    @property
    def safe_records(self) -> Booleans:
        """Mask of the records that are neither recovered nor bounded."""
        return ~(self.recovered | self.bounded)

    @property
    def to_message(self) -> Message:
        """The result as a sentence."""
        n = self.recovered.size
        if not self.recovered.any() and not self.bounded.any():
            return Message(
                "The release says no more of any of {n:,} records than it does alone.",
                "Together, {count} releases say no more of any of {n:,} records than "
                "each does alone.",
                count=len(self.names),
                n=n,
            )
        sentence = Message(
            "The release gives back values of {recovered:,} of {n:,} records exactly, "
            "and brings {bounded:,} more within a tenth of a standard deviation or to "
            "fewer categories.",
            "Together, {count} releases give back values of {recovered:,} of {n:,} "
            "records exactly, and bring {bounded:,} more within a tenth of a standard "
            "deviation or to fewer categories.",
            count=len(self.names),
            recovered=int(self.recovered.sum()),
            n=n,
            bounded=int(self.bounded.sum()),
        )
        if self.people is None:
            return sentence
        return Message(
            "{said} These are of {first:,}, and of {second:,} other, people.",
            said=sentence,
            first=self.people[0],
            second=self.people[1],
        )

    def summary(self) -> dict[str, Any]:
        """Return the figures as plain values, ready for JSON."""
        people = {}
        if self.people is not None:
            recovered, bounded = self.people
            people = {"people_recovered": recovered, "people_bounded": bounded}
        return {
            "releases": len(self.names),
            **people,
            "recovered": int(self.recovered.sum()),
            "bounded": int(self.bounded.sum()),
            "safe": int(self.safe_records.sum()),
            "exact": self.exact,
            "columns": dict(self.columns),
            "pairs": [
                {"releases": [self.names[a], self.names[b]], "recovered": count}
                for (a, b), count in self.pairs.items()
            ],
            "sentence": self.to_message,
        }


def find_jointly_revealed_records(
    original: Table,
    releases: Sequence[ReleaseWithOrigins],
    columns: Sequence[str],
    persons: Integers | None = None,
) -> CompositionResult:
    """Return which records' values the releases together reveal or narrow down.

    Parameters
    ----------
    releases : sequence of ReleaseWithOrigins
    columns : sequence of str
        The quasi-identifiers.
    persons : ndarray of int64, shape (n_records,), optional
        Who each record of the original is about, -1 of nobody: what follows of all
        records of a person together follows of that person.

    Raises
    ------
    Cancelled
    """
    truths = encode_original_columns(original, columns)
    claims = [release_statements(each, truths, original) for each in releases]
    solver = _Solver(persons)
    n, everything = original.n_records, range(len(releases))
    recovered = np.zeros((len(truths), n), dtype=np.bool_)
    exact = True
    for j, truth in enumerate(truths):
        recovered[j] = solver.recovered_records(truth, [each[j] for each in claims])
    fallen: Booleans = np.asarray(recovered.any(axis=0))
    bounded = fallen.copy()
    for j, truth in enumerate(truths):
        # Whoever is open in one column is not asked about in another.
        column_claims = [each[j] for each in claims]
        near, all_seen = _bounded_records(truth, column_claims, bounded, recovered[j])
        bounded, exact = bounded | near, exact and all_seen
    pairs = {}
    for a, b in itertools.combinations(everything, 2):
        both = np.zeros(n, dtype=np.bool_)
        for j, truth in enumerate(truths):
            both |= solver.recovered_records(truth, [claims[a][j], claims[b][j]])
        pairs[a, b] = int(both.sum())
    return CompositionResult(
        names=tuple(each.name for each in releases),
        recovered=fallen,
        bounded=bounded & ~fallen,
        columns={
            truth.name: int(some.sum())
            for truth, some in zip(truths, recovered, strict=True)
        },
        pairs=pairs,
        exact=exact,
        people=None if persons is None else _count_people(persons, fallen, bounded),
    )


def _count_people(
    persons: Integers, fallen: Booleans, bounded: Booleans
) -> tuple[int, int]:
    """Return of how many people records are recovered, and bounded of others."""
    both = count_persons(persons[fallen | bounded])
    return count_persons(persons[fallen]), both - count_persons(persons[fallen])


class _Solver:
    """Solves each set of groups once: most columns share them."""

    def __init__(self, persons: Integers | None) -> None:
        self._known: dict[bytes, Booleans] = {}
        self._persons = persons

    def recovered_records(
        self, truth: OriginalColumn, statements: Sequence[ColumnStatement]
    ) -> Booleans:
        """Return which records' values in a column follow exactly."""
        is_known = np.zeros(truth.values.size, dtype=np.bool_)
        sums = _statements_of("sum", statements)
        if sums:
            is_known |= self._determined(np.array([claim.groups for claim in sums]))
        ranges = _statements_of("range", statements)
        if len(ranges) > 1:
            sizes = np.array([count_candidates(truth, [claim]) for claim in ranges])
            is_known |= (count_candidates(truth, ranges) == 1) & (sizes > 1).all(axis=0)
        members = _statements_of("member", statements)
        if members:
            is_known |= sole_holder_mask(truth, members)
        return is_known

    def _determined(self, groups: Integers) -> Booleans:
        key = groups.tobytes()
        if key not in self._known:
            self._known[key] = determined_record_mask(groups, self._persons)
        return self._known[key]


def _statements_of(
    meaning: str, statements: Sequence[ColumnStatement]
) -> list[ColumnStatement]:
    return [statement for statement in statements if statement.meaning == meaning]


def _bounded_records(
    truth: OriginalColumn,
    statements: Sequence[ColumnStatement],
    open_: Booleans,
    recovered: Booleans,
) -> tuple[Booleans, bool]:
    """Return records bounded more narrowly by all releases than by each.

    Everybody is taken to know the smallest and the largest value of a column.
    """
    is_bounded = np.zeros(truth.values.size, dtype=np.bool_)
    ranges, sums = (
        _statements_of("range", statements),
        _statements_of("sum", statements),
    )
    if len(ranges) > 1:
        counts = np.array([count_candidates(truth, [claim]) for claim in ranges])
        is_bounded |= count_candidates(truth, ranges) < counts.min(axis=0)
    if len(sums) < 2 or truth.standard_deviation == 0.0:
        return is_bounded & ~open_, True
    width = DISCLOSURE_WIDTH * truth.standard_deviation
    has_value = ~np.isnan(truth.values)
    low = np.full(has_value.size, truth.values[has_value].min())
    high = np.full(has_value.size, truth.values[has_value].max())
    single = np.zeros(has_value.size, dtype=np.bool_)
    for claim in sums:
        ends = tighten_bounds_by_sums(_combined_sums([claim]), low, high, 1)
        single |= ends[1] - ends[0] <= width
    ask = has_value & ~open_ & ~single
    # What follows from the sums is known, and says more of the rest.
    low[recovered] = high[recovered] = truth.values[recovered]
    near, exact = narrow_mask_and_exactness(_combined_sums(sums), low, high, ask, width)
    return (is_bounded | near) & ~open_, exact


def _combined_sums(statements: Sequence[ColumnStatement]) -> SumConstraints:
    return sum_constraints_from_means(
        np.array([statement.groups for statement in statements]),
        np.array([statement.values for statement in statements]),
        np.array([statement.half for statement in statements]),
    )
