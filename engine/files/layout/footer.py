"""Footer rows below the records: totals, sources and notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from engine.files.layout.rows import Left, Row, count_filled, is_typed_cell
from engine.files.layout.words import NOTE_PATTERN, TOTALS


def infer_footer_count_and_kinds(
    last_rows: Sequence[Row],
    n_rows: int,
    first_record_row: int,
    usual_width: int,
    first_rows: Sequence[Row],
) -> tuple[int, tuple[tuple[Left, int], ...]]:
    """Return the number of footer rows, and (kind, row number) of each filled one."""
    if usual_width == 1:
        return 0, ()
    rows = [tuple(cell.strip() for cell in row) for row in last_rows]
    records = [row for row in first_rows[first_record_row - 1 :] if count_filled(row)]
    width = Counter(map(len, records)).most_common(1)[0][0] if records else 0
    start = n_rows - len(rows) + 1
    end, footer_rows = len(rows), []
    while end and start + end - 1 > first_record_row:
        row = rows[end - 1]
        kind: Left | None = None
        if count_filled(row):
            before = rows[end - 2] if end > 1 else ()
            kind = _footer_kind(row, before, usual_width, width, records)
            if kind is None:
                break
            footer_rows.append((kind, start + end - 1))
        end -= 1
    if not footer_rows:
        return 0, ()
    last = footer_rows[-1][1]
    # Blank rows between the records and what is left out go with it.
    blank = last - start
    while blank and not count_filled(rows[blank - 1]):
        blank -= 1
    return n_rows - (start + blank - 1), tuple(reversed(footer_rows))


def _footer_kind(
    row: Row, before: Row, usual: int, width: int, records: Sequence[Row]
) -> Left | None:
    """Return what a row at the end is, None for a record."""
    cells = [(j, cell) for j, cell in enumerate(row) if cell]
    words = [(j, cell) for j, cell in cells if not is_typed_cell(cell)]
    # Alone where sums are formulas that no program has worked out.
    if words and TOTALS.fullmatch(words[0][1]) and (len(cells) > 1 or usual > 2):
        j, word = words[0]
        # In a column of categories, "total" may be one of them.
        if sum(len(record) > j and record[j] == word for record in records) < 2:
            return "totals"
    # No record is as short; a sentence falls apart at its commas.
    short = len(row) < width and usual > 2 and len(words) == len(cells)
    if short and (" " in row[0] or len(cells) == 1):
        return "footnote"
    if len(cells) > max(1, usual // 3):
        return None
    j, cell = cells[0]
    if is_typed_cell(cell):
        return None
    if len(cells) == 1 and usual > 2 and _is_foreign_cell(j, cell, records):
        return "footnote"
    is_apart = len(before) < 2 and not count_filled(before) and not (0 < j < width)
    prose = not j and " " in cell and len(cell) > (12 if len(row) < width else 40)
    return "footnote" if NOTE_PATTERN.match(cell) or is_apart or prose else None


def _is_foreign_cell(j: int, cell: str, records: Sequence[Row]) -> bool:
    """Return whether the only cell of a row is none of its column's values.

    The others are numbers, or nothing nearly as long.
    """
    values = [
        row[j] for row in records if len(row) > j and row[j] and count_filled(row) > 1
    ]
    if values and 2 * sum(map(is_typed_cell, values)) > len(values):
        return True
    longest = max(map(len, values), default=0)
    return len(cell) > max(12, 1.5 * longest)


def classify_footer_rows(
    last_rows: Sequence[Row], n_rows: int, n_footer_rows: int
) -> tuple[tuple[Left, int], ...]:
    """Return (kind, row number) of each filled one of the last `n_footer_rows` rows."""
    some = last_rows[max(len(last_rows) - n_footer_rows, 0) :]
    start = n_rows - len(some) + 1
    footer_rows: list[tuple[Left, int]] = []
    for i, row in enumerate(some):
        words = [cell.strip() for cell in row if cell.strip()]
        if words:
            kind: Left = "totals" if TOTALS.fullmatch(words[0]) else "footnote"
            footer_rows.append((kind, start + i))
    return tuple(footer_rows)
