"""From columns of text to columns of numbers and dates, losing nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from engine.data.date_format import DateFormat
from engine.data.number_format import NumberFormat
from engine.files.dates import find_dates, read_dates
from engine.files.digits import all_held
from engine.files.numbers import find_formats, read_numbers

MISSING_WORDS = ("NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null", "None", ".")
"""Words for a missing number; in a column of text they stay what they are."""

ALSO_MISSING = (
    "k.A.", "k. A.", "k.A", "k. A", "kA", "keine Angabe", "keine Angaben", "n.a.",
    "n. a.", "N.A.", "#NV", "#N/D", "#NULL!", "#WERT!", "#VALUE!", "#DIV/0!", "#REF!",
    "b.d.", "brak danych", "s/d", "sin dato", "sin datos", "s.d.", "n.d.", "n/d",
    "n.b.", "n.v.t.", "geen antwoord", "no answer", "no data", "not available",
    "not applicable", "non renseigné", "non disponibile", "sem dados", "n.r.",
    "无", "未知", "缺失",
)  # fmt: skip
"""Phrases for a missing value among numbers or dates, in a handful of languages."""

MAYBE_MISSING = (
    "-", "--", "---", "–", "—", "?", "??", "/", "..", "...", "unknown", "unbekannt",
    "missing", "fehlt", "refused", "onbekend", "inconnu", "desconocido", "weiß nicht",
    "don't know", "Unknown", "Unbekannt", "Missing",
)  # fmt: skip
"""Signs and words for a missing value where most other cells are numbers or dates."""

MOSTLY = 20
"""Numbers or dates that a column has at least before such signs are missing values."""

MOST_TELLING = 500
"""Columns that are asked what they tell about the others."""

SAMPLE = 1_000
"""Cells that a column must pass before all of it is tried."""

_TIMES = {
    "[0-9]{2}:[0-9]{2}": "%H:%M",
    "[0-9]{2}:[0-9]{2}:[0-9]{2}": "%H:%M:%S",
    r"[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{6})?": "%H:%M:%S.%f",
}
"""Times of day, and how ``strftime`` writes them."""

# pyarrow has no types: its arrays are Any here.
Text = Any
Numbers = Any


@dataclass(frozen=True)
class Locale:
    """What the columns of a file tell about each other.

    Attributes
    ----------
    decimal : {".", ","}
    delimiter : str
        Of the fields; empty where there is none.
    sure : bool
        Whether a column, or somebody, tells the decimal sign.
    day_first : bool or None
        Whether dates begin with the day; None if no column tells.
    """

    decimal: str = "."
    delimiter: str = ""
    sure: bool = False
    day_first: bool | None = None


def locale_of(
    columns: Sequence[Text], delimiter: str, decimal: str | None = None
) -> Locale:
    """Return what the columns of a file tell about each other.

    Parameters
    ----------
    columns : sequence of pyarrow.ChunkedArray of string
    delimiter : str
    decimal : {".", ","}, optional
        Where somebody says it.
    """
    votes = {".": 0, ",": 0}
    day_first: list[bool] = []
    for column in columns[:: -(-len(columns) // MOST_TELLING) or 1]:
        known = column.drop_null().slice(0, SAMPLE)
        if not len(known):
            continue
        first = known[0].as_py().strip()
        if not any(char.isdigit() for char in first) or len(first) > 40:
            continue
        signs = [sign for sign in ".,/-" if _any_contains(known, sign)]
        if not signs or _cast_numbers(known, ".") is not None:
            if "." in signs and not _could_be_thousands(known, "."):
                votes["."] += 1
            continue
        cells, _ = without_missing(_cells(known))
        forms = find_formats(cells).formats
        if len({form.decimal for form in forms}) == 1 and (
            forms[0].group in (".", ",") or forms[0].decimals
        ):
            votes[forms[0].decimal] += 1
        dates = find_dates(cells)
        if dates and len(cells) and (one := _told_order(dates, cells)) is not None:
            day_first.append(one)
    order = day_first[0] if len(set(day_first)) == 1 else None
    if decimal is not None:
        return Locale(decimal, delimiter, True, order)
    if votes[","] == votes["."]:
        told = decimal_sign(columns, delimiter)
        return Locale(told, delimiter, told == ",", order)
    return Locale("," if votes[","] > votes["."] else ".", delimiter, True, order)


def _told_order(dates: Sequence[DateFormat], cells: Sequence[str]) -> bool | None:
    """Return whether the day comes first, where the dates of a column tell."""
    if len(dates) == 2 and not _differ(dates, cells):
        return None
    import pyarrow as pa

    column = pa.chunked_array([pa.array(cells)])
    fits = [one.pattern for one in dates if read_dates(column, one) is not None]
    if len(fits) != 1 or fits[0][:2] == "%Y" or "d" not in fits[0]:
        return None
    return fits[0].find("d") < fits[0].replace("b", "m").find("m")


def decimal_sign(columns: Sequence[Text], delimiter: str) -> str:
    """Return the decimal sign that more columns agree with; a point if none does.

    A comma or point before exactly three digits may part thousands. Such a comma
    counts as a decimal sign where it is not the delimiter, such a point where nothing
    else is.

    Parameters
    ----------
    columns : sequence of pyarrow.ChunkedArray of string
    delimiter : str
    """
    commas = 0
    for column in columns:
        if _any_contains(column, ",") and _to_numbers(column, ",") is not None:
            commas += delimiter != "," or not _could_be_thousands(column, ",")
    if commas == 0:
        return "."
    points = sum(
        _any_contains(column, ".")
        and _to_numbers(column, ".") is not None
        and not _could_be_thousands(column, ".")
        for column in columns
    )
    return "," if commas > points else "."


@dataclass(frozen=True, eq=False)
class Converted:
    """A column of text as what it holds.

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


