"""Header rows above the records: titles, one or two rows of names, units, labels."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from engine.core.message import NO_MESSAGE, Message
from engine.files.cells.missing_words import MISSING_WORDS
from engine.files.layout.rows import (
    Left,
    Row,
    count_filled,
    is_typed_cell,
    is_year_cell,
)
from engine.files.layout.words import UNIT_PATTERN
from engine.files.text import detect

Confidence = Literal["certain", "likely", "doubtful"]

MAX_TITLE_ROWS = 60
"""Rows above the records, at most."""

MIN_LABELS = 3
"""Columns of numbers from which single words below the names are labels."""

_IMPORT_CODE_PATTERN = re.compile(r"\{\s*['\"]ImportId['\"]\s*:")
"""Beginning of a cell by which survey programs know a column again (Qualtrics)."""


@dataclass(frozen=True)
class HeaderLocation:
    """Row numbers of names, first record and rows left out; confidence and reason.

    Attributes
    ----------
    header, first, left_out, confidence, reason
        As in :class:`engine.files.layout.Layout`.
    """

    header: tuple[int, ...]
    first: int
    left_out: tuple[tuple[Left, int], ...] = ()
    confidence: Confidence = "certain"
    reason: Message = NO_MESSAGE


def locate_header(
    rows: Sequence[Row],
    usual_width: int,
    typed_columns: frozenset[int],
    header_row: tuple[int, ...] | None,
    first_row: int | None,
) -> HeaderLocation:
    """Return where the column names and the first record are: as given, or inferred."""
    if header_row is not None:
        below = max(header_row, default=0)
        first = first_row or _next_filled_row(rows, below)
        if not header_row:
            # A record may have words where others have numbers, and a gap elsewhere.
            alike = (
                _first_record_row(rows, usual_width, typed)
                for typed in (typed_columns, frozenset[int]())
            )
            return HeaderLocation((), first_row or min(alike) + 1)
        if first_row is None:
            first = _first_below_units_and_labels(
                rows, first, header_row, typed_columns
            )
        return HeaderLocation(
            header_row, first, _rows_above_records(rows, header_row, first)
        )
    record = (
        _first_record_row(rows, usual_width, typed_columns)
        if first_row is None
        else first_row - 1
    )
    above = [i for i, row in enumerate(rows[:record]) if count_filled(row)]
    if not above:
        return _header_without_types(rows, record)
    widest = max(count_filled(rows[i]) for i in above)
    if widest == 1 < usual_width and not _could_be_names(rows[above[-1]], usual_width):
        # Titles alone: the first wide row may be names all the same.
        location = _header_without_types(rows, record)
        return HeaderLocation(
            location.header,
            location.first,
            _rows_above_records(rows, location.header, location.first),
            *(
                ("likely", NO_MESSAGE)
                if location.header
                else ("doubtful", Message("Only titles stand above the records."))
            ),
        )
    enough = max(min(usual_width, widest) - (usual_width >= 5), min(2, widest))
    named = next(
        i for i in above if count_filled(rows[i]) >= enough and not _is_setting(rows, i)
    )
    header, last = _name_rows(rows, named, record)
    first = first_row or _first_below_units_and_labels(
        rows, _next_filled_row(rows, last), header, typed_columns
    )
    confidence: Confidence = "certain"
    reason = NO_MESSAGE
    if first - 1 < record and typed_columns:
        confidence = "likely"
    if 2 * count_filled(rows[named]) < usual_width:
        confidence = "doubtful"
        reason = Message("Most columns have no name in row {row}.", row=named + 1)
    elif header[0] > 1 or len(header) > 1:
        confidence = "likely"
    return HeaderLocation(
        header, first, _rows_above_records(rows, header, first), confidence, reason
    )


def _header_without_types(rows: Sequence[Row], record: int) -> HeaderLocation:
    """Return whether the first wide row is names, where nothing tells by type."""
    body = [row for row in rows[record:] if count_filled(row)]
    if not body or not detect.has_header(body):
        return HeaderLocation((), record + 1)
    header, last = _name_rows(rows, record, record + 1)
    first = _next_filled_row(rows, last)
    return HeaderLocation(header, first)


def _first_record_row(rows: Sequence[Row], usual: int, typed: frozenset[int]) -> int:
    """Return the place of the first row that is like the records below."""
    top = rows[: MAX_TITLE_ROWS + 1]
    wide = usual - (usual >= 5)
    if not typed:
        wide_row_indices = (
            i
            for i, row in enumerate(top)
            if count_filled(row) >= wide and not _is_setting(rows, i)
        )
        return next(
            wide_row_indices, next(i for i, row in enumerate(rows) if count_filled(row))
        )
    names = [
        i
        for i, row in enumerate(top)
        if count_filled(row) >= wide
        and (_is_untyped(row, typed) or _are_year_names(rows, i, typed))
    ]
    for i, row in enumerate(top):
        count = count_filled(row)
        values = [
            row[j]
            for j in typed
            if j < len(row) and row[j] and row[j] not in MISSING_WORDS
        ]
        if 2 * count < usual or 2 * sum(map(is_typed_cell, values)) < max(
            len(values), 1
        ):
            continue
        if i in names:
            continue
        # What is narrower than records, and above names, is a setting such as a date.
        if count >= usual or not names or names[0] < i:
            return i
    return next(i for i, row in enumerate(rows) if count_filled(row))


def _is_untyped(row: Row, typed: frozenset[int]) -> bool:
    """Return whether words stand where records have numbers or dates."""
    over = [row[j] for j in typed if j < len(row) and row[j]]
    return 2 * len(over) > len(typed) and not any(map(is_typed_cell, over))


def _are_year_names(rows: Sequence[Row], i: int, typed: frozenset[int]) -> bool:
    """Return whether years stand above columns of numbers that are none."""
    over = [j for j in typed if j < len(rows[i]) and rows[i][j]]
    if len(over) < 2 or not all(is_year_cell(rows[i][j]) for j in over):
        return False
    below = [row[j] for row in rows[i + 1 :] for j in over if j < len(row) and row[j]]
    return 10 * sum(map(is_year_cell, below)) < len(below)


def _is_setting(rows: Sequence[Row], i: int) -> bool:
    """Return whether a row names one thing and says its value, as in "Date: ..."."""
    row = [cell for cell in rows[i] if cell]
    return len(row) == 2 and row[0].endswith(":")


def _could_be_names(row: Row, usual: int) -> bool:
    """Return whether the only filled cell is rather a name than a title.

    Titles stand in the first cell; and a table of two columns may lack one name.
    """
    return not row[0] or (usual == 2 and len(row) == 2 and " " not in row[0])


def _name_rows(
    rows: Sequence[Row], named: int, record: int
) -> tuple[tuple[int, ...], int]:
    """Return the rows of names, and the last of them; from 1."""
    lower, upper = rows[named], rows[named - 1] if named else ()
    lower_names = [cell for cell in lower if cell]
    repeated = len(set(lower_names)) < len(lower_names)
    # Names of groups above names of columns.
    groups = [j for j, cell in enumerate(upper) if cell]
    if (
        len(groups) > 1
        and not any(
            is_typed_cell(upper[j]) and not is_year_cell(upper[j]) for j in groups
        )
        and (repeated or not upper[0] or _is_group_header(upper, lower))
        and not _is_setting(rows, named - 1)
    ):
        return (named, named + 1), named + 1
    # Names of columns below those of groups that are as many: "2022", "2023".
    below = rows[named + 1] if named + 1 < len(rows) else ()
    if count_filled(below) and named + 1 <= record:
        places = [j for j, cell in enumerate(lower) if cell]
        times = Counter(lower_names)
        same = {j for j in places if times[lower[j]] > 1}
        gaps = {j for j in range(len(below)) if below[j]} - set(places)
        needed = same | gaps
        cells = [below[j] for j in range(len(below)) if below[j]]
        names = all(not is_typed_cell(cell) or is_year_cell(cell) for cell in cells)
        if (
            needed
            and names
            and len(cells) > 1
            and len(cells) >= len(needed)
            and _are_distinct_below(lower, below)
        ):
            return (named + 1, named + 2), named + 2
    return (named + 1,), named + 1


def _is_group_header(upper: Row, lower: Row) -> bool:
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


def _are_distinct_below(upper: Row, lower: Row) -> bool:
    names = merge_header_rows(upper, lower)
    filled_names = [name for name in names if name]
    return len(set(filled_names)) == len(filled_names)


def merge_header_rows(upper: Row, lower: Row) -> list[str]:
    """Return one name per column, from an upper (spanning) and a lower row of names.

    A group's name stands above the first of its columns only, and holds up to the next
    name above. A column with an upper name alone keeps that.

    Examples
    --------
    >>> merge_header_rows(["region", "2023", ""], ["", "net", "tax"])
    ['region', '2023 / net', '2023 / tax']
    """
    width = max(len(upper), len(lower))
    group, names = "", []
    for j in range(width):
        above = upper[j].strip() if j < len(upper) else ""
        lower_name = lower[j].strip() if j < len(lower) else ""
        group = above or group
        if above and not lower_name:
            names.append(above)
            group = ""
        else:
            names.append(
                f"{group} / {lower_name}" if group and lower_name else lower_name
            )
    return names


def _first_below_units_and_labels(
    rows: Sequence[Row], first: int, header: tuple[int, ...], typed: frozenset[int]
) -> int:
    """Return the row of the first record, from 1, below what describes columns."""
    if _is_units(rows, first - 1, header, typed):
        first = _next_filled_row(rows, first)
    below = _next_filled_row(rows, first)
    if header and below < len(rows):
        if _are_import_codes(rows[first - 1]):
            return below
        if _are_import_codes(rows[below - 1]):
            return _next_filled_row(rows, below)
        if _are_labels(rows[first - 1], typed):
            return below
    return first


def _are_import_codes(row: Row) -> bool:
    """Return whether most filled cells of a row are codes of a survey program."""
    codes = sum(_IMPORT_CODE_PATTERN.match(cell) is not None for cell in row)
    return 2 * codes > count_filled(row)


def _are_labels(row: Row, typed: frozenset[int]) -> bool:
    """Return whether texts, mostly different ones, stand above all numbers and dates.

    Such as the questions of a survey. A record may have one word, as for a refusal, in
    several of these columns, but numbers in others.
    """
    over = [row[j] for j in typed if j < len(row)]
    is_wide = len(over) >= MIN_LABELS or (
        len(over) > 1 and any(" " in cell for cell in over)
    )
    return (
        is_wide
        and len(over) == len(typed)
        and all(over)
        and not {*over} & {*MISSING_WORDS}
        and not any(map(is_typed_cell, row))
        and 2 * len({*over}) > len(over)
    )


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
        and not any(map(is_typed_cell, over))
        and all(map(UNIT_PATTERN.fullmatch, over))
        and all(
            UNIT_PATTERN.fullmatch(cell)
            or cell in MISSING_WORDS
            or cell in ("-", "\u2013")
            for cell in cells
        )
    )


def _next_filled_row(rows: Sequence[Row], below: int) -> int:
    """Return the first row, from 1, below a row that is there, if only by its width."""
    return next(
        (
            i + 1
            for i in range(below, len(rows))
            if len(rows[i]) > 1 or count_filled(rows[i])
        ),
        below + 1,
    )


def _rows_above_records(
    rows: Sequence[Row], header: tuple[int, ...], first: int
) -> tuple[tuple[Left, int], ...]:
    """Return what stands above the records, beside the names."""
    top = header[0] if header else first
    return tuple(
        ("title" if i + 1 < top else _kind_below_names(rows[i]), i + 1)
        for i in range(min(first - 1, len(rows)))
        if count_filled(rows[i]) and i + 1 not in header
    )


def _kind_below_names(row: Row) -> Left:
    """Return whether a row between names and records holds units or labels."""
    units = sum(UNIT_PATTERN.fullmatch(cell) is not None for cell in row)
    return "units" if 2 * units >= count_filled(row) else "labels"


def label_cells(rows: Sequence[Row], left_out: Sequence[tuple[Left, int]]) -> Row:
    """Return the cells of the row of labels below the names; none if there is none.

    Parameters
    ----------
    rows : sequence of rows
        The first rows.
    left_out : sequence of (str, int)
        Rows that are neither names nor records, from 1.
    """
    label_rows = (rows[i - 1] for kind, i in left_out if kind == "labels")
    return next((row for row in label_rows if not _are_import_codes(row)), ())
