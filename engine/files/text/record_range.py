"""Locate the records in delimited text, and their column names."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from engine.core.errors import InputError
from engine.core.text.csv_rows import iterate_csv_rows
from engine.files.input.names import (
    fill_in_and_list_blank_names,
    make_column_names_unique,
)
from engine.files.input.options import ReadOptions
from engine.files.layout import FOOT_ROWS, HEAD_ROWS, Layout, find_layout
from engine.files.layout.header import label_cells, merge_header_rows
from engine.files.text import detect
from engine.files.text.file_text import FileText

_TAIL_BYTES = 1 << 16
_MAX_TAIL_BYTES = 1 << 24


@dataclass(frozen=True)
class RecordRange:
    """Byte range of the records in delimited text, with delimiter, names and layout.

    Attributes
    ----------
    delimiter : str
    layout : Layout
    names : list of str or None
        As they are in the file; None where it has none.
    width : int
        Fields of a record.
    start, end : int
        Bytes between which the records are.
    labels : list of str
        What a row below the names says of the columns; empty if there is none.
    """

    delimiter: str
    layout: Layout
    names: list[str] | None
    width: int
    start: int
    end: int
    labels: list[str] = field(default_factory=list)


def locate_records(
    text: bytes | FileText, options: ReadOptions, name: str
) -> RecordRange:
    """Return the byte range of the records, their layout and the column names.

    Parameters
    ----------
    text : bytes
        In UTF-8.
    options : ReadOptions
    name : str
        The file's, for messages.

    Raises
    ------
    InputError
        If no cell is filled, or records are said to begin below what is looked at.
    """
    detect.refuse_blank_start(text, name)
    first_bytes = detect.first_bytes_of_text(text, name)
    whole = len(first_bytes) == len(text)
    head = first_bytes.decode("utf-8", errors="ignore")
    declared_delimiter, begin = detect.declared_delimiter_and_line_length(head)
    head = head[begin:]
    delimiter = options.delimiter or declared_delimiter
    if delimiter is None:
        delimiter = detect.infer_delimiter(head, is_whole_file=whole)
    limit = (
        HEAD_ROWS
        if options.first_row is None
        else max(HEAD_ROWS, options.first_row + 1)
    )
    rows, places = _read_rows(head, delimiter, limit)
    if not whole and len(rows) > 1 and places[-1] >= len(head):
        del rows[-1]
    if not any(cell.strip() for row in rows for cell in row):
        is_whole = whole and len(rows) < limit
        raise detect.blank_file_error(name, is_whole_file=is_whole)
    if options.first_row is not None and options.first_row > len(rows):
        raise InputError(
            "The records of file {file!r} cannot begin in row {row:,}: there is "
            "{count:,} row in which they may (--first-row).",
            "The records of file {file!r} cannot begin in row {row:,}: there are "
            "{count:,} rows in which they may (--first-row).",
            file=name,
            row=options.first_row,
            count=len(rows),
        )
    detect.refuse_too_many_columns(max(map(len, rows)), name)
    tail, n_rows, ends = _read_tail(text, begin, delimiter, options.footer_rows or 0)
    layout = resolve_layout(rows, tail, n_rows, options)
    first = [rows[i - 1] for i in layout.header if i <= len(rows)]
    names = names_from_header_rows(first)
    record = rows[layout.first - 1] if layout.first <= len(rows) else ()
    width = len(first[-1] if first else record)
    detect.refuse_too_many_or_long_names(names or (), name)
    if len(layout.header) == 2:
        width = max(map(len, first))
    body = {len(row) for row in rows[layout.first - 1 :] if row}
    if names is not None and len(body) == 1 and (only := body.pop()) != width:
        # Delimiters at the ends of lines, which part nothing.
        extra_columns = range(min(width, only), max(width, only))
        sides = (names,) if only < width else rows[layout.first - 1 :]
        if not any(row[j].strip() for row in sides if row for j in extra_columns):
            names, width = [*names, *[""] * len(extra_columns)][:only], only
    above = places[min(layout.first - 1, len(rows))]
    start = begin + len(head[:above].encode("utf-8"))
    end = ends[max(len(tail) - layout.foot, 0)] if layout.foot else len(text)
    labels = list(label_cells(rows, layout.left_out))
    return RecordRange(delimiter, layout, names, width, start, max(start, end), labels)


def name_columns(
    record_range: RecordRange, options: ReadOptions
) -> tuple[list[str], list[int], list[str]]:
    """Return names of the columns, the nameless ones' places, and the header.

    Returns
    -------
    names : list of str
    nameless : list of int
        Places in the file, from 1.
    header : list of str
        Names as they are in the file, where it has any.

    Raises
    ------
    InputError
        If two columns share a name.
    """
    header = record_range.names
    if header is None:
        names = [f"column {j}" for j in range(1, record_range.width + 1)]
        return names, [], names
    if options.number_names:
        header = make_column_names_unique(header)
    return *fill_in_and_list_blank_names(header), header


def delimited_head_and_layout(
    text: bytes, options: ReadOptions, name: str
) -> tuple[list[list[str]], Layout]:
    """Return the first rows of delimited text, and the layout of the table.

    Raises
    ------
    InputError
        As :func:`locate_records`.
    """
    record_range = locate_records(text, options, name)
    head = detect.first_bytes_of_text(text, name).decode("utf-8", errors="ignore")
    head = head[detect.declared_delimiter_and_line_length(head)[1] :]
    return _read_rows(head, record_range.delimiter, HEAD_ROWS)[0], record_range.layout


def resolve_layout(
    first_rows: Sequence[Sequence[str]],
    last_rows: Sequence[Sequence[str]],
    n_rows: int,
    options: ReadOptions,
) -> Layout:
    """Return a table's layout as read options say, inferred where they say nothing."""
    rows = options.header_rows
    chosen = (options.header_row, options.first_row, options.footer_rows)
    single = max(map(len, first_rows)) < 2
    if chosen == (None, None, None) and (single or options.header is not None):
        # The first row that is not blank; all others are records.
        first = next(
            (i for i, row in enumerate(first_rows, 1) if any(c.strip() for c in row)), 1
        )
        named = options.header
        if named is None:
            named = detect.has_header([row for row in first_rows if row])
        return Layout((first,) if named else (), first + named)
    if options.header is False:
        rows = ()
    elif options.header and rows is None and options.first_row is not None:
        rows = (max(options.first_row - 1, 1),)
    return find_layout(
        first_rows, last_rows, n_rows, rows, options.first_row, options.footer_rows
    )