def form_of(content: Any) -> NumberFormat | DateFormat | str:
    """Return a format from what JSON holds of it; words are left for what they are."""
    if isinstance(content, str):
        return content
    if "pattern" in content:
        return DateFormat.from_json(content)
    return NumberFormat.from_json(content)


ANSWERS = ("text", "day-month", "month-day", "decimal-comma", "decimal-point")
"""What people may say of how a column is written."""


def _answered(column: Text, answer: str) -> Converted | None:
    """Return a column as people say that it is written; None if it is not."""
    cells, _ = without_missing(_cells(column))
    if answer.endswith(("-day", "-month")):
        forms: Sequence[NumberFormat | DateFormat] = _order(
            find_dates(cells), Locale(day_first=answer == "day-month")
        )
    else:
        sign = "," if answer == "decimal-comma" else "."
        forms = [one for one in find_formats(cells).formats if one.decimal == sign]
    return next(filter(None, (_in_format(column, one) for one in forms)), None)


def converted(column: Text, file: Locale, wanted: Any = None) -> Converted:
    """Convert one column of text to what people mean by it.

    Parameters
    ----------
    column : pyarrow.ChunkedArray of string
        Empty cells are null.
    file : Locale
        What the other columns tell.
    wanted : str, NumberFormat or DateFormat, optional
        How the column is to be read: "text", or what was found or chosen before.
    """
    import pyarrow as pa

    if wanted == "text":
        return Converted(column.cast(pa.large_string()).to_pandas().astype("str"))
    if wanted is not None:
        answer = isinstance(wanted, str)
        told = _answered(column, wanted) if answer else _in_format(column, wanted)
        if told is not None:
            return told
    series = to_series(column, file.decimal)
    if pd.api.types.is_numeric_dtype(series.dtype):
        if series.isna().all():
            return Converted(series)
        found = _plain_numbers(column, series, file)
        return replace(found, words=found.words or _words_in(column, series))
    if not isinstance(series.dtype, pd.StringDtype):
        return Converted(series, words=_words_in(column, series))
    return _as_people_write(column, file) or Converted(series)


