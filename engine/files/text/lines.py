"""Records of a frame formatted as chunks of delimited text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from engine.data.formats.date_format import DateFormat
from engine.data.formats.number_format import NumberFormat
from engine.files.cells.decimals import pad_decimals
from engine.files.text.detect import DELIMITER_CANDIDATES

_ROWS_AT_ONCE = 1 << 16


def iterate_text_chunks(
    frame: pd.DataFrame,
    delimiter: str,
    decimal: str,
    newline: str,
    header: Sequence[str] | None,
    timestamp_formats: Mapping[str, str],
    column_formats: Mapping[str, Any] | None = None,
    decimals: Mapping[str, int] | None = None,
    whole_decimals: Mapping[str, int] | None = None,
) -> Iterator[str]:
    """Yield a frame as chunks of delimited text: any header, then batches of records.

    Parameters
    ----------
    delimiter, decimal, newline : str
    header : sequence of str or None
        Names of the columns to begin with, if any.
    timestamp_formats : mapping of str to str
        How columns of dates with a time of day are written, as ``strftime`` takes it;
        the others as in ISO 8601.
    column_formats : mapping of str to NumberFormat or DateFormat, optional
        How columns of numbers and dates are written otherwise.
    decimals, whole_decimals : mapping of str to int, optional
        Decimals that numbers of a column have at least, and its whole numbers if other.
        Without `decimals` the records are of no text: there a column of whole numbers
        has one decimal if it is not of integers.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    # Nothing tells the delimiter of a single column: a value must look like none.
    parts = (delimiter,) if frame.shape[1] > 1 else (delimiter, *DELIMITER_CANDIDATES)
    special = (*parts, '"', "\n", "\r")
    columns = [frame.iloc[:, j] for j in range(frame.shape[1])]
    min_decimals = [
        _min_decimals(column, decimals, whole_decimals or {}) for column in columns
    ]
    # New columns, such as the ends of intervals, are written as the others are.
    between = next((form[8] for form in timestamp_formats.values()), "T")
    for j, column in enumerate(columns):
        column = columns[j] = _format_column(
            column, (column_formats or {}).get(str(column.name))
        )
        if pd.api.types.is_datetime64_any_dtype(column.dtype):
            columns[j] = _format_dates(
                column, timestamp_formats.get(str(frame.columns[j])), between
            )
    if header is not None:
        names = pa.array(list(map(str, header)), pa.large_string())
        cells = _quote_cells(names, special).to_pylist()
        if cells[0].startswith("sep=") or cells == [""]:
            # Unquoted, such a line says what parts fields, and a blank one nothing.
            cells[0] = f'"{cells[0]}"'
        yield delimiter.join(cells) + newline
    for start in range(0, len(frame), _ROWS_AT_ONCE):
        cells = []
        for column, places in zip(columns, min_decimals, strict=True):
            rows = column.iloc[start : start + _ROWS_AT_ONCE]
            cells.append(_quote_cells(_to_text(rows, decimal, places), special))
        if len(cells) == 1:
            # Most readers skip blank lines; "" is a missing value.
            cells = [pc.fill_null(cells[0], '""')]
        joined = pc.binary_join_element_wise(
            *cells,
            pa.scalar(delimiter, pa.large_string()),
            null_handling="replace",
            null_replacement="",
        )
        yield newline.join(joined.to_pylist()) + newline


def _format_column(column: pd.Series, form: Any) -> pd.Series:
    """Return numbers and dates as text in a form of their own, if there is one."""
    if isinstance(form, NumberFormat) and pd.api.types.is_numeric_dtype(column.dtype):
        return form.format_column(column)
    if (
        isinstance(form, DateFormat)
        and pd.api.types.is_datetime64_any_dtype(column.dtype)
        and form.can_write(column)
    ):
        return form.format_column(column)
    return column


def _quote_cells(text: Any, special: tuple[str, ...]) -> Any:
    """Put quotation marks around the cells that need them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    needed = pc.match_substring(text, special[0])
    for sign in special[1:]:
        needed = pc.or_(needed, pc.match_substring(text, sign))
    if not pc.any(needed).as_py():
        return text
    mark, none = pa.scalar('"', text.type), pa.scalar("", text.type)
    doubled = pc.replace_substring(text, '"', '""')
    return pc.if_else(
        needed, pc.binary_join_element_wise(mark, doubled, mark, none), text
    )


def _format_dates(column: pd.Series, form: str | None, between: str) -> pd.Series:
    """Return dates as text, in `form` unless that would leave something out.

    Where it does, and where no form is known, as in ISO 8601, with `between` between
    the day and the time of day.
    """
    import pyarrow as pa

    dates = column.dropna()
    if column.dt.tz is None and form is None and (dates == dates.dt.normalize()).all():
        days = pa.array(column).cast(pa.date32()).cast(pa.large_string())
        return pd.Series(days.to_pandas(), dtype="str")
    if form is not None:
        between = form[8]
        finest = {"M": "min", "S": "s"}.get(form[-1])
        if column.dt.tz is None and finest and (dates == dates.dt.floor(finest)).all():
            return pd.Series(column.dt.strftime(form), dtype="str")
    texts = column.map(lambda moment: moment.isoformat(sep=between), na_action="ignore")
    return pd.Series(texts, dtype="str")


def _min_decimals(
    column: pd.Series,
    decimals: Mapping[str, int] | None,
    whole_decimals: Mapping[str, int],
) -> tuple[int, int]:
    """Return how many decimals a column's whole numbers and others have at least."""
    if not pd.api.types.is_float_dtype(column.dtype):
        return 0, 0
    if decimals is not None:
        least = decimals.get(str(column.name), 0)
        return whole_decimals.get(str(column.name), least), least
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    values = values[~np.isnan(values)]
    return int(values.size > 0 and bool((values == np.floor(values)).all())), 0


def _to_text(column: pd.Series, decimal: str, least: tuple[int, int]) -> Any:
    """Return cells as a pyarrow array of large_string, missing ones as null.

    Numbers get as many digits as tell them apart from all others (Steele and White,
    doi:10.1145/93542.93559), and at least so many decimals.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    string = pa.large_string()
    if not pd.api.types.is_numeric_dtype(column.dtype):
        return pa.array(column, string, from_pandas=True)
    text = pa.array(column, from_pandas=True).cast(string)
    if any(least):
        text = pad_decimals(text, *least)
    return text if decimal == "." else pc.replace_substring(text, ".", decimal)
