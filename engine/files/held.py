"""What a file format holds of a column: all, the same in other words, or nothing."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from engine.core.message import NOTHING, Message

EXACT = 2**53
"""Larger whole numbers lose digits where numbers are held as float64."""

AS_TEXT = Message("as text")
KEEPS_DIGITS = Message("as text, which keeps every digit")
EMPTY_IS_MISSING = Message("with blank text as missing")


class Unfit(Exception):
    """A column holds what a format cannot; says what in a few words."""

    def __init__(self, what: Message) -> None:
        super().__init__(what)
        self.what = what


@dataclass(frozen=True, eq=False)
class Held:
    """A column as it reads back from a file.

    Attributes
    ----------
    column : pandas.Series
        What is written, and what a reader finds.
    how : Message
        How that differs from what was given, such as "as text"; mostly empty.
    whole : bool
        Whether it is as the file that came in holds it, which its own format takes
        whatever it is.
    """

    column: pd.Series
    how: Message = NOTHING
    whole: bool = False


def plain(column: pd.Series) -> pd.Series:
    """Return a column without categories, and with text where it held objects.

    Raises
    ------
    Unfit
        If text holds half of a surrogate pair, which is no character.
    """
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(column.dtype.categories.dtype)
    try:
        column = column.infer_objects()
        if pd.api.types.is_object_dtype(column.dtype):
            return column.map(str, na_action="ignore").astype("str")
    except UnicodeEncodeError:
        raise Unfit(Message("half of a surrogate pair")) from None
    return column


def is_text(column: pd.Series) -> bool:
    """Return whether a column holds text."""
    return isinstance(column.dtype, pd.StringDtype)


def is_date(column: pd.Series) -> bool:
    """Return whether a column holds dates, with or without a time of day or zone."""
    return pd.api.types.is_datetime64_any_dtype(column.dtype)


def is_duration(column: pd.Series) -> bool:
    """Return whether a column holds lengths of time."""
    return pd.api.types.is_timedelta64_dtype(column.dtype)


def exceeds(column: pd.Series, largest: int) -> bool:
    """Return whether a column holds whole numbers beyond `largest`, of either sign."""
    if not pd.api.types.is_integer_dtype(column.dtype):
        return False
    known = column.dropna()
    return bool(((known > largest) | (known < -largest)).any())


def finer_than(column: pd.Series, unit: str) -> bool:
    """Return whether dates have times of day that are no multiple of a unit."""
    known = column.dropna()
    if known.dt.tz is not None:
        known = known.dt.tz_convert("UTC")
    return bool((known != known.dt.floor(unit)).any())


def as_text(column: pd.Series) -> pd.Series:
    """Return numbers, dates (ISO 8601) or durations as text."""
    if is_date(column):
        texts = column.map(lambda moment: moment.isoformat(), na_action="ignore")
    else:
        texts = column.map(str, na_action="ignore")
    return texts.astype("str")


def without_blank(column: pd.Series, blank: pd.Series) -> Held:
    """Return text with cells missing where `blank`, and say so if there are any."""
    if not blank.any():
        return Held(column)
    return Held(column.mask(blank, None), EMPTY_IS_MISSING)