def _words_in(column: Text, series: pd.Series) -> Mapping[str, int]:
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
    return {one["values"]: one["counts"] for one in counts if one["values"]}


def _plain_numbers(column: Text, series: pd.Series, file: Locale) -> Converted:
    """Return numbers as programs write them, unless they rather are something else."""
    import pyarrow.compute as pc

    if pd.api.types.is_integer_dtype(series.dtype):
        known = series.iloc[:SAMPLE].dropna()
        if known.between(18_500_101, 21_501_231).all():
            cells = _cells(column)
            dates = find_dates(cells)
            if dates and (read := _in_format(column, dates[0])):
                return read
        return Converted(series)
    sign = file.decimal
    if file.sure or file.delimiter == "," or sign == ",":
        return Converted(series)
    if not _any_contains(column, sign):
        return Converted(series)
    dotted = column.filter(pc.match_substring(column, sign)).drop_null()
    if not _could_be_thousands(dotted.slice(0, 50), sign):
        return Converted(series)
    if not _could_be_thousands(dotted, sign):
        return Converted(series)
    # Every point stands before three digits: it may part thousands.
    distinct = len(pc.unique(dotted.slice(0, SAMPLE)))
    forms = find_formats(_cells(column)).formats
    grouped = [form for form in forms if form.group == sign]
    if not grouped or distinct < 3:
        return Converted(series)
    if len(dotted) < column.length() - column.null_count and distinct >= 5:
        return _in_format(column, grouped[0]) or Converted(series)
    text: pd.Series = column.cast(_large_string()).to_pandas().astype("str")
    return Converted(text, asked=forms)


def _large_string() -> Any:
    import pyarrow as pa

    return pa.large_string()


