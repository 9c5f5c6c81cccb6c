"""What a text file does not say about itself: encoding, delimiter, header."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from engine.errors import InputError
from engine.files.convert import MISSING_WORDS

DELIMITERS = ("\t", ";", "|", ",")
"""Tried in this order: a comma is also a decimal sign, so it comes last."""

SAMPLE_BYTES = 1 << 20
SAMPLE_RECORDS = 500
_CHUNK = 1 << 24

_SIGNATURES = (
    (b"PK\x03\x04", "a workbook or another zip archive"),
    (b"PAR1", "a Parquet file"),
    (b"\xd0\xcf\x11\xe0", "an old Excel file or another Office document"),
    (b"\x1f\x8b", "a compressed file"),
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"$FL2", "an SPSS file"),
    (b"<stata_dta>", "a Stata file"),
)

_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?$")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}$")


def refuse_binary(content: bytes, name: str) -> None:
    """Raise if the bytes are no text.

    Raises
    ------
    InputError
        With what they seem to be instead.
    """
    for signature, what in _SIGNATURES:
        if content.startswith(signature):
            raise InputError(
                f"File {name!r} is {what}, not delimited text: give it the suffix of "
                "its format, or save it as CSV."
            )
    head = content[:65_536]
    control = sum(head.count(byte) for byte in range(32) if byte not in b"\t\n\r\f")
    if control > len(head) // 100 or b"\0" in content:
        raise InputError(
            f"File {name!r} is not text but binary: save it as CSV, or name its "
            "encoding (such as utf-16-le) if it is text."
        )


def find_encoding(content: bytes, name: str) -> str:
    """Return the encoding: by its mark, else UTF-8 if it can be, else cp1252.

    Raises
    ------
    InputError
        If the bytes are binary, or text in no encoding that can be told apart.
    """
    if content.startswith(codecs.BOM_UTF8):
        encoding = "utf-8-sig"
    elif content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    else:
        encoding = "utf-8"
    refuse_binary(content, name)
    if first_undecodable(content, encoding) is None:
        return encoding
    bad = first_undecodable(content, "cp1252")
    if bad is None:
        return "cp1252"
    line = content.count(b"\n", 0, bad) + 1
    raise InputError(
        f"File {name!r} is written neither in UTF-8 nor in Windows-1252 (line "
        f"{line:,}): name its encoding, for instance cp1250."
    )


def first_undecodable(content: bytes, encoding: str) -> int | None:
    """Return the place of the first byte that `encoding` cannot read, if any."""
    decoder = codecs.getincrementaldecoder(encoding)()
    for start in range(0, len(content), _CHUNK):
        try:
            pending = len(decoder.getstate()[0])
            decoder.decode(
                content[start : start + _CHUNK], start + _CHUNK >= len(content)
            )
        except UnicodeDecodeError as error:
            return max(0, start - pending + error.start)
    return None


class Lines:
    """Lines of text with their ends, counting the characters handed out.

    Parameters
    ----------
    text : str
    """

    def __init__(self, text: str) -> None:
        self._lines = io.StringIO(text, newline="")
        self.characters = 0

    def __iter__(self) -> Iterator[str]:
        for line in self._lines:
            self.characters += len(line)
            yield line


def records(text: str, delimiter: str, limit: int = SAMPLE_RECORDS) -> list[list[str]]:
    """Return the first records of delimited text, without blank lines."""
    found: list[list[str]] = []
    try:
        for record in csv.reader(Lines(text), delimiter=delimiter):
            if record:
                found.append(record)
                if len(found) == limit:
                    break
    except csv.Error:  # a field without end: what came before it must do
        pass
    return found


def find_delimiter(text: str, *, whole: bool) -> str:
    """Return the delimiter under which records agree best with the first one.

    Parameters
    ----------
    text : str
        The beginning of a file.
    whole : bool
        Whether it is all of the file; otherwise its last record may be cut short.

    Returns
    -------
    str
        One that does not occur where nothing parts the lines: then there is one
        column, and a comma is a decimal sign.
    """
    absent = [sign for sign in (",", ";", "\t", "|") if sign not in text]
    best, best_share = (absent or [","])[0], 0.0
    for delimiter in DELIMITERS:
        widths = [len(record) for record in records(text, delimiter)]
        if not whole and len(widths) < SAMPLE_RECORDS:
            widths = widths[:-1]
        share = _agreement(widths, delimiter)
        if share > best_share:
            best, best_share = delimiter, share
    return best


def _agreement(widths: Sequence[int], delimiter: str) -> float:
    """Return the share of records as wide as the first; 0 if it is one field."""
    if not widths:
        return 0.0
    if widths[0] > 1:
        return widths.count(widths[0]) / len(widths)
    # A title above the table: worth finding, so that the error names its line.
    # Two fields prove nothing for a comma, which may be a decimal sign.
    width, times = Counter(widths).most_common(1)[0]
    if len(widths) > 2 and width > (2 if delimiter == "," else 1):
        return 0.5 * (times >= 0.9 * (len(widths) - 1))
    return 0.0


def has_header(sample: Sequence[Sequence[str]]) -> bool:
    """Say whether the first record holds names, judging by the others.

    Words above numbers or dates are names. A first record with numbers is data,
    unless they are years in a row or count the columns. Words above words are names,
    unless most of them come again below.

    Parameters
    ----------
    sample : sequence of sequence of str
        The first records, all cells as text.
    """
    first = [cell.strip() for cell in sample[0]]
    body = sample[1:]
    numbers = [cell for cell in first if _NUMBER.match(cell)]
    if not body:
        return len(numbers) < len([cell for cell in first if cell])
    against = repeated = 0
    for j, cell in enumerate(first):
        below = {record[j].strip() for record in body if j < len(record)}
        below -= {"", *MISSING_WORDS}
        repeated += cell in below
        for pattern in (_NUMBER, _DATE):
            if below and all(map(pattern.match, below)):
                if pattern.match(cell):
                    against += 1
                elif cell and cell not in MISSING_WORDS:
                    return True
    if against or len(numbers) == len(first):
        return _counts_columns(first) or _years_in_a_row(numbers, body)
    return 2 * repeated < len(first)


def _counts_columns(first: Sequence[str]) -> bool:
    """Say whether the cells are 0, 1, 2, ... or 1, 2, 3, ..., as programs name."""
    return len(first) > 2 and any(
        list(first) == [str(start + j) for j in range(len(first))] for start in (0, 1)
    )


def _years_in_a_row(numbers: Sequence[str], body: Sequence[Sequence[str]]) -> bool:
    """Say whether numbers of the first record are successive years, not data."""
    if len(numbers) < 2 or not all(re.fullmatch(r"(19|20)\d\d", n) for n in numbers):
        return False
    years = [int(number) for number in numbers]
    steps = {after - before for before, after in pairwise(years)}
    again = sum(cell.strip() in numbers for record in body for cell in record)
    return len(steps) == 1 and steps.pop() in (-1, 1) and again == 0
