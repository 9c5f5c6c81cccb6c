"""Search for columns that say what other columns say, and for who leads them.

A column follows another one where that decides it in nearly all records: a label and
its code, an age and its class, a date and its year, a sum in two currencies. Both
protected apart would contradict each other.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from types import MappingProxyType
from typing import Self

import numpy as np
import pandas as pd

from engine.core.typing import Booleans
from engine.data.persons import code_identifiers, columns_constant_per_person
from engine.data.propose.relations.compared_column import (
    MAX_COMPARED_COLUMNS,
    MAX_COMPARED_RECORDS,
    MAX_LACKING_SHARE,
    MIN_RECORDS,
    ComparedColumn,
)
from engine.data.propose.relations.determination import (
    Way,
    does_code_determine,
    find_class_leader,
    find_curve_leader,
    find_date_leader,
    find_equivalent_leader,
    find_twin_leader,
)
from engine.data.propose.relations.totals import (
    find_total_columns,
    turn_totals_into_differences,
)
from engine.data.propose.sampling import spread_records

MAX_LEFT_OUT_SETS = 500
"""Sets of left-out columns, smallest first, for which it is looked who leads then."""

WAYS = (
    find_twin_leader,
    find_equivalent_leader,
    find_date_leader,
    find_class_leader,
    find_curve_leader,
)
"""In turn: labels and codes are nearer than an interval of something else."""


def find_followers_and_totals(
    frame: pd.DataFrame,
    candidates: Sequence[str],
    number_columns: Sequence[str],
    person_column: str | None = None,
    amount_columns: Collection[str] = (),
    products: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> tuple[Mapping[str, tuple[str, ...]], Mapping[str, tuple[str, ...]]]:
    """Return what each column follows, and the parts of each total.

    A total whose parts follow nothing can be bound to them by a rule: it leads what
    says the same. Any other leads nothing.

    Parameters
    ----------
    candidates : sequence of str
        Columns to compare; the others are left alone.
    number_columns : sequence of str
        Candidates that may be totals or parts, in their order.
    person_column : str or None
        An identifier that repeats. What does not change with a person's records is
        compared once for each person: an exact age would decide everything else.
    amount_columns : collection of str
        Columns whose values may become new ones between theirs: what is no interval
        of them follows only where it has no exception.
    products : mapping of str to collection of str
        Columns that are products or quotients of others. No factor follows what it is
        a factor of, such as a flag an amount that is 0 without it: the other factor
        would contradict both.

    Returns
    -------
    followers : mapping of str to tuple of str
        A column and the one that it follows, which itself follows none; then, in turn,
        what it follows where the former are left out.
    totals : mapping of str to tuple of str
        Columns that are sums of others, or combine them, with their parts.
    """
    compared = _ComparedColumns.from_frame(
        frame, candidates, person_column, amount_columns, products
    )
    leading = compared.find_leaders(compared.names, compared.names)
    if (combination := compared.find_combination(leading)) is not None:
        whole, combined = combination
        leaders, totals = find_followers_and_totals(
            frame,
            [name for name in candidates if name != whole],
            [name for name in number_columns if name != whole],
            person_column,
            amount_columns,
            products,
        )
        return leaders, {**totals, whole: combined}

    def lead(name: str, former: str) -> None:
        del leading[name]
        for follower in [n for n in leading if leading[n] == former]:
            leading[follower] = name
        leading[former] = name

    free = [name for name in number_columns if name not in leading]
    totals = find_total_columns(frame, free)
    if len(free) < len(number_columns):
        totals = find_total_columns(frame, number_columns, totals)
    for total, parts in totals.items():
        dependent = [name for name in parts if leading.get(name) == total]
        if dependent:
            lead(max(dependent, key=lambda name: frame[name].nunique()), total)
        leader = leading.get(total)
        if leader is not None and not leading.keys() & set(parts):
            if leader in parts:
                del leading[total]
            elif leader not in totals:
                lead(total, leader)
    leaders = compared.rank_leaders(leading)
    return leaders, turn_totals_into_differences(frame, totals, leading)


@dataclass(frozen=True, eq=False)
class _ComparedColumns:
    """Columns of which each pair is compared once, as soon as it is asked for.

    Attributes
    ----------
    columns : tuple of ComparedColumn
    constant : frozenset of str
        Columns that do not change with a person's records.
    first_records : ndarray of bool
        The first record of each person.
    factors : frozenset of pair of str
        A factor and its product, which is no multiple of it.
    """

    columns: tuple[ComparedColumn, ...]
    constant: frozenset[str]
    first_records: Booleans
    factors: frozenset[tuple[str, str]] = frozenset()

    @classmethod
    def from_frame(
        cls,
        frame: pd.DataFrame,
        candidates: Sequence[str],
        person_column: str | None,
        amount_columns: Collection[str],
        products: Mapping[str, Collection[str]],
    ) -> Self:
        """Return the columns to compare, see :func:`find_followers_and_totals`."""
        if len(frame) < MIN_RECORDS or len(candidates) > MAX_COMPARED_COLUMNS:
            candidates = ()
        some = spread_records(frame, MAX_COMPARED_RECORDS)
        persons = None if person_column is None else frame[person_column]
        columns = [
            ComparedColumn(
                name, some[name], name in amount_columns, frame[name], persons
            )
            for name in candidates
        ]
        columns = [column for column in columns if not column.is_rare or column.classes]
        person_facts = _once_for_each_person(some, columns, person_column)
        factors = frozenset(
            (part, product)
            for product, parts in products.items()
            for part in parts
            if not _is_multiple(frame[product], frame[part])
        )
        return cls(tuple(columns), *person_facts, factors)

    @property
    def names(self) -> frozenset[str]:
        """Names of the columns."""
        return frozenset(column.name for column in self.columns)

    @cached_property
    def _determined(self) -> dict[tuple[Way, str, str], tuple[str, str] | None]:
        return {}

    def find_leaders(
        self, names: Collection[str], dependent_names: Collection[str]
    ) -> dict[str, str]:
        """Return, for each dependent column, that of all named ones which decides it.

        It follows none itself.
        """
        leading: dict[str, str] = {}
        for way in WAYS:
            rest = [
                n for n in self.columns if n.name in names and n.name not in leading
            ]
            for first, second in combinations(rest, 2):
                if first.name in leading or second.name in leading:
                    continue
                if (first.is_rare or second.is_rare) != (way is find_twin_leader):
                    continue
                if first.name in dependent_names or second.name in dependent_names:
                    pair = self._determine(way, first, second)
                    if pair is not None and pair[0] in dependent_names:
                        leading[pair[0]] = pair[1]
        for name in leading:  # the end of the line
            while leading[name] in leading:
                leading[name] = leading[leading[name]]
        return leading

    def _determine(
        self, way: Way, first: ComparedColumn, second: ComparedColumn
    ) -> tuple[str, str] | None:
        """Return the determined column and the determining one, or None."""
        key = way, first.name, second.name
        if key not in self._determined:
            self._determined[key] = None
            shared_mask = first.known & second.known
            if {first.name, second.name} <= self.constant:
                shared_mask &= self.first_records
            lacking = first.known != second.known
            few = lacking.mean() <= MAX_LACKING_SHARE
            may_follow = few or _may_decide_gaps(first, second)
            if way is find_twin_leader or (
                shared_mask.sum() >= MIN_RECORDS and may_follow
            ):
                driver = way(first, second, shared_mask)
                if driver is not None:
                    other = second if driver is first else first
                    pair = other.name, driver.name
                    is_whole = few or way is find_twin_leader
                    if pair not in self.factors and (
                        is_whole or _decides_gaps(driver, other)
                    ):
                        self._determined[key] = pair
        return self._determined[key]

    def find_combination(
        self, leading: Mapping[str, str]
    ) -> tuple[str, tuple[str, ...]] | None:
        """Return a column that says what others say, with these; or None.

        It says but what they say together, or its texts begin with those of one.

        One of them follows another column as well, such as the grade that marks tell
        where there is a code of year and grade: nothing contradicts itself without it.
        """
        free = [name for name in sorted(self.names) if name not in leading]
        for whole in dict.fromkeys(leading.values()):
            members = [name for name in leading if leading[name] == whole]
            others = [name for name in free if name != whole]
            is_renamed = any(self._tell([name], whole) for name in members)
            if is_renamed or self._by_name[whole].date_parts:
                continue  # without the date, its parts would make days up
            if self._tell(members, whole):
                if any(self._is_class(n, other) for n in members for other in others):
                    return whole, self._least_telling(members, whole)
                continue
            for name in leading.keys() if others else ():
                parts = [*members, name]
                is_class = name not in members and self._is_class(name, whole)
                if is_class and self._tell(parts, whole):
                    return whole, self._least_telling(parts, whole)
        for name, leader in leading.items():
            for whole in free:
                others = [other for other in free if other != whole]
                if self._begins_with(whole, name) and (
                    leader != whole or any(self._leads(name, o) for o in others)
                ):
                    return whole, (name,)
        return None

    @cached_property
    def _by_name(self) -> Mapping[str, ComparedColumn]:
        return {column.name: column for column in self.columns}

    def _is_class(self, name: str, leader: str) -> bool:
        """Return whether a column is a coarser class of another one."""
        first, second = self._by_name[name], self._by_name[leader]
        return self._determine(find_class_leader, first, second) == (name, leader)

    def _leads(self, name: str, leader: str) -> bool:
        """Return whether a column is a class, or intervals, of another one."""
        pair = self._by_name[name], self._by_name[leader]
        ways = (find_class_leader, find_curve_leader)
        return any(self._determine(w, *pair) == (name, leader) for w in ways)

    def _begins_with(self, whole: str, name: str) -> bool:
        """Return whether texts begin with the other column's, as class 10C with 10."""
        first, second = self._by_name[name], self._by_name[whole]
        if not isinstance(second.values.dtype, pd.StringDtype):
            return False
        if not self._is_class(name, whole):
            return False
        pairs = pd.DataFrame({"part": first.values, "text": second.values}).dropna()
        pairs = pairs.drop_duplicates().astype(str)
        return all(
            text.startswith(part) and len(text) > len(part)
            for part, text in zip(pairs["part"], pairs["text"], strict=True)
        )

    def _tell(self, names: Sequence[str], whole: str) -> bool:
        """Return whether columns together have other values for each of another's."""
        parts = pd.DataFrame({name: self._by_name[name].codes for name in names})
        both = parts.assign(**{whole: self._by_name[whole].codes})
        return len(parts.drop_duplicates()) == len(both.drop_duplicates())

    def _least_telling(self, names: Sequence[str], whole: str) -> tuple[str, ...]:
        """Return columns that tell another one together, none of them needlessly."""
        for name in names:
            rest = [other for other in names if other != name]
            if self._tell(rest, whole):
                return self._least_telling(rest, whole)
        return tuple(names)

    def rank_leaders(self, leading: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
        """Return what each column follows, and what it follows where that is left out.

        Parameters
        ----------
        leading : mapping of str to str
            What each column follows while none is left out.
        """
        ranked = {name: [leader] for name, leader in leading.items()}
        known_sets: set[frozenset[str]] = set()
        leaders = dict.fromkeys(leading.values())
        waiting = deque([(frozenset[str](), dict(leading), leaders)])
        while waiting and len(known_sets) < MAX_LEFT_OUT_SETS:
            former, leading, leaders = waiting.popleft()
            for leader in leaders:
                omission = former | {leader}
                if omission in known_sets:
                    continue
                known_sets.add(omission)
                rest = {n: to for n, to in leading.items() if to != leader}
                names = self.names - omission - rest.keys()
                leads = self.find_leaders(names, leading.keys() - rest.keys())
                for name, other in leads.items():
                    ranked[name] += [other] * (other not in ranked[name])
                waiting.append((omission, rest | leads, dict.fromkeys(leads.values())))
        return {name: tuple(leaders) for name, leaders in ranked.items()}


def _is_multiple(product: pd.Series, factor: pd.Series) -> bool:
    """Return whether a column is another one times a constant, where both are known."""
    both_known = (product.notna() & factor.notna()).to_numpy()
    results = product[both_known].to_numpy(dtype=np.float64)
    values = factor[both_known].to_numpy(dtype=np.float64)
    if not values.any():
        return False
    place = np.abs(values).argmax()
    return np.allclose(results, values * (results[place] / values[place]))


def _once_for_each_person(
    frame: pd.DataFrame, columns: Sequence[ComparedColumn], person: str | None
) -> tuple[frozenset[str], Booleans]:
    """Return columns that are constant for each person, and each person's first record.

    Records without a person are left out of the latter.
    """
    if person is None:
        return frozenset(), np.ones(len(frame), dtype=np.bool_)
    persons, first = np.unique(code_identifiers(frame[person]), return_index=True)
    is_first = np.zeros(len(frame), dtype=np.bool_)
    is_first[first[persons >= 0]] = True
    names = [column.name for column in columns]
    return frozenset(columns_constant_per_person(frame, person, names)), is_first


def _may_decide_gaps(first: ComparedColumn, second: ComparedColumn) -> bool:
    """Return whether one of two columns has a value wherever the other has one."""
    both = first.known & second.known
    return bool((both == first.known).all() or (both == second.known).all())


def _decides_gaps(driver: ComparedColumn, follower: ComparedColumn) -> bool:
    """Return whether each value of a column tells whether its follower has a gap."""
    known_mask = driver.known
    gaps = (~follower.known[known_mask]).astype(np.int64)
    return bool(known_mask[follower.known].all()) and does_code_determine(
        driver.codes[known_mask], gaps
    )