def _cells(column: Text) -> list[str]:
    """Return some different cells, with those in which signs stand among them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    known = column.drop_null()
    some = [known.slice(0, 300), known.slice(max(len(known) - 100, 0))]
    for sign in ".,":
        some.append(known.filter(pc.match_substring(known, sign)).slice(0, 200))
    chunks = [chunk for one in some for chunk in one.chunks]
    unique = pc.unique(pa.chunked_array(chunks, column.type))
    cells = [cell.strip() for cell in unique.to_pylist()]
    return [cell for cell in dict.fromkeys(cells) if cell]


def _as_people_write(column: Text, file: Locale) -> Converted | None:
    """Return a column of dates or numbers in one of the formats of people."""
    cells = _cells(column)
    kept, words = without_missing(cells)
    if not kept or not any(char.isdigit() for char in kept[0]):
        return None
    if len(words) > len(kept):
        return None
    dates = find_dates(kept)
    if len(dates) == 2 and _differ(dates, kept):
        dates = _order(dates, file)
        if len(dates) == 2:
            fits = [one for one in dates if _in_format(column, one)]
            if len(fits) != 1:
                text = column.cast(_large_string()).to_pandas().astype("str")
                return Converted(text, asked=dates) if fits else None
            dates = tuple(fits)
    for form in dates:
        if found := _in_format(column, form):
            return found
    numbers = find_formats(kept).formats
    if file.sure:
        numbers = tuple(one for one in numbers if one.decimal == file.decimal)
    if len(numbers) > 1:
        own = [one for one in numbers if one.decimal == file.decimal]
        numbers = _likely([*own, *(one for one in numbers if one not in own)], kept)
    if len(numbers) > 1:
        text = column.cast(_large_string()).to_pandas().astype("str")
        return Converted(text, asked=numbers)
    return _in_format(column, numbers[0]) if numbers else None


def _differ(dates: Sequence[DateFormat], cells: Sequence[str]) -> bool:
    """Return whether two formats read some cell as different days."""
    import pyarrow as pa

    column = pa.chunked_array([pa.array(cells)])
    first, second = (read_dates(column, one) for one in dates)
    return first is None or second is None or not first.equals(second)


def _order(dates: Sequence[DateFormat], file: Locale) -> tuple[DateFormat, ...]:
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
        one
        for one in dates
        if (one.pattern.find("d") < one.pattern.find("m")) is day_first
    )


def _likely(
    numbers: Sequence[NumberFormat], cells: Sequence[str]
) -> tuple[NumberFormat, ...]:
    """Return the format that is meant, as far as the cells tell.

    Decimals would hardly always be three or none, so that groups are meant where some
    cells are too small for any; and prices in dollars or pounds have decimal points.
    """
    if not any(one.group or one.decimals for one in numbers):
        return tuple(numbers[:1])
    grouped = [one for one in numbers if one.group and one.decimals == 0]
    if len(grouped) != 1:
        return tuple(numbers)
    form = grouped[0]
    unit = form.prefix.strip() or form.suffix.strip() or form.negative != "-"
    small = sum(form.group not in cell for cell in cells)
    enough = len(cells) - small >= (1 if unit else 3)
    english = form.group == "," and form.prefix.strip() in ("$", "\u00a3", "US$")
    return tuple(grouped) if (small and enough) or english else tuple(numbers)


def _in_format(column: Text, form: NumberFormat | DateFormat) -> Converted | None:
    """Return a column in a format; None if a cell is written otherwise."""
    import pyarrow as pa
    import pyarrow.compute as pc

    text = pc.utf8_trim_whitespace(column)
    counted = {}
    certain = pa.array(["", *MISSING_WORDS, *ALSO_MISSING], text.type)
    missing = pc.fill_null(pc.is_in(text, value_set=certain), False)
    maybe = pa.array(MAYBE_MISSING, text.type)
    signs = pc.fill_null(pc.is_in(text, value_set=maybe), False)
    n_signs = pc.sum(signs).as_py() or 0
    if n_signs:
        n_others = (
            len(text) - text.null_count - (pc.sum(missing).as_py() or 0) - n_signs
        )
        if n_others < max(MOSTLY, n_signs):
            return None
        missing = pc.or_(missing, signs)
    if pc.any(missing).as_py():
        counts = pc.value_counts(text.filter(missing).combine_chunks()).to_pylist()
        counted = {one["values"]: one["counts"] for one in counts if one["values"]}
        text = pc.if_else(missing, pa.scalar(None, text.type), text)
    if text.null_count == len(text):
        return None
    if isinstance(form, DateFormat):
        dates = read_dates(text, form)
        return None if dates is None else Converted(dates, form, (), counted)
    numbers = read_numbers(text, form)
    if numbers is None:
        return None
    if pa.types.is_integer(numbers.type) and numbers.null_count:
        series = numbers.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get)
    else:
        series = numbers.to_pandas()
    return Converted(series, form, (), counted)


def without_missing(cells: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return cells that are no words for a missing value, and those that are."""
    known = {*MISSING_WORDS, *ALSO_MISSING, *MAYBE_MISSING}
    words = [c for c in cells if c in known]
    return [c for c in cells if c not in known], words


def to_series(column: Text, decimal: str) -> pd.Series:
    """Convert one column of text to the narrowest type that keeps every value.

    Integers become int64 (Int64 if cells are missing), other numbers float64, dates
    written yyyy-mm-dd, alone or with a time of day, datetime64, and everything else
    stays text. Codes with leading zeros, and integers with more digits than int64
    holds, are text.

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
    numbers = _to_numbers(column, decimal)
    if numbers is None:
        dates = _to_dates(column)
        if dates is None and form_of_moments(column) is not None:
            dates = _try_cast(column, pa.timestamp("us"))
        if dates is None:
            series = column.cast(pa.large_string()).to_pandas()
        else:
            series = dates.to_pandas(date_as_object=False).astype("datetime64[us]")
    elif pa.types.is_integer(numbers.type) and numbers.null_count:
        series = numbers.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get)
    else:
        series = numbers.to_pandas()
    return series


def holds_digits(column: Text, series: pd.Series, decimal: str) -> bool:
    """Return whether numbers are what the text of their column says.

    Parameters
    ----------
    column : pyarrow.ChunkedArray of string
    series : pandas.Series
        What :func:`to_series` gave; True unless it is of float64.
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
        if not all_held(pc.utf8_trim_whitespace(text), numbers):
            return False
    return True


