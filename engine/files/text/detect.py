"""Beginning of delimited text: first records, delimiter, header; and limits of size."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

from engine.core.errors import InputError
from engine.core.text.csv_rows import MAX_FIELD_CHARS, iterate_csv_rows
from engine.files.cells.missing_words import MISSING_WORDS
from engine.files.text.file_text import FileText

DELIMITER_CANDIDATES = ("\t", ";", "|", ",")
"""Tried in this order: a comma is also a decimal sign, so it comes last."""

SAMPLE_BYTES = 1 << 20
SAMPLE_RECORDS = 500

_LINE_END = re.compile(rb"\r\n|\r|\n")
_NUMBER_PATTERN = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?$")
_DATE_PATTERN = re.compile(r"\d{4}-\d{2}-\d{2}$")


MIN_HEAD_LINES = 3
"""Whole lines that the beginning of a file has, however long they are."""

MAX_HEAD_BYTES = MAX_FIELD_CHARS
"""Bytes of these first lines, at most."""

MAX_COLUMNS = 100_000
"""Columns of a table: each is an object of its own, in every step of the work."""

MAX_NAME_CHARS = 10_000
"""Characters of a column's name."""


def first_bytes_of_text(text: bytes | FileText, name: str) -> bytes:
    """Return the first MiB of a text, or its first 3 lines, if longer, and a MiB more.

    Raises
    ------
    InputError
        If the first lines are so long that no table begins with them.
    """
    ends: list[int] = []
    # Mostly the first lines are short; a longer look copies the text of a file.
    for size in (SAMPLE_BYTES, MAX_HEAD_BYTES):
        lines = islice(_LINE_END.finditer(text[: size + 1], 0, size), MIN_HEAD_LINES)
        ends = [match.end() for match in lines]
        if len(ends) == MIN_HEAD_LINES or len(text) <= size:
            break
    if len(ends) < MIN_HEAD_LINES and len(text) > MAX_HEAD_BYTES:
        raise InputError(
            "The first lines of file {file!r} have more than {most:,} characters, "
            "which is no table: choose another file.",
            file=name,
            most=MAX_HEAD_BYTES,
        )
    enough = ends[-1] if len(ends) == MIN_HEAD_LINES else len(text)
    # Records are looked at below long lines, too.
    return text[: SAMPLE_BYTES + (enough if enough > SAMPLE_BYTES else 0)]


def refuse_too_many_columns(n_columns: int, name: str) -> None:
    """Raise if a table has more columns than the maximum.

    Raises
    ------
    InputError
    """
    if n_columns > MAX_COLUMNS:
        raise InputError(
            "File {file!r} has {columns:,} columns, more than the {most:,} of a table: "
            "leave columns out, or exchange its rows and columns.",
            file=name,
            columns=n_columns,
            most=MAX_COLUMNS,
        )


def refuse_too_many_or_long_names(names: Sequence[object], file_name: str) -> None:
    """Raise if a table has too many columns, or a column name is too long.

    Raises
    ------
    InputError
    """
    refuse_too_many_columns(len(names), file_name)
    for position, name in enumerate(names, start=1):
        if isinstance(name, str) and len(name) > MAX_NAME_CHARS:
            raise InputError(
                "The name of column {column:,} of file {file!r} has {size:,} "
                "characters, more than the {most:,} of a name: give it a shorter one.",
                column=position,
                file=file_name,
                size=len(name),
                most=MAX_NAME_CHARS,
            )


class CharacterCountingLines:
    """Iterable of a text's lines that counts the characters returned so far."""

    def __init__(self, text: str) -> None:
        self._lines = io.StringIO(text, newline="")
        self.characters = 0

    def __iter__(self) -> Iterator[str]:
        for line in self._lines:
            self.characters += len(line)
            yield line


def parse_first_records(
    text: str,
    delimiter: str,
    max_records: int = SAMPLE_RECORDS,
    stops_at_bad_quotes: bool = False,
) -> list[list[str]]:
    """Return the first records of delimited text, without blank lines.

    Parameters
    ----------
    text : str
    delimiter : str
    max_records : int
    stops_at_bad_quotes : bool
        Whether to end before a record with quotation marks that are out of place or
        never closed.
    """
    records: list[list[str]] = []
    try:
        for record in iterate_csv_rows(
            CharacterCountingLines(text), delimiter, strict=stops_at_bad_quotes
        ):
            if record:
                records.append(record)
                if len(records) == max_records:
                    break
    except csv.Error:  # a field without end: what came before it must do
        pass
    return records


def refuse_blank_start(text: bytes | FileText, name: str) -> None:
    """Raise if the first MiB of a file, or all of a shorter one, is blank.

    Raises
    ------
    InputError
    """
    if not text[:SAMPLE_BYTES].strip():
        raise blank_file_error(name, is_whole_file=len(text) <= SAMPLE_BYTES)


