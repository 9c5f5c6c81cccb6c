"""Refusal of text whose lines are too long for a table, before all of it is read."""

from __future__ import annotations

import contextlib
from typing import NoReturn

from engine.core.errors import InputError
from engine.core.text.csv_rows import MAX_FIELD_CHARS
from engine.core.text.encoding import find_encoding
from engine.files.input.options import ReadOptions
from engine.files.input.source import InputBytes
from engine.files.text.file_text import PIECE_BYTES, FileText

MAX_LINE_BYTES = MAX_FIELD_CHARS
"""Bytes of a line, at most."""

MAX_RECORD_BYTES = 4 * MAX_LINE_BYTES
"""Bytes of a record, which can have lines within its fields, at most."""

_SAMPLE_BYTES = 1 << 20


def refuse_endless_lines_of_source(source: InputBytes, options: ReadOptions) -> None:
    """Raise as :func:`refuse_endless_lines`, before all of a file is read."""
    text: bytes | FileText | None = source.content
    with contextlib.suppress(OSError):  # as is said when all is read
        if text is None and source.path is not None:
            text = FileText.of_file(source.path)
        refuse_endless_lines(text or b"", options.encoding, source.name)


def refuse_endless_lines(
    text: bytes | FileText, encoding: str | None, name: str
) -> None:
    """Raise if a line has more than :data:`MAX_LINE_BYTES`.

    Between line ends that are so far from each other hardly a byte is looked at.

    Parameters
    ----------
    text : bytes or FileText
        In any encoding.
    encoding : str or None
        As for :func:`engine.core.text.encoding.utf8_bytes_and_encoding`.
    name : str
        The file's, for messages.

    Raises
    ------
    InputError
        With the line; or what the file is, where it is no text.
    """
    start = 0
    while len(text) - start > MAX_LINE_BYTES:
        end = _last_line_end(text, start, start + MAX_LINE_BYTES)
        if not end:
            find_encoding(text[:_SAMPLE_BYTES], encoding, name)
            _refuse_line(text.count(b"\n", 0, start) + 1, name)
        start = end


def _refuse_line(line: int, name: str) -> NoReturn:
    raise InputError(
        "Line {line:,} of file {file!r} has more than {most:,} bytes, which is no "
        "table: correct this line, or choose another file.",
        line=line,
        file=name,
        most=MAX_LINE_BYTES,
    )


def _last_line_end(text: bytes | FileText, start: int, end: int) -> int:
    """Return the byte behind the last line end of a range; 0 if it has none."""
    while end > start:
        first = max(start, end - PIECE_BYTES)
        piece = text[first:end]
        if place := max(piece.rfind(b"\n"), piece.rfind(b"\r")) + 1:
            return first + place
        end = first
    return 0
