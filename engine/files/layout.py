"""Where the table is in a file: titles, names, units, records, totals, footnotes.

Rows are told apart by how many of their cells are filled and by what these hold.
Records are rows whose cells are of the types that most rows below have; names stand
above them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from engine.core.message import NOTHING, Message
from engine.files import detect
from engine.files.convert import MISSING_WORDS
from engine.files.words import NOTE, TOTALS, UNIT

Row = Sequence[str]

Confidence = Literal["certain", "likely", "doubtful"]

Left = Literal["title", "units", "totals", "footnote"]

HEAD = 200
"""Rows from the top that are looked at."""

FOOT = 40
"""Rows from the end that are looked at."""

MOST_TITLES = 60
"""Rows above the records, at most."""

_SIGN = r"[-+\u2212]?\s?"
_MONEY = r"(?:[$\u20ac\u00a3\u00a5]|[A-Z]{3}|kr|z\u0142|Fr\.?)?\s?"
_TYPED = re.compile(
    rf"\(?{_SIGN}{_MONEY}{_SIGN}\d[\d.,'\u2019\u00a0\u202f ]*(?:[eE][+-]?\d+)?"
    rf"\s?(?:%|\u2030)?{_MONEY}[-\u2212]?\)?$"
    r"|\d{1,4}[-./]\d{1,2}[-./]\d{1,4}(?:[ T]\d{1,2}:\d\d.*)?$"
    r"|\d{1,2}:\d\d(?::\d\d)?$"
    r"|\d{1,2}[. -]+[^\W\d_]{3,}\.?[ -]+\d{2,4}$|\d{4}[- ]?[QW]\d{1,2}$"
)


@dataclass(frozen=True)
class Layout:
    """Which rows of a file hold what; rows are counted from 1.

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
        "units", "totals" or "footnote") and where.
    sheet : str
        Of a workbook.
    confidence : {"certain", "likely", "doubtful"}
        Whether to ask: what is doubtful should be shown and chosen.
    reason : Message
        Why it is doubtful, or nothing.
    """

    header: tuple[int, ...]
    first: int
    foot: int = 0
    left_out: tuple[tuple[Left, int], ...] = ()
    sheet: str = ""
    confidence: Confidence = "certain"
    reason: Message = NOTHING

    @property
    def plain(self) -> bool:
        """Whether names, if any, stand in the first row and all others are records."""
        rows = len(self.header)
        return rows < 2 and sum(self.header) == rows == self.first - 1 and not self.foot

    def options(self) -> dict[str, Any]:
        """Return how to read the same rows again, and what to tell of the others.

        Nothing, where names stand in the first row and all others are records.
        """
        if self.plain and not self.left_out:
            return {}
        return {
            "header_row": ",".join(map(str, self.header or (0,))),
            "first_row": self.first,
            "footer_rows": self.foot,
            "left_out": [list(pair) for pair in self.left_out],
            "confidence": self.confidence,
        }


def without_layout(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return how a file was read, for one of names in the first row and records."""
    told = ("header_row", "first_row", "footer_rows", "left_out", "confidence")
    return {name: value for name, value in options.items() if name not in told}


