"""Columns of SPSS, Stata and SAS files: labels, declared missing values, dates."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from engine.core.message import Message
from engine.files.stored_columns import (
    AS_TEXT_MESSAGE,
    KEEPS_DIGITS_MESSAGE,
    MAX_EXACT_INT,
    StoredColumn,
    UnstorableError,
    has_integers_beyond,
    has_times_finer_than,
    is_date_column,
    is_duration_column,
    is_text_column,
    to_plain_column,
    to_stored_with_blanks_missing,
    to_text_column,
)


def typed_frame_and_restore_info(
    frame: pd.DataFrame, is_declared_missing: Mapping[str, Callable[[Any], bool]]
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return columns converted to proper types, and what is needed to write them back.

    Parameters
    ----------
    frame : pandas.DataFrame
        As pyreadstat gives it, with declared missing values among the others.
    is_declared_missing : mapping of str to callable
        By column: whether a value is declared as missing.

    Returns
    -------
    frame : pandas.DataFrame
    memory : dict
        ``user_missing``, by column the rows and values that were declared missing,
        and ``times``, the columns that hold times of day.
    """
    columns: dict[str, pd.Series] = {}
    memory: dict[str, Any] = {"user_missing": {}, "times": []}
    for name in frame.columns:
        column = frame[name]
        if name in is_declared_missing:
            is_missing = is_declared_missing[name]
            rows = [
                row
                for row, cell in enumerate(column)
                if pd.notna(cell) and is_missing(cell)
            ]
            if rows:
                cells = [column.iloc[row] for row in rows]
                codes = [
                    each if isinstance(each, str) else float(each) for each in cells
                ]
                memory["user_missing"][name] = {"rows": rows, "values": codes}
                column = column.astype(object)
                column.iloc[rows] = None
        if any(isinstance(cell, datetime.time) for cell in column.dropna().head(1)):
            memory["times"].append(name)
            column = column.map(lambda cell: cell.isoformat(), na_action="ignore")
        columns[name] = _clean_column(column)
    return pd.DataFrame(columns), memory


def column_metadata(frame: pd.DataFrame, meta: Any) -> dict[str, Any]:
    """Return the labels, formats and other metadata of columns, ready for JSON."""
    labels = meta.column_names_to_labels.items()
    return {
        "file_label": meta.file_label or "",
        "labels": {name: label for name, label in labels if label},
        "value_labels": {
            name: list(map(list, label_by_value.items()))
            for name, label_by_value in meta.variable_value_labels.items()
        },
        "formats": dict(meta.original_variable_types),
        "text": [name for name in frame if frame[name].dtype == "str"],
        "nameless": [],
    }


class ApplicableMetadata:
    """Labels and formats read from a file, for the columns to which they still apply.

    Parameters
    ----------
    frame : pandas.DataFrame
        To be written.
    options : mapping
        What :func:`column_metadata` gave, and more.
    """

    def __init__(self, frame: pd.DataFrame, options: Mapping[str, Any]) -> None:
        self._frame, self._options = frame, options
        self._times = set(options.get("times", ()))
        self._text = set(options.get("text", ())) - self._times

    def __call__(self, option: str) -> dict[str, Any]:
        """Return what was said of each column under `option`."""
        return {
            name: entry
            for name, entry in self._options.get(option, {}).items()
            if name in self._frame
            and (name in self._text) == self._is_text(self._frame[name])
        }

    def _is_text(self, column: pd.Series) -> bool:
        times = column.name in self._times
        return is_text_column(column) and not (times and are_times_of_day(column))

    def writer_arguments(self) -> dict[str, Any]:
        """Return the arguments common to both pyreadstat writers."""
        labels = self._options.get("labels", {})
        formats = self("formats")
        return {
            "file_label": self._options.get("file_label", ""),
            "column_labels": {name: labels.get(name) for name in self._frame},
            "variable_value_labels": {
                name: dict(map(tuple, pairs))
                for name, pairs in self("value_labels").items()
            },
            # A text's width follows its values.
            "variable_format": {
                name: form
                for name, form in formats.items()
                if name not in self._text and _is_shown_whole(form, self._frame[name])
            },
        }


_TIME_FORMATS = re.compile("%-?t[cC]|DATETIME|YMDHMS")
"""Formats of dates with a time of day."""


def _is_shown_whole(form: str, column: pd.Series) -> bool:
    """Return whether a format leaves nothing out of a column of dates."""
    return (
        not is_date_column(column)
        or _is_whole(column)
        or bool(_TIME_FORMATS.match(form))
    )


def _is_whole(moments: pd.Series) -> bool:
    """Return whether no date has a time of day."""
    dates = moments.dropna()
    return bool((dates == dates.dt.normalize()).all())


