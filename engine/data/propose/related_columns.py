"""Search for columns that determine, sum up, replicate or rename other columns.

Pairs are compared on at most :data:`MAX_COMPARED_RECORDS` records. A column follows
another one where that decides it in nearly all of them: a label and its code, an age
and its class, a date and its year, a sum in two currencies. Both protected apart would
contradict each other.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import chain, combinations, permutations
from types import MappingProxyType
from typing import NamedTuple, Self, TypeAlias

import numpy as np
import pandas as pd

from engine.core.typing import Booleans, Integers
from engine.core.typing import Values as Numbers
from engine.data.conversion.numeric import MAX_MAGNITUDE
from engine.data.date_parts import date_part_series
from engine.data.persons import code_identifiers, columns_constant_per_person
from engine.data.propose.names import normalised_words, split_into_word_set
from engine.data.propose.values import HEAD_VALUES, MAX_SCALE_STEPS

MAX_LEFT_OUT_SETS = 500
"""Sets of left-out columns, smallest first, for which it is looked who leads then."""

MAX_COMPARED_RECORDS = 5_000
"""Records on which columns are compared, evenly from the whole table."""

MAX_COMPARED_COLUMNS = 150
"""Columns of a table up to which each pair is compared."""

MAX_EXCEPTION_SHARE = 0.01
"""Share of the records in which a column may say something else than it should."""

MIN_RECORDS = 30
"""Records from which agreement is no accident."""

MIN_RECORDS_PER_VALUE = 3.0
"""Records of each value of a column, on average, from which it can decide another."""

MAX_CLASSES = 40
"""Values of a column up to which each may be an interval of another one."""

MAX_COUNTS = 100
"""Values of a whole number up to which it is a count that others may follow."""

MIN_RARE_SHARE = 0.005
"""Share of the records that the less frequent values have, at least."""

MAX_CHANCE = 1e-6
"""Probability up to which it is no accident that rare columns part records alike."""

MIN_REPLICATES = 8
"""Numbered columns of one name, beside a weight, from which they are replicates."""

MIN_REPLICATED_RECORDS, MIN_REPLICATE_CORRELATION, MAX_MEAN_RATIO = 20, 0.9, 1.25
"""Records and correlation from which the mean of replicates tells of a weight, and the
ratio of their means up to which it does.
"""

MAX_LACKING_SHARE = 0.05
"""Share of the records in which one of two columns may lack a value that the other has.
"""

MIN_SCALE_COLUMNS = 3
"""Columns with the same few answers from which these are a scale."""

DIFFERENCE_WORDS = split_into_word_set(
    """
    diff difference change chg delta gain gap deviation dev excess surplus margin profit
    differenz unterschied veraenderung aenderung abweichung zuwachs gewinn ueberschuss
    ecart variation diferencia diferenza differenza verschil roznica
    """
)
"""Words for what is calculated as one column less another."""

MIN_SAMPLED_SHARE = 0.95
"""Share of some records in which columns add up, from which all are looked at."""

MAX_PARTS = 12
"""Columns next to each other whose sum may be a total."""

YEAR_SECONDS, MONTH_SECONDS = 365.2425 * 86_400.0, 30.436875 * 86_400.0

UNIT_SECONDS = (YEAR_SECONDS, MONTH_SECONDS, 86_400.0, 3_600.0, 60.0, 1.0)
"""Seconds of the units in which the time between two dates is told."""

MIN_DURATIONS = 5
"""Different durations from which it is no accident that they part two dates."""


@dataclass(frozen=True, eq=False)
class _Column:
    """One column's values on the records that are compared.

    Attributes
    ----------
    all_values : Series or None
        The values on all records, None where these are compared.
    persons : Series or None
        Whose each of all records is, where somebody has several.
    """

    name: str
    values: pd.Series
    is_amount: bool = False
    all_values: pd.Series | None = None
    persons: pd.Series | None = None

    @cached_property
    def codes(self) -> Integers:
        """A number for each value, -1 for a missing one."""
        found, self.__dict__["uniques"] = pd.factorize(self.values)
        return np.asarray(found, dtype=np.int64)

    @cached_property
    def distinct(self) -> int:
        """Different values."""
        return int(self.codes.max(initial=-1)) + 1

    @cached_property
    def numbers(self) -> Numbers | None:
        """Numbers and dates as float64; None of words and flags."""
        types, dtype = pd.api.types, self.values.dtype
        if types.is_bool_dtype(dtype):
            return None
        if _is_date(self.values):
            days = self.values.astype("int64").to_numpy().astype(np.float64)
            return np.where(self.values.isna(), np.nan, days)
        if types.is_numeric_dtype(dtype):
            return finite_numbers(self.values)
        return None

    @cached_property
    def seconds(self) -> Numbers:
        """Of dates: seconds since 1970 in their time zone, NaN where missing."""
        moments = self.values.dt.tz_localize(None).to_numpy(dtype="datetime64[s]")
        return np.where(np.isnat(moments), np.nan, moments.astype(np.float64))

    @cached_property
    def known(self) -> Booleans:
        """Where there is a value."""
        return self.codes >= 0

    @cached_property
    def is_rare(self) -> bool:
        """Whether nearly all records have one value: anything may decide the others."""
        known = self.codes[self.known]
        if known.size < MIN_RECORDS:
            return True
        others = known.size - int(np.bincount(known).max())
        return others < max(5.0, MIN_RARE_SHARE * known.size)

    @cached_property
    def classes(self) -> bytes:
        """Digest of which of all records are alike; empty where chance parts many so.

        What is missing is alike, too.
        """
        values = self.values if self.all_values is None else self.all_values
        codes = pd.factorize(values, use_na_sentinel=False)[0]
        others = codes != np.bincount(codes).argmax()
        n, m = codes.size, int(others.sum())
        if self.persons is not None:
            n, m = self.persons.nunique(), self.persons[others].nunique()
        ways = math.lgamma(n + 1) - math.lgamma(m + 1) - math.lgamma(n - m + 1)
        return sha256(codes.tobytes()).digest() if ways > -math.log(MAX_CHANCE) else b""

    @cached_property
    def order(self) -> Integers:
        """Records by rising number, equal ones as they come; of a column of numbers."""
        assert self.numbers is not None
        return np.argsort(self.numbers, kind="stable")

    @cached_property
    def first_of_each(self) -> Integers:
        """The first record of each number, by rising number; of a column of numbers."""
        assert self.numbers is not None
        return np.unique(self.numbers, return_index=True)[1]

    @property
    def words(self) -> bool:
        """Whether it holds words."""
        return self.numbers is None

    @cached_property
    def date_parts(self) -> tuple[Integers, ...]:
        """A number for each value of each part of its dates; none of other values."""
        if not _is_date(self.values):
            return ()
        parts = (pd.factorize(part)[0] for part in date_part_series(self.values))
        return tuple(np.asarray(part, dtype=np.int64) for part in parts)


Way: TypeAlias = Callable[[_Column, _Column, Booleans], _Column | None]
"""Way of telling which of two columns determines the other, if one does."""


def finite_numbers(values: pd.Series | pd.DataFrame) -> Numbers:
    """Return numbers as float64, NaN where missing, infinite or huge."""
    numbers = values.to_numpy(dtype=np.float64, na_value=np.nan)
    return np.where(np.abs(numbers) <= MAX_MAGNITUDE, numbers, np.nan)


def _is_date(values: pd.Series) -> bool:
    return bool(pd.api.types.is_datetime64_any_dtype(values.dtype))


def spread_records(frame: pd.DataFrame) -> pd.DataFrame:
    """Return at most `MAX_COMPARED_RECORDS` records, evenly from the whole table."""
    if len(frame) <= MAX_COMPARED_RECORDS:
        return frame
    return frame.iloc[spread_places(len(frame), MAX_COMPARED_RECORDS)]


def spread_places(n_records: int, max_places: int) -> Integers:
    """Return at most so many places of records, evenly from all of them."""
    n_places = min(n_records, max_places)
    return np.linspace(0, n_records - 1, n_places).astype(np.int64)


@dataclass(frozen=True, eq=False)
class _ComparedColumns:
    """Columns of which each pair is compared once, as soon as it is asked for.

    Attributes
    ----------
    columns : tuple of _Column
    constant : frozenset of str
        Columns that do not change with a person's records.
    first_records : ndarray of bool
        The first record of each person.
    """

    columns: tuple[_Column, ...]
    constant: frozenset[str]
    first_records: Booleans

    @classmethod
    def from_frame(
        cls,
        frame: pd.DataFrame,
        candidates: Sequence[str],
        person_column: str | None,
        amount_columns: Collection[str],
    ) -> Self:
        """Return the columns to compare, see :func:`find_followers_and_totals`."""
        if len(frame) < MIN_RECORDS or len(candidates) > MAX_COMPARED_COLUMNS:
            candidates = ()
        some = spread_records(frame)
        persons = None if person_column is None else frame[person_column]
        columns = [
            _Column(name, some[name], name in amount_columns, frame[name], persons)
            for name in candidates
        ]
        columns = [one for one in columns if not one.is_rare or one.classes]
        once = _once_for_each_person(some, columns, person_column)
        return cls(tuple(columns), *once)

    @property
    def names(self) -> frozenset[str]:
        """Names of the columns."""
        return frozenset(one.name for one in self.columns)

    @cached_property
    def _determined(self) -> dict[tuple[Way, str, str], tuple[str, str] | None]:
        return {}

    def find_leaders(
        self, names: Collection[str], dependent_names: Collection[str]
    ) -> dict[str, str]:
        """Return, for each dependent column, that of all named ones which decides it.

        It follows none itself.
        """
        found: dict[str, str] = {}
        # Labels and codes first, which are nearer than an interval of something else.
        for way in (_twin_of, _same, _part_of, _class_of, _curve_of):
            rest = [n for n in self.columns if n.name in names and n.name not in found]
            for first, second in combinations(rest, 2):
                if first.name in found or second.name in found:
                    continue
                if (first.is_rare or second.is_rare) != (way is _twin_of):
                    continue
                if first.name in dependent_names or second.name in dependent_names:
                    pair = self._determine(way, first, second)
                    if pair is not None and pair[0] in dependent_names:
                        found[pair[0]] = pair[1]
        for name in found:  # the end of the line
            while found[name] in found:
                found[name] = found[found[name]]
        return found

    def _determine(
        self, way: Way, first: _Column, second: _Column
    ) -> tuple[str, str] | None:
        """Return the determined column and the determining one, or None."""
        key = way, first.name, second.name
        if key not in self._determined:
            self._determined[key] = None
            there = first.known & second.known
            if {first.name, second.name} <= self.constant:
                there &= self.first_records
            lacking = first.known != second.known
            few = lacking.mean() <= MAX_LACKING_SHARE
            may_follow = few or _may_decide_gaps(first, second)
            if way is _twin_of or (there.sum() >= MIN_RECORDS and may_follow):
                driver = way(first, second, there)
                if driver is not None:
                    other = second if driver is first else first
                    if few or way is _twin_of or _decides_gaps(driver, other):
                        self._determined[key] = other.name, driver.name
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
            own = [name for name in leading if leading[name] == whole]
            others = [name for name in free if name != whole]
            is_renamed = any(self._tell([name], whole) for name in own)
            if is_renamed or self._by_name[whole].date_parts:
                continue  # without the date, its parts would make days up
            if self._tell(own, whole):
                if any(self._is_class(n, other) for n in own for other in others):
                    return whole, self._least_telling(own, whole)
                continue
            for name in leading.keys() if others else ():
                told = [*own, name]
                is_class = name not in own and self._is_class(name, whole)
                if is_class and self._tell(told, whole):
                    return whole, self._least_telling(told, whole)
        for name, leader in leading.items():
            for whole in free:
                others = [other for other in free if other != whole]
                if self._begins_with(whole, name) and (
                    leader != whole or any(self._leads(name, o) for o in others)
                ):
                    return whole, (name,)
        return None

    @cached_property
    def _by_name(self) -> Mapping[str, _Column]:
        return {one.name: one for one in self.columns}

    def _is_class(self, name: str, leader: str) -> bool:
        """Return whether a column is a coarser class of another one."""
        first, second = self._by_name[name], self._by_name[leader]
        return self._determine(_class_of, first, second) == (name, leader)

    def _leads(self, name: str, leader: str) -> bool:
        """Return whether a column is a class, or intervals, of another one."""
        pair = self._by_name[name], self._by_name[leader]
        ways = (_class_of, _curve_of)
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
        found = {name: [leader] for name, leader in leading.items()}
        known: set[frozenset[str]] = set()
        leaders = dict.fromkeys(leading.values())
        waiting = deque([(frozenset[str](), dict(leading), leaders)])
        while waiting and len(known) < MAX_LEFT_OUT_SETS:
            former, leading, leaders = waiting.popleft()
            for leader in leaders:
                left_out = former | {leader}
                if left_out in known:
                    continue
                known.add(left_out)
                rest = {n: to for n, to in leading.items() if to != leader}
                names = self.names - left_out - rest.keys()
                anew = self.find_leaders(names, leading.keys() - rest.keys())
                for name, other in anew.items():
                    found[name] += [other] * (other not in found[name])
                waiting.append((left_out, rest | anew, dict.fromkeys(anew.values())))
        return {name: tuple(leaders) for name, leaders in found.items()}


def _once_for_each_person(
    frame: pd.DataFrame, columns: Sequence[_Column], person: str | None
) -> tuple[frozenset[str], Booleans]:
    """Return columns that are constant for each person, and each person's first record.

    Records without a person are left out of the latter.
    """
    if person is None:
        return frozenset(), np.ones(len(frame), dtype=np.bool_)
    persons, first = np.unique(code_identifiers(frame[person]), return_index=True)
    is_first = np.zeros(len(frame), dtype=np.bool_)
    is_first[first[persons >= 0]] = True
    names = [one.name for one in columns]
    return frozenset(columns_constant_per_person(frame, person, names)), is_first


def _twin_of(first: _Column, second: _Column, _: Booleans) -> _Column | None:
    """Return the leading one of two columns that part all records alike."""
    if abs(first.distinct - second.distinct) > 1 or first.classes != second.classes:
        return None
    return second if second.words and not first.words else first


def _same(first: _Column, second: _Column, there: Booleans) -> _Column | None:
    """Return the leading one of two columns of which each decides the other."""
    if first.distinct > 2 * second.distinct or second.distinct > 2 * first.distinct:
        return None
    if not (_decides(first, second, there) and _decides(second, first, there)):
        return None
    return second if second.words and not first.words else first


def _part_of(first: _Column, second: _Column, there: Booleans) -> _Column | None:
    """Return the date of which the other column tells a part, such as the month."""
    for date, other in ((first, second), (second, first)):
        if other.date_parts:
            continue
        codes = other.codes[there]
        if any(does_code_determine(part[there], codes) for part in date.date_parts):
            return date
    return None


def _class_of(first: _Column, second: _Column, there: Booleans) -> _Column | None:
    """Return that of two columns of which the other one is a coarser class."""
    for leading, other in ((first, second), (second, first)):
        if _decides(leading, other, there) and (
            not leading.is_amount or _is_count_or_interval(leading, other, there)
        ):
            return leading
    return None


def _is_count_or_interval(leading: _Column, follower: _Column, there: Booleans) -> bool:
    """Return whether classes follow an amount: as intervals, or each of few counts.

    An amount of many values, or with decimals, may decide others by chance: a rate
    that differs in each state and year decides both.
    """
    values = pd.DataFrame({"a": leading.numbers, "b": follower.codes})
    pairs = values[there].value_counts()
    often = pairs.reset_index().drop_duplicates("a").sort_values("a")["b"]
    if int((np.diff(often) != 0).sum()) < follower.distinct:
        return True
    is_count = leading.distinct <= MAX_COUNTS and not np.mod(values["a"], 1).any()
    return is_count and len(pairs) == len(often)


def _curve_of(first: _Column, second: _Column, there: Booleans) -> _Column | None:
    """Return the number that another number rises with, or classes are intervals of."""
    if _rise_together(first, second, there):
        return first if first.distinct >= second.distinct else second
    if _in_intervals(first, second, there):
        return first
    return second if _in_intervals(second, first, there) else None


def _decides(first: _Column, second: _Column, there: Booleans) -> bool:
    """Return whether each value of the first column has one of the second."""
    if second.distinct > 1.2 * first.distinct + 1:
        return False
    return does_code_determine(first.codes[there], second.codes[there])


def _may_decide_gaps(first: _Column, second: _Column) -> bool:
    """Return whether one of two columns has a value wherever the other has one."""
    both = first.known & second.known
    return bool((both == first.known).all() or (both == second.known).all())


def _decides_gaps(driver: _Column, follower: _Column) -> bool:
    """Return whether each value of a column tells whether its follower has a gap."""
    known = driver.known
    gaps = (~follower.known[known]).astype(np.int64)
    return bool(known[follower.known].all()) and does_code_determine(
        driver.codes[known], gaps
    )


def does_code_determine(
    determining_codes: Integers, determined_codes: Integers
) -> bool:
    """Return whether codes nearly always determine others; False if records are few.

    Parameters
    ----------
    determining_codes, determined_codes : numpy.ndarray of int, shape (n,)
        Numbers of values from 0 on.
    """
    n = determining_codes.size
    many = int(determining_codes.max()) + 1
    others = int(determined_codes.max()) + 1
    if n < MIN_RECORDS_PER_VALUE * many or many * others > 4_000_000:
        return False
    pairs = np.sort(determining_codes * others + determined_codes)
    starts = np.flatnonzero(np.append(True, pairs[1:] != pairs[:-1]))
    counts, values = np.diff(np.append(starts, n)), pairs[starts] // others
    begins = np.flatnonzero(np.append(True, values[1:] != values[:-1]))
    right = int(np.maximum.reduceat(counts, begins).sum())
    if n - right > MAX_EXCEPTION_SHARE * n:
        return False
    # What would be right by chance: the most frequent value for everybody.
    base = int(np.bincount(determined_codes).max())
    return n - right <= 0.05 * (n - base)


def columns_determined_by_weights(
    frame: pd.DataFrame, weights: str, candidates: Sequence[str]
) -> tuple[str, ...]:
    """Return the columns whose values the weights of records mostly tell.

    Where a survey weighs by region, each weight stands for one region. None are told
    of more candidates than can be compared.
    """
    some = spread_records(frame)
    told = []
    for name in candidates if len(candidates) <= MAX_COMPARED_COLUMNS else ():
        there = some[name].notna() & some[weights].notna()
        codes = (pd.factorize(some.loc[there, each])[0] for each in (weights, name))
        if there.sum() >= MIN_RECORDS and does_code_determine(*codes):
            told.append(name)
    return tuple(told)


def _rise_together(first: _Column, second: _Column, there: Booleans) -> bool:
    """Return whether one number rises, or falls, wherever the other one does."""
    if first.numbers is None or second.numbers is None:
        return False
    order = first.order[there[first.order]]
    one, other = first.numbers[order], second.numbers[order]
    steps, climbs = np.diff(other), np.diff(one) != 0
    falls = float(((steps < 0) & climbs).mean())
    rises = float(((steps > 0) & climbs).mean())
    # Nearly all pairs end here, before anything is ranked.
    if min(falls, rises) > MAX_EXCEPTION_SHARE:
        return False
    if np.unique(one).size < 10 or np.unique(other).size < 10:
        return False
    together = float(np.corrcoef(_ranks(one), _ranks(other))[0, 1])
    if abs(together) < 0.9995:
        return False
    return (falls if together > 0 else rises) <= MAX_EXCEPTION_SHARE


def _ranks(values: Numbers) -> Numbers:
    return np.asarray(pd.Series(values).rank(), dtype=np.float64)


def _in_intervals(first: _Column, second: _Column, there: Booleans) -> bool:
    """Return whether each value of the second column is an interval of the first."""
    numbers = first.numbers
    if numbers is None or not 2 <= second.distinct <= MAX_CLASSES:
        return False
    if first.distinct <= 2 * second.distinct:
        return False
    # The first records of each number change no oftener than all records do.
    some = first.first_of_each[there[first.first_of_each]]
    if int((np.diff(second.codes[some]) != 0).sum()) >= second.distinct:
        return False
    values, codes = numbers[there], second.codes[there]
    order = np.lexsort((codes, values))
    changes = int((np.diff(codes[order]) != 0).sum())
    rarest = np.bincount(codes, minlength=second.distinct)
    if np.sort(rarest)[:-1].sum() < max(10.0, 2 * MIN_RARE_SHARE * codes.size):
        return False
    return changes == second.distinct - 1


def find_followers_and_totals(
    frame: pd.DataFrame,
    candidates: Sequence[str],
    number_columns: Sequence[str],
    person_column: str | None = None,
    amount_columns: Collection[str] = (),
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

    Returns
    -------
    followers : mapping of str to tuple of str
        A column and the one that it follows, which itself follows none; then, in turn,
        what it follows where the former are left out.
    totals : mapping of str to tuple of str
        Columns that are sums of others, or combine them, with their parts.
    """
    compared = _ComparedColumns.from_frame(
        frame, candidates, person_column, amount_columns
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
    return leaders, _differences_for_totals(frame, totals, leading)


def _differences_for_totals(
    frame: pd.DataFrame,
    totals: Mapping[str, tuple[str, ...]],
    leading: Mapping[str, str],
) -> Mapping[str, tuple[str, ...]]:
    """Return totals and parts, differences in place of what they were calculated from.

    A part that is called a difference, or by the total's name and more, or has negative
    values where its total and the other part have none, is the total less the latter.
    """
    related = Counter([*chain.from_iterable(totals.values()), *totals])
    related.update([*leading, *leading.values()])
    found: dict[str, tuple[str, ...]] = {}
    for total, parts in totals.items():
        below = {n: bool((frame[n] < 0).any()) for n in (total, *parts)}
        differences = [
            name
            for name in parts
            if len(parts) == 2
            and related[name] == 1
            and (
                bool(DIFFERENCE_WORDS & {*normalised_words(name)})
                or (below[name] and sum(below.values()) == 1)
                or (len(total) > 2 and total.casefold() in name.casefold())
            )
        ]
        if differences and related[total] == 1:
            [other] = [name for name in parts if name != differences[0]]
            found[differences[0]] = (total, other)
        else:
            found[total] = parts
    return found


def find_total_columns(
    frame: pd.DataFrame,
    columns: Sequence[str],
    known_totals: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
) -> Mapping[str, tuple[str, ...]]:
    """Return the columns that are sums of other columns, with their parts.

    Parameters
    ----------
    columns : sequence of str
        Columns of numbers to look at, in their order.
    known_totals : mapping of str to tuple of str, optional
        Totals among them that are known, with their parts; they are returned too.

    Returns
    -------
    mapping of str to tuple of str
        Parts are two columns, or several that stand next to each other; a part may be
        a total of others.
    """
    if len(frame) < MIN_RECORDS or not 3 <= len(columns) <= MAX_COMPARED_COLUMNS // 2:
        return known_totals
    rows = spread_places(len(frame), 200)
    table = finite_numbers(frame[list(columns)].iloc[rows])
    runs = _runs_of_columns(table)
    found = dict(known_totals)
    for j, name in enumerate(columns):
        total = table[:, j]
        if np.unique(total[~np.isnan(total)]).size < 5 or name in found:
            continue
        whole = None
        for indices in _iterate_parts(table, runs, j):
            parts = tuple(columns[i] for i in indices)
            # Two totals may be equal, such as both sides of a balance.
            if parts in found.values() or name in _addends(parts, found):
                continue
            if whole is None:
                whole = finite_numbers(frame[list(columns)])
            if _adds_up(whole[:, list(indices)].sum(axis=1), whole[:, j]):
                found[name] = parts
                break
    return found


def _addends(
    parts: Sequence[str], totals: Mapping[str, tuple[str, ...]]
) -> frozenset[str]:
    """Return parts, and the parts of those that are totals themselves."""
    return frozenset(parts).union(
        *(_addends(totals[name], totals) for name in parts if name in totals)
    )


def find_dates_with_duration(
    frame: pd.DataFrame, columns: Sequence[str]
) -> Mapping[str, tuple[str, str]]:
    """Return the dates that another date and a duration give, with these two.

    The later date, but the earlier one where years part them: a date of birth says more
    of somebody than the age on a day.

    Parameters
    ----------
    columns : sequence of str
        Columns of dates and numbers to look at.
    """
    if len(frame) < MIN_RECORDS:
        return {}
    some = spread_records(frame)
    dates = [_Column(name, some[name]) for name in columns if _is_date(some[name])]
    if len(dates) < 2:
        return {}
    others = (_Column(name, some[name]) for name in columns if not _is_date(some[name]))
    numbers = [one for one in others if not one.words]
    found: dict[str, tuple[str, str]] = {}
    for start, end in permutations(dates, 2):
        if {start.name, end.name} & found.keys():
            continue
        seconds = end.seconds - start.seconds
        for duration in numbers:
            if duration.distinct < MIN_DURATIONS:
                continue
            unit = _duration_unit(seconds, duration)
            if unit is not None:
                told, other = (start, end) if unit == YEAR_SECONDS else (end, start)
                found[told.name] = (other.name, duration.name)
                break
    return found


def _duration_unit(seconds: Numbers, duration: _Column) -> float | None:
    """Return the unit, in seconds, in which a number tells times between dates.

    None where it does not.
    """
    assert duration.numbers is not None
    known = ~(np.isnan(seconds) | np.isnan(duration.numbers))
    told, seconds = duration.numbers[known], seconds[known]
    if told.size < MIN_RECORDS or told.std() == 0.0:
        return None
    for unit in UNIT_SECONDS:
        wrong = told - seconds / unit
        if (np.abs(wrong) <= 1.0 + 1e-6).mean() >= 1.0 - MAX_EXCEPTION_SHARE and (
            wrong.std() < 0.25 * told.std()
        ):
            return unit
    return None


def _iterate_parts(table: Numbers, runs: _Runs, j: int) -> Iterator[tuple[int, ...]]:
    """Yield the columns whose sum a column is: two, then several side by side."""
    total, width = table[:, j], table.shape[1]
    varied = [i for i in range(width) if i != j and _varies(table[:, i])]
    for at, i in enumerate(varied[:-1]):
        others = varied[at + 1 :]
        rest = (total - table[:, i])[:, None]
        # Nearly all columns are ruled out by every tenth record.
        for other in np.array(others)[_may_agree(table[::10, others], rest[::10])]:
            if _adds_up(table[:, other], rest[:, 0], MIN_SAMPLED_SHARE):
                yield i, int(other)
    for run in np.flatnonzero(_may_agree(runs.sums[::10], total[::10, None])):
        members = range(runs.firsts[run], runs.lasts[run] + 1)
        if j not in members and _adds_up(runs.sums[:, run], total, MIN_SAMPLED_SHARE):
            yield tuple(members)


class _Runs(NamedTuple):
    """Three or more columns next to each other, and their sums in each record."""

    firsts: Integers
    lasts: Integers
    sums: Numbers


def _runs_of_columns(table: Numbers) -> _Runs:
    width = table.shape[1]
    firsts, lengths = np.indices((width, MAX_PARTS - 2)).reshape(2, -1)
    lasts = firsts + lengths + 2
    inside = lasts < width
    firsts, lasts = firsts[inside], lasts[inside]
    totals = [
        table[:, first : last + 1].sum(axis=1)
        for first, last in zip(firsts, lasts, strict=True)
    ]
    return _Runs(firsts, lasts, np.stack(totals, axis=1))


def _varies(values: Numbers) -> bool:
    known = values[~np.isnan(values)]
    return known.size > 0 and bool(known.max() > known.min())


def _adds_up(sums: Numbers, total: Numbers, least: float = 0.99) -> bool:
    """Return whether sums equal a total in nearly all records, at least in a share."""
    known = ~np.isnan(sums) & ~np.isnan(total)
    near = _is_near(sums, total)
    return known.sum() >= MIN_RECORDS and bool(near[known].mean() >= least)


def _may_agree(columns: Numbers, wanted: Numbers) -> Booleans:
    """Return which columns equal a wanted one in at least half of the records."""
    known = ~np.isnan(columns) & ~np.isnan(wanted)
    near = _is_near(columns, wanted)
    return np.asarray(2 * near.sum(axis=0) >= known.sum(axis=0))


def _is_near(values: Numbers, wanted: Numbers) -> Booleans:
    bounds: Booleans = np.abs(values - wanted) <= 1e-6 * np.maximum(1.0, np.abs(wanted))
    return bounds


_NUMBERED = re.compile(r"(.*?[^\d])_?(\d+)$")


def find_replicate_weights_by_name(
    frame: pd.DataFrame, weight_columns: Sequence[str], candidates: Sequence[str]
) -> tuple[str, ...]:
    """Return columns of replicate weights, such as PWGTP1 to PWGTP80.

    Parameters
    ----------
    weight_columns : sequence of str
        Columns that weigh records, or may.
    candidates : sequence of str
        Columns of numbers.
    """
    stems: dict[str, list[str]] = defaultdict(list)
    for name in candidates:
        parts = _NUMBERED.fullmatch(name)
        if parts:
            stems[parts[1].rstrip("_.").casefold()].append(name)
    known = {name.rstrip("0123456789_.").casefold() for name in weight_columns}
    found: list[str] = []
    for stem, names in stems.items():
        if len(names) < MIN_REPLICATES:
            continue
        called = stem in known or re.search(r"(wgt|weight|repw|wt|brr|jk)", stem)
        if called and all(_positive(frame[name]) for name in names[:MIN_REPLICATES]):
            found += names
    return tuple(found)


def find_weights_behind_replicates(
    frame: pd.DataFrame, replicate_columns: Sequence[str], candidates: Sequence[str]
) -> tuple[str, ...]:
    """Return the weight columns that replicate weights vary, whatever their names.

    Replicates of a weight differ from it by chance: their mean is close to it.

    Parameters
    ----------
    replicate_columns : sequence of str
        Columns that :func:`find_replicate_weights_by_name` returned.
    candidates : sequence of str
        Columns of numbers.
    """
    stems: dict[str, list[str]] = defaultdict(list)
    for name in replicate_columns:
        stems[name.rstrip("0123456789").rstrip("_.").casefold()].append(name)
    means = {
        stem: frame[names].mean(axis="columns").to_numpy(dtype=np.float64)
        for stem, names in stems.items()
    }
    found = []
    for name in candidates if replicate_columns else ():
        if name in replicate_columns or not _positive(frame[name]):
            continue
        values = frame[name].to_numpy(dtype=np.float64, na_value=np.nan)
        if name.casefold() in means or any(
            _are_means_of_replicates(one, values) for one in means.values()
        ):
            found.append(name)
    return tuple(found)


def _are_means_of_replicates(means: Numbers, values: Numbers) -> bool:
    """Return whether means of replicates are a column's values, but for chance."""
    known = ~(np.isnan(means) | np.isnan(values))
    means, values = means[known], values[known]
    if len(values) < MIN_REPLICATED_RECORDS or not means.std() or not values.std():
        return False
    ratio = float(means.mean() / values.mean())
    return 1 / MAX_MEAN_RATIO < ratio < MAX_MEAN_RATIO and (
        float(np.corrcoef(means, values)[0, 1]) > MIN_REPLICATE_CORRELATION
    )


def _positive(column: pd.Series) -> bool:
    if not pd.api.types.is_numeric_dtype(column.dtype):
        return False
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return bool((values[~np.isnan(values)] > 0).mean() > 0.5)


def find_question_battery_columns(
    frame: pd.DataFrame, columns: Sequence[str]
) -> frozenset[str]:
    """Return columns of answers on a scale that at least three columns share.

    Parameters
    ----------
    columns : sequence of str
        Columns of few whole numbers.
    """
    scales = {}
    for name in columns:
        known = frozenset(map(float, frame[name].dropna().unique()))
        low, high = min(known), max(known)
        if low in (0.0, 1.0) and 2 < len(known) == high - low + 1:
            scales[name] = (low, high)
    counts = Counter(scales.values())
    return frozenset(
        n for n, scale in scales.items() if counts[scale] >= MIN_SCALE_COLUMNS
    )


def iterate_columns_sharing_texts(
    frame: pd.DataFrame, columns: Sequence[str], naming_columns: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Yield pairs of a column and the first naming one with at least half its texts.

    Such as the winner and the loser of a game, or the last of five who were chosen.

    Parameters
    ----------
    columns, naming_columns : sequence of str
        Of texts. The first :data:`.values.HEAD_VALUES` records are looked at.
    """
    if len(columns) * len(naming_columns) > MAX_COMPARED_COLUMNS**2:
        return
    head = frame.head(HEAD_VALUES)
    names = {other: {*head[other].dropna().astype(str)} for other in naming_columns}
    for name in columns if names else ():
        texts = {*head[name].dropna().astype(str)}
        for other, known in names.items():
            if texts and 2 * len(texts & known) >= len(texts):
                yield name, other
                break


def iterate_renamed_columns(
    frame: pd.DataFrame, candidates: Sequence[str], identifying_columns: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Yield pairs of a column and an identifying column that map one to one.

    Parameters
    ----------
    candidates, identifying_columns : sequence of str
        Of texts; with ten values or fewer they are classes. The first
        :data:`.values.HEAD_VALUES` records are looked at. Of very many pairs only
        those with the same gaps are found.

    Yields
    ------
    tuple of str
        The column, and that of `identifying_columns` which it repeats in other words.
    """
    head = frame.head(HEAD_VALUES)
    others = [_Column(name, head[name]) for name in identifying_columns]
    is_wide = len(candidates) * len(others) > MAX_COMPARED_COLUMNS**2
    alike: dict[bytes, list[_Column]] = defaultdict(list)
    for other in others if is_wide else ():
        alike[other.codes.tobytes()].append(other)
    for name in candidates if others else ():
        column = _Column(name, head[name])
        for other in alike.get(column.codes.tobytes(), ()) if is_wide else others:
            if _is_renamed(column, other):
                yield name, other.name
                break


def _is_renamed(first: _Column, second: _Column) -> bool:
    """Return whether texts of both columns belong together one by one."""
    known = first.known & second.known
    lacking = known.size - int(known.sum())
    # Nearly all pairs end here, before anything is sorted.
    if lacking > MAX_LACKING_SHARE * known.size:
        return False
    if abs(first.distinct - second.distinct) > lacking:
        return False
    ours, theirs = first.codes[known], second.codes[known]
    n_texts = np.unique(ours).size
    if n_texts <= MAX_SCALE_STEPS or np.unique(theirs).size != n_texts:
        return False
    return int(np.unique(ours * second.distinct + theirs).size) == n_texts
