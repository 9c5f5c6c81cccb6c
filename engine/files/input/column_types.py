"""Types of text columns of which no more than a sample is in memory at once.

The types are those that a reader of the whole column would give it. They are taken
from the first cells, and then asked of all others, batch by batch: cells that do not
fit join the sample, by which the types are taken anew, until every cell fits. What
counts cells is decided by the sample alone: whether numbers that end in zeros come
again so often that they are codes, and whether there are too many signs such as "-" for
missing values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from engine.files.cells.casting import (
    find_timestamp_format,
    has_sign,
    try_cast_some_to_dates,
    try_cast_some_to_numbers,
)
from engine.files.cells.certain_types import is_certainly_text
from engine.files.cells.convert import (
    format_from_json,
    missing_words_in,
    try_convert_some_in_format,
)
from engine.files.cells.locale import infer_locale
from engine.files.input.options import ReadOptions
from engine.files.input.reading import TextColumnConverter, do_numbers_keep_digits

MAX_MISFITS = 20
"""Cells that tell that a column has another type, of each batch."""

SIGNS = ".,-+/"
"""Signs of numbers and dates; a column that stays text may lack some in its sample."""

DATES = pa.timestamp("us")


@dataclass(frozen=True)
class ColumnType:
    """Type of a text column, and how its cells are written.

    Attributes
    ----------
    arrow_type : pyarrow.DataType
        null where the column is empty; int64, double, timestamp or string.
    decimal : str
        Decimal sign of its numbers.
    form : NumberFormat or DateFormat, optional
        Where cells are not written as programs write.
    moment : str, optional
        How dates with a time are written, as ``strftime`` takes it.
    asked : tuple of NumberFormat or DateFormat
        Of which only people can say which one is meant.
    lacking : str
        Of text that might be numbers or dates, the signs that its sample lacks.
    """

    arrow_type: Any
    decimal: str
    form: Any = None
    moment: str | None = None
    asked: tuple[Any, ...] = field(default=(), compare=False)
    lacking: str = field(default="", compare=False)

    @property
    def stored_type(self) -> Any:
        """Type in which its values are stored: double where it is empty."""
        return pa.float64() if pa.types.is_null(self.arrow_type) else self.arrow_type

    def try_convert(self, text: Any) -> tuple[Any, Mapping[str, int]] | None:
        """Return some cells as values, and words for missing ones; None if one misfits.

        Parameters
        ----------
        text : pyarrow.ChunkedArray of string
            Empty cells are null.
        """
        if pa.types.is_string(self.arrow_type):
            return text, {}
        if text.null_count == len(text):
            return pa.nulls(len(text), self.stored_type), {}
        if pa.types.is_null(self.arrow_type):
            return None
        if self.form is not None:
            converted = try_convert_some_in_format(text, self.form)
            if converted is None:
                return None
            series, words = converted
            values = pa.array(series, from_pandas=True)
            if pa.types.is_floating(values.type) and values.null_count == len(values):
                return pa.nulls(len(values), self.stored_type), words
            if pa.types.is_integer(self.arrow_type) and not pa.types.is_integer(
                values.type
            ):
                return None
            return values.cast(self.arrow_type), words
        if self.arrow_type == DATES:
            dates = try_cast_some_to_dates(text, self.moment)
            return None if dates is None else (dates, {})
        numbers = try_cast_some_to_numbers(text, self.decimal, self.arrow_type)
        if numbers is None:
            return None
        if numbers.null_count == text.null_count:
            return numbers, {}
        return numbers, missing_words_in(text, numbers.to_pandas())

    def keeps_digits(self, text: Any, values: Any) -> bool:
        """Return whether values that :meth:`try_convert` gave equal their text."""
        if not pa.types.is_floating(values.type):
            return True
        numbers = values.to_pandas().reset_index(drop=True)
        return do_numbers_keep_digits(text, numbers, self.decimal, self.form)

    def find_new_cells(self, text: Any) -> list[str]:
        """Return cells of text by which the column may have another type; mostly none.

        Parameters
        ----------
        text : pyarrow.ChunkedArray of string
        """
        cells: list[str] = []
        for form in self.asked:
            cells += find_misfits(text, partial(_fits_format, form))
        for sign in self.lacking:
            if has_sign(text, sign):
                cells.append(text.filter(pc.match_substring(text, sign))[0].as_py())
        return cells


def _fits_format(form: Any, some: Any) -> bool:
    return try_convert_some_in_format(some, form) is not None


def find_misfits(text: Any, fits: Callable[[Any], bool]) -> list[str]:
    """Return some cells that do not fit, found by halving.

    Parameters
    ----------
    text : pyarrow.ChunkedArray of string
    fits : callable
        Says of some cells whether all of them fit.
    """
    misfits: list[str] = []
    ranges = [(0, len(text))]
    while ranges and len(misfits) < MAX_MISFITS:
        first, last = ranges.pop()
        some = text.slice(first, last - first)
        if first == last or fits(some):
            continue
        if last - first == 1:
            misfits.append(some[0].as_py())
            continue
        middle = (first + last) // 2
        ranges += [(middle, last), (first, middle)]
    return misfits


@dataclass(frozen=True, eq=False)
class TextSample:
    """Cells of each column that tell its type.

    Attributes
    ----------
    names : list of str
    first : list of pyarrow.ChunkedArray
        The first cells of each column.
    more : dict of str to list of str
        Of later cells, those that are not like the first ones.
    last : list of list of str
        The last cells of each column; empty where they are among the first.
    """

    names: list[str]
    first: list[Any]
    more: dict[str, list[str]] = field(default_factory=dict)
    last: list[list[str]] = field(default_factory=list)

    def columns(self) -> list[Any]:
        """Return the cells of each column."""
        columns = []
        for j, (name, first) in enumerate(zip(self.names, self.first, strict=True)):
            later = self.more.get(name, []) + (self.last[j] if self.last else [])
            chunks = [*first.chunks, pa.array(later, pa.string())]
            columns.append(pa.chunked_array([pa.concat_arrays(chunks)]))
        return columns

    def add_cells(self, name: str, cells: Sequence[str]) -> None:
        """Add those cells of a column that its sample lacks."""
        self.more[name] = [*dict.fromkeys([*self.more.get(name, []), *cells])]


def decide_column_types(
    sample: TextSample, delimiter: str, options: ReadOptions
) -> tuple[dict[str, ColumnType], dict[str, Any]]:
    """Return the type of each column, and how columns are written.

    Parameters
    ----------
    sample : TextSample
    delimiter : str
        Of the fields.
    options : ReadOptions

    Returns
    -------
    types : dict of str to ColumnType
    written : dict
        See :meth:`engine.files.input.reading.TextColumnConverter.effective_options`.

    Raises
    ------
    InputError
        If a column is not written as people say.
    ParameterError
        If an option is of a column that the file does not have.
    """
    columns = sample.columns()
    locale = infer_locale(columns, delimiter, options.decimal)
    converter = TextColumnConverter(sample.names, options)
    series = [
        converter.read_column(name, column, locale)
        for name, column in zip(sample.names, columns, strict=True)
    ]
    written = converter.effective_options()
    asked_by_name = written.get("asked", {})
    types = {}
    for name, column, values in zip(sample.names, columns, series, strict=True):
        form = written.get("forms", {}).get(name)
        column = converter.without_codes(name, column, locale.decimal)
        asked = tuple(map(format_from_json, asked_by_name.get(name, ())))
        if form == "text":
            types[name] = ColumnType(pa.string(), locale.decimal)
        elif column.null_count == len(column):
            types[name] = ColumnType(pa.null(), locale.decimal)
        elif pd.api.types.is_numeric_dtype(values.dtype):
            whole = pd.api.types.is_integer_dtype(values.dtype)
            types[name] = ColumnType(
                pa.int64() if whole else pa.float64(),
                locale.decimal,
                None if form is None else format_from_json(form),
            )
        elif pd.api.types.is_datetime64_any_dtype(values.dtype):
            if form is not None:
                form = format_from_json(form)
            moment = find_timestamp_format(column) if form is None else None
            types[name] = ColumnType(DATES, locale.decimal, form, moment)
        else:
            lacking = "" if _is_settled_text(column) else _lacking_signs(column)
            types[name] = ColumnType(
                pa.string(), locale.decimal, None, None, asked, lacking
            )
    return types, written


def _is_settled_text(column: Any) -> bool:
    """Return whether a cell tells that a column is text whatever the others are."""
    cells = column.drop_null()
    some = [*cells.slice(0, 100), *cells.slice(max(100, len(cells) - 100))]
    return any(is_certainly_text(cell.as_py()) for cell in some)


def _lacking_signs(column: Any) -> str:
    return "".join(sign for sign in SIGNS if not has_sign(column, sign))
