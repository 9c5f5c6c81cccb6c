"""Casts of columns of program-written text to numbers and dates, as a whole.

A column is cast as a whole or not at all, so that codes stay text.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd

from engine.files.cells.digits import do_all_floats_keep_text_digits
from engine.files.cells.missing_words import MISSING_WORDS

SAMPLE_CELLS = 1_000
"""First cells of a column that must be numbers or dates before all are tried."""

_TIME_DIRECTIVES = {
    "[0-9]{2}:[0-9]{2}": "%H:%M",
    "[0-9]{2}:[0-9]{2}:[0-9]{2}": "%H:%M:%S",
    r"[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{6})?": "%H:%M:%S.%f",
}
"""Times of day, and how ``strftime`` writes them."""

_TIMES = [(between, time) for between in " T" for time in _TIME_DIRECTIVES]
"""What stands between date and time, and the time."""

# pyarrow has no types: its arrays are Any here.
Text = Any
Numbers = Any


def infer_and_cast_text_column(column: Text, decimal: str) -> pd.Series:
    """Return a column of text as integers, floats, dates or text, as all cells allow.

    Integers become int64 (Int64 if cells are missing), other numbers float64, dates
    written yyyy-mm-dd, alone or with a time of day, datetime64, and everything else
    stays text. Codes with leading zeros or told apart by zeros at the end, and integers
    with more digits than int64 holds, are text.

    Parameters
    ----------
    column : pyarrow.ChunkedArray of string
        Empty cells are null.
    decimal : {".", ","}
    """
    import pyarrow as pa

    series: pd.Series
    if column.null_count == len(column):
        return pd.Series([float("nan")] * len(column), dtype="float64")
    numbers = try_cast_to_numbers_sample_first(column, decimal)
    if numbers is None:
        dates = _to_dates(column)
        if dates is None and find_timestamp_format(column) is not None:
            dates = _try_cast(column, pa.timestamp("us"))
        if dates is None:
            series = column.cast(pa.large_string()).to_pandas()
        else:
            series = dates.to_pandas(date_as_object=False).astype("datetime64[us]")
    else:
        series = arrow_numbers_to_series(numbers)
    return series


def arrow_numbers_to_series(numbers: Any) -> pd.Series:
    """Return an Arrow column of int64 or double as a series, whole where it was."""
    import pyarrow as pa

    series: pd.Series
    if pa.types.is_integer(numbers.type) and numbers.null_count:
        series = numbers.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get)
    else:
        series = numbers.to_pandas()
    return series


def arrow_text_to_series(column: Any) -> pd.Series:
    """Return an Arrow column of text as a pandas series."""
    import pyarrow as pa

    text: pd.Series = column.cast(pa.large_string()).to_pandas()
    return text.astype("str")


def do_all_floats_keep_digits(column: Text, series: pd.Series, decimal: str) -> bool:
    """Return whether float64 numbers equal the text of their column to the last digit.

    Parameters
    ----------
    column : pyarrow.ChunkedArray of string
    series : pandas.Series
        What :func:`infer_and_cast_text_column` gave; the answer is True if not float64.
    decimal : {".", ","}
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if series.dtype != np.float64:
        return True
    start = 0
    for text in column.chunks:
        numbers = pa.array(series.iloc[start : start + len(text)], from_pandas=True)
        start += len(text)
        if decimal != ".":
            text = pc.replace_substring(text, decimal, ".")
        if not do_all_floats_keep_text_digits(pc.utf8_trim_whitespace(text), numbers):
            return False
    return True


def try_cast_to_numbers_sample_first(column: Text, decimal: str) -> Numbers | None:
    """Return a column as int64 or double; None if it, or a sample, is not numeric."""
    sample = column.drop_null().slice(0, SAMPLE_CELLS)
    if try_cast_to_numbers(sample, decimal) is None:
        return None
    return try_cast_to_numbers(column, decimal)


