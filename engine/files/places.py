"""Layouts of fixed-width text: where each column stands in a line."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.core.errors import ParameterError
from engine.files.names import column_names

LONGEST = 1 << 20
"""Characters of a layout."""

LAST = 1_000_000
"""Place beyond which no column ends."""

_PLACE = re.compile(r"(?P<name>.*\S)\s+(?P<start>\d{1,7})(?:\s*-\s*(?P<end>\d{1,7}))?")
_ARGUS = re.compile(
    r"(?P<name>\S+)\s+(?P<start>\d{1,7})\s+(?P<width>\d{1,7})(?P<codes>(\s+\S+){0,3})"
)
_WIDTHS = ("width", "length", "len")


@dataclass(frozen=True)
class Place:
    """Where a column stands in each line.

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


def places_of(text: str) -> tuple[Place, ...]:
    """Read a layout.

    Parameters
    ----------
    text : str
        ``name start-end`` for each column, by commas or lines; or delimited text whose
        header names ``name``, ``start`` and ``width`` or ``end``; or a metadata file
        of mu-ARGUS, where name, start and width stand on a line, with codes of
        missing values behind.

    Raises
    ------
    ParameterError
        If it is none of these, or names a column twice, or one that has no place.
    """
    if len(text) > LONGEST:
        raise _unreadable(text[:20])
    lines = [line for line in text.lstrip("\ufeff").splitlines() if line.strip()]
    rows = [line for line in lines if not line.lstrip().startswith("<")]
    if not rows:
        raise _unreadable("")
    argus = [_ARGUS.fullmatch(line.strip()) for line in rows]
    if all(argus):
        found = tuple(_of_argus(one) for one in argus if one)
    elif "name" in _cells(rows[0].lower()):
        found = tuple(_of_table(rows))
    else:
        found = tuple(_of_places(rows))
    for place in found:
        if not 1 <= place.start <= place.end <= LAST:
            raise ParameterError(
                "The layout has column {column!r} at {start} to {end}: places count "
                "from 1, and the last is not before the first.",
                column=place.name,
                start=place.start,
                end=place.end,
            )
    column_names([place.name for place in found])
    return found


def places_text(places: Sequence[Place]) -> str:
    """Return a layout in one line, as :func:`places_of` reads it."""
    words = []
    for place in places:
        span = f"{place.start}-{place.end}" if place.end > place.start else place.start
        line = io.StringIO()
        csv.writer(line, lineterminator="").writerow([f"{place.name} {span}"])
        words.append(line.getvalue())
    return ", ".join(words)


def _of_argus(found: re.Match[str]) -> Place:
    start, width = int(found["start"]), int(found["width"])
    codes = tuple(code.strip("\"'") for code in found["codes"].split())
    return Place(found["name"], start, start + width - 1, codes)


def _cells(line: str) -> list[str]:
    sign = max(",;\t", key=line.count)
    rows = csv.reader([line], delimiter=sign, skipinitialspace=True)
    return [cell.strip() for cell in next(rows, [])]


def _of_table(rows: Sequence[str]) -> Iterator[Place]:
    """Give the places of a table; without starts, columns follow each other."""
    head = _cells(rows[0].lower())
    width = next((word for word in _WIDTHS if word in head), None)
    if "end" not in head and width is None:
        raise _unreadable(rows[0])
    start = 1
    for row in rows[1:]:
        cells = dict(zip(head, _cells(row), strict=False))
        try:
            start = int(cells["start"]) if "start" in head else start
            end = int(cells["end"]) if width is None else start + int(cells[width]) - 1
        except (KeyError, ValueError):
            raise _unreadable(row) from None
        yield Place(cells["name"], start, end)
        start = end + 1


def _of_places(rows: Sequence[str]) -> Iterator[Place]:
    for row in rows:
        for cell in filter(None, _cells(row)):
            found = _PLACE.fullmatch(cell)
            if found is None:
                raise _unreadable(cell)
            start = int(found["start"])
            yield Place(found["name"], start, int(found["end"] or start))


def _unreadable(text: str) -> ParameterError:
    return ParameterError(
        "The layout cannot be read at {text!r}: write the name, first and last place "
        'of each column, as in "age 1-3, income 4-11", or a table with the columns '
        "name, start and width.",
        text=text[:60],
    )
