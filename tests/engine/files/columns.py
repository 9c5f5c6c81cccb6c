"""Columns of every type, with what files are known to spoil."""

from collections.abc import Mapping

import numpy as np
import pandas as pd


def _dates(*texts: str | None, unit: str = "us") -> pd.Series:
    dates = pd.to_datetime(pd.Series(texts * 2), format="ISO8601")
    return dates.astype(f"datetime64[{unit}]")


def _text(*cells: str | None) -> pd.Series:
    return pd.Series(cells * 2, dtype="str")


COLUMNS: Mapping[str, pd.Series] = {
    "booleans": pd.Series([True, False, True] * 2),
    "booleans, some missing": pd.Series([True, None, False] * 2, dtype="boolean"),
    "whole numbers": pd.Series([1, -2, 2**53] * 2),
    "whole numbers of 8 bits": pd.Series([1, -2, 3] * 2, dtype="int8"),
    "whole numbers, some missing": pd.Series([1, None, 3] * 2, dtype="Int64"),
    "whole numbers above 2^53": pd.Series([2**53 + 1, -(2**62) + 1, 3] * 2),
    "the same, some missing": pd.Series([2**53 + 1, None, 3] * 2, dtype="Int64"),
    "whole numbers above 2^63": pd.Series([2**64 - 1, 0, 3] * 2, dtype="uint64"),
    "numbers": pd.Series([0.1 + 0.2, np.nan, -1e300] * 2),
    "numbers of 32 bits": pd.Series([0.1, np.nan, 1e-30] * 2, dtype="float32"),
    "infinite numbers": pd.Series([0.1, np.inf, -np.inf] * 2),
    "dates": _dates("2020-02-29", None, "1960-01-01"),
    "dates before 1900": _dates("0820-02-28", "1899-12-31", "1960-01-01"),
    "times to seconds": _dates("2020-01-05T10:11:12", None, "1960-01-01", unit="s"),
    "times to milliseconds": _dates("2020-01-05T10:11:12.123", "1960-01-01", unit="ms"),
    "times to microseconds": _dates("2020-01-05T10:11:12.123457", None, "1960-01-01"),
    "times to nanoseconds": _dates(
        "2020-01-05T10:11:12.123456789", None, "1960-01-01", unit="ns"
    ),
    "times with a zone": _dates("2020-10-25T00:30", None, "2020-10-25T01:30")
    .dt.tz_localize("UTC")
    .dt.tz_convert("Europe/Berlin"),
    "lengths of time": pd.Series(pd.to_timedelta(["1h", "2s", "3D"] * 2)),
    "text": _text("日本", 'a"b,c;\t', None),
    "text of digits": _text("007", "1.50", "1e400"),
    "text with line breaks": _text("a\nb", "a\r\n", "\n\n"),
    "text with outer blanks": _text(" a", "b  ", "c"),
    "text that is empty": _text("", "b", None),
    "text with control characters": _text("a\x01b", "b", None),
    "text of 40,000 letters": _text("x" * 40_000, "b", None),
    "categories": pd.Series(["a", "b", None] * 2, dtype="category"),
    "categories of numbers": pd.Series([3, 1, 2] * 2, dtype="category"),
}
"""A column of six cells, or four, for each type; by what the manual calls it."""

NAMES = (
    "two words",
    " outer blanks ",
    "line\nbreak",
    "control\x01character",
    "x" * 70,
    'quote"d;,',
    "=1+1",
    "2020",
    "日本",
    "NA",
)
"""Names of columns."""
