"""Conversion of text columns to numbers, dates or text, with the format found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from engine.data.formats.date_format import DateFormat
from engine.data.formats.number_format import NumberFormat
from engine.files.cells.casting import (
    SAMPLE_CELLS,
    are_codes_with_end_zeros,
    arrow_numbers_to_series,
    arrow_text_to_series,
    could_separate_thousands,
    has_sign,
    infer_and_cast_text_column,
)
from engine.files.cells.dates import (
    find_date_formats,
    find_mixed_date_format,
    try_parse_dates,
)
from engine.files.cells.locale import (
    DecimalAndDateOrder,
    do_date_formats_differ,
    sample_distinct_cells,
)
from engine.files.cells.missing_words import (
    MISSING_PHRASES,
    MISSING_WORDS,
    POSSIBLE_MISSING_WORDS,
    split_values_and_missing_words,
)
from engine.files.cells.numbers import find_number_formats, try_parse_formatted_numbers

MIN_CONVERTED_CELLS = 20
"""Numbers or dates of a column from which its "-", "?" and the like are missing."""

# pyarrow has no types: its arrays are Any here.
Text = Any


@dataclass(frozen=True, eq=False)
class ConvertedColumn:
    """A column converted from text, with its format, open question and missing words.

    Attributes
    ----------
    series : pandas.Series
    form : NumberFormat, DateFormat or None
        How its cells are written, where that is not how programs write.
    asked : tuple of NumberFormat or DateFormat
        Formats of which only people can say which one is meant; the column is text.
    words : mapping of str to int
        Words for a missing number or date, and how often they occur.
    """

    series: pd.Series
    form: NumberFormat | DateFormat | None = None
    asked: tuple[NumberFormat | DateFormat, ...] = ()
    words: Mapping[str, int] = field(default_factory=dict)


def format_from_json(content: Any) -> NumberFormat | DateFormat | str:
    """Return a number or date format from its JSON form; text is returned unchanged."""
    if isinstance(content, str):
        return content
    if "pattern" in content:
        return DateFormat.from_json(content)
    return NumberFormat.from_json(content)


FORMAT_ANSWERS = ("text", "day-month", "month-day", "decimal-comma", "decimal-point")
"""What people may say of how a column is written."""


def _convert_as_answered(column: Text, answer: str) -> ConvertedColumn | None:
    """Return a column as people say that it is written; None if it is not."""
    cells, _ = split_values_and_missing_words(sample_distinct_cells(column))
    if answer.endswith(("-day", "-month")):
        first = answer == "day-month"
        forms: Sequence[NumberFormat | DateFormat] = _order(
            find_date_formats(cells), DecimalAndDateOrder(day_first=first)
        ) or [*filter(None, [find_mixed_date_format(cells, first)])]
    else:
        sign = "," if answer == "decimal-comma" else "."
        forms = [way for way in find_number_formats(cells) if way.decimal == sign]
    return next(filter(None, (_convert_in_format(column, way) for way in forms)), None)


def convert_text_column(
    column: Text, locale: DecimalAndDateOrder, wanted_format: Any = None
) -> ConvertedColumn:
    """Return a text column converted by a wanted format, else to an inferred type.

    Parameters
    ----------
    column : pyarrow.ChunkedArray of string
        Empty cells are null.
    locale : DecimalAndDateOrder
        What the file's columns tell.
    wanted_format : str, NumberFormat or DateFormat, optional
        One of :data:`FORMAT_ANSWERS`, or a format that was found before; where it does
        not fit, the type is inferred.
    """
    if wanted_format == "text":
        return ConvertedColumn(arrow_text_to_series(column))
    if wanted_format is not None:
        answer = isinstance(wanted_format, str)
        conversion = (
            _convert_as_answered(column, wanted_format)
            if answer
            else _convert_in_format(column, wanted_format)
        )
        if conversion is not None:
            return conversion
    series = infer_and_cast_text_column(column, locale.decimal)
    if pd.api.types.is_numeric_dtype(series.dtype):
        if series.isna().all():
            return ConvertedColumn(series)
        plain = _convert_plain_numbers(column, series, locale)
        return replace(plain, words=plain.words or missing_words_in(column, series))
    if not isinstance(series.dtype, pd.StringDtype):
        return ConvertedColumn(series, words=missing_words_in(column, series))
    return _as_people_write(column, locale) or ConvertedColumn(series)


def missing_words_in(column: Text, series: pd.Series) -> Mapping[str, int]:
    """Return the words that are missing values of a column now, and how often."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(series.dtype, pd.StringDtype):
        return {}
    missing = series.isna().to_numpy()
    if missing.sum() == column.null_count:
        return {}
    cells = pc.utf8_trim_whitespace(column.filter(pa.array(missing)).drop_null())
    counts = pc.value_counts(cells.combine_chunks()).to_pylist()
    return {pair["values"]: pair["counts"] for pair in counts if pair["values"]}


