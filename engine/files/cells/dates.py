"""Human-written dates: infer formats from a sample, then parse columns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from engine.data.formats.date_format import FIRST_YEAR_OF_1900S, DateFormat
from engine.files.cells.months import month_names_in_spelling_of

Text = Any

_DIRECTIVE_PATTERNS = {
    "%Y": r"(?P<Y>\d{4})",
    "%y": r"(?P<y>\d{2})",
    "%m": r"(?P<m>0[1-9]|1[0-2])",
    "%-m": r"(?P<m>0?[1-9]|1[0-2])",
    "%d": r"(?P<d>0[1-9]|[12]\d|3[01])",
    "%-d": r"(?P<d>0?[1-9]|[12]\d|3[01])",
    "%b": r"(?P<b>[^\d\s./,-]{3,}\.?)",
    "%q": r"(?P<q>[1-4])",
    "%V": r"(?P<V>0[1-9]|[1-4]\d|5[0-3])",
    "%H": r"(?P<H>[01]\d|2[0-3])",
    "%-H": r"(?P<H>[01]?\d|2[0-3])",
    "%I": r"(?P<I>0[1-9]|1[0-2])",
    "%-I": r"(?P<I>0?[1-9]|1[0-2])",
    "%p": "(?P<p>AM|PM)",
    "%P": "(?P<p>am|pm)",
    "%M": r"(?P<M>[0-5]\d)",
    "%S": r"(?P<S>[0-5]\d)",
    "%L": r"(?P<L>\d{3})",
}
_DIRECTIVE = re.compile(r"(%-?[a-zA-Z])")

_DAY_PATTERNS = tuple(
    order.replace("/", sign)
    for sign in ("/", ".", "-")
    for order in ("%-d/%-m/%Y", "%-m/%-d/%Y", "%-d/%-m/%y", "%-m/%-d/%y")
)
_TIMED_PATTERNS = (
    *_DAY_PATTERNS,
    "%Y/%-m/%-d",
    "%Y.%-m.%-d",
    "%Y-%-m-%-d",
    "%-d %b %Y",
    "%-d. %b %Y",
    "%-d-%b-%Y",
    "%-d-%b-%y",
    "%-d %b %y",
    "%-d de %b de %Y",
    "%b %-d, %Y",
    "%Y年%-m月%-d日",
)
_UNTIMED_PATTERNS = (
    "%Y%m%d",
    "%Y-%m",
    "%Y/%m",
    "%m/%Y",
    "%m.%Y",
    "%b %Y",
    "%b-%y",
    "%b %y",
    "%Y年%-m月",
    "%YQ%q",
    "%Y-Q%q",
    "%Y Q%q",
    "Q%q %Y",
    "Q%q/%Y",
    "Q%q-%Y",
    "%q. Quartal %Y",
    "%YT%q",
    "T%q %Y",
    "%Y-T%q",
    "%Y T%q",
    "T%q/%Y",
    "T%q-%Y",
    "%Y-W%V",
    "%YW%V",
)
_HALF_DAY_PATTERNS = tuple(
    f"{time}{blank}%{half}"
    for time in (" %-I:%M", " %-I:%M:%S")
    for blank in (" ", "")
    for half in "pP"
)
_TIME_PATTERNS = (
    "",
    " %-H:%M",
    " %-H:%M:%S",
    "T%-H:%M",
    "T%-H:%M:%S",
    *_HALF_DAY_PATTERNS,
)
_PROGRAM_TIME_PATTERNS = tuple(
    f"{time}{fraction}{zone}"
    for time in ("T%-H:%M:%S", " %-H:%M:%S")
    for fraction in ("", ".000", ".%L")
    for zone in ("", "Z", "+00:00", " UTC")
    if fraction or zone
)
"""Times as programs export them, all of one zone; seconds first if all are whole."""

_TIME_PATTERNS_BY_DAY = {
    **dict.fromkeys(_TIMED_PATTERNS, _TIME_PATTERNS),
    "%Y-%-m-%-d": (*_TIME_PATTERNS, "T%-H:%MZ", *_PROGRAM_TIME_PATTERNS),
    "%-d%b%Y": ("", ":%-H:%M", ":%-H:%M:%S", ":%-H:%M:%S.%L"),  # of SAS, as the next
    "%-d%b%y": ("", ":%-H:%M", ":%-H:%M:%S"),
}
"""Times that may follow a day."""


def date_pattern_to_regex(pattern: str) -> str:
    """Return the regular expression that a date pattern stands for."""
    parts = _DIRECTIVE.split(pattern)
    return (
        "^"
        + "".join(_DIRECTIVE_PATTERNS.get(part, re.escape(part)) for part in parts)
        + "$"
    )


@cache
def _compile_pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(date_pattern_to_regex(pattern))


@cache
def _patterns_by_shape() -> Mapping[re.Pattern[str], Sequence[str]]:
    """Return patterns that may be meant, the likeliest first, by what all look like.

    Few expressions tell of most cells that they are no date.
    """
    return {
        **{re.compile(f"^{_shape(date)}$"): (date,) for date in _UNTIMED_PATTERNS},
        **{
            re.compile(f"^{_shape(day)}(?:{'|'.join(map(_shape, times))})$"): [
                day + time for time in times
            ]
            for day, times in _TIME_PATTERNS_BY_DAY.items()
        },
    }


def _shape(pattern: str) -> str:
    return re.sub(r"\?P<\w>", "?:", date_pattern_to_regex(pattern)[1:-1])


_PROGRAM_DATE = re.compile(r"[+-]?\d{4,}-\d")


def may_be_date(cell: str) -> bool:
    """Return whether a trimmed cell may be a date in any known format."""
    if not any(map(str.isdigit, cell)):
        return False
    written = any(shape.match(cell) for shape in _patterns_by_shape())
    return written or _PROGRAM_DATE.match(cell) is not None


def find_date_formats(cells: Sequence[str]) -> tuple[DateFormat, ...]:
    """Return up to two date formats whose pattern every cell of a sample matches.

    Two, where nothing tells the day from the month.

    Parameters
    ----------
    cells : sequence of str
        Trimmed, none empty.
    """
    forms = []
    for shape, patterns in _patterns_by_shape().items():
        if not all(map(shape.match, cells)):
            continue
        for pattern in patterns:
            matches = [*filter(None, map(_compile_pattern(pattern).match, cells))]
            if len(matches) == len(cells):
                form = _format(pattern, matches)
                if form is not None:
                    forms.append(form)
    if any("%Y" in form.pattern for form in forms):
        forms = [form for form in forms if "%Y" in form.pattern]
    return tuple(forms[:2])


_DAYS_ALONE = tuple(
    day for day in _TIMED_PATTERNS if "%Y" in day and day != "%-m.%-d.%Y"
)
"""Patterns that one column may mix; years of two digits tell too little."""

_AMBIGUOUS_PATTERNS = {
    "/": ("%-d/%-m/%Y", "%-m/%-d/%Y"),
    "-": ("%-d-%-m-%Y", "%-m-%-d-%Y"),
}
"""Patterns that only the order of day and month tells apart."""


def find_mixed_date_format(
    cells: Sequence[str], day_first: bool | None = None
) -> DateFormat | None:
    """Return the format of a column whose dates are written in several ways, or None.

    The way that most cells are written in comes first. None if a cell is no day with a
    year of four digits, if all are written in one way, or where nothing tells the day
    from the month: a cell that can be read in one order only, other columns, or points.

    Parameters
    ----------
    cells : sequence of str
        Trimmed, none empty.
    day_first : bool, optional
        What other columns tell.
    """
    if not all(map(may_be_date, cells)):
        return None
    order = _is_day_first(cells, day_first)
    either = {style for pair in _AMBIGUOUS_PATTERNS.values() for style in pair}
    patterns = (
        set()
        if order is None
        else {pair[not order] for pair in _AMBIGUOUS_PATTERNS.values()}
    )
    rest, forms = list(cells), list[DateFormat]()
    ways = [style for style in _DAYS_ALONE if style not in either or style in patterns]
    while rest:
        matches = {
            way: [*filter(None, map(_compile_pattern(way).match, rest))] for way in ways
        }
        # Of ways that are as frequent the one that comes first.
        best_way = max(
            ways, key=lambda way: (len(matches[way]), _is_cell_in_format(way, rest[0]))
        )
        form = _format(best_way, matches[best_way]) if matches[best_way] else None
        if form is None or (forms and form.months not in ((), forms[0].months)):
            return None
        forms.append(form)
        rest = [cell for cell in rest if not _is_cell_in_format(best_way, cell)]
    months = next((style.months for style in forms if style.months), ())
    also = tuple(style.pattern for style in forms[1:])
    return DateFormat(forms[0].pattern, months, also) if also else None


def _is_cell_in_format(way: str, cell: str) -> bool:
    return _compile_pattern(way).match(cell) is not None


def _is_day_first(cells: Sequence[str], other_formats: bool | None) -> bool | None:
    """Return whether days come before months; None if nothing tells, or two things do.

    A cell that can be read in one order only tells most, then the other columns.
    """
    orders = set()
    for day, month in _AMBIGUOUS_PATTERNS.values():
        for cell in cells:
            fits = [_is_cell_in_format(pattern, cell) for pattern in (day, month)]
            if any(fits) and not all(fits):
                orders.add(fits[0])
    if orders:
        return None if len(orders) == 2 else orders.pop()
    if other_formats is None and any(
        _is_cell_in_format("%-d.%-m.%Y", cell) for cell in cells
    ):
        return True
    return other_formats


def _format(pattern: str, matches: Sequence[re.Match[str]]) -> DateFormat | None:
    months: tuple[str, ...] = ()
    if "%b" in pattern:
        named = month_names_in_spelling_of({match["b"] for match in matches})
        if named is None:
            return None
        months = named
    for code in "dmHI":
        loose = f"%-{code}"
        if loose in pattern:
            texts = [match[code] for match in matches]
            zero = any(text.startswith("0") for text in texts)
            if zero or all(len(text) == 2 for text in texts):
                pattern = pattern.replace(loose, f"%{code}")
    if pattern == "%Y%m%d":
        years = {int(match["Y"]) for match in matches}
        if len(matches) < 3 or min(years) < 1850 or max(years) > 2150:
            return None
    # 12.2025 is a number too, where no month has a zero in front.
    if pattern == "%m.%Y" and not any(m["m"].startswith("0") for m in matches):
        return None
    if any(match.groupdict().get("Y", "1000") < "1000" for match in matches):
        return None
    return DateFormat(pattern, months)


def try_parse_dates(column: Text, date_format: DateFormat) -> pd.Series | None:
    """Return text as dates; None if a cell is no such date or all cells are null.

    Parameters
    ----------
    column : pyarrow.ChunkedArray of string
        Trimmed; missing cells are null.
    date_format : DateFormat
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    encoded = column.combine_chunks().dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    texts = encoded.dictionary.cast(pa.string())
    if date_format.also:
        return _read_mixed(encoded, texts, date_format)
    # What is not padded in the sample may be wherever it has two digits.
    loose = re.sub("%([dmHI])", r"%-\1", date_format.pattern)
    if date_format.pattern in ("%Y%m%d", "%Y-%m", "%Y/%m", "%m/%Y", "%m.%Y"):
        loose = date_format.pattern
    parts = pc.extract_regex(texts, pattern=date_pattern_to_regex(loose))
    if parts.null_count:
        return None
    fields: dict[str, np.ndarray[Any, Any]] = {}
    for code in parts.type:
        values = parts.field(code.name)
        if code.name == "b":
            names = [name.rstrip(".").lower() for name in date_format.months]
            words = pc.utf8_lower(pc.utf8_rtrim(values, characters="."))
            places = pc.index_in(words, value_set=pa.array(names))
            if places.null_count:
                return None
            fields["m"] = places.to_numpy(zero_copy_only=False).astype(np.int64) + 1
        elif code.name == "p":
            after = pc.equal(pc.utf8_lower(values), "pm").cast(pa.int64())
            fields["p"] = after.to_numpy(zero_copy_only=False)
        else:
            fields[code.name] = values.cast(pa.int64()).to_numpy(zero_copy_only=False)
    moments = _to_timestamps(fields)
    if moments is None:
        return None
    codes = encoded.indices.to_numpy(zero_copy_only=False)
    missing = np.isnan(codes) if codes.dtype.kind == "f" else np.zeros(len(codes), bool)
    places = np.where(missing, 0, codes).astype(np.int64)
    series = pd.Series(moments[places]) if len(moments) else None
    if series is None:
        return None
    return series.mask(pd.Series(missing)).astype("datetime64[us]")


