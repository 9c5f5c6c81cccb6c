"""Frequency tables and summaries of columns before and after protection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from engine.core.errors import InputError
from engine.data.conversion.numeric import has_incomputable_values, is_numeric_column
from engine.data.kinds import Kind
from engine.data.schema import unknown_column_error
from engine.data.table import Table
from engine.hierarchy import leaf_text_of
from engine.pipeline.outcome import Outcome

MAX_TABLE_LEVELS = 40
"""Values of a column that tables are made by, at most."""

MISSING_LEVEL = ""
"""Stands for records that lack a value."""

ALL_RECORDS_LEVEL = "*"
"""Stands for all records together."""


@dataclass(frozen=True)
class NumericColumnSummary:
    """Count, mean, deviation, minimum, median and maximum of a numeric column.

    Attributes
    ----------
    records : int
        Those that have a value.
    mean, deviation, least, median, most : float
        The deviation is that of a sample. Infinite and huge values have no mean and no
        deviation (NaN), and their median is one of them.
    """

    records: int
    mean: float
    deviation: float
    least: float
    median: float
    most: float

    @classmethod
    def from_values(cls, values: pd.Series) -> NumericColumnSummary:
        """Return the summary of a numeric column.

        Parameters
        ----------
        values : pandas.Series, shape (n_records,)
        """
        numbers = values.to_numpy(dtype=np.float64, na_value=np.nan)
        numbers = numbers[~np.isnan(numbers)]
        if not numbers.size:
            return cls(0, *[float("nan")] * 5)
        mean = deviation = float("nan")
        if has_incomputable_values(values):
            median = np.sort(numbers)[(numbers.size - 1) // 2]
        else:
            mean, median = float(numbers.mean()), np.median(numbers)
            if numbers.size > 1:
                deviation = float(np.std(numbers, ddof=1))
        return cls(
            int(numbers.size),
            mean,
            deviation,
            float(numbers.min()),
            float(median),
            float(numbers.max()),
        )


@dataclass(frozen=True)
class NumberComparison:
    """A numeric column's summaries before and after, for all records or a level."""

    column: str
    level: str
    before: NumericColumnSummary
    after: NumericColumnSummary


@dataclass(frozen=True)
class CrossTabulation:
    """Joint frequencies of two columns, before and after.

    Attributes
    ----------
    column, by : str
    values : tuple of str
        Of `column`.
    levels : tuple of str
        Of `by`.
    before, after : tuple of tuple of int
        A row for each level, a count for each value.
    """

    column: str
    by: str
    values: tuple[str, ...]
    levels: tuple[str, ...]
    before: tuple[tuple[int, ...], ...]
    after: tuple[tuple[int, ...], ...]


def columns_with_few_values(outcome: Outcome, table: Table) -> tuple[str, ...]:
    """Return released columns of 2 to 40 values, and at most 40 in the original."""
    original, released = _paired_frames(outcome, table)
    return tuple(
        str(name)
        for name in released.columns
        if name in original
        and 1 < released[name].nunique(dropna=False) <= MAX_TABLE_LEVELS
        and original[name].nunique(dropna=False) <= MAX_TABLE_LEVELS
    )


def compare_numeric_summaries(
    outcome: Outcome, table: Table, by_column: str = ""
) -> tuple[NumberComparison, ...]:
    """Return summaries of protected numeric columns, in all and per `by_column` value.

    All records together come first. Records belong to the level that they have: before
    in the original, after in the release.

    Parameters
    ----------
    table : Table
        What was protected.
    by_column : str
        A column of few values; empty for all records alone.

    Raises
    ------
    ParameterError
        If there is no such column.
    InputError
        If it has too many values, or does not leave.
    """
    original, released = _paired_frames(outcome, table)
    comparisons = []
    columns = [
        name
        for name in outcome.plan.quasi_identifiers
        if is_numeric_column(original[name]) and is_numeric_column(released[name])
    ]
    for name in columns:
        pair = (
            NumericColumnSummary.from_values(original[name]),
            NumericColumnSummary.from_values(released[name]),
        )
        comparisons.append(NumberComparison(name, ALL_RECORDS_LEVEL, *pair))
        if not by_column:
            continue
        before, after = _level_texts(original, released, by_column)
        for level in sorted({*before, *after}):
            one, other = original[name][before == level], released[name][after == level]
            comparisons.append(
                NumberComparison(
                    name,
                    level,
                    NumericColumnSummary.from_values(one),
                    NumericColumnSummary.from_values(other),
                )
            )
    return tuple(comparisons)


def cross_tabulate(
    outcome: Outcome, table: Table, column: str, by_column: str
) -> CrossTabulation:
    """Return the joint frequencies of two columns, before and after protection.

    Parameters
    ----------
    table : Table
        What was protected.
    column, by_column : str
        Columns of few values.

    Raises
    ------
    ParameterError, InputError
        As for :func:`compare_numeric_summaries`.
    """
    original, released = _paired_frames(outcome, table)
    values = _level_texts(original, released, column)
    levels = _level_texts(original, released, by_column)
    labels = sorted({*values[0], *values[1]})
    rows = sorted({*levels[0], *levels[1]})
    pair = [
        pd.crosstab(level.to_numpy(), value.to_numpy()).reindex(
            index=rows, columns=labels, fill_value=0
        )
        for level, value in zip(levels, values, strict=True)
    ]
    before, after = (
        tuple(tuple(map(int, row)) for row in side.to_numpy().tolist()) for side in pair
    )
    return CrossTabulation(column, by_column, tuple(labels), tuple(rows), before, after)


def cross_tabulate_categories(
    outcome: Outcome, table: Table, by_column: str
) -> tuple[CrossTabulation, ...]:
    """Return cross tabulations of few-valued, non-continuous columns by another one."""
    kinds = outcome.plan.kinds
    return tuple(
        cross_tabulate(outcome, table, name, by_column)
        for name in columns_with_few_values(outcome, table)
        if name != by_column and kinds.get(name, Kind.CONTINUOUS) is not Kind.CONTINUOUS
    )


def _paired_frames(outcome: Outcome, table: Table) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the released records before and after protection."""
    return table.frame.iloc[outcome.release.rows], outcome.release.frame


def _level_texts(
    original: pd.DataFrame, released: pd.DataFrame, name: str
) -> tuple[pd.Series, pd.Series]:
    """Return each record's level as text, before and after.

    Raises ParameterError, InputError.
    """
    if name not in original:
        raise unknown_column_error(name, tuple(map(str, original.columns)))
    if name not in released:
        raise InputError(
            "Column {column!r} does not leave, so there is no table by it: choose one "
            "of {known}.",
            column=name,
            known=list(map(str, released.columns)),
        )
    texts = [_as_texts(frame[name]) for frame in (original, released)]
    n_levels = max(len(set(column)) for column in texts)
    if n_levels > MAX_TABLE_LEVELS:
        raise InputError(
            "Column {column!r} has {count:,} values, too many for a table: choose a "
            "column of at most {most}.",
            column=name,
            count=n_levels,
            most=MAX_TABLE_LEVELS,
        )
    return texts[0], texts[1]


def _as_texts(column: pd.Series) -> pd.Series:
    codes, values = pd.factorize(column)
    words: Sequence[str] = [*map(leaf_text_of, values), MISSING_LEVEL]
    return pd.Series(np.array(words, dtype=object)[codes], index=column.index)