def _convert_plain_numbers(
    column: Text, series: pd.Series, file: DecimalAndDateOrder
) -> ConvertedColumn:
    """Return numbers as programs write them, unless they rather are something else."""
    import pyarrow.compute as pc

    if pd.api.types.is_integer_dtype(series.dtype):
        numbers = series.iloc[:SAMPLE_CELLS].dropna()
        if numbers.between(18_500_101, 21_501_231).all():
            cells = sample_distinct_cells(column)
            dates = find_date_formats(cells)
            if dates and (read := _convert_in_format(column, dates[0])):
                return read
        return ConvertedColumn(series)
    sign = file.decimal
    if file.sure or file.delimiter == "," or sign == ",":
        return ConvertedColumn(series)
    if not has_sign(column, sign):
        return ConvertedColumn(series)
    dotted = column.filter(pc.match_substring(column, sign)).drop_null()
    if not could_separate_thousands(dotted.slice(0, 50), sign):
        return ConvertedColumn(series)
    if not could_separate_thousands(dotted, sign):
        return ConvertedColumn(series)
    # Every point stands before three digits: it may part thousands.
    distinct = len(pc.unique(dotted.slice(0, SAMPLE_CELLS)))
    forms = find_number_formats(sample_distinct_cells(column))
    grouped = [form for form in forms if form.group == sign]
    if not grouped or distinct < 3:
        return ConvertedColumn(series)
    if len(dotted) < column.length() - column.null_count and distinct >= 5:
        return _convert_in_format(column, grouped[0]) or ConvertedColumn(series)
    return ConvertedColumn(arrow_text_to_series(column), asked=forms)


def _as_people_write(column: Text, file: DecimalAndDateOrder) -> ConvertedColumn | None:
    """Return a column of dates or numbers in one of the formats of people."""
    cells = sample_distinct_cells(column)
    values, words = split_values_and_missing_words(cells)
    if not values or not any(char.isdigit() for char in values[0]):
        return None
    if len(words) > len(values):
        return None
    dates = find_date_formats(values)
    if len(dates) == 2 and do_date_formats_differ(dates, values):
        dates = _order(dates, file)
        if len(dates) == 2:
            fits = [one for one in dates if _convert_in_format(column, one)]
            if len(fits) != 1:
                text = arrow_text_to_series(column)
                return ConvertedColumn(text, asked=dates) if fits else None
            dates = tuple(fits)
    for form in dates:
        if conversion := _convert_in_format(column, form):
            return conversion
    if any(are_codes_with_end_zeros(column, sign) for sign in ".,"):
        return None
    numbers = find_number_formats(values)
    if file.sure:  # unless the column says itself that it is written otherwise
        alike = tuple(one for one in numbers if one.decimal == file.decimal)
        numbers = alike or tuple(one for one in numbers if one.group or one.has_unit)
    if len(numbers) > 1:
        file_forms = [one for one in numbers if one.decimal == file.decimal]
        numbers = _likely_formats(
            [*file_forms, *(one for one in numbers if one not in file_forms)], values
        )
    if len(numbers) > 1:
        return ConvertedColumn(arrow_text_to_series(column), asked=numbers)
    if numbers:
        return _convert_in_format(column, numbers[0])
    mixed = find_mixed_date_format(values, file.day_first)
    return _convert_in_format(column, mixed) if mixed else None