def cells_of_first_row(text: bytes, delimiter: str, name: str) -> list[str]:
    """Return the cells of the first row of delimited text."""
    head = detect.first_bytes_of_text(text, name).decode("utf-8", "ignore")
    rows, _ = _read_rows(head, delimiter, 1)
    return rows[0] if rows else []


def names_from_header_rows(rows: Sequence[Sequence[str]]) -> list[str] | None:
    """Return names from one header row, or two merged ones; None if there is no row."""
    if len(rows) == 2:
        return merge_header_rows(*rows)
    return list(rows[0]) if rows else None


def _read_rows(
    text: str, delimiter: str, limit: int
) -> tuple[list[list[str]], list[int]]:
    """Return rows, blank ones too, and where each begins and the last one ends."""
    lines = detect.CharacterCountingLines(text)
    rows: list[list[str]] = []
    places = [0]
    try:
        for row in iterate_csv_rows(lines, delimiter):
            rows.append(row)
            places.append(lines.characters)
            if len(rows) == limit:
                break
    except csv.Error:  # a field without end: what came before it must do
        pass
    return rows, places


def _read_tail(
    text: bytes | FileText, begin: int, delimiter: str, n_wanted: int
) -> tuple[list[list[str]], int, list[int]]:
    """Return the last rows, the number of all, and the bytes where each begins.

    Blank rows at the very end do not count. The last of the bytes is their end.
    """
    size = _TAIL_BYTES if n_wanted <= FOOT_ROWS else _MAX_TAIL_BYTES
    start = max(begin, len(text) - size)
    if start > begin:
        start = find_next_line_start(text, begin, start)
        if not start:
            return [], text.count(b"\n", begin), [len(text)]
    some = text[start:].decode("utf-8", errors="ignore")
    rows, places = _read_rows(some, delimiter, len(some) + 1)
    n_rows = text.count(b"\n", begin, start) + len(rows)
    if places[-1] != len(some):  # a field without end
        return [], n_rows, [len(text)]
    while rows and not any(cell.strip() for cell in rows[-1]):
        rows.pop()
        n_rows -= 1
    tail_start = max(len(rows) - max(FOOT_ROWS, n_wanted), 0)
    ends = [start + len(some[: places[tail_start]].encode("utf-8"))]
    for a, b in pairwise(places[tail_start : len(rows) + 1]):
        ends.append(ends[-1] + len(some[a:b].encode("utf-8")))
    return rows[tail_start:], n_rows, ends


def find_next_line_start(
    text: bytes | FileText, count_quotes_from: int, start: int
) -> int:
    """Return the first line start after `start` outside quotes; 0 if none.

    0 also if a field has no end. Every byte is looked at once, however long a field is.
    """
    before = text.count(b'"', count_quotes_from, start)
    if (before + text.count(b'"', start)) % 2:  # a field without end
        return 0
    inside = before % 2 == 1
    while True:
        if inside:
            start = text.index(b'"', start) + 1
        line = text.find(b"\n", start) + 1
        if not line:
            return 0
        inside = text.count(b'"', start, line) % 2 == 1
        if not inside:
            return line
        start = line
