"""Decimal sign and order of day and month of a text file, inferred from its columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine.data.formats.date_format import DateFormat
from engine.files.cells.casting import (
    SAMPLE_CELLS,
    could_separate_thousands,
    has_sign,
    try_cast_to_numbers,
    try_cast_to_numbers_sample_first,
)
from engine.files.cells.dates import find_date_formats, try_parse_dates
from engine.files.cells.missing_words import split_values_and_missing_words
from engine.files.cells.numbers import find_number_formats

MAX_EXAMINED_COLUMNS = 500
"""Columns that are asked what they tell about the others."""

Text = Any


@dataclass(frozen=True)
class DecimalAndDateOrder:
    """A file's delimiter, its decimal sign if certain, and whether days come first.

    Attributes
    ----------
    decimal : {".", ","}
    delimiter : str
        Of the fields; empty where there is none.
    sure : bool
        Whether a column, or somebody, tells the decimal sign.
    day_first : bool or None
        Whether dates begin with the day; None if no column tells, or two disagree.
    """

    decimal: str = "."
    delimiter: str = ""
    sure: bool = False
    day_first: bool | None = None


def infer_locale(
    columns: Sequence[Text], delimiter: str, decimal: str | None = None
) -> DecimalAndDateOrder:
    """Return a file's decimal sign, as given or inferred, and order of day and month.

    Parameters
    ----------
    columns : sequence of pyarrow.ChunkedArray of string
    delimiter : str
    decimal : {".", ","}, optional
        Where somebody says it.
    """
    votes = {".": 0, ",": 0}
    day_first: list[bool] = []
    for column in columns[:: -(-len(columns) // MAX_EXAMINED_COLUMNS) or 1]:
        texts = column.drop_null().slice(0, SAMPLE_CELLS)
        if not len(texts):
            continue
        first = texts[0].as_py().strip()
        if not any(char.isdigit() for char in first) or len(first) > 40:
            continue
        signs = [sign for sign in ".,/-" if has_sign(texts, sign)]
        if not signs or try_cast_to_numbers(texts, ".") is not None:
            if "." in signs and not could_separate_thousands(texts, "."):
                votes["."] += 1
            continue
        cells, _ = split_values_and_missing_words(sample_distinct_cells(texts))
        forms = find_number_formats(cells)
        if len({form.decimal for form in forms}) == 1 and (
            forms[0].group in (".", ",") or forms[0].decimals
        ):
            votes[forms[0].decimal] += 1
        dates = find_date_formats(cells)
        if dates and len(cells) and (one := _infer_day_first(dates, cells)) is not None:
            day_first.append(one)
    order = day_first[0] if len(set(day_first)) == 1 else None
    if decimal is not None:
        return DecimalAndDateOrder(decimal, delimiter, True, order)
    if votes[","] == votes["."]:
        decimal_sign = infer_decimal_sign(columns, delimiter)
        return DecimalAndDateOrder(decimal_sign, delimiter, decimal_sign == ",", order)
    return DecimalAndDateOrder(
        "," if votes[","] > votes["."] else ".", delimiter, True, order
    )


def _infer_day_first(dates: Sequence[DateFormat], cells: Sequence[str]) -> bool | None:
    """Return whether the day comes first, where the dates of a column tell."""
    if len(dates) == 2 and not do_date_formats_differ(dates, cells):
        return None
    import pyarrow as pa

    column = pa.chunked_array([pa.array(cells)])
    fits = [form.pattern for form in dates if try_parse_dates(column, form) is not None]
    if len(fits) != 1 or fits[0][:2] == "%Y" or "d" not in fits[0]:
        return None
    return fits[0].find("d") < fits[0].replace("b", "m").find("m")


def infer_decimal_sign(columns: Sequence[Text], delimiter: str) -> str:
    """Return a comma if more columns have decimal commas than points, else a point.

    A comma or point before exactly three digits may part thousands. Such a comma
    counts as a decimal sign unless it is the delimiter; such a point does not count.
    """
    commas = 0
    for column in columns:
        if (
            has_sign(column, ",")
            and try_cast_to_numbers_sample_first(column, ",") is not None
        ):
            commas += delimiter != "," or not could_separate_thousands(column, ",")
    if commas == 0:
        return "."
    points = sum(
        has_sign(column, ".")
        and try_cast_to_numbers_sample_first(column, ".") is not None
        and not could_separate_thousands(column, ".")
        for column in columns
    )
    return "," if commas > points else "."


def sample_distinct_cells(column: Text) -> list[str]:
    """Return the distinct cells, trimmed and not blank, in a sample of a column."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = column.drop_null()
    some = [texts.slice(0, 300), texts.slice(max(len(texts) - 100, 0))]
    for sign in ".,":
        some.append(texts.filter(pc.match_substring(texts, sign)).slice(0, 200))
    chunks = [chunk for sample in some for chunk in sample.chunks]
    unique = pc.unique(pa.chunked_array(chunks, column.type))
    cells = [cell.strip() for cell in unique.to_pylist()]
    return [cell for cell in dict.fromkeys(cells) if cell]


def do_date_formats_differ(
    date_formats: Sequence[DateFormat], cells: Sequence[str]
) -> bool:
    """Return whether two date formats read cells as different days, or one cannot."""
    import pyarrow as pa

    column = pa.chunked_array([pa.array(cells)])
    first, second = (try_parse_dates(column, form) for form in date_formats)
    return first is None or second is None or not first.equals(second)
