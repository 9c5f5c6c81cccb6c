"""Layout of a table in a file: rows of titles, names, units, records and totals.

Rows are told apart by how many of their cells are filled and by what these hold.
Records are rows whose cells are of the types that most rows below have; names stand
above them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.core.message import NO_MESSAGE, Message
from engine.files.layout.footer import (
    classify_footer_rows,
    infer_footer_count_and_kinds,
)
from engine.files.layout.header import Confidence, locate_header
from engine.files.layout.rows import (
    Left,
    Row,
    count_filled,
    usual_width_and_typed_columns,
)

HEAD_ROWS = 200
"""Rows from the top that are looked at."""

FOOT_ROWS = 40
"""Rows from the end that are looked at."""


@dataclass(frozen=True)
class Layout:
    """Row numbers of column names, records and other parts, from 1.

    Attributes
    ----------
    header : tuple of int
        Rows that hold the names: none, one, or two that are read as one.
    first : int
        Row of the first record.
    foot : int
        Rows at the end, below the last record.
    left_out : tuple of (str, int)
        Filled rows that are neither names nor records: what each is ("title",
        "units", "labels", "totals" or "footnote") and where.
    sheet : str
        Of a workbook.
    confidence : {"certain", "likely", "doubtful"}
        Whether to ask: what is doubtful should be shown and chosen.
    reason : Message
        Why it is doubtful; empty otherwise.
    """

    header: tuple[int, ...]
    first: int
    foot: int = 0
    left_out: tuple[tuple[Left, int], ...] = ()
    sheet: str = ""
    confidence: Confidence = "certain"
    reason: Message = NO_MESSAGE

    @property
    def is_plain(self) -> bool:
        """Whether names are in the first row at most, and all others are records."""
        rows = len(self.header)
        return rows < 2 and sum(self.header) == rows == self.first - 1 and not self.foot

    def to_options(self) -> dict[str, Any]:
        """Return the read options that reproduce this layout, and the rows left out.

        Nothing, where names stand in the first row and all others are records.
        """
        if self.is_plain and not self.left_out:
            return {}
        return {
            "header_row": ",".join(map(str, self.header or (0,))),
            "first_row": self.first,
            "footer_rows": self.foot,
            "left_out": [list(pair) for pair in self.left_out],
            "confidence": self.confidence,
        }


def drop_layout_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return read options without those for the table's position in the file."""
    place_options = ("header_row", "first_row", "footer_rows", "left_out", "confidence")
    return {name: value for name, value in options.items() if name not in place_options}


def find_layout(
    head: Sequence[Row],
    tail: Sequence[Row],
    n_rows: int,
    header_row: tuple[int, ...] | None = None,
    first_row: int | None = None,
    footer_rows: int | None = None,
) -> Layout:
    """Return the rows of names and records, and the rows that are neither.

    Parameters
    ----------
    head : sequence of rows
        The first rows, blank ones too; at least one is not.
    tail : sequence of rows
        The last rows; may overlap with `head`.
    n_rows : int
        Of the file or sheet.
    header_row : tuple of int, optional
        Rows that hold the names, where somebody says so; empty for none.
    first_row : int, optional
        Row of the first record.
    footer_rows : int, optional
        Rows below the last record.
    """
    rows = [tuple(cell.strip() for cell in row) for row in head]
    usual, typed = usual_width_and_typed_columns(rows[:HEAD_ROWS])
    top = locate_header(rows, usual, typed, header_row, first_row)
    foot, below = infer_footer_count_and_kinds(tail, n_rows, top.first, usual, rows)
    if footer_rows is not None:
        foot, below = footer_rows, classify_footer_rows(tail, n_rows, footer_rows)
    return Layout(
        top.header,
        top.first,
        foot,
        (*top.left_out, *below),
        "",
        top.confidence,
        top.reason,
    )


def table_likeness(rows: Sequence[Row], n_rows: int, layout: Layout) -> float:
    """Return a score of how much a sheet is like a table of records.

    Columns of numbers and dates tell data from notes and lists of codes.

    Parameters
    ----------
    rows : sequence of rows
        The first rows.
    n_rows : int
        Of the sheet.
    layout : Layout
    """
    records = [tuple(row) for row in rows[layout.first - 1 :] if count_filled(row)]
    if not records:
        return 0.0
    usual, typed = usual_width_and_typed_columns(records)
    n_records = n_rows - layout.foot - layout.first + 1
    return min(n_records, 50) * (min(usual, 10) / 10 + len(typed) + (usual > 1))


def alternative_layouts(rows: Sequence[Row], layout: Layout) -> tuple[Layout, ...]:
    """Return other possible layouts: without names, then with names in near rows.

    Parameters
    ----------
    rows : sequence of rows
        The first rows.
    layout : Layout
        The one that is proposed.
    """
    head = layout.header[-1:] or (layout.first,)
    near = sorted(range(1, min(len(rows), 12) + 1), key=lambda row: abs(row - head[0]))
    choices: list[tuple[int, ...]] = [
        (row,) for row in near if any(map(str.strip, rows[row - 1]))
    ]
    if len(rows) > head[0]:
        choices.append((head[0], head[0] + 1))
    layouts = [
        find_layout(rows, (), len(rows), header_row=choice, footer_rows=0)
        for choice in ((), *choices)
        if choice != layout.header
    ]
    return tuple(other for other in layouts if other.first <= len(rows))
