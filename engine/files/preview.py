"""The first rows of a file as they are, and where the table in them may be."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.core.encoding import to_utf8
from engine.files import sheet
from engine.files.base import format_of
from engine.files.cut import head_rows
from engine.files.layout import Layout, header_choices
from engine.files.options import ReadOptions
from engine.files.source import Source

SHOWN = 30
"""Rows of a preview."""


@dataclass(frozen=True)
class Preview:
    """A file's first rows, and where the names and records in them may be.

    Attributes
    ----------
    rows : list of list of str
        Cells as text, blank rows too; all are of one length.
    layout : Layout
        What is proposed; its rows count from 1, as :attr:`rows` does from 0.
    alternatives : tuple of Layout
        What somebody may mean instead.
    sheets : list of str
        Of a workbook.
    """

    rows: list[list[str]]
    layout: Layout
    alternatives: tuple[Layout, ...]
    sheets: list[str]


def preview(
    content: bytes, name: str, options: ReadOptions | None = None
) -> Preview | None:
    """Return the first rows of delimited text or of a sheet; None of other formats.

    Parameters
    ----------
    content : bytes
    name : str
        File name, whose suffix tells the format.
    options : ReadOptions, optional
        How the file is read, as far as that is said.

    Raises
    ------
    InputError
        If the bytes are no such file.
    """
    options = options or ReadOptions()
    source = Source(name, content=content)
    kind = format_of(source.suffix, name).id
    sheets: list[str] = []
    if kind == "csv":
        text, _ = to_utf8(source.read(), options.encoding, name)
        rows, layout = head_rows(text, options, name)
    elif kind in ("excel", "ods"):
        rows, layout, sheets = sheet.head_rows(content, options, name)
    else:
        return None
    width = max(map(len, rows), default=0)
    shown = [[*row, *[""] * (width - len(row))] for row in rows[:SHOWN]]
    choices = header_choices(rows, layout)
    kept = tuple(replace(one, foot=layout.foot, sheet=layout.sheet) for one in choices)
    return Preview(shown, layout, kept, sheets)