def try_cast_to_numbers(column: Text, decimal: str) -> Numbers | None:
    """Return cells as int64 or double, missing words null; None if any is no number.

    None also if all are missing. Words for missing values become null. Digits that
    double does not hold are lost: :func:`do_all_floats_keep_digits` tells.
    """
    import pyarrow as pa

    text = _with_decimal_point(column, decimal)
    if text is None:
        return None
    for attempt in (text, None):
        if attempt is None:
            attempt = _without_missing_words(text)
        if attempt.null_count == len(attempt):
            return None
        numbers = _try_cast(attempt, pa.int64())
        if numbers is None:
            numbers = _try_cast_to_double(attempt)
        if numbers is not None:
            return None if _are_codes(attempt, numbers) else numbers
    return None


def try_cast_some_to_numbers(some: Text, decimal: str, kind: Any) -> Numbers | None:
    """Return some cells of a column as numbers of its type, missing words null.

    None if any is no such number, or loses digits. Unlike a column, some cells may all
    be missing.

    Parameters
    ----------
    some : pyarrow.ChunkedArray of string
    decimal : {".", ","}
    kind : pyarrow.DataType
        int64 or double.
    """
    import pyarrow as pa

    text = _with_decimal_point(some, decimal)
    if text is None:
        return None
    whole = kind == pa.int64()
    for attempt in (text, None):
        if attempt is None:
            attempt = _without_missing_words(text)
        numbers = _try_cast(attempt, kind) if whole else _try_cast_to_double(attempt)
        if numbers is not None:
            return None if _lose_digits(attempt, numbers) else numbers
    return None


def try_cast_some_to_dates(some: Text, form: str | None) -> Any | None:
    """Return some cells of a column as timestamps; None if any is written otherwise.

    Parameters
    ----------
    some : pyarrow.ChunkedArray of string
        Not all of them missing.
    form : str or None
        What :func:`find_timestamp_format` gave for the column: None for days.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if form is None:
        days = _try_cast(some, pa.date32())
        return None if days is None else days.cast(pa.timestamp("us"))
    shape = next(
        _timestamp_shape(*each)
        for each in _TIMES
        if _timestamp_directives(*each) == form
    )
    if not pc.all(pc.match_substring_regex(some, shape)).as_py():
        return None if some.null_count < len(some) else some.cast(pa.timestamp("us"))
    return _try_cast(some, pa.timestamp("us"))


def _with_decimal_point(column: Text, decimal: str) -> Text | None:
    """Return text with decimal points; None if it also has the other sign."""
    import pyarrow.compute as pc

    if decimal != ",":
        return None if has_sign(column, ",") else column
    if has_sign(column, "."):
        # A point is then part of a date or parts thousands; alone it is missing.
        column = _without_missing_words(column)
        if has_sign(column, "."):
            return None
    return pc.replace_substring(column, ",", ".")


def _try_cast_to_double(column: Text) -> Numbers | None:
    """Return cells as double; None if one cannot be, or is the word for no number."""
    import pyarrow as pa
    import pyarrow.compute as pc

    numbers = _try_cast(column, pa.float64())
    if numbers is not None and pc.any(pc.is_nan(numbers)).as_py():
        return None
    return numbers


def _try_cast(column: Text, kind: Any) -> Numbers | None:
    import pyarrow as pa

    try:
        return column.cast(kind)
    except pa.ArrowInvalid:
        return None


def _without_missing_words(column: Text) -> Text:
    """Trim blanks, and make empty cells and words for a missing value null."""
    import pyarrow as pa
    import pyarrow.compute as pc

    trimmed = pc.utf8_trim_whitespace(column)
    words = pc.is_in(trimmed, value_set=pa.array(["", *MISSING_WORDS]))
    return pc.if_else(words, pa.scalar(None, trimmed.type), trimmed)


def _are_codes(text: Text, numbers: Numbers) -> bool:
    """Return whether digits would be lost: as in some cells, or 62.10, or +31...."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if _lose_digits(text, numbers):
        return True
    if pa.types.is_integer(numbers.type):
        return False
    if are_codes_with_end_zeros(text, "."):
        return True
    # A plus sign is a sign only in company of decimals or minus signs; else it
    # begins a telephone number.
    plus = pc.any(pc.starts_with(text, "+")).as_py()
    return bool(plus) and not (has_sign(text, ".") or has_sign(text, "-"))


