"""Read hierarchies from CSV level files as in ARX: a row per leaf, no header."""

from __future__ import annotations

import contextlib
import csv
import io
import os
from collections import Counter
from pathlib import Path

from engine.core.arguments import check_arguments
from engine.core.errors import InputError, ParameterError
from engine.core.platform.files import read_unchanging_file
from engine.core.text.encoding import utf8_bytes_and_encoding
from engine.hierarchy.tree import Hierarchy

LEVEL_DELIMITERS = (";", "\t", ",")
"""What may stand between two levels; where several would do, the first is meant."""

MAX_LABEL_CHARS = 100_000
"""Characters of a cell of a level file, at most."""

_HEAD_CHARS = 1 << 16
"""Characters by which the delimiter is told."""

_MAX_FILE_BYTES = 1 << 30
"""Longest file, in bytes: a hierarchy names values, it does not list records."""


@check_arguments
def read_hierarchy(
    source: str | os.PathLike[str] | bytes, delimiter: str | None = None
) -> Hierarchy:
    """Return the hierarchy of a CSV level file.

    Parameters
    ----------
    source : path or bytes
        UTF-8, UTF-16 or UTF-32 (by its mark), or an older encoding told by its bytes.
        Cells may be quoted. Blank lines do not count.
    delimiter : {";", ",", tab}, optional
        Detected if not given.

    Returns
    -------
    Hierarchy

    Raises
    ------
    InputError
        If there is no such file, it is no text, or its rows are no hierarchy.
    ParameterError
        If the delimiter is none of the three.
    """
    if delimiter is not None and delimiter not in LEVEL_DELIMITERS:
        raise ParameterError(
            "The delimiter {delimiter!r} is none that a hierarchy's file can have: "
            "use a semicolon, a comma or a tab.",
            delimiter=delimiter,
        )
    content, name = _read_content(source)
    text = utf8_bytes_and_encoding(content, None, name)[0].decode("utf-8")
    rows = _split_cells(text, delimiter or _find_delimiter(text, name), name)
    if not rows:
        raise InputError(
            "The hierarchy's file {file!r} is empty: it needs one line per value.",
            file=name,
        )
    try:
        return Hierarchy(tuple(map(tuple, rows)))
    except InputError as error:
        if isinstance(source, bytes):
            raise
        raise InputError(
            "File {file!r}: {problem}", file=name, problem=error.message
        ) from None  # one of several


def _read_content(source: str | os.PathLike[str] | bytes) -> tuple[bytes, str]:
    if isinstance(source, bytes):
        return source, "hierarchy"
    path = Path(source)
    try:
        if path.stat().st_size > _MAX_FILE_BYTES:
            raise InputError(
                "File {file!r} is too large for a hierarchy, which has one line "
                "per value: choose another file.",
                file=path.name,
            )
        return read_unchanging_file(path), path.name
    except OSError as error:
        raise InputError(
            "The hierarchy's file {path!r} cannot be read ({reason}): check its name.",
            path=str(path),
            reason=error.strerror,
        ) from None


def _split_cells(text: str, delimiter: str, name: str) -> list[list[str]]:
    stream = io.StringIO(text, newline="")
    with contextlib.suppress(csv.Error):  # a cell beyond the limit of this process
        rows = [row for row in csv.reader(stream, delimiter=delimiter) if row]
        if all(len(cell) <= MAX_LABEL_CHARS for row in rows for cell in row):
            return rows
    raise InputError(
        "The hierarchy's file {file!r} has a cell too long to be a label: look "
        "for a quotation mark that is never closed.",
        file=name,
    )


def _find_delimiter(text: str, name: str) -> str:
    """Return the delimiter by which most rows have the same number of levels."""
    head = text[:_HEAD_CHARS]

    def agreement(delimiter: str) -> int:
        widths = Counter(len(row) for row in _split_cells(head, delimiter, name))
        return max((many for width, many in widths.items() if width > 1), default=0)

    return max(LEVEL_DELIMITERS, key=agreement)
