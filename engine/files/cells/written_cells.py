"""Parse cells of a file that this program has written, whose types are known."""

from __future__ import annotations

from typing import Any

import pandas as pd

from engine.data.formats.date_format import DateFormat
from engine.data.formats.number_format import NumberFormat
from engine.files.cells.casting import arrow_numbers_to_series, arrow_text_to_series
from engine.files.cells.dates import try_parse_dates
from engine.files.cells.numbers import try_parse_formatted_numbers
from engine.files.stored_columns import is_date_column

# pyarrow has no types: its arrays are Any here.
Text = Any


def parse_written_cells(
    text: Text,
    written_column: pd.Series | None,
    decimal: str = ".",
    written_format: NumberFormat | DateFormat | str | None = None,
) -> pd.Series:
    """Return text as dates or numbers where the written column was such, else as text.

    Parameters
    ----------
    text : pyarrow.ChunkedArray of string
        Empty cells are null.
    written_column : pandas.Series or None
        What was to be written; None of a column that was not.
    decimal : {".", ","}
    written_format : NumberFormat, DateFormat or "text", optional
        In which numbers or dates were to be written; None for that of programs.

    Returns
    -------
    pandas.Series
        Of text, where text was to be written or a cell is not of the expected type.
    """
    series = None
    if written_column is not None and is_date_column(written_column):
        if isinstance(written_format, DateFormat):
            series = try_parse_dates(text, written_format)
        if series is None:
            series = _parse_dates(text, zoned=written_column.dt.tz is not None)
    elif written_column is not None and pd.api.types.is_numeric_dtype(
        written_column.dtype
    ):
        if isinstance(written_format, NumberFormat):
            series = _to_series(try_parse_formatted_numbers(text, written_format))
        if series is None:
            series = _to_series(_parse_numbers(text, decimal))
    if series is None:
        series = arrow_text_to_series(text)
    return series


def _parse_numbers(text: Text, decimal: str) -> Any | None:
    import pyarrow as pa
    import pyarrow.compute as pc

    if decimal != ".":
        text = pc.replace_substring(text, decimal, ".")
    for kind in (pa.int64(), pa.float64()):
        try:
            return text.cast(kind)
        except pa.ArrowInvalid:
            continue
    return None


def _to_series(numbers: Any | None) -> pd.Series | None:
    return None if numbers is None else arrow_numbers_to_series(numbers)


def _parse_dates(text: Text, zoned: bool) -> pd.Series | None:
    """Return dates in ISO 8601; None if a cell is none."""
    try:
        dates: pd.Series = pd.to_datetime(text.to_pandas(), format="ISO8601", utc=zoned)
    except ValueError:
        return None
    return dates if is_date_column(dates) else None
