"""Find, count and neutralise text that a spreadsheet would run as a formula."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine.core.message import Message, join_with_and

FORMULA_PREFIXES = (
    *("=", "+", "-", "@", "\t", "\r", "\n"),
    *("\uff1d", "\uff0b", "\uff0d", "\uff20"),
)
"""Text that begins with one of these may be run as a formula by a spreadsheet.

The last are wide forms of the first, which East Asian spreadsheets take for them:
https://owasp.org/www-community/attacks/CSV_Injection.
"""

_NUMBER = (
    r"[+\u2212-]?\s?(\d{1,3}([.,'\u00a0\u202f ]\d{3})+|\d+)([.,]\d*)?"
    r"([eE][+-]?\d+)?\s?%?"
)
_RANGE_PATTERN = re.compile(rf"{_NUMBER}(\s?(-|\u2013|\u2014|\.\.)\s?{_NUMBER})?|[+-]+")
"""A number, a range of numbers, or signs alone, which say that there is nothing."""

_TELEPHONE_PATTERN = re.compile(r"\+\d[\d ()/.-]{4,}\d")

MIN_TELEPHONE_SHARE = 0.5
"""Share of a column's cells from which on those that look so are telephone numbers."""


def formula_cell_mask(column: pd.Series) -> NDArray[np.bool_]:
    """Return a bool mask of cells that a spreadsheet could run as a formula.

    Numbers and ranges are none, nor are telephone numbers in a column of such.

    Parameters
    ----------
    column : pandas.Series, shape (n_records,)

    Returns
    -------
    ndarray of bool, shape (n_records,)
    """
    column = column.reset_index(drop=True)
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(object)
    elif not pd.api.types.is_string_dtype(column.dtype):
        return np.zeros(len(column), dtype=np.bool_)
    words = column[column.map(lambda cell: isinstance(cell, str))].astype("str")
    begin = words[words.str.startswith(FORMULA_PREFIXES)]
    begin = begin[~begin.map(_is_number_or_range)]
    numbers = begin.map(_is_telephone)
    if numbers.any() and numbers.sum() >= MIN_TELEPHONE_SHARE * len(words):
        begin = begin[~numbers]
    is_formula: NDArray[np.bool_] = column.index.isin(begin.index)
    return is_formula


def _is_number_or_range(cell: str) -> bool:
    return _RANGE_PATTERN.fullmatch(cell.strip(" ")) is not None


def _is_telephone(cell: str) -> bool:
    return _TELEPHONE_PATTERN.fullmatch(cell.strip(" ")) is not None


def count_formulas_by_column(frame: pd.DataFrame) -> dict[str, int]:
    """Return a dict from each column that has possible formulas to their number."""
    counts = {str(name): int(formula_cell_mask(frame[name]).sum()) for name in frame}
    return {name: count for name, count in counts.items() if count}


def neutralise_formulas(column: pd.Series) -> pd.Series:
    """Return a column with an apostrophe before text that could be a formula."""
    is_formula = formula_cell_mask(column)
    if not is_formula.any():
        return column
    if isinstance(column.dtype, pd.CategoricalDtype):  # two of them may become one
        column = column.astype(object).astype("str")
    return column.mask(is_formula, "'" + column.astype(object).astype("str"))


def neutralise_column_name(name: str) -> str:
    """Return a column name, with an apostrophe if it could be a formula."""
    return f"'{name}" if formula_cell_mask(pd.Series([name], dtype="str"))[0] else name


def formulas_message(counts: Mapping[str, int], is_neutralised: bool) -> Message:
    """Return a message on the cells that :func:`count_formulas_by_column` counted."""
    columns = join_with_and(
        [
            Message("{column!r} ({number:,})", column=name, number=count)
            for name, count in counts.items()
        ]
    )
    if is_neutralised:
        return Message(
            "Cells of text that a spreadsheet could run as formulas get an apostrophe: "
            "{columns}.",
            columns=columns,
        )
    return Message(
        "Cells of text that a spreadsheet could run as formulas leave as they are: "
        "{columns}.",
        columns=columns,
    )
