"""Messages on how a file was read, and options to read rows that were left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from engine.core.message import Message, join_messages
from engine.data.formats.date_format import DateFormat
from engine.data.table import Origin, Table


def reading_messages(origin: Origin) -> tuple[Message, ...]:
    """Return messages on how a file was read."""
    first = filter(None, (message_on_sheet_read(origin), _row_message(origin)))
    return (*first, *_column_messages(origin))


def messages_on_empty_rows(table: Table) -> tuple[Message, ...]:
    """Return a tuple: one message on rows without any value, or nothing."""
    records = table.record_rows.size
    if records == table.n_records:
        return ()
    return (
        Message(
            "{count:,} row has no value in any column and is no record: groups, k and "
            "all figures are about the other {kept:,}.",
            "{count:,} rows have no value in any column and are no records: groups, k "
            "and all figures are about the other {kept:,}.",
            count=table.n_records - records,
            kept=records,
        ),
    )


def left_out_row_messages_by_kind(origin: Origin) -> dict[str, Message]:
    """Return messages on rows that are no records, by kind of row.

    Returns
    -------
    dict of str to Message
        By "title", "units", "labels", "totals" and "footnote".
    """
    return {
        kind: Message(
            "Not read as records: {what}.", what=_row_kind_message(kind, rows)
        )
        for kind, rows in _left_out_rows(origin).items()
    }


def options_to_keep_left_out_rows(origin: Origin, row_kind: str) -> dict[str, Any]:
    """Return the read options by which rows that were left out are read after all.

    Titles become column names, all others records: with units the labels below them,
    with totals the notes above them, and with notes the totals.

    Parameters
    ----------
    origin : Origin
    row_kind : {"title", "units", "labels", "totals", "footnote"}
        Of rows that were left out.

    Returns
    -------
    dict of str to object
        Fields of :class:`engine.files.ReadOptions`.
    """
    rows = _left_out_rows(origin)
    if row_kind == "title":
        top = str(min(rows[row_kind]))
        return {"header": None, "header_row": top, "first_row": None}
    if row_kind in ("units", "labels"):
        return {"first_row": min(rows[row_kind])}
    below = [row for each in ("totals", "footnote") for row in rows.get(each, ())]
    return {"footer_rows": max(below) - max(rows[row_kind])}


def _left_out_rows(origin: Origin) -> dict[str, list[int]]:
    at: dict[str, list[int]] = {}
    for kind, row in origin.options.get("left_out", ()):
        at.setdefault(kind, []).append(row)
    return at


def missing_word_messages_by_column(origin: Origin) -> dict[str, Message]:
    """Return messages on the words read as missing, by column."""
    return {
        name: Message(
            "{count:,} cell of column {name!r} is read as missing: {words!r}.",
            "{count:,} cells of column {name!r} are read as missing: {words!r}.",
            count=sum(words.values()),
            name=name,
            words=list(words),
        )
        for name, words in origin.options.get("words", {}).items()
    }


def mixed_date_messages_by_column(origin: Origin) -> dict[str, Message]:
    """Return messages on the columns with several date formats, by column."""
    return {
        name: Message(
            "Column {name!r} writes its dates in {number} ways, such as {first} and "
            "{other}: all are read, and written as the first.",
            name=name,
            number=1 + len(form["also"]),
            first=_format_example(form["pattern"], form),
            other=_format_example(form["also"][0], form),
        )
        for name, form in origin.options.get("forms", {}).items()
        if isinstance(form, dict) and form.get("also")
    }


def _format_example(pattern: str, form: Mapping[str, Any]) -> str:
    """Return how a pattern writes the last day of 2024."""
    way = DateFormat(pattern, tuple(form.get("months", ())))
    return way.format_date(pd.Timestamp(2024, 12, 31))


def _column_messages(origin: Origin) -> Iterator[Message]:
    yield from mixed_date_messages_by_column(origin).values()
    yield from missing_word_messages_by_column(origin).values()
    for name in origin.options.get("asked", {}):
        yield Message(
            "Column {name!r} may be numbers or dates written in two ways, so it stays "
            "text: say which one is meant (--written on the command line).",
            name=name,
        )


def _row_message(origin: Origin) -> Message | None:
    parts = [
        _row_kind_message(kind, rows) for kind, rows in _left_out_rows(origin).items()
    ]
    if not parts:
        return None
    return Message("Not read as records: {what}.", what=join_messages(parts, ", "))


def _row_kind_message(kind: str, at: Sequence[int]) -> Message:
    count, rows = len(at), _format_ranges(at)
    if kind == "title":
        return Message(
            "title in row {rows}", "titles in rows {rows}", count=count, rows=rows
        )
    if kind == "units":
        return Message(
            "units in row {rows}", "units in rows {rows}", count=count, rows=rows
        )
    if kind == "labels":
        return Message(
            "labels in row {rows}", "labels in rows {rows}", count=count, rows=rows
        )
    if kind == "totals":
        return Message(
            "totals in row {rows}", "totals in rows {rows}", count=count, rows=rows
        )
    return Message("note in row {rows}", "notes in rows {rows}", count=count, rows=rows)


def message_on_sheet_read(origin: Origin) -> Message | None:
    """Return a message on the sheet or table read of several, or None if not needed."""
    sheets = origin.options.get("sheets", ())
    sheet = origin.options.get("sheet")
    if len(sheets) < 2 or sheet is None:
        return None
    if origin.format in ("r", "duckdb"):
        return Message(
            "Table {sheet!r} is read; the file holds {number}.",
            sheet=sheet,
            number=len(sheets),
        )
    if sheet == sheets[0]:
        return None
    return Message(
        "Sheet {sheet!r} is read, which is most like a table; the workbook has "
        "{number} sheets.",
        sheet=sheet,
        number=len(sheets),
    )


def _format_ranges(rows: Sequence[int]) -> str:
    """Return rows as in ``1-3, 7``."""
    ranges: list[list[int]] = []
    for row in sorted(rows):
        if ranges and row == ranges[-1][-1] + 1:
            ranges[-1][1:] = [row]
        else:
            ranges.append([row])
    return ", ".join("-".join(map(str, pair)) for pair in ranges)