def _read_mixed(encoded: Any, texts: Text, form: DateFormat) -> pd.Series | None:
    """Return dates that are written in several ways: each cell in the first that fits.

    Parameters
    ----------
    encoded : pyarrow.DictionaryArray
    texts : pyarrow.Array of string
        Its different cells.
    form : DateFormat
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    moments = np.full(len(texts), np.datetime64("NaT"), dtype="datetime64[us]")
    for way in form.alternatives:
        loose = re.sub("%([dm])", r"%-\1", way.pattern)
        open_ = np.isnat(moments)
        fits = pc.match_substring_regex(texts, date_pattern_to_regex(loose))
        mask = open_ & fits.to_numpy(zero_copy_only=False)
        if not mask.any():
            continue
        dates = try_parse_dates(pa.chunked_array([texts.filter(pa.array(mask))]), way)
        if dates is None:
            return None
        moments[mask] = dates.to_numpy()
    if np.isnat(moments).any():
        return None
    codes = encoded.indices.to_pandas().fillna(-1).to_numpy(dtype=np.int64)
    # The last place is that of missing cells.
    return pd.Series(np.append(moments, np.datetime64("NaT"))[codes])


def _to_timestamps(parts: dict[str, Any]) -> Any | None:
    """Return the dates of years, months and so on; None if there is no such day."""
    year = parts.get("Y")
    if year is None:
        short = parts["y"]
        year = short + np.where(short < FIRST_YEAR_OF_1900S, 2000, 1900)
    if "V" in parts:
        return _week_mondays(year, parts["V"])
    month = parts.get("m", 3 * parts["q"] - 2 if "q" in parts else None)
    first = ((year - 1970) * 12 + month - 1).astype("datetime64[M]")
    days = first.astype("datetime64[D]") + (parts["d"] - 1 if "d" in parts else 0)
    if (days.astype("datetime64[M]") != first).any():
        return None
    moments = days.astype("datetime64[us]")
    if "p" in parts:
        parts = {**parts, "H": parts["I"] % 12 + 12 * parts["p"]}
    for code, ms in (("H", 3_600_000), ("M", 60_000), ("S", 1_000), ("L", 1)):
        if code in parts:
            moments = moments + parts[code] * np.timedelta64(ms, "ms")
    return moments


def _week_mondays(year: Any, week: Any) -> Any:
    """Return the Mondays of weeks (ISO 8601)."""
    fourth = (year - 1970).astype("datetime64[Y]").astype("datetime64[D]") + 3
    monday = fourth - (fourth.astype(np.int64) + 3) % 7
    return (monday + 7 * (week - 1)).astype("datetime64[us]")