def _clean_column(column: pd.Series) -> pd.Series:
    """Return text without blanks that stand for nothing, and whole numbers as such."""
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        moments = column.astype("datetime64[us]")
        # Seconds since 1582 as float64 are off by up to 2 microseconds.
        rounded = moments.dt.round("ms")
        off = (moments - rounded).abs() > pd.Timedelta(2, "us")
        return moments if off.any() else rounded
    present = column.dropna()
    if len(present) and isinstance(present.iloc[0], str):
        return column.replace("", None).astype("str")
    # Dates that are all missing are objects, and no numbers.
    numbers = column.where(column.notna(), np.nan).astype("float64")
    present_numbers = numbers[numbers.notna()].to_numpy()
    whole = (
        np.isfinite(present_numbers).all()
        and (present_numbers == np.floor(present_numbers)).all()
    )
    if (
        not len(present_numbers)
        or not whole
        or (np.abs(present_numbers) > MAX_EXACT_INT).any()
    ):
        return numbers
    complete = len(present_numbers) == len(numbers)
    return numbers.astype("int64") if complete else numbers.astype("Int64")


def convert_for_spss_and_stata(column: pd.Series) -> StoredColumn:
    """Return a column converted for SPSS and Stata; raise for unfit dates or text.

    Raises
    ------
    UnstorableError
    """
    column = to_plain_column(column)
    if pd.api.types.is_bool_dtype(column.dtype):
        return StoredColumn(
            column.astype("Int64"), Message("as 1 for true and 0 for false")
        )
    if has_integers_beyond(column, MAX_EXACT_INT):
        return StoredColumn(to_text_column(column), KEEPS_DIGITS_MESSAGE)
    if is_duration_column(column):
        return StoredColumn(to_text_column(column), AS_TEXT_MESSAGE)
    if is_date_column(column):
        if column.dt.tz is not None:
            raise UnstorableError(Message("dates with a time zone"))
        if has_times_finer_than(column, "ms"):
            raise UnstorableError(Message("times finer than milliseconds"))
        return StoredColumn(column.astype("datetime64[us]"))
    if is_text_column(column):
        if column.str.contains("\0", regex=False, na=False).any():
            raise UnstorableError(Message("control characters"))
        return to_stored_with_blanks_missing(column, column == "")
    return StoredColumn(column)


def restore_for_pyreadstat(
    frame: pd.DataFrame, metadata: Mapping[str, Any]
) -> pd.DataFrame:
    """Return a frame for pyreadstat's writers, with declared missing values restored.

    A value is put back where its record still lacks one; rows are told by the index.
    Objects are carried and stay as they are.
    """
    columns: dict[str, pd.Series] = {}
    for name in map(str, frame.columns):
        column = frame[name]
        if pd.api.types.is_object_dtype(column.dtype):
            columns[name] = column
            continue
        if pd.api.types.is_datetime64_any_dtype(column.dtype):
            columns[name] = _timestamps_to_dates(
                column, metadata.get("formats", {}).get(name, "")
            )
            continue
        if pd.api.types.is_numeric_dtype(column.dtype):
            numbers = column.to_numpy(dtype="float64", na_value=np.nan)
            whole = column.dtype == "int64"
            columns[name] = column if whole else pd.Series(numbers, column.index)
        elif name in metadata.get("times", ()) and are_times_of_day(column):
            columns[name] = column.map(datetime.time.fromisoformat, na_action="ignore")
        else:
            columns[name] = column.astype("str").astype(object).where(column.notna())
        columns[name] = _put_back(columns[name], name, metadata)
    return pd.DataFrame(columns, index=frame.index)


def are_times_of_day(column: pd.Series) -> bool:
    """Return whether a column is text whose known cells are all ISO times of day."""
    if not is_text_column(column):
        return False
    try:
        column.map(datetime.time.fromisoformat, na_action="ignore")
    except ValueError:
        return False
    return True


def _timestamps_to_dates(column: pd.Series, form: str) -> pd.Series:
    """Return dates as dates where there is no time of day, and none is shown.

    Stata counts days in the one case and milliseconds in the other.
    """
    if _is_whole(column) and not _TIME_FORMATS.match(form):
        dates: pd.Series = column.dt.date.astype(object)
        return dates.where(column.notna(), None)
    return column


def _put_back(column: pd.Series, name: str, memory: Mapping[str, Any]) -> pd.Series:
    stored = memory.get("user_missing", {}).get(name)
    if stored is None:
        return column
    values = pd.Series(stored["values"], index=stored["rows"], dtype=object)
    lacking = column.index[column.isna()].intersection(values.index)
    # Text cannot go into a column of numbers, nor numbers into one of text.
    numbers = pd.api.types.is_numeric_dtype(column.dtype)
    fits = [
        row
        for row in lacking
        if not (isinstance(values[row], str) and len(values[row]) > 1 and numbers)
    ]
    if not fits:
        return column
    column = column.astype(object)
    column.loc[fits] = values.loc[fits]
    return column
