"""What reading a file has found out, in words: what was left out, and where to look."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.core.message import Message, joined
from engine.data.table import Origin


def said_of_reading(origin: Origin) -> tuple[Message, ...]:
    """Return what people should know of how a file was read.

    Parameters
    ----------
    origin : Origin
    """
    return tuple(filter(None, (_sheet(origin), _rows(origin), *_columns(origin))))


def _columns(origin: Origin) -> Iterator[Message]:
    for name, words in origin.options.get("words", {}).items():
        yield Message(
            "{count:,} cell of column {name!r} is read as missing: {words!r}.",
            "{count:,} cells of column {name!r} are read as missing: {words!r}.",
            count=sum(words.values()),
            name=name,
            words=list(words),
        )
    for name in origin.options.get("asked", {}):
        yield Message(
            "Column {name!r} may be numbers or dates written in two ways, so it stays "
            "text: say which one is meant (--written).",
            name=name,
        )


def _rows(origin: Origin) -> Message | None:
    left_out = origin.options.get("left_out", ())
    at: dict[str, list[int]] = {}
    for kind, row in left_out:
        at.setdefault(kind, []).append(row)
    parts = [_of_kind(kind, rows) for kind, rows in at.items()]
    if not parts:
        return None
    return Message("Not read as records: {what}.", what=joined(parts, ", "))


def _of_kind(kind: str, at: Sequence[int]) -> Message:
    count, rows = len(at), _ranges(at)
    if kind == "title":
        return Message(
            "title in row {rows}", "titles in rows {rows}", count=count, rows=rows
        )
    if kind == "units":
        return Message(
            "units in row {rows}", "units in rows {rows}", count=count, rows=rows
        )
    if kind == "totals":
        return Message(
            "totals in row {rows}", "totals in rows {rows}", count=count, rows=rows
        )
    return Message("note in row {rows}", "notes in rows {rows}", count=count, rows=rows)


def _sheet(origin: Origin) -> Message | None:
    sheets = origin.options.get("sheets", ())
    if len(sheets) < 2 or origin.options["sheet"] == sheets[0]:
        return None
    return Message(
        "Sheet {sheet!r} is read, which is most like a table; the workbook has "
        "{number} sheets.",
        sheet=origin.options["sheet"],
        number=len(sheets),
    )


def _ranges(rows: Sequence[int]) -> str:
    """Return rows as in ``1-3, 7``."""
    found: list[list[int]] = []
    for row in sorted(rows):
        if found and row == found[-1][-1] + 1:
            found[-1][1:] = [row]
        else:
            found.append([row])
    return ", ".join("-".join(map(str, pair)) for pair in found)
