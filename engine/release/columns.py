"""Compare columns by the meaning of their values, whatever their types."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine.data.conversion.numeric import days_since_epoch, utc_moments
from engine.hierarchy import leaf_text_of


def count_differences(written_column: pd.Series, expected_column: pd.Series) -> int:
    """Return how many values differ between two columns, or how many gaps if any do.

    Values count, not types: a column of codes that has lost its only letter is read
    back as numbers, and still says the same.
    """
    a, b = written_column.reset_index(drop=True), expected_column.reset_index(drop=True)
    missing = a.isna()
    if not missing.equals(b.isna()):
        return int((missing != b.isna()).sum())
    a, b = a[~missing], b[~missing]
    if {type_family(a), type_family(b)} == {"number", "text"}:
        a, b = (pd.to_numeric(each, errors="coerce") for each in (a, b))
    if type_family(a) == type_family(b) == "number":
        return int((a.astype("float64") != b.astype("float64")).sum())
    if {type_family(a), type_family(b)} == {"date", "text"}:
        a, b = (parse_iso_dates_or_unchanged(each) for each in (a, b))
    if type_family(a) == type_family(b) == "date":
        return int((_as_instants(a) != _as_instants(b)).sum())
    if not all(isinstance(each.dtype, pd.StringDtype) for each in (a, b)):
        a, b = a.map(leaf_text_of), b.map(leaf_text_of)
    return int((a != b).sum())


def parse_iso_dates_or_unchanged(column: pd.Series) -> pd.Series:
    """Return a column of ISO 8601 texts or years as UTC dates; any other unchanged."""
    if type_family(column) == "date":
        return column
    try:
        return pd.to_datetime(column, format="ISO8601", utc=True)
    except ValueError:
        return column


def _as_instants(column: pd.Series) -> NDArray[np.int64]:
    return utc_moments(column).astype("datetime64[us]").to_numpy().astype(np.int64)


def type_family(column: pd.Series) -> str:
    """Return the type family of a column: "date", "number" or "text"."""
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        dtype = dtype.categories.dtype
    if pd.api.types.is_datetime64_any_dtype(dtype):
        return "date"
    return "number" if pd.api.types.is_numeric_dtype(dtype) else "text"


def numbers_for_rules(
    column: pd.Series, expected_column: pd.Series
) -> NDArray[np.float64]:
    """Return a column as numbers for rules: dates as days, words as NaN."""
    if type_family(expected_column) == "date":
        column = parse_iso_dates_or_unchanged(column)
    if type_family(column) == "date":
        return days_since_epoch(column)
    numbers = pd.to_numeric(column, errors="coerce")
    return np.asarray(numbers.to_numpy(dtype=np.float64, na_value=np.nan))
