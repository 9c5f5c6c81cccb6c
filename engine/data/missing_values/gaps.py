"""Gaps to fill, as fewer than k records or persons share them; effects of policies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from engine.core.partition import members_by_group
from engine.core.typing import Booleans, Integers
from engine.data.kinds import MissingPolicy
from engine.data.persons import (
    NOBODY,
    class_set_per_person,
    count_persons,
    persons_per_class,
    renumber_persons,
)

MAX_PATTERNS = 1000
"""Patterns that a rare one may join: those that most records have."""


@dataclass(frozen=True, eq=False)
class SharedGapConditions:
    """Conditions under which records with the same gaps may share a group.

    Attributes
    ----------
    k : int
        Records, or persons, that a group has at least.
    blocks : tuple of tuple of int
        Attributes that are grouped together.
    strata : callable
        Takes rows of the table, shape (n_records,), and returns a number per record:
        those with different ones are in different groups.
    persons : callable
        Takes rows likewise, and returns the person of each record where k counts
        persons, otherwise None.
    knows_all : bool
        Whether an intruder knows all records of a person: then the set of a person's
        gaps has to be that of k persons.
    """

    k: int
    blocks: tuple[tuple[int, ...], ...]
    strata: Callable[[Integers], Integers]
    persons: Callable[[Integers], Integers | None] = lambda rows: None
    knows_all: bool = False

    def suffice(self, rows: Integers) -> bool:
        """Return whether the given rows have enough records or persons for a group."""
        persons = self.persons(rows)
        return (rows.size if persons is None else count_persons(persons)) >= self.k


@dataclass(frozen=True)
class MissingPolicyEffect:
    """Effect of a missing-value policy: records that stay, gaps filled and gaps left.

    Attributes
    ----------
    records : int
        Records that remain.
    filled, kept : int
        Gaps that are filled, and that stay.
    possible : bool
        Whether enough records remain, and enough lack the same where gaps stay.
    """

    records: int
    filled: int
    kept: int
    possible: bool


def effects_by_policy(
    is_missing: Booleans, gap_conditions: SharedGapConditions
) -> Mapping[MissingPolicy, MissingPolicyEffect]:
    """Return the effect of each policy but `refuse` if applied to all missing values.

    Parameters
    ----------
    is_missing : ndarray of bool, shape (n_records, n_attributes)
        Cells that lack a value.
    gap_conditions : SharedGapConditions
    """
    n, rows = len(is_missing), np.arange(len(is_missing), dtype=np.int64)
    gaps, whole = int(is_missing.sum()), np.flatnonzero(~is_missing.any(axis=1))
    enough = gap_conditions.suffice(rows)
    rare = int(
        gaps_to_fill_mask(
            is_missing, range(is_missing.shape[1]), gap_conditions, rows
        ).sum()
    )
    filled = MissingPolicyEffect(n, gaps, 0, enough)
    return MappingProxyType(
        {
            "keep-or-fill": MissingPolicyEffect(n, rare, gaps - rare, enough),
            "drop": MissingPolicyEffect(
                whole.size, 0, 0, gap_conditions.suffice(whole)
            ),
            "median": filled,
            "mode": filled,
            "keep": MissingPolicyEffect(n, 0, gaps, rare == 0),
        }
    )


def gaps_to_fill_mask(
    is_missing: Booleans,
    fillable_attributes: Sequence[int],
    gap_conditions: SharedGapConditions,
    rows: Integers,
) -> Booleans:
    """Return a bool mask of missing cells to fill, to join rare patterns of gaps.

    In each stratum and block, a rare pattern and another one become what they have in
    common, the other one being that which costs the fewest gaps; the patterns with most
    gaps come first, and it goes on until none is rare.

    Parameters
    ----------
    is_missing : ndarray of bool, shape (n_records, n_attributes)
        Cells that lack a value.
    fillable_attributes : sequence of int
        Attributes whose gaps may be filled; the others' stay whatever comes.
    gap_conditions : SharedGapConditions
    rows : ndarray of int64, shape (n_records,)
        Rows of the table.

    Returns
    -------
    ndarray of bool, shape (n_records, n_attributes)
    """
    strata, persons = gap_conditions.strata(rows), gap_conditions.persons(rows)
    fill_mask = np.zeros_like(is_missing)
    parts = members_by_group(strata)
    for block in gap_conditions.blocks:
        columns = np.array(block)
        open_ = np.isin(columns, list(fillable_attributes))
        gaps = is_missing[:, columns]
        if persons is not None and gap_conditions.knows_all:
            gaps = gaps & ~_rare_sets(gaps, open_, gap_conditions.k, persons, strata)
        for records in parts:
            part_persons = None if persons is None else persons[records]
            gaps[records] &= ~_rare_patterns(
                gaps[records], open_, gap_conditions.k, part_persons
            )
        fill_mask[:, columns] = is_missing[:, columns] & ~gaps
    return fill_mask


@dataclass(frozen=True, eq=False)
class _Counts:
    """How many count for k in each pattern of gaps, up to k.

    Attributes
    ----------
    number : ndarray of int64, shape (n_patterns,)
    people : dict of int to set of int
        Persons of the patterns that have fewer than k; empty where records count.
    k : int
    """

    number: Integers
    people: dict[int, set[int]]
    k: int

    @classmethod
    def of(
        cls, patterns: Integers, sizes: Integers, k: int, persons: Integers | None
    ) -> _Counts:
        """Count the records, or persons, of each pattern."""
        if persons is None:
            return cls(sizes.astype(np.int64), {}, k)
        number = persons_per_class(patterns, persons)
        few = np.flatnonzero((number < k)[patterns] & (persons != NOBODY))
        people: dict[int, set[int]] = {
            pattern: set() for pattern in np.flatnonzero(number < k).tolist()
        }
        for pattern, person in zip(
            patterns[few].tolist(), persons[few].tolist(), strict=True
        ):
            people[pattern].add(person)
        return cls(number, people, k)

    def join(self, pattern: int, superset: int) -> None:
        """Count the records of one pattern among those of another."""
        people, others = self.people.pop(pattern, None), self.people.get(superset)
        if people is not None and others is not None:
            others |= people
            self.number[superset] = len(others)
        else:
            self.number[superset] += self.number[pattern]
            self.people.pop(superset, None)
        self.number[pattern] = 0


def _rare_sets(
    holes: Booleans, flexible: Booleans, k: int, persons: Integers, strata: Integers
) -> Booleans:
    """Return the gaps to fill so that k persons each have the same set of patterns.

    Of persons whose set is rare the gaps of one column after the other are filled, that
    with the fewest first, until it is rare no more. Where that does not do, the persons
    with the next rarest set are filled, too.

    Parameters
    ----------
    holes : ndarray of bool, shape (n_records, n_attributes)
    flexible : ndarray of bool, shape (n_attributes,)
    persons, strata : ndarray of int64, shape (n_records,)
    """
    person_mask = persons != NOBODY
    codes = renumber_persons(persons[person_mask])
    open_gaps, fillable = holes[person_mask], holes[person_mask] & flexible
    while True:
        pairs = np.column_stack([strata[person_mask], open_gaps])
        patterns = np.unique(pairs, axis=0, return_inverse=True)[1]
        sets = class_set_per_person(patterns, codes)
        n_alike = np.bincount(sets)[sets]
        has_gaps = np.bincount(codes, fillable.any(axis=1)) > 0
        rare = n_alike < k
        if not rare.any() or not has_gaps.any():
            break
        if not (rare & has_gaps).any():
            rare = n_alike == n_alike[has_gaps].min()
        gaps = fillable & rare[codes][:, np.newaxis]
        counts = gaps.sum(axis=0)
        column = int(np.argmin(np.where(counts > 0, counts, counts.sum() + 1)))
        open_gaps[gaps[:, column], column] = False
        fillable[gaps[:, column], column] = False
    fill_mask = np.zeros_like(holes)
    fill_mask[person_mask] = holes[person_mask] & ~open_gaps
    return fill_mask


def _rare_patterns(
    holes: Booleans, flexible: Booleans, k: int, persons: Integers | None = None
) -> Booleans:
    """Return the gaps to fill in one stratum and block.

    Parameters
    ----------
    holes : ndarray of bool, shape (n_records, n_attributes)
    flexible : ndarray of bool, shape (n_attributes,)
        Whether gaps may be filled.
    persons : ndarray of int64, shape (n_records,), or None
        Where k counts them.
    """
    patterns, of, sizes = np.unique(
        holes, axis=0, return_inverse=True, return_counts=True
    )
    after, joined = patterns.copy(), np.arange(len(patterns))
    fixed = np.unique(patterns & ~flexible, axis=0, return_inverse=True)[1]
    single_mask = np.zeros(len(patterns), dtype=np.bool_)
    counts = _Counts.of(of, sizes, k, persons)

    def join(pattern: int, superset: int, target: Booleans) -> None:
        joined[pattern], after[superset] = superset, target
        sizes[superset] += sizes[pattern]
        sizes[pattern] = 0
        counts.join(pattern, superset)

    while True:
        rare = np.flatnonzero((sizes > 0) & (counts.number < k) & ~single_mask)
        if not rare.size:
            break
        source = int(rare[np.argmax(after[rare].sum(axis=1))])
        others = np.flatnonzero((sizes > 0) & (fixed == fixed[source]))
        others = others[others != source]
        if not others.size:
            single_mask[source] = True  # and grouping will say that k cannot hold
            continue
        if others.size > MAX_PATTERNS:
            others = others[np.argsort(-sizes[others], kind="stable")[:MAX_PATTERNS]]
        common = after[others] & after[source]
        n_common = common.sum(axis=1)
        cost = sizes[others] * (after[others].sum(axis=1) - n_common)
        cost += sizes[source] * (after[source].sum() - n_common)
        # Of equally cheap ones, the pattern that most records have.
        best = np.lexsort((-sizes[others], cost))[0]
        other, target = int(others[best]), common[best]
        join(source, other, target)
        for same in np.flatnonzero((sizes > 0) & (after == target).all(axis=1)):
            if same != other:
                join(int(same), other, target)
    while (joined[joined] != joined).any():
        joined = joined[joined]
    return np.asarray(holes & ~after[joined[of]])
