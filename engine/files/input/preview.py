"""Preview of a file: its first rows, possible layouts and names of sheets."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.core.text.encoding import utf8_bytes_and_encoding
from engine.files.base import format_info_for_suffix
from engine.files.input.options import ReadOptions
from engine.files.input.source import InputBytes
from engine.files.layout import Layout, alternative_layouts
from engine.files.text.record_range import delimited_head_and_layout
from engine.files.workbooks import sheet

PREVIEW_ROWS = 30
"""Rows of a preview."""


@dataclass(frozen=True)
class FilePreview:
    """A file's first rows, proposed and alternative layouts, and names of its sheets.

    Attributes
    ----------
    rows : list of list of str
        Cells as text, blank rows too; all are of one length.
    layout : Layout
        What is proposed; it counts rows from 1.
    alternatives : tuple of Layout
        What somebody may mean instead.
    sheets : list of str
        Of a workbook.
    """

    rows: list[list[str]]
    layout: Layout
    alternatives: tuple[Layout, ...]
    sheets: list[str]


def preview_file(
    content: bytes, name: str, options: ReadOptions | None = None
) -> FilePreview | None:
    """Return a preview of CSV text or of a sheet of a workbook; None for others.

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
    source = InputBytes(name, content=content)
    kind = format_info_for_suffix(source.suffix, name).id
    sheets: list[str] = []
    if kind == "csv":
        text, _ = utf8_bytes_and_encoding(source.read_bytes(), options.encoding, name)
        rows, layout = delimited_head_and_layout(text, options, name)
    elif kind in ("excel", "ods", "xls"):
        rows, layout, sheets = sheet.sheet_head_layout_and_names(source, options)
    else:
        return None
    width = max(map(len, rows), default=0)
    padded_rows = [[*row, *[""] * (width - len(row))] for row in rows[:PREVIEW_ROWS]]
    choices = alternative_layouts(rows, layout)
    ways = tuple(replace(way, foot=layout.foot, sheet=layout.sheet) for way in choices)
    return FilePreview(padded_rows, layout, ways, sheets)
