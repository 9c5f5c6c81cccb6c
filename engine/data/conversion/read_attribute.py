"""Conversion of a column to an attribute and float64 numbers; its unusual format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from engine.core.errors import InputError
from engine.core.typing import Values
from engine.data.conversion.attributes import AttributeInfo
from engine.data.conversion.numeric import (
    days_since_epoch,
    has_incomputable_values,
    not_numeric_error,
    read_numeric_column,
)
from engine.data.formats.date_format import DateFormat
from engine.data.formats.number_format import NumberFormat
from engine.data.kinds import Kind
from engine.data.table import Table
from engine.hierarchy import Hierarchy, flat_hierarchy


def read_attribute_and_numbers(table: Table, name: str) -> tuple[AttributeInfo, Values]:
    """Return a column's attribute and its values as numbers, NaN where missing.

    Returns
    -------
    attribute : AttributeInfo
    values : ndarray of float64, shape (n_records,)
        Of ordinal numbers of which some are infinite or huge, their ranks.

    Raises
    ------
    ParameterError
        If the table has no such column.
    InputError
        If its values are not those of its kind, or its hierarchy lacks one.
    """
    declared = table.schema[name]
    column = table.frame[name]
    if declared.kind is Kind.NOMINAL:
        return _read_categories(column, name, declared.hierarchy)
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        attribute, values = _read_dates(column, name, declared.kind, declared.hierarchy)
        form = unusual_format(table.origin.options, name, is_numeric=False)
        return replace(attribute, form=form), values
    if pd.api.types.is_numeric_dtype(column.dtype):
        if declared.kind is Kind.ORDINAL and has_incomputable_values(column):
            tree, order = declared.hierarchy, flat_hierarchy(column)
            return _read_coded(column, name, Kind.ORDINAL, tree, order)
        values = read_numeric_column(table, name)
        whole = bool((values[~np.isnan(values)] % 1 == 0).all())
        form = unusual_format(table.origin.options, name, is_numeric=True)
        info = AttributeInfo(
            name, declared.kind, declared.hierarchy, whole=whole, form=form
        )
        return info, values
    if declared.kind is Kind.ORDINAL:
        return _read_ordered_words(column, name, declared.hierarchy)
    raise not_numeric_error(column, name)


def unusual_format(
    options: Mapping[str, Any], name: str, is_numeric: bool
) -> NumberFormat | DateFormat | None:
    """Return a column's number or date format in its file; None for the usual one.

    Parameters
    ----------
    options : mapping
        Of the table's origin.
    name : str
    is_numeric : bool
        Whether the column holds numbers; otherwise dates.
    """
    content = options.get("forms", {}).get(name)
    if isinstance(content, Mapping) and ("pattern" in content) is not is_numeric:
        if is_numeric:
            return NumberFormat.from_json(content)
        return DateFormat.from_json(content)
    sign, count, whole = (
        options.get("decimal", "."),
        options.get("decimals", {}).get(name, -1),
        options.get("whole_decimals", {}).get(name, -1),
    )
    if is_numeric and (sign == "," or count > 0):
        return NumberFormat(sign, decimals=count, whole_decimals=whole)
    return None


def _read_categories(
    column: pd.Series, name: str, tree: Hierarchy | None
) -> tuple[AttributeInfo, Values]:
    column = _blank_to_missing(column)
    if tree is None:
        if column.isna().all():
            raise _no_values_error(name)
        tree = flat_hierarchy(column)
    return _read_coded(column, name, Kind.NOMINAL, tree, tree)


def _blank_to_missing(column: pd.Series) -> pd.Series:
    """Return a column in which blank text is no value, as no cell of a file is."""
    if pd.api.types.is_numeric_dtype(column.dtype):
        return column
    blank = [
        value
        for value in column.unique()
        if isinstance(value, str) and not value.strip()
    ]
    return column.mask(column.isin(blank)) if blank else column


def _read_ordered_words(
    column: pd.Series, name: str, tree: Hierarchy | None
) -> tuple[AttributeInfo, Values]:
    column = _blank_to_missing(column)
    if tree is not None:
        return _read_coded(column, name, Kind.ORDINAL, tree, tree)
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype) and dtype.ordered:
        order = flat_hierarchy(column)
        return _read_coded(column, name, Kind.ORDINAL, None, order)
    raise InputError(
        "Column {column!r} is declared ordinal, but nothing says the order of its "
        "words: give it a hierarchy whose lines are in that order, or make it nominal.",
        column=name,
    )


def _read_coded(
    column: pd.Series, name: str, kind: Kind, tree: Hierarchy | None, order: Hierarchy
) -> tuple[AttributeInfo, Values]:
    codes = order.codes(column, name)
    present = codes >= 0
    if not present.any():
        raise _no_values_error(name)
    # Leaves that no record has keep their text as value; nothing is released as one.
    words = np.array(order.leaves, dtype=object)
    records = np.flatnonzero(present)
    present_codes, first = np.unique(codes[records], return_index=True)
    words[present_codes] = column.iloc[records[first]].to_numpy(dtype=object)
    values = np.where(present, codes, np.nan).astype(np.float64)
    return AttributeInfo(name, kind, tree, pd.Index(words, dtype=object)), values


def _read_dates(
    column: pd.Series, name: str, kind: Kind, tree: Hierarchy | None
) -> tuple[AttributeInfo, Values]:
    zone = getattr(column.dtype, "tz", None)
    values = days_since_epoch(column)
    whole = bool((values[~np.isnan(values)] % 1 == 0).all())
    dates = column.dropna()
    # In UTC, where no hour comes twice as clocks are put back.
    utc_dates = dates if zone is None else dates.dt.tz_convert("UTC")
    seconds = bool((utc_dates == utc_dates.dt.floor("s")).all())
    attribute = AttributeInfo(
        name, kind, tree, dates=True, zone=zone, seconds=seconds, whole=whole
    )
    return attribute, values


def _no_values_error(name: str) -> InputError:
    return InputError(
        "Column {column!r} has no values at all: give it another role.", column=name
    )
