"""Whether two columns say the same, whatever their types are."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine.data.numeric import days_of
from engine.hierarchy import text_of


def count_differing(written: pd.Series, expected: pd.Series) -> int:
    """Return how many records differ between two columns of equal length.

    Values count, not types: a column of codes that has lost its only letter is read
    back as numbers, and still says the same.
    """
    a, b = written.reset_index(drop=True), expected.reset_index(drop=True)
    missing = a.isna()
    if not missing.equals(b.isna()):
        return int((missing != b.isna()).sum())
    a, b = a[~missing], b[~missing]
    if {family(a), family(b)} == {"number", "text"}:
        a, b = (pd.to_numeric(each, errors="coerce") for each in (a, b))
    if family(a) == family(b) == "number":
        return int((a.astype("float64") != b.astype("float64")).sum())
    if {family(a), family(b)} == {"date", "text"}:
        a, b = (moments(each) for each in (a, b))
    if family(a) == family(b) == "date":
        return int((_instants(a) != _instants(b)).sum())
    if not all(isinstance(each.dtype, pd.StringDtype) for each in (a, b)):
        a, b = a.map(text_of), b.map(text_of)
    return int((a != b).sum())


def moments(column: pd.Series) -> pd.Series:
    """Return text as moments where it says such in ISO 8601, anything else as it is."""
    if family(column) == "date":
        return column
    try:
        return pd.to_datetime(column, format="ISO8601", utc=True)
    except ValueError:
        return column


def _instants(column: pd.Series) -> NDArray[np.int64]:
    if getattr(column.dtype, "tz", None) is not None:
        column = column.dt.tz_convert("UTC").dt.tz_localize(None)
    return column.astype("datetime64[us]").to_numpy().astype(np.int64)


def family(column: pd.Series) -> str:
    """Return whether a column is of type "date", "number" or "text"."""
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        dtype = dtype.categories.dtype
    if pd.api.types.is_datetime64_any_dtype(dtype):
        return "date"
    return "number" if pd.api.types.is_numeric_dtype(dtype) else "text"


def days_or_numbers(column: pd.Series, expected: pd.Series) -> NDArray[np.float64]:
    """Return a column as rules see it: dates as days, and words as missing."""
    if family(expected) == "date":
        column = moments(column)
    if family(column) == "date":
        return days_of(column)
    numbers = pd.to_numeric(column, errors="coerce")
    return np.asarray(numbers.to_numpy(dtype=np.float64, na_value=np.nan))
