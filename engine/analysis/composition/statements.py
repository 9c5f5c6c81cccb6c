"""What a release says of a column: sums of groups, values of members, or ranges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from engine.analysis.released import Released
from engine.constraints.decimals import decimals_of
from engine.core.statistics import deviation
from engine.core.typing import Booleans, Integers, Values
from engine.data.numeric import days_of
from engine.data.table import Table

EXACT = 1e-9
"""Error of a mean that was computed, as a share of the column's largest number."""


@dataclass(frozen=True, eq=False)
class Truth:
    """A column of the original.

    Attributes
    ----------
    name : str
    values : ndarray of float64, shape (n_records,)
        Numbers, days, or codes of categories; NaN where missing.
    numeric : bool
    """

    name: str
    values: Values
    numeric: bool

    @property
    def spread(self) -> float:
        """Standard deviation; 0 of a constant."""
        return deviation(self.values)


@dataclass(frozen=True, eq=False)
class Statement:
    """What one release says of one column, for every record of the original.

    Attributes
    ----------
    meaning : {"sum", "member", "range", "nothing"}
        The mean of each group; a value that somebody in it has; a set in which all
        of them are; or nothing that binds single records.
    groups : ndarray of int64, shape (n_records,)
        Group of each record; -1 where nothing is said of it.
    values : ndarray of float64, shape (n_records,)
        The released number; the number of the text, of ranges; NaN for none.
    half : float
        How far a mean may be from what was released, by rounding.
    """

    meaning: Literal["sum", "member", "range", "nothing"]
    groups: Integers
    values: Values
    half: float = 0.0


def truths(original: Table, columns: Sequence[str]) -> list[Truth]:
    """Return columns of the original as numbers."""
    return [truth_of(original.frame[name], name) for name in columns]


def truth_of(column: pd.Series, name: str) -> Truth:
    """Return one column of the original as numbers."""
    found = numbers_of(column)
    if found is not None:
        # Nothing is near to an infinite number, as to one that is missing.
        return Truth(name, np.where(np.isfinite(found), found, np.nan), True)
    codes = pd.factorize(column.astype("str").where(column.notna()))[0]
    return Truth(name, np.where(codes < 0, np.nan, codes), False)


def numbers_of(column: pd.Series) -> Values | None:
    """Return numbers or dates, None for words."""
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return days_of(column)
    if pd.api.types.is_bool_dtype(column.dtype):
        return None
    if pd.api.types.is_numeric_dtype(column.dtype):
        return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
    return None


def statements(
    release: Released, columns: Sequence[Truth], original: Table
) -> list[Statement]:
    """Return what a release says of each of some columns."""
    n = original.n_records
    names = [one.name for one in columns if one.name in release.frame]
    whole = release.groups
    if whole is None and names:
        whole = release.classes(names)
    found = []
    for truth in columns:
        if truth.name not in release.frame or whole is None:
            found.append(_nothing(n))
            continue
        column = release.frame[truth.name]
        mine = truth.values[release.rows]
        numbers = numbers_of(column) if truth.numeric else None
        if numbers is None:
            one = _of_words(column, mine)
        else:
            one = _of_numbers(numbers, mine, whole, release, names)
        found.append(_spread_out(one, release.rows, n))
    return found


def _nothing(n: int) -> Statement:
    return Statement("nothing", np.full(n, -1, dtype=np.int64), np.full(n, np.nan))


def _spread_out(one: Statement, rows: Integers, n: int) -> Statement:
    """Return a statement of some records as one of all."""
    groups, values = np.full(n, -1, dtype=np.int64), np.full(n, np.nan)
    groups[rows], values[rows] = one.groups, one.values
    return Statement(one.meaning, groups, values, one.half)


def _of_numbers(
    numbers: Values, mine: Values, whole: Integers, release: Released, names: list[str]
) -> Statement:
    there = ~(np.isnan(numbers) | np.isnan(mine))
    if not there.any():
        return Statement("nothing", np.full(mine.size, -1, dtype=np.int64), numbers)
    places = decimals_of(numbers)
    half = 0.5 * 10.0**-places if places >= 0 else 0.0
    half += EXACT * float(np.abs(mine[there]).max())

    def are_means(groups: Integers) -> bool:
        mean, same = _means(groups, mine, numbers, there)
        return bool((same & (np.abs(mean - numbers) <= half))[there].all())

    def are_members(groups: Integers) -> bool:
        hit = np.abs(mine - numbers) <= EXACT * float(np.abs(mine[there]).max())
        some = np.bincount(groups, hit & there, groups.max() + 1) > 0
        _, same = _means(groups, mine, numbers, there)
        return bool((some[groups] & same)[there].all())

    meanings: list[tuple[Literal["sum", "member"], Callable[[Integers], bool]]] = [
        ("sum", are_means),
        ("member", are_members),
    ]
    own = pd.factorize(numbers, use_na_sentinel=False)[0].astype(np.int64)
    for groups in (whole, own):
        for meaning, holds in meanings:
            if holds(groups):
                if groups is own and meaning == "sum":
                    groups = _refined(own, release, names, are_means)
                return Statement(meaning, np.where(there, groups, -1), numbers, half)
    return Statement("nothing", np.where(there, whole, -1), numbers)


def _means(
    groups: Integers, mine: Values, numbers: Values, there: Booleans
) -> tuple[Values, Booleans]:
    """Return each record's mean of its group, and whether all were given one value."""
    size = np.bincount(groups, there)
    mean = np.bincount(groups, np.where(there, mine, 0.0)) / np.maximum(size, 1)
    low, high = np.full(size.size, np.inf), np.full(size.size, -np.inf)
    np.minimum.at(low, groups[there], numbers[there])
    np.maximum.at(high, groups[there], numbers[there])
    return mean[groups], (low == high)[groups]


def _refined(
    groups: Integers,
    release: Released,
    names: list[str],
    holds: Callable[[Integers], bool],
) -> Integers:
    """Divide groups by the columns that were grouped together with this one."""
    for name in names:
        codes, values = pd.factorize(release.frame[name], use_na_sentinel=False)
        finer = pd.factorize(groups * len(values) + codes)[0].astype(np.int64)
        if finer.max() > groups.max() and holds(finer):
            groups = finer
    return groups


def _of_words(column: pd.Series, mine: Values) -> Statement:
    """Return ranges: everybody's value is among those that the word was given for."""
    codes = pd.factorize(column.astype("str").where(column.notna()))[0]
    there = (codes >= 0) & ~np.isnan(mine)
    groups = np.where(there, codes, -1).astype(np.int64)
    return Statement("range", groups, np.where(there, codes, np.nan).astype(np.float64))
