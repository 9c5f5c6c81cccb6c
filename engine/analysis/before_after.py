"""Tables before and after: summaries of numbers and counts of values, by groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from engine.core.errors import InputError
from engine.data.kinds import Kind
from engine.data.schema import unknown_column
from engine.data.table import Table
from engine.hierarchy import text_of
from engine.pipeline.outcome import Outcome

MOST_LEVELS = 40
"""Values of a column that tables are made by, at most."""

MISSING = ""
"""Stands for records that lack a value."""

ALL = "*"
"""Stands for all records together."""


@dataclass(frozen=True)
class Figures:
    """What some records say of one column of numbers; NaN where it says nothing.

    Attributes
    ----------
    records : int
        Those that have a value.
    mean, deviation, least, median, most : float
        The deviation is that of a sample.
    """

    records: int
    mean: float
    deviation: float
    least: float
    median: float
    most: float

    @classmethod
    def of(cls, values: pd.Series) -> Figures:
        """Return the figures of a column of numbers.

        Parameters
        ----------
        values : pandas.Series, shape (n_records,)
        """
        known = values.to_numpy(dtype=np.float64, na_value=np.nan)
        known = known[~np.isnan(known)]
        if not known.size:
            return cls(0, *[float("nan")] * 5)
        deviation = float(np.std(known, ddof=1)) if known.size > 1 else float("nan")
        return cls(
            int(known.size),
            float(known.mean()),
            deviation,
            float(known.min()),
            float(np.median(known)),
            float(known.max()),
        )


@dataclass(frozen=True)
class Summary:
    """One column of numbers before and after, in the records of one level."""

    column: str
    level: str
    before: Figures
    after: Figures


@dataclass(frozen=True)
class Counts:
    """How often values of two columns come together, before and after.

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


def columns_for(outcome: Outcome, table: Table) -> tuple[str, ...]:
    """Return the columns that leave and have few values: tables can be made by them."""
    original, released = _both(outcome, table)
    return tuple(
        str(name)
        for name in released.columns
        if name in original
        and 1 < released[name].nunique(dropna=False) <= MOST_LEVELS
        and original[name].nunique(dropna=False) <= MOST_LEVELS
    )


def summaries(outcome: Outcome, table: Table, by: str = "") -> tuple[Summary, ...]:
    """Return figures of each protected column of numbers, by the levels of a column.

    All records together come first. Records belong to the level that they have: before
    in the original, after in the release.

    Parameters
    ----------
    outcome : Outcome
    table : Table
        What was protected.
    by : str
        A column of few values; empty for all records alone.

    Raises
    ------
    ParameterError
        If there is no such column.
    InputError
        If it has too many values, or does not leave.
    """
    original, released = _both(outcome, table)
    found = []
    columns = [
        name
        for name in outcome.plan.quasi_identifiers
        if _numeric(original[name]) and _numeric(released[name])
    ]
    for name in columns:
        pair = Figures.of(original[name]), Figures.of(released[name])
        found.append(Summary(name, ALL, *pair))
        if not by:
            continue
        before, after = _levels(original, released, by)
        for level in sorted({*before, *after}):
            one, other = original[name][before == level], released[name][after == level]
            found.append(Summary(name, level, Figures.of(one), Figures.of(other)))
    return tuple(found)


def counts(outcome: Outcome, table: Table, column: str, by: str) -> Counts:
    """Return how often values of two columns come together, before and after.

    Parameters
    ----------
    outcome : Outcome
    table : Table
        What was protected.
    column, by : str
        Columns of few values.

    Raises
    ------
    ParameterError, InputError
        As for :func:`summaries`.
    """
    original, released = _both(outcome, table)
    values = _levels(original, released, column)
    levels = _levels(original, released, by)
    known = sorted({*values[0], *values[1]})
    rows = sorted({*levels[0], *levels[1]})
    told = [
        pd.crosstab(level.to_numpy(), value.to_numpy()).reindex(
            index=rows, columns=known, fill_value=0
        )
        for level, value in zip(levels, values, strict=True)
    ]
    before, after = (
        tuple(tuple(map(int, row)) for row in one.to_numpy().tolist()) for one in told
    )
    return Counts(column, by, tuple(known), tuple(rows), before, after)


def counted(outcome: Outcome, table: Table, by: str) -> tuple[Counts, ...]:
    """Return the counts of each protected column of categories, by another's values."""
    kinds = outcome.plan.kinds
    return tuple(
        counts(outcome, table, name, by)
        for name in columns_for(outcome, table)
        if name != by and kinds.get(name, Kind.CONTINUOUS) is not Kind.CONTINUOUS
    )


def _both(outcome: Outcome, table: Table) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the released records as they were, and as they are."""
    return table.frame.iloc[outcome.release.rows], outcome.release.frame


def _numeric(column: pd.Series) -> bool:
    kind = column.dtype
    return pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_bool_dtype(kind)


def _levels(
    original: pd.DataFrame, released: pd.DataFrame, name: str
) -> tuple[pd.Series, pd.Series]:
    """Return each record's level as text, before and after.

    Raises
    ------
    ParameterError, InputError
    """
    if name not in original:
        raise unknown_column(name, tuple(map(str, original.columns)))
    if name not in released:
        raise InputError(
            "Column {column!r} does not leave, so there is no table by it: choose one "
            "of {known}.",
            column=name,
            known=list(map(str, released.columns)),
        )
    found = [_texts(frame[name]) for frame in (original, released)]
    most = max(len(set(one)) for one in found)
    if most > MOST_LEVELS:
        raise InputError(
            "Column {column!r} has {count:,} values, too many for a table: choose a "
            "column of at most {most}.",
            column=name,
            count=most,
            most=MOST_LEVELS,
        )
    return found[0], found[1]


def _texts(column: pd.Series) -> pd.Series:
    codes, values = pd.factorize(column)
    words: Sequence[str] = [*map(text_of, values), MISSING]
    return pd.Series(np.array(words, dtype=object)[codes], index=column.index)
