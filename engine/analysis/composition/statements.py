"""Statements of a release on a column: group sums, members' values, or ranges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from engine.analysis.releases.attacked_release import ReleaseWithOrigins
from engine.constraints.exact_rounding.decimals import min_decimals_for_all_values
from engine.core.numerics.statistics import std_of_finite_values
from engine.core.typing import Booleans, Integers, Values
from engine.data.conversion.numeric import floats_or_none
from engine.data.table import Table

MEAN_ERROR_SHARE = 1e-9
"""Error of a mean that was computed, as a share of the column's largest number."""


@dataclass(frozen=True, eq=False)
class OriginalColumn:
    """A column of the original table as numbers.

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
    def standard_deviation(self) -> float:
        """Standard deviation; 0 of a constant column."""
        return std_of_finite_values(self.values)


@dataclass(frozen=True, eq=False)
class ColumnStatement:
    """What one release states on one column, for every original record.

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


def encode_original_columns(
    original: Table, columns: Sequence[str]
) -> list[OriginalColumn]:
    """Return columns of the original table as numbers."""
    return [encode_original_column(original.frame[name], name) for name in columns]


def encode_original_column(column: pd.Series, name: str) -> OriginalColumn:
    """Return one column of the original table as numbers."""
    values = floats_or_none(column)
    if values is not None:
        # Nothing is near to an infinite number, as to one that is missing.
        return OriginalColumn(name, np.where(np.isfinite(values), values, np.nan), True)
    codes = pd.factorize(column.astype("str").where(column.notna()))[0]
    return OriginalColumn(name, np.where(codes < 0, np.nan, codes), False)


def release_statements(
    release: ReleaseWithOrigins, columns: Sequence[OriginalColumn], original: Table
) -> list[ColumnStatement]:
    """Return what a release states on each column."""
    n = original.n_records
    names = [one.name for one in columns if one.name in release.frame]
    whole = release.groups
    if whole is None and names:
        whole = release.equivalence_classes(names)
    statements = []
    for truth in columns:
        # Nothing is said of records that are not in the release.
        groups, values = np.full(n, -1, dtype=np.int64), np.full(n, np.nan)
        if truth.name not in release.frame or whole is None:
            statements.append(ColumnStatement("nothing", groups, values))
            continue
        column = release.frame[truth.name]
        originals = truth.values[release.rows]
        numbers = floats_or_none(column) if truth.numeric else None
        if numbers is None:
            one = _word_statement(column, originals)
        else:
            one = _number_statement(numbers, originals, whole, release, names)
        groups[release.rows], values[release.rows] = one.groups, one.values
        statements.append(ColumnStatement(one.meaning, groups, values, one.half))
    return statements


def _number_statement(
    numbers: Values,
    mine: Values,
    whole: Integers,
    release: ReleaseWithOrigins,
    names: list[str],
) -> ColumnStatement:
    is_present = ~(np.isnan(numbers) | np.isnan(mine))
    if not is_present.any():
        return ColumnStatement(
            "nothing", np.full(mine.size, -1, dtype=np.int64), numbers
        )
    places = min_decimals_for_all_values(numbers)
    half = 0.5 * 10.0**-places if places >= 0 else 0.0
    half += MEAN_ERROR_SHARE * float(np.abs(mine[is_present]).max())

    def are_means(groups: Integers) -> bool:
        mean, same = _group_means(groups, mine, numbers, is_present)
        return bool((same & (np.abs(mean - numbers) <= half))[is_present].all())

    def are_members(groups: Integers) -> bool:
        hit = np.abs(mine - numbers) <= MEAN_ERROR_SHARE * float(
            np.abs(mine[is_present]).max()
        )
        some = np.bincount(groups, hit & is_present, groups.max() + 1) > 0
        _, same = _group_means(groups, mine, numbers, is_present)
        return bool((some[groups] & same)[is_present].all())

    meanings: list[tuple[Literal["sum", "member"], Callable[[Integers], bool]]] = [
        ("sum", are_means),
        ("member", are_members),
    ]
    value_groups = pd.factorize(numbers, use_na_sentinel=False)[0].astype(np.int64)
    for groups in (whole, value_groups):
        for meaning, holds in meanings:
            if holds(groups):
                if groups is value_groups and meaning == "sum":
                    groups = _refine_groups(value_groups, release, names, are_means)
                return ColumnStatement(
                    meaning, np.where(is_present, groups, -1), numbers, half
                )
    return ColumnStatement("nothing", np.where(is_present, whole, -1), numbers)


def _group_means(
    groups: Integers, mine: Values, numbers: Values, there: Booleans
) -> tuple[Values, Booleans]:
    """Return each record's group mean, and whether groups share one value."""
    size = np.bincount(groups, there)
    mean = np.bincount(groups, np.where(there, mine, 0.0)) / np.maximum(size, 1)
    low, high = np.full(size.size, np.inf), np.full(size.size, -np.inf)
    np.minimum.at(low, groups[there], numbers[there])
    np.maximum.at(high, groups[there], numbers[there])
    return mean[groups], (low == high)[groups]


def _refine_groups(
    groups: Integers,
    release: ReleaseWithOrigins,
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


def _word_statement(column: pd.Series, mine: Values) -> ColumnStatement:
    """Return ranges: the values for which each released word stands."""
    codes = pd.factorize(column.astype("str").where(column.notna()))[0]
    is_present = (codes >= 0) & ~np.isnan(mine)
    groups = np.where(is_present, codes, -1).astype(np.int64)
    return ColumnStatement(
        "range", groups, np.where(is_present, codes, np.nan).astype(np.float64)
    )