def find_layout(
    head: Sequence[Row],
    tail: Sequence[Row],
    n_rows: int,
    header_row: tuple[int, ...] | None = None,
    first_row: int | None = None,
    footer_rows: int | None = None,
) -> Layout:
    """Return where names and records are.

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
    usual, typed = _body(rows[:HEAD])
    top = _top(rows, usual, typed, header_row, first_row)
    foot, below = _foot(tail, n_rows, top.first, usual, rows)
    if footer_rows is not None:
        foot, below = footer_rows, _notes(tail, n_rows, footer_rows)
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
    """Return how much like a table of records a sheet is, to compare it with others.

    Columns of numbers and dates tell data from notes and lists of codes.

    Parameters
    ----------
    rows : sequence of rows
        The first rows.
    n_rows : int
        Of the sheet.
    layout : Layout
    """
    records = [tuple(row) for row in rows[layout.first - 1 :] if filled(row)]
    if not records:
        return 0.0
    usual, typed = _body(records)
    n_records = n_rows - layout.foot - layout.first + 1
    return min(n_records, 50) * (min(usual, 10) / 10 + len(typed) + (usual > 1))


def header_choices(rows: Sequence[Row], layout: Layout) -> tuple[Layout, ...]:
    """Return other layouts that somebody may mean, likely ones first.

    Parameters
    ----------
    rows : sequence of rows
        The first rows.
    layout : Layout
        The one that is proposed.
    """
    own = layout.header[-1:] or (layout.first,)
    near = sorted(range(1, min(len(rows), 12) + 1), key=lambda row: abs(row - own[0]))
    choices: list[tuple[int, ...]] = [
        (row,) for row in near if any(map(str.strip, rows[row - 1]))
    ]
    if len(rows) > own[0]:
        choices.append((own[0], own[0] + 1))
    found = [
        find_layout(rows, (), len(rows), header_row=choice, footer_rows=0)
        for choice in ((), *choices)
        if choice != layout.header
    ]
    return tuple(one for one in found if one.first <= len(rows))


@dataclass(frozen=True)
class _Top:
    header: tuple[int, ...]
    first: int
    left_out: tuple[tuple[Left, int], ...] = ()
    confidence: Confidence = "certain"
    reason: Message = NOTHING


def filled(row: Row) -> int:
    """Return how many cells are not blank."""
    return sum(map(bool, row))


def _body(rows: Sequence[Row]) -> tuple[int, frozenset[int]]:
    """Return how many cells records have, and the columns of numbers or dates.

    Judged by the lower half of what is looked at: titles are few.
    """
    there = list(dict.fromkeys(row for row in rows if filled(row)))
    body = there[len(there) // 2 :][:60]
    usual = Counter(map(filled, body)).most_common(1)[0][0]
    # Where most rows are as narrow as notes, the widest ones are the table.
    wide = Counter(count for row in there if (count := filled(row)) > 1)
    if usual == 1 and wide and wide.most_common(1)[0][1] >= max(2, len(there) // 4):
        usual = wide.most_common(1)[0][0]
        body = [row for row in there[1:] if filled(row) >= usual]
    typed, width = set(), max(map(len, body))
    for j in range(width):
        cells = [row[j] for row in body if j < len(row) and row[j]]
        known = [cell for cell in cells if cell not in MISSING_WORDS]
        if known and 2 * sum(map(is_typed, known)) > len(known):
            typed.add(j)
    return usual, frozenset(typed)


def is_typed(cell: str) -> bool:
    """Return whether a cell holds a number or a date, as people write them."""
    return _TYPED.match(cell) is not None


def _top(
    rows: Sequence[Row],
    usual: int,
    typed: frozenset[int],
    header_row: tuple[int, ...] | None,
    first_row: int | None,
) -> _Top:
    """Return the rows of names and the first record."""
    if header_row is not None:
        below = max(header_row, default=0)
        first = first_row or _next_filled(rows, below)
        if not header_row:
            return _Top((), first_row or _first_record(rows, usual, typed) + 1)
        if first_row is None and _is_units(rows, first - 1, header_row, typed):
            first = _next_filled(rows, first)
        return _Top(header_row, first, _between(rows, header_row, first))
    record = _first_record(rows, usual, typed) if first_row is None else first_row - 1
    above = [i for i in range(record) if filled(rows[i])]
    if not above:
        return _without_above(rows, record)
    widest = max(filled(rows[i]) for i in above)
    if widest == 1 < usual and not _could_be_names(rows[above[-1]], usual):
        # Titles alone: the first wide row may be names all the same.
        found = _without_above(rows, record)
        return _Top(
            found.header,
            found.first,
            _between(rows, found.header, found.first),
            *(
                ("likely", NOTHING)
                if found.header
                else ("doubtful", Message("Only titles stand above the records."))
            ),
        )
    enough = min(usual, widest) - (usual >= 5)
    named = next(
        i for i in above if filled(rows[i]) >= enough and not _is_setting(rows, i)
    )
    header, last = _names(rows, named, record, typed)
    first = _next_filled(rows, last) if first_row is None else first_row
    if first_row is None and _is_units(rows, first - 1, header, typed):
        first = _next_filled(rows, first)
    confidence: Confidence = "certain"
    reason = NOTHING
    if first - 1 < record and typed:
        confidence = "likely"
    if 2 * filled(rows[named]) < usual:
        confidence = "doubtful"
        reason = Message("Most columns have no name in row {row}.", row=named + 1)
    elif header[0] > 1 or len(header) > 1:
        confidence = "likely"
    return _Top(header, first, _between(rows, header, first), confidence, reason)


def _without_above(rows: Sequence[Row], record: int) -> _Top:
    """Return whether the first wide row is names, where nothing tells by type."""
    body = [row for row in rows[record:] if filled(row)]
    if not detect.has_header(body):
        return _Top((), record + 1)
    header, last = _names(rows, record, record + 1, frozenset())
    first = _next_filled(rows, last)
    return _Top(header, first)


def _first_record(rows: Sequence[Row], usual: int, typed: frozenset[int]) -> int:
    """Return the place of the first row that is like the records below."""
    top = rows[: MOST_TITLES + 1]
    wide = usual - (usual >= 5)
    if not typed:
        there = (
            i
            for i, row in enumerate(top)
            if filled(row) >= wide and not _is_setting(rows, i)
        )
        return next(there, next(i for i, row in enumerate(rows) if filled(row)))
    names = [
        i for i, row in enumerate(top) if filled(row) >= wide and _untyped(row, typed)
    ]
    for i, row in enumerate(top):
        count = filled(row)
        known = [
            row[j]
            for j in typed
            if j < len(row) and row[j] and row[j] not in MISSING_WORDS
        ]
        if 2 * count < usual or 2 * sum(map(is_typed, known)) < max(len(known), 1):
            continue
        # What is narrower than records, and above names, is a setting such as a date.
        if count >= usual or not names or names[0] < i:
            return i
    return next(i for i, row in enumerate(rows) if filled(row))


def _untyped(row: Row, typed: frozenset[int]) -> bool:
    """Return whether words stand where records have numbers or dates."""
    over = [row[j] for j in typed if j < len(row) and row[j]]
    return 2 * len(over) > len(typed) and not any(map(is_typed, over))


def _is_setting(rows: Sequence[Row], i: int) -> bool:
    """Return whether a row names one thing and says its value, as in "Date: ..."."""
    row = [cell for cell in rows[i] if cell]
    return len(row) == 2 and row[0].endswith(":")


def _could_be_names(row: Row, usual: int) -> bool:
    """Return whether the only filled cell is rather a name than a title.

    Titles stand in the first cell; and a table of two columns may lack one name.
    """
    return not row[0] or (usual == 2 and len(row) == 2 and " " not in row[0])


def _names(
    rows: Sequence[Row], named: int, record: int, typed: frozenset[int]
) -> tuple[tuple[int, ...], int]:
    """Return the rows of names, and the last of them; from 1."""
    lower, upper = rows[named], rows[named - 1] if named else ()
    known = [cell for cell in lower if cell]
    repeated = len(set(known)) < len(known)
    # Names of groups above names of columns.
    groups = [j for j, cell in enumerate(upper) if cell]
    if (
        len(groups) > 1
        and not any(is_typed(upper[j]) and not _is_year(upper[j]) for j in groups)
        and (repeated or not upper[0] or _spans(upper, lower))
        and not _is_setting(rows, named - 1)
    ):
        return (named, named + 1), named + 1
    # Names of columns below those of groups that are as many: "2022", "2023".
    below = rows[named + 1] if named + 1 < len(rows) else ()
    if filled(below) and named + 1 <= record:
        places = [j for j, cell in enumerate(lower) if cell]
        times = Counter(known)
        same = {j for j in places if times[lower[j]] > 1}
        gaps = {j for j in range(len(below)) if below[j]} - set(places)
        needed = same | gaps
        cells = [below[j] for j in range(len(below)) if below[j]]
        names = all(not is_typed(cell) or _is_year(cell) for cell in cells)
        if (
            needed
            and names
            and len(cells) > 1
            and len(cells) >= len(needed)
            and _distinct_below(lower, below)
        ):
            return (named + 1, named + 2), named + 2
    return (named + 1,), named + 1


def _spans(upper: Row, lower: Row) -> bool:
    """Return whether a name of a group stands above several columns, or in a gap."""
    fits = [j for j, cell in enumerate(lower) if cell]
    if any(cell and (j >= len(lower) or not lower[j]) for j, cell in enumerate(upper)):
        return True
    starts = [j for j, cell in enumerate(upper) if cell]
    ends = [*starts[1:], len(lower)]
    wide = [
        sum(start <= j < end for j in fits)
        for start, end in zip(starts, ends, strict=True)
    ]
    return max(wide) > 1


def _distinct_below(upper: Row, lower: Row) -> bool:
    names = merged_names(upper, lower)
    said = [name for name in names if name]
    return len(set(said)) == len(said)


def merged_names(upper: Row, lower: Row) -> list[str]:
    """Return one name for each column, of a group's name and its own.

    A group's name stands above the first of its columns only. Where a column has a
    name in one of the rows alone, that is its name.

    Examples
    --------
    >>> merged_names(["region", "2023", ""], ["", "net", "tax"])
    ['region', '2023 / net', '2023 / tax']
    """
    width = max(len(upper), len(lower))
    group, names = "", []
    for j in range(width):
        above = upper[j].strip() if j < len(upper) else ""
        own = lower[j].strip() if j < len(lower) else ""
        group = above or group
        if above and not own:
            names.append(above)
            group = ""
        else:
            names.append(f"{group} / {own}" if group and own else own)
    return names


def _is_year(cell: str) -> bool:
    return re.fullmatch(r"(19|20)\d\d(\s*[-/]\s*\d{2,4})?", cell) is not None


def _is_units(
    rows: Sequence[Row], i: int, header: tuple[int, ...], typed: frozenset[int]
) -> bool:
    """Return whether a row below the names holds units of measurement."""
    if not header or i >= len(rows) or i + 1 >= len(rows):
        return False
    cells = [cell for cell in rows[i] if cell]
    over = [rows[i][j] for j in typed if j < len(rows[i]) and rows[i][j]]
    return (
        bool(over)
        and not any(map(is_typed, over))
        and all(map(UNIT.fullmatch, over))
        and all(
            UNIT.fullmatch(cell) or cell in MISSING_WORDS or cell in ("-", "\u2013")
            for cell in cells
        )
    )


def _next_filled(rows: Sequence[Row], below: int) -> int:
    """Return the first row, from 1, below a row that is there, if only by its width."""
    return next(
        (i + 1 for i in range(below, len(rows)) if len(rows[i]) > 1 or filled(rows[i])),
        below + 1,
    )


def _between(
    rows: Sequence[Row], header: tuple[int, ...], first: int
) -> tuple[tuple[Left, int], ...]:
    """Return what stands above the records, beside the names."""
    top = header[0] if header else first
    return tuple(
        ("title" if i + 1 < top else "units", i + 1)
        for i in range(min(first - 1, len(rows)))
        if filled(rows[i]) and i + 1 not in header
    )


def _foot(
    tail: Sequence[Row],
    n_rows: int,
    first: int,
    usual: int,
    head: Sequence[Row],
) -> tuple[int, tuple[tuple[Left, int], ...]]:
    """Return how many rows stand below the last record, and what they are."""
    if usual == 1:
        return 0, ()
    rows = [tuple(cell.strip() for cell in row) for row in tail]
    records = [row for row in head[first - 1 :] if filled(row)]
    width = Counter(map(len, records)).most_common(1)[0][0] if records else 0
    start = n_rows - len(rows) + 1
    end, found = len(rows), []
    while end and start + end - 1 > first:
        row = rows[end - 1]
        kind: Left | None = None
        if filled(row):
            before = rows[end - 2] if end > 1 else ()
            kind = _left_out(row, before, usual, width, records)
            if kind is None:
                break
            found.append((kind, start + end - 1))
        end -= 1
    if not found:
        return 0, ()
    last = found[-1][1]
    # Blank rows between the records and what is left out go with it.
    blank = last - start
    while blank and not filled(rows[blank - 1]):
        blank -= 1
    return n_rows - (start + blank - 1), tuple(reversed(found))


def _left_out(
    row: Row, before: Row, usual: int, width: int, records: Sequence[Row]
) -> Left | None:
    """Return what a row at the end is, None for a record."""
    cells = [(j, cell) for j, cell in enumerate(row) if cell]
    words = [(j, cell) for j, cell in cells if not is_typed(cell)]
    if words and TOTALS.fullmatch(words[0][1]) and len(cells) > 1:
        j, word = words[0]
        # In a column of categories, "total" may be one of them.
        if sum(len(one) > j and one[j] == word for one in records) < 2:
            return "totals"
    if len(cells) > max(1, usual // 3):
        return None
    j, cell = cells[0]
    if is_typed(cell):
        return None
    apart = len(before) < 2 and not filled(before) and not (0 < j < width)
    prose = not j and " " in cell and len(cell) > (12 if len(row) < width else 40)
    return "footnote" if NOTE.match(cell) or apart or prose else None


def _notes(
    tail: Sequence[Row], n_rows: int, footer_rows: int
) -> tuple[tuple[Left, int], ...]:
    """Return rows at the end that somebody leaves out."""
    some = tail[len(tail) - footer_rows :] if footer_rows else ()
    start = n_rows - len(some) + 1
    return tuple(
        ("footnote", start + i)
        for i, row in enumerate(some)
        if any(cell.strip() for cell in row)
    )
