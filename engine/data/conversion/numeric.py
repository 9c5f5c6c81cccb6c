"""Conversion of numeric and date columns to float64, and errors for others."""

from __future__ import annotations

import numpy as np
import pandas as pd

from engine.core.errors import InputError
from engine.core.message import Message
from engine.core.typing import Values
from engine.data.table import Table

MAX_MAGNITUDE = 1e150
"""Beyond this, squares of values and their sums are no numbers any more."""

MAX_EXACT_INT = 2**53
"""Whole numbers up to this one are told apart by float64."""

ONE_DAY = pd.Timedelta(days=1)

UNIX_EPOCH = pd.Timestamp("1970-01-01")


def is_numeric_column(column: pd.Series) -> bool:
    """Return whether a column is numeric and not Boolean."""
    types, dtype = pd.api.types, column.dtype
    return types.is_numeric_dtype(dtype) and not types.is_bool_dtype(dtype)


def is_decimal_dtype(dtype: object) -> bool:
    """Return whether a type is one of Arrow's decimals."""
    if not isinstance(dtype, pd.ArrowDtype):
        return False
    import pyarrow as pa

    return bool(pa.types.is_decimal(dtype.pyarrow_dtype))


def utc_moments(moments: pd.Series) -> pd.Series:
    """Return dates without their time zone, in UTC."""
    if moments.dt.tz is None:
        return moments
    plain: pd.Series = moments.dt.tz_convert("UTC").dt.tz_localize(None)
    return plain


def days_since_epoch(moments: pd.Series) -> Values:
    """Return dates as days since 1970-01-01 in UTC, missing ones as NaN."""
    days = (utc_moments(moments) - UNIX_EPOCH) / ONE_DAY
    return np.asarray(days.to_numpy(dtype=np.float64, na_value=np.nan))


def floats_or_none(column: pd.Series) -> Values | None:
    """Return a column of numbers or dates (as days) as float64; None for any other."""
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return days_since_epoch(column)
    if is_numeric_column(column):
        return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
    return None


def read_numeric_column(table: Table, name: str) -> Values:
    """Return a column of numbers as float64, missing values as NaN, (n_records,).

    Raises
    ------
    ParameterError
        If the table has no such column.
    InputError
        If the column is not a column of finite numbers up to :data:`MAX_MAGNITUDE`.
    """
    table.schema[name]  # raises where there is no such column
    column = table.frame[name]
    if not pd.api.types.is_numeric_dtype(column.dtype):
        raise not_numeric_error(column, name)
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    _refuse_infinite(values, name)
    _refuse_large(values, name)
    return values


def has_incomputable_values(column: pd.Series) -> bool:
    """Return whether a column has numbers that are infinite or too large to square."""
    if not pd.api.types.is_float_dtype(column.dtype):
        return False
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return bool((np.abs(values) > MAX_MAGNITUDE).any())


def has_inexact_integers(column: pd.Series) -> bool:
    """Return whether an integer column has values beyond :data:`MAX_EXACT_INT`."""
    if not pd.api.types.is_integer_dtype(column.dtype):
        return False
    values = column.dropna()
    return bool(((values > MAX_EXACT_INT) | (values < -MAX_EXACT_INT)).any())


def _refuse_infinite(values: Values, name: str) -> None:
    bad = np.flatnonzero(np.isinf(values))
    if bad.size:
        raise InputError(
            "Column {column!r} has {count:,} infinite value, the first in record "
            "{first}: correct or empty these cells, or make the column ordinal.",
            "Column {column!r} has {count:,} infinite values, the first in record "
            "{first}: correct or empty these cells, or make the column ordinal.",
            count=bad.size,
            column=name,
            first=bad[0] + 1,
        )


def _refuse_large(values: Values, name: str) -> None:
    bad = np.flatnonzero(np.abs(values) > MAX_MAGNITUDE)
    if bad.size:
        raise InputError(
            "Column {column!r} holds numbers too large to compute with, the first in "
            "record {first}: express it in a larger unit, or make it ordinal.",
            column=name,
            first=bad[0] + 1,
        )


def not_numeric_error(column: pd.Series, name: str) -> InputError:
    """Return the error for a column that should be numeric but is not."""
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return InputError(
            "Column {column!r} holds dates where numbers are needed: use another "
            "column.",
            column=name,
        )
    return InputError(
        "Column {column!r} holds {what} but is declared a column of numbers: correct "
        "these cells, make it nominal or give it another role.",
        column=name,
        what=describe_text_cells(column),
    )


def describe_text_cells(column: pd.Series) -> Message:
    """Return a message on which cells are text: none, all, or how many."""
    codes, values = pd.factorize(column)
    text = pd.to_numeric(pd.Series(values), errors="coerce").isna().to_numpy()
    bad = np.flatnonzero(np.append(text, False)[codes])  # code -1: no value
    if bad.size == 0:
        return Message("numbers stored as text")
    if bad.size == np.count_nonzero(codes >= 0):
        return Message("text")
    return Message(
        "text in {count:,} record, first in record {first},",
        "text in {count:,} records, first in record {first},",
        count=bad.size,
        first=bad[0] + 1,
    )