def blank_file_error(name: str, *, is_whole_file: bool = True) -> InputError:
    """Return the error for a file, or only its start, without any filled cell."""
    if not is_whole_file:
        return InputError(
            "File {file!r} begins with so many blank lines that no data is found below "
            "them: remove these lines.",
            file=name,
        )
    return InputError(
        "File {file!r} has only blank lines: choose a file with data.", file=name
    )


def declared_delimiter_and_line_length(text: str) -> tuple[str | None, int]:
    """Return delimiter and length of a first line such as ``sep=;``; else (None, 0).

    Spreadsheets write and obey such a line.
    """
    line = re.match(r"sep=([\t;|,])(\r\n|\r|\n)", text)
    return (line[1], len(line[0])) if line else (None, 0)


def infer_delimiter(text: str, *, is_whole_file: bool) -> str:
    """Return the delimiter by which most records have the same number of fields.

    Parameters
    ----------
    text : str
        The beginning of a file.
    is_whole_file : bool
        Whether it is all of the file; otherwise its last record may be cut short.

    Returns
    -------
    str
        One that does not occur where nothing parts the lines: then there is one
        column, and a comma is a decimal sign.
    """
    # A sign within quotation marks, before the closing one, would seem to open some.
    for strict in (True, False):
        best, best_share = "", 0.0
        for delimiter in DELIMITER_CANDIDATES:
            records = parse_first_records(text, delimiter, stops_at_bad_quotes=strict)
            if not is_whole_file and len(records) < SAMPLE_RECORDS:
                records = records[:-1] or records[: not strict]
            share = _agreement(records, delimiter)
            if share > best_share:
                best, best_share = delimiter, share
        if best:
            return best
    absent = [sign for sign in (",", ";", "\t", "|") if sign not in text]
    return (absent or [","])[0]


def _agreement(records: Sequence[Sequence[str]], delimiter: str) -> float:
    """Return the share of records that are as wide as most; 0 if that is one field.

    Titles and notes around a table are narrower than its records.
    """
    if not records:
        return 0.0
    widths = [len(record) for record in records]
    share = widths.count(widths[0]) / len(widths)
    if widths[0] > 1 and share > 0.5:
        return share
    wide = Counter(width for width in widths if width > 1)
    if not wide:
        return 0.0
    width, times = wide.most_common(1)[0]
    if delimiter == "," and width == 2 and not _is_comma_delimiter(records):
        return 0.0
    # Single fields are titles above and notes below, which are few.
    return times / len(widths) if 2 * times >= len(widths) or times > 20 else 0.0


_DECIMALS_PATTERN = re.compile(r"\d+\s*[^\w\s]?")
"""What follows a decimal comma, with a sign such as that of a currency."""


def _is_comma_delimiter(records: Sequence[Sequence[str]]) -> bool:
    """Say whether a comma parts fields, and is neither a decimal sign nor prose."""
    pairs = [record for record in records if len(record) == 2]
    numbers = all(_DECIMALS_PATTERN.fullmatch(pair[1].strip()) for pair in pairs)
    return not numbers and not any(pair[1].startswith(" ") for pair in pairs)


def has_header(records: Sequence[Sequence[str]]) -> bool:
    """Return whether the first record holds column names, by comparison with the rest.

    Words above numbers or dates are names. A first record with numbers is data,
    unless they are years in a row or count the columns. Words above words are names,
    unless half of them come again below.

    Parameters
    ----------
    records : sequence of sequence of str
        The first records, all cells as text.
    """
    first = [cell.strip() for cell in records[0]]
    body = records[1:]
    numbers = [cell for cell in first if _NUMBER_PATTERN.match(cell)]
    if not body:
        return len(numbers) < len([cell for cell in first if cell])
    against = repeated = 0
    for j, cell in enumerate(first):
        below = {record[j].strip() for record in body if j < len(record)}
        below -= {"", *MISSING_WORDS}
        repeated += cell in below
        for pattern in (_NUMBER_PATTERN, _DATE_PATTERN):
            if below and all(map(pattern.match, below)):
                if pattern.match(cell):
                    against += 1
                elif cell and cell not in MISSING_WORDS:
                    return True
    if against or len(numbers) == len(first):
        return _counts_columns(first) or _years_in_a_row(numbers, body)
    return 2 * repeated < len(first)


def _counts_columns(first: Sequence[str]) -> bool:
    """Return whether the cells are 0, 1, 2, ... or 1, 2, 3, ...."""
    return len(first) > 2 and any(
        list(first) == [str(start + j) for j in range(len(first))] for start in (0, 1)
    )


def _years_in_a_row(numbers: Sequence[str], body: Sequence[Sequence[str]]) -> bool:
    """Say whether numbers of the first record are successive years, not data."""
    if len(numbers) < 2 or not all(re.fullmatch(r"(19|20)\d\d", n) for n in numbers):
        return False
    years = [int(number) for number in numbers]
    steps = {after - before for before, after in pairwise(years)}
    n_repetitions = sum(cell.strip() in numbers for record in body for cell in record)
    return len(steps) == 1 and steps.pop() in (-1, 1) and n_repetitions == 0