def _order(
    dates: Sequence[DateFormat], file: DecimalAndDateOrder
) -> tuple[DateFormat, ...]:
    """Return the format whose order of day and month the file tells, else both."""
    day_first = file.day_first
    if not dates:
        return ()
    dots = "." in dates[0].pattern or (file.sure and file.decimal == ",")
    if dots and day_first is None:
        day_first = True
    if day_first is None:
        return tuple(dates)
    return tuple(
        form
        for form in dates
        if (form.pattern.find("d") < form.pattern.find("m")) is day_first
    )


def _likely_formats(
    numbers: Sequence[NumberFormat], cells: Sequence[str]
) -> tuple[NumberFormat, ...]:
    """Return the format that is meant, as far as the cells tell.

    Decimals would hardly always be three or none, so that groups are meant where some
    cells are too small for any; and prices in dollars or pounds have decimal points.
    """
    if not any(style.group or style.decimals for style in numbers):
        return tuple(numbers[:1])
    grouped = [style for style in numbers if style.group and style.decimals == 0]
    if len(grouped) != 1:
        return tuple(numbers)
    form = grouped[0]
    unit = (
        form.prefix.strip()
        or form.suffix.strip()
        or form.scales
        or form.negative != "-"
    )
    small = sum(form.group not in cell for cell in cells)
    enough = len(cells) - small >= (1 if unit else 3)
    english = form.group == "," and form.prefix.strip() in ("$", "\u00a3", "US$")
    return tuple(grouped) if (small and enough) or english else tuple(numbers)


def _convert_in_format(
    column: Text, form: NumberFormat | DateFormat
) -> ConvertedColumn | None:
    """Return a column in a format; None if a cell is written otherwise."""
    text, words = _without_words_and_signs(column)
    n_signs = sum(words.get(sign, 0) for sign in POSSIBLE_MISSING_WORDS)
    n_others = len(text) - text.null_count
    if n_signs and n_others < max(MIN_CONVERTED_CELLS, n_signs):
        return None
    if text.null_count == len(text):
        return None
    series = _parse_in_format(text, form)
    return None if series is None else ConvertedColumn(series, form, (), words)


def try_convert_some_in_format(
    some: Text, form: NumberFormat | DateFormat
) -> tuple[pd.Series, Mapping[str, int]] | None:
    """Return some cells of a column in its format, and the words for missing values.

    None if a cell is written otherwise. Unlike a column, some cells may all be
    missing, or most of them signs for it.
    """
    text, words = _without_words_and_signs(some)
    if text.null_count == len(text):
        return pd.Series([float("nan")] * len(text), dtype="float64"), words
    series = _parse_in_format(text, form)
    return None if series is None else (series, words)


def _without_words_and_signs(column: Text) -> tuple[Text, Mapping[str, int]]:
    """Trim cells, and make words and signs for a missing value null; count them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    text = pc.utf8_trim_whitespace(column)
    every = pa.array(
        ["", *MISSING_WORDS, *MISSING_PHRASES, *POSSIBLE_MISSING_WORDS], text.type
    )
    missing = pc.fill_null(pc.is_in(text, value_set=every), False)
    if not pc.any(missing).as_py():
        return text, {}
    counts = pc.value_counts(text.filter(missing).combine_chunks()).to_pylist()
    words = {pair["values"]: pair["counts"] for pair in counts if pair["values"]}
    return pc.if_else(missing, pa.scalar(None, text.type), text), words


def _parse_in_format(text: Text, form: NumberFormat | DateFormat) -> pd.Series | None:
    """Return trimmed text in a format; None if a cell is written otherwise."""
    if isinstance(form, DateFormat):
        return try_parse_dates(text, form)
    numbers = try_parse_formatted_numbers(text, form)
    return None if numbers is None else arrow_numbers_to_series(numbers)
