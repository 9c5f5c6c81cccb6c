"""Width and cell types of rows of text cells."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Literal

from engine.files.cells.missing_words import MISSING_WORDS

Row = Sequence[str]

Left = Literal["title", "units", "labels", "totals", "footnote"]
"""What rows are that are neither names nor records."""

_SIGN_RE = r"[-+\u2212]?\s?"
_MONEY_RE = r"(?:[$\u20ac\u00a3\u00a5]|[A-Z]{3}|kr|z\u0142|Fr\.?)?\s?"
_TYPED_PATTERN = re.compile(
    rf"\(?{_SIGN_RE}{_MONEY_RE}{_SIGN_RE}\d[\d.,'\u2019\u00a0\u202f ]*(?:[eE][+-]?\d+)?"
    rf"\s?(?:%|\u2030)?{_MONEY_RE}[-\u2212]?\)?$"
    r"|\d{1,4}[-./]\d{1,2}[-./]\d{1,4}(?:[ T]\d{1,2}:\d\d.*)?$"
    r"|\d{1,2}:\d\d(?::\d\d)?$"
    r"|\d{1,2}[. -]+[^\W\d_]{3,}\.?[ -]+\d{2,4}$|\d{4}[- ]?[QW]\d{1,2}$"
)


def count_filled(row: Row) -> int:
    """Return the number of cells of a row that are not empty."""
    return sum(map(bool, row))


def is_typed_cell(cell: str) -> bool:
    """Return whether a cell looks like a number, a date or a time of day."""
    return _TYPED_PATTERN.match(cell) is not None


def is_year_cell(cell: str) -> bool:
    """Return whether a cell is a year, 1900 to 2099, or a span that begins with one."""
    return re.fullmatch(r"(19|20)\d\d(\s*[-/]\s*\d{2,4})?", cell) is not None


def usual_width_and_typed_columns(rows: Sequence[Row]) -> tuple[int, frozenset[int]]:
    """Return the usual number of filled cells, and indices of number or date columns.

    Judged by the lower half of what is looked at: titles are few.
    """
    filled_rows = list(dict.fromkeys(row for row in rows if count_filled(row)))
    body = filled_rows[len(filled_rows) // 2 :][:60]
    usual = Counter(map(count_filled, body)).most_common(1)[0][0]
    # Where most rows are as narrow as notes, the widest ones are the table.
    wide = Counter(count for row in filled_rows if (count := count_filled(row)) > 1)
    if (
        usual == 1
        and wide
        and wide.most_common(1)[0][1] >= max(2, len(filled_rows) // 4)
    ):
        usual = wide.most_common(1)[0][0]
        body = [row for row in filled_rows[1:] if count_filled(row) >= usual]
    typed, width = set(), max(map(len, body))
    for j in range(width):
        cells = [row[j] for row in body if j < len(row) and row[j]]
        values = [cell for cell in cells if cell not in MISSING_WORDS]
        if values and 2 * sum(map(is_typed_cell, values)) > len(values):
            typed.add(j)
    return usual, frozenset(typed)