def _to_numbers(column: Text, decimal: str) -> Numbers | None:
    """Return int64 or double, or None where a cell is no number (or a code)."""
    sample = column.drop_null().slice(0, SAMPLE)
    if _cast_numbers(sample, decimal) is None:
        return None
    return _cast_numbers(column, decimal)


def _cast_numbers(column: Text, decimal: str) -> Numbers | None:
    import pyarrow as pa
    import pyarrow.compute as pc

    text = column
    if decimal == ",":
        if _any_contains(text, "."):
            # A point is then part of a date or parts thousands; alone it is missing.
            text = _without_missing_words(text)
            if _any_contains(text, "."):
                return None
        text = pc.replace_substring(text, ",", ".")
    elif _any_contains(text, ","):
        return None
    for attempt in (text, None):
        if attempt is None:
            attempt = _without_missing_words(text)
        if attempt.null_count == len(attempt):
            return None
        numbers = _try_cast(attempt, pa.int64())
        if numbers is None:
            numbers = _try_cast(attempt, pa.float64())
            if numbers is not None and pc.any(pc.is_nan(numbers)).as_py():
                numbers = None
        if numbers is not None:
            return None if _holds_codes(attempt, numbers) else numbers
    return None


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


def _holds_codes(text: Text, numbers: Numbers) -> bool:
    """Say whether digits would be lost: 0123, 0x1F, +31..., or beyond int64."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if _any_matches(text, pc.starts_with(text, "0"), r"^0[0-9xX]"):
        return True
    if _any_matches(text, pc.starts_with(text, "-0"), r"^-0[0-9xX]"):
        return True
    if pa.types.is_integer(numbers.type):
        return False
    long = pc.greater_equal(pc.binary_length(text), 19)
    if _any_matches(text, long, r"^[+-]?[0-9]{19,}$"):
        return True
    # A plus sign is a sign only in company of decimals or minus signs; else it
    # begins a telephone number.
    plus = pc.any(pc.starts_with(text, "+")).as_py()
    return bool(plus) and not (_any_contains(text, ".") or _any_contains(text, "-"))


def _could_be_thousands(column: Text, sign: str) -> bool:
    """Say whether every comma or point stands where thousands are parted."""
    import pyarrow.compute as pc

    cells = column.filter(pc.match_substring(column, sign))
    shape = rf"^\s*[+-]?[1-9][0-9]{{0,2}}[{sign}][0-9]{{3}}\s*$"
    return bool(pc.all(pc.match_substring_regex(cells, shape)).as_py())


def _to_dates(column: Text) -> Any | None:
    import pyarrow as pa

    sample = column.drop_null().slice(0, SAMPLE)
    if _try_cast(sample, pa.date32()) is None:
        return None
    return _try_cast(column, pa.date32())


def form_of_moments(column: Text) -> str | None:
    """Return how dates with a time of day are written, or None if they are not.

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
    for between in " T":
        for time, form in _TIMES.items():
            shape = rf"^[1-9][0-9]{{3}}-[0-9]{{2}}-[0-9]{{2}}{between}{time}$"
            if re.match(shape, first) is None:
                continue
            if pc.all(pc.match_substring_regex(cells, shape)).as_py():
                return f"%Y-%m-%d{between}{form}"
    return None


def _any_contains(column: Text, sign: str) -> bool:
    import pyarrow.compute as pc

    return bool(pc.any(pc.match_substring(column, sign)).as_py())


def _any_matches(column: Text, where: Any, pattern: str) -> bool:
    import pyarrow.compute as pc

    if not pc.any(where).as_py():
        return False
    cells = column.filter(where)
    return bool(pc.any(pc.match_substring_regex(cells, pattern)).as_py())
