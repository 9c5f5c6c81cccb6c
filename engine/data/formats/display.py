"""Columns for display, as text where their file has a special format."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pandas as pd

from engine.data.conversion.read_attribute import unusual_format
from engine.data.formats.date_format import DateFormat
from engine.data.formats.number_format import NumberFormat
from engine.data.table import Origin

_EXCEL_DIRECTIVES = {
    "d": "%-d",
    "dd": "%d",
    "m": "%-m",
    "mm": "%m",
    "yy": "%y",
    "yyyy": "%Y",
}
"""Parts of number formats of workbooks that write days."""


def format_special_columns(frame: pd.DataFrame, origin: Origin) -> pd.DataFrame:
    """Return records for display: columns with a format of their own as text.

    Parameters
    ----------
    frame : pandas.DataFrame
        Columns of a table or of its release.
    origin : Origin
        Of the table.
    """
    written = {
        str(name): format_column_if_special(frame[name], origin) for name in frame
    }
    return frame.assign(**written)


def format_column_if_special(column: pd.Series, origin: Origin) -> pd.Series:
    """Return a column for display, as text if its file's special format can write it.

    Parameters
    ----------
    column : pandas.Series
        Its name is that of the table's column.
    origin : Origin
    """
    name = str(column.name)
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        form = unusual_format(origin.options, name, is_numeric=False)
        form = form or _workbook_date_format(origin.options, name)
        if isinstance(form, DateFormat) and form.can_write(column):
            return form.format_column(column)
    elif pd.api.types.is_numeric_dtype(column.dtype):
        form = unusual_format(origin.options, name, is_numeric=True)
        if isinstance(form, NumberFormat):
            return form.format_column(column)
    return column


def _workbook_date_format(options: Mapping[str, Any], name: str) -> DateFormat | None:
    """Return how a workbook shows the days of a column, where that is plain."""
    code = options.get("number_formats", {}).get(name)
    if not isinstance(code, str):
        return None
    parts = re.split(r"([dmy]+)", re.sub(r"\[[^\]]*\]|;@|\\|\"", "", code.lower()))
    signs, letters = parts[::2], parts[1::2]
    if len(letters) != 3 or not set(letters) <= set(_EXCEL_DIRECTIVES):
        return None
    if not all(re.fullmatch(r"[./, -]*", sign) for sign in signs):
        return None
    return DateFormat("".join(_EXCEL_DIRECTIVES.get(part, part) for part in parts))
