"""Layouts of fixed-width text: the position of each column in a line."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.core.errors import ParameterError
from engine.files.input.names import fill_in_and_list_blank_names

MAX_LAYOUT_CHARS = 1 << 20
"""Characters of a layout."""

MAX_POSITION = 1_000_000
"""Place beyond which no column ends."""

_POSITION_PATTERN = re.compile(
    r"(?P<name>.*\S)\s+(?P<start>\d{1,7})(?:\s*-\s*(?P<end>\d{1,7}))?"
)
_ARGUS_PATTERN = re.compile(
    r"(?P<name>\S+)\s+(?P<start>\d{1,7})\s+(?P<width>\d{1,7})(?P<codes>(\s+\S+){0,3})"
)
_WIDTH_HEADERS = ("width", "length", "len")


@dataclass(frozen=True)
class ColumnPosition:
    """Position of a column in each line, its name and its missing codes.

    Attributes
    ----------
    name : str
    start, end : int
        First and last character, from 1.
    missing : tuple of str
        Codes that stand for a missing value.
    """

    name: str
    start: int
    end: int
    missing: tuple[str, ...] = ()


def parse_fixed_width_layout(text: str) -> tuple[ColumnPosition, ...]:
    """Return the position of each column from the text of a layout.

    Parameters
    ----------
    text : str
        ``name start-end`` for each column, split by commas or lines; or a table whose
        header names ``name``, ``start`` and ``width`` or ``end``; or a metadata file
        of mu-ARGUS, where name, start and width stand on a line, with codes of
        missing values behind.

    Raises
    ------
    ParameterError
        If it is none of these, or a column has an impossible place.
    RepeatedNamesError
        If it names a column twice.
    """
    if len(text) > MAX_LAYOUT_CHARS:
        raise _unreadable_error(text[:20])
    lines = [line for line in text.lstrip("\ufeff").splitlines() if line.strip()]
    rows = [line for line in lines if not line.lstrip().startswith("<")]
    if not rows:
        raise _unreadable_error("")
    argus = [_ARGUS_PATTERN.fullmatch(line.strip()) for line in rows]
    if all(argus):
        positions = tuple(_position_from_argus(match) for match in argus if match)
    elif "name" in _split_cells(rows[0].lower()):
        positions = tuple(_positions_from_table(rows))
    else:
        positions = tuple(_positions_from_ranges(rows))
    for place in positions:
        if not 1 <= place.start <= place.end <= MAX_POSITION:
            raise ParameterError(
                "The layout has column {column!r} at {start} to {end}: places count "
                "from 1, and the last is not before the first.",
                column=place.name,
                start=place.start,
                end=place.end,
            )
    fill_in_and_list_blank_names([place.name for place in positions])
    return positions


def fixed_width_layout_to_text(positions: Sequence[ColumnPosition]) -> str:
    """Return a layout as one line to be parsed again, without its missing codes."""
    words = []
    for place in positions:
        span = f"{place.start}-{place.end}" if place.end > place.start else place.start
        line = io.StringIO()
        csv.writer(line, lineterminator="").writerow([f"{place.name} {span}"])
        words.append(line.getvalue())
    return ", ".join(words)


def _position_from_argus(match: re.Match[str]) -> ColumnPosition:
    start, width = int(match["start"]), int(match["width"])
    codes = tuple(code.strip("\"'") for code in match["codes"].split())
    return ColumnPosition(match["name"], start, start + width - 1, codes)


def _split_cells(line: str) -> list[str]:
    sign = max(",;\t", key=line.count)
    rows = csv.reader([line], delimiter=sign, skipinitialspace=True)
    return [cell.strip() for cell in next(rows, [])]


def _positions_from_table(rows: Sequence[str]) -> Iterator[ColumnPosition]:
    """Yield the places of a table; without starts, columns follow each other."""
    head = _split_cells(rows[0].lower())
    width = next((word for word in _WIDTH_HEADERS if word in head), None)
    if "end" not in head and width is None:
        raise _unreadable_error(rows[0])
    start = 1
    for row in rows[1:]:
        cells = dict(zip(head, _split_cells(row), strict=False))
        try:
            start = int(cells["start"]) if "start" in head else start
            end = int(cells["end"]) if width is None else start + int(cells[width]) - 1
        except (KeyError, ValueError):
            raise _unreadable_error(row) from None
        yield ColumnPosition(cells["name"], start, end)
        start = end + 1


def _positions_from_ranges(rows: Sequence[str]) -> Iterator[ColumnPosition]:
    for row in rows:
        for cell in filter(None, _split_cells(row)):
            match = _POSITION_PATTERN.fullmatch(cell)
            if match is None:
                raise _unreadable_error(cell)
            start = int(match["start"])
            yield ColumnPosition(match["name"], start, int(match["end"] or start))


def _unreadable_error(text: str) -> ParameterError:
    return ParameterError(
        "The layout cannot be read at {text!r}: write the name, first and last place "
        'of each column, as in "age 1-3, income 4-11", or a table with the columns '
        "name, start and width.",
        text=text[:60],
    )
