"""Summary of one column's values: examples, counts, range and histogram."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dashboard.i18n.language import _, n_
from engine.data.formats.display import format_column_if_special
from engine.data.table import Origin
from engine.hierarchy import leaf_text_of

MAX_EXAMPLES = 4
"""Different values that are shown."""

EXAMPLE_RECORDS = 200
"""Records in which examples are looked for."""

MAX_EXAMPLE_CHARS = 24
"""Characters of an example that are shown."""

HISTOGRAM_BARS = 14
"""Bars of a small histogram."""

MAX_BAR_HEIGHT = 9
"""Height of the tallest bar."""

NO_ORIGIN = Origin()
"""Origin of columns that come from no file."""


@dataclass(frozen=True)
class ColumnValuesSummary:
    """Examples, counts, range and histogram of one column's values.

    Attributes
    ----------
    examples : str
        The first different values, with commas between them.
    distinct, missing : int
    bars : str
        Heights of a histogram from left to right, one digit each; empty where values
        have no order or are few.
    ends : tuple of str
        Least and greatest value of a histogram.
    """

    examples: str
    distinct: int
    missing: int
    bars: str = ""
    ends: tuple[str, str] = ("", "")

    @property
    def count_text(self) -> str:
        """Numbers of different and of missing values, as text."""
        words = n_("{count} value", "{count} values", self.distinct)
        summary = words.format(count=f"{self.distinct:,}")
        if self.missing:
            summary += ", " + _("{count} missing").format(count=f"{self.missing:,}")
        return summary

    @property
    def range_text(self) -> str:
        """Numbers of values and, if there is a histogram, least and greatest value."""
        if not self.bars:
            return self.count_text
        return _("{count}, from {least} to {greatest}").format(
            count=self.count_text, least=self.ends[0], greatest=self.ends[1]
        )


def summarise_column(
    column: pd.Series, origin: Origin = NO_ORIGIN
) -> ColumnValuesSummary:
    """Return examples, counts, range and histogram of a column's values.

    Parameters
    ----------
    column : pandas.Series
    origin : Origin
        Of its table, whose writing of dates and numbers is kept.
    """
    numbers = _line_positions(column)
    if numbers is None:
        present = column.dropna()
        missing = len(column) - len(present)
        return ColumnValuesSummary(
            _example_values(column, origin), int(present.nunique()), missing
        )
    ordered = np.sort(numbers[~np.isnan(numbers)])
    missing = len(numbers) - len(ordered)
    distinct = int((ordered[1:] > ordered[:-1]).sum()) + 1 if len(ordered) else 0
    if distinct <= HISTOGRAM_BARS:
        return ColumnValuesSummary(_example_values(column, origin), distinct, missing)
    ends_of = [column.min(), column.max()]
    extremes = pd.Series(ends_of, dtype=column.dtype, name=column.name)
    low, high = format_column_if_special(extremes, origin)
    ends = _format_value(low), _format_value(high)
    return ColumnValuesSummary(
        _example_values(column, origin),
        distinct,
        missing,
        encode_histogram_as_digits(ordered),
        ends,
    )


def _line_positions(column: pd.Series) -> NDArray[np.float64] | None:
    """Return a column's places on a line; None where it has none."""
    kind = column.dtype
    if pd.api.types.is_bool_dtype(kind) or isinstance(kind, pd.CategoricalDtype):
        return None
    if pd.api.types.is_datetime64_any_dtype(kind):
        moments = column.to_numpy(dtype="datetime64[us]", na_value=np.datetime64("NaT"))
        positions = moments.astype(np.int64).astype(np.float64)
        positions[np.isnat(moments)] = np.nan
        return positions
    if pd.api.types.is_numeric_dtype(kind):
        positions = column.to_numpy(dtype=np.float64, na_value=np.nan)
        return np.where(np.isfinite(positions), positions, np.nan)
    return None


def encode_histogram_as_digits(sorted_values: NDArray[np.float64]) -> str:
    """Return a histogram of sorted values as bar heights, one digit each.

    Parameters
    ----------
    sorted_values : array, shape (n,)
        Without missing values, in ascending order.

    Examples
    --------
    >>> encode_histogram_as_digits(np.arange(28.0))
    '99999999999999'
    """
    smallest, greatest = sorted_values[0], sorted_values[-1]
    # Halves: the difference of two finite numbers may not be finite.
    cuts = 2.0 * np.linspace(smallest / 2.0, greatest / 2.0, HISTOGRAM_BARS + 1)
    places = np.searchsorted(sorted_values, cuts[1:-1])
    counts = np.diff(np.concatenate([[0], places, [len(sorted_values)]]))
    heights = np.ceil(MAX_BAR_HEIGHT * counts / counts.max()).astype(int)
    return "".join(map(str, heights))


def _example_values(column: pd.Series, origin: Origin) -> str:
    examples = column.iloc[:EXAMPLE_RECORDS].dropna().drop_duplicates()[:MAX_EXAMPLES]
    written = format_column_if_special(examples, origin)
    means = dict(origin.options.get("value_labels", {}).get(str(column.name), ()))
    # Between decimal commas stand semicolons.
    commas = written is not examples and written.str.contains(",", regex=False).any()
    return ("; " if commas else ", ").join(
        f"{_format_value(text)} ({means[value]})"
        if value in means
        else _format_value(text)
        for value, text in zip(examples, written, strict=True)
    )


def _format_value(value: object) -> str:
    text = leaf_text_of(value)
    return (
        text if len(text) <= MAX_EXAMPLE_CHARS else text[: MAX_EXAMPLE_CHARS - 1] + "…"
    )