def _lose_digits(text: Text, numbers: Numbers) -> bool:
    """Return whether a cell alone would lose digits: 0123, 0x1F, beyond int64."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if _has_match(text, pc.starts_with(text, "0"), r"^0[0-9xX]"):
        return True
    if _has_match(text, pc.starts_with(text, "-0"), r"^-0[0-9xX]"):
        return True
    if pa.types.is_integer(numbers.type):
        return False
    long = pc.greater_equal(pc.binary_length(text), 19)
    return _has_match(text, long, r"^[+-]?[0-9]{19,}$")


def are_codes_with_end_zeros(column: Text, decimal: str) -> bool:
    """Return whether zeros at the end alone tell codes apart, as 62.10 from 62.1.

    Amounts are written with as many decimals as they have, or all with the same number
    of them; where people wrote them, some are negative or below one, few come again, or
    some are whole and not all of two digits before the sign.

    Parameters
    ----------
    column : pyarrow.ChunkedArray of string
        Empty cells are null.
    decimal : {".", ","}
    """
    import pyarrow.compute as pc

    ends = rf"[{decimal}][0-9]*[1-9]0+$"
    if not _has_match(column, pc.ends_with(column, "0"), ends):
        return False
    cells = pc.utf8_trim_whitespace(column.drop_null())
    texts = pc.unique(cells)
    end = rf"[{decimal}][0-9]{{1,3}}"
    codes = (rf"^[1-9][0-9]{{0,3}}{end}$", rf"^[1-9][0-9](?:{end})?$")
    if 2 * len(texts) > len(cells) or not any(
        pc.all(pc.match_substring_regex(texts, code)).as_py() for code in codes
    ):
        return False
    shared = pc.is_in(pc.utf8_rtrim(texts, "0"), value_set=texts)
    return bool(pc.any(pc.and_(pc.ends_with(texts, "0"), shared)).as_py())


def could_separate_thousands(column: Text, sign: str) -> bool:
    """Return whether every `sign` in the column could separate thousands."""
    import pyarrow.compute as pc

    cells = column.filter(pc.match_substring(column, sign))
    shape = rf"^\s*[+-]?[1-9][0-9]{{0,2}}[{sign}][0-9]{{3}}\s*$"
    return bool(pc.all(pc.match_substring_regex(cells, shape)).as_py())


def _to_dates(column: Text) -> Any | None:
    import pyarrow as pa

    sample = column.drop_null().slice(0, SAMPLE_CELLS)
    if _try_cast(sample, pa.date32()) is None:
        return None
    return _try_cast(column, pa.date32())


def find_timestamp_format(column: Text) -> str | None:
    """Return the one format of a column of dates with times, or None.

    Parameters
    ----------
    column : pyarrow.ChunkedArray of string
        Empty cells are null.

    Returns
    -------
    str or None
        As ``strftime`` takes it, such as ``"%Y-%m-%d %H:%M:%S"``; fractions of seconds
        may be there or not.
    """
    import pyarrow.compute as pc

    cells = column.drop_null()
    if not len(cells):
        return None
    first = cells[0].as_py()
    for between, time in _TIMES:
        shape = _timestamp_shape(between, time)
        if re.match(shape, first) is None:
            continue
        if pc.all(pc.match_substring_regex(cells, shape)).as_py():
            return _timestamp_directives(between, time)
    return None


def _timestamp_shape(between: str, time: str) -> str:
    """Return the regular expression of a date and time of day."""
    return rf"^[1-9][0-9]{{3}}-[0-9]{{2}}-[0-9]{{2}}{between}{time}$"


def _timestamp_directives(between: str, time: str) -> str:
    """Return how ``strftime`` writes a date and time of day."""
    return f"%Y-%m-%d{between}{_TIME_DIRECTIVES[time]}"


def has_sign(column: Text, sign: str) -> bool:
    """Return whether a cell of the column contains `sign`."""
    import pyarrow.compute as pc

    return bool(pc.any(pc.match_substring(column, sign)).as_py())


def _has_match(column: Text, where: Any, pattern: str) -> bool:
    import pyarrow.compute as pc

    if not pc.any(where).as_py():
        return False
    cells = column.filter(where)
    return bool(pc.any(pc.match_substring_regex(cells, pattern)).as_py())
