"""Columns in the form in which a file format stores them; tests of their types."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from engine.core.message import NO_MESSAGE, Message, join_with_and

MAX_EXACT_INT = 2**53
"""Larger whole numbers lose digits where numbers are held as float64."""

AS_TEXT_MESSAGE = Message("as text")
KEEPS_DIGITS_MESSAGE = Message("as text, which keeps every digit")
EMPTY_IS_MISSING_MESSAGE = Message("with blank text as missing")


class UnstorableError(Exception):
    """Error that a format cannot store a column; its message says which values."""

    def __init__(self, what: Message) -> None:
        super().__init__(what)
        self.what = what


@dataclass(frozen=True, eq=False)
class StoredColumn:
    """A column as a file format stores it, and a message on how it was converted.

    Attributes
    ----------
    column : pandas.Series
        What is written, and what a reader finds.
    how : Message
        How that differs from what was given, such as "as text"; mostly empty.
    whole : bool
        Whether it is in the stored form of the input file, which is of the same format
        and so is written as it is.
    """

    column: pd.Series
    how: Message = NO_MESSAGE
    whole: bool = False


def to_plain_column(column: pd.Series) -> pd.Series:
    """Return a column without categories; objects of no pandas type become text.

    Raises
    ------
    UnstorableError
        If text holds half of a surrogate pair, which is no character.
    """
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(column.dtype.categories.dtype)
    try:
        column = column.infer_objects()
        if pd.api.types.is_object_dtype(column.dtype):
            return column.map(str, na_action="ignore").astype("str")
    except UnicodeEncodeError:
        raise UnstorableError(Message("half of a surrogate pair")) from None
    return column


def is_text_column(column: pd.Series) -> bool:
    """Return whether a column has pandas's string type."""
    return isinstance(column.dtype, pd.StringDtype)


def is_date_column(column: pd.Series) -> bool:
    """Return whether a column holds dates, with or without a time of day or zone."""
    return pd.api.types.is_datetime64_any_dtype(column.dtype)


def is_duration_column(column: pd.Series) -> bool:
    """Return whether a column holds durations."""
    return pd.api.types.is_timedelta64_dtype(column.dtype)


def has_integers_beyond(column: pd.Series, max_magnitude: int) -> bool:
    """Return whether an integer column has values of larger magnitude than given."""
    if not pd.api.types.is_integer_dtype(column.dtype):
        return False
    integers = column.dropna()
    return bool(((integers > max_magnitude) | (integers < -max_magnitude)).any())


def has_times_finer_than(column: pd.Series, unit: str) -> bool:
    """Return whether any of a column's times has a fraction of the given unit."""
    times = column.dropna()
    if times.dt.tz is not None:
        times = times.dt.tz_convert("UTC")
    return bool((times != times.dt.floor(unit)).any())


def to_text_column(column: pd.Series) -> pd.Series:
    """Return a column as text, dates as in ISO 8601."""
    if is_date_column(column):
        dates = column.dropna()
        is_day = column.dt.tz is None and (dates == dates.dt.normalize()).all()
        texts = column.map(
            lambda moment: (moment.date() if is_day else moment).isoformat(),
            na_action="ignore",
        )
    else:
        texts = column.map(str, na_action="ignore")
    return texts.astype("str")


def to_stored_with_blanks_missing(
    column: pd.Series, is_blank: pd.Series, conversion_note: Message = NO_MESSAGE
) -> StoredColumn:
    """Return a StoredColumn of text, `is_blank` cells missing, which its message says.

    Parameters
    ----------
    column, is_blank : pandas.Series
    conversion_note : Message
        How the column differs already, which is said before.
    """
    if not is_blank.any():
        return StoredColumn(column, conversion_note)
    both = join_with_and([conversion_note, EMPTY_IS_MISSING_MESSAGE])
    return StoredColumn(
        column.mask(is_blank, None),
        both if conversion_note else EMPTY_IS_MISSING_MESSAGE,
    )
