"""What stands in the list of columns beside names, kinds and roles: from the values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dashboard.i18n.language import _, n_
from engine.data.table import Origin
from engine.data.written import column_as_written
from engine.hierarchy import text_of

EXAMPLES = 4
"""Different values that are shown."""

LOOKED_AT = 200
"""Records in which examples are looked for."""

LONGEST = 24
"""Signs of an example that are shown."""

BARS = 14
"""Bars of a small histogram."""

TALLEST = 9
"""Height of the tallest bar."""

NOWHERE = Origin()
"""Of columns that come from no file."""


@dataclass(frozen=True)
class Fact:
    """What is shown of one column's values.

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
    def count(self) -> str:
        """How many different values there are, and how many are missing."""
        words = n_("{count} value", "{count} values", self.distinct)
        found = words.format(count=f"{self.distinct:,}")
        if self.missing:
            found += ", " + _("{count} missing").format(count=f"{self.missing:,}")
        return found

    @property
    def spread(self) -> str:
        """The same with the least and the greatest value, where these are drawn."""
        if not self.bars:
            return self.count
        return _("{count}, from {least} to {greatest}").format(
            count=self.count, least=self.ends[0], greatest=self.ends[1]
        )


def column_fact(column: pd.Series, origin: Origin = NOWHERE) -> Fact:
    """Return what is shown of a column, in the time of one look at each value.

    Parameters
    ----------
    column : pandas.Series
    origin : Origin
        Of its table, whose writing of dates and numbers is kept.
    """
    numbers = _numbers(column)
    if numbers is None:
        present = column.dropna()
        missing = len(column) - len(present)
        return Fact(_examples(column, origin), int(present.nunique()), missing)
    ordered = np.sort(numbers[~np.isnan(numbers)])
    missing = len(numbers) - len(ordered)
    distinct = int((ordered[1:] > ordered[:-1]).sum()) + 1 if len(ordered) else 0
    if distinct <= BARS:
        return Fact(_examples(column, origin), distinct, missing)
    ends_of = [column.min(), column.max()]
    extremes = pd.Series(ends_of, dtype=column.dtype, name=column.name)
    low, high = column_as_written(extremes, origin)
    ends = _shown(low), _shown(high)
    return Fact(_examples(column, origin), distinct, missing, histogram(ordered), ends)


def _numbers(column: pd.Series) -> NDArray[np.float64] | None:
    """Return a column's places on a line; None where it has none."""
    kind = column.dtype
    if pd.api.types.is_bool_dtype(kind) or isinstance(kind, pd.CategoricalDtype):
        return None
    if pd.api.types.is_datetime64_any_dtype(kind):
        moments = column.to_numpy(dtype="datetime64[us]", na_value=np.datetime64("NaT"))
        found = moments.astype(np.int64).astype(np.float64)
        found[np.isnat(moments)] = np.nan
        return found
    if pd.api.types.is_numeric_dtype(kind):
        found = column.to_numpy(dtype=np.float64, na_value=np.nan)
        return np.where(np.isfinite(found), found, np.nan)
    return None


def histogram(ordered: NDArray[np.float64]) -> str:
    """Return the heights of a histogram as digits.

    Parameters
    ----------
    ordered : array, shape (n,)
        Without missing values, in ascending order.

    Examples
    --------
    >>> histogram(np.arange(28.0))
    '99999999999999'
    """
    least, greatest = ordered[0], ordered[-1]
    # Halves: the difference of two finite numbers may not be finite.
    cuts = 2.0 * np.linspace(least / 2.0, greatest / 2.0, BARS + 1)
    places = np.searchsorted(ordered, cuts[1:-1])
    counts = np.diff(np.concatenate([[0], places, [len(ordered)]]))
    heights = np.ceil(TALLEST * counts / counts.max()).astype(int)
    return "".join(map(str, heights))


def _examples(column: pd.Series, origin: Origin) -> str:
    found = column.iloc[:LOOKED_AT].dropna().drop_duplicates()[:EXAMPLES]
    written = column_as_written(found, origin)
    means = dict(origin.options.get("value_labels", {}).get(str(column.name), ()))
    # Between decimal commas stand semicolons.
    commas = written is not found and written.str.contains(",", regex=False).any()
    return ("; " if commas else ", ").join(
        f"{_shown(text)} ({means[value]})" if value in means else _shown(text)
        for value, text in zip(found, written, strict=True)
    )


def _shown(value: object) -> str:
    text = text_of(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
