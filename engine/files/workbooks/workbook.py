"""Check that workbooks are whole, unlocked and not too large to open safely."""

from __future__ import annotations

import io
import lzma
import re
import struct
import zipfile
import zlib
from xml.parsers import expat

import numpy as np

from engine.core.errors import InputError
from engine.files.input.source import (
    MAX_UNCHECKED_BYTES,
    MAX_UNPACKED_BYTES,
    InputBytes,
)
from engine.files.workbooks.compound import refuse_unsafe_compound_file

MAX_CELLS = 50_000_000
"""Cells of the rectangle around a sheet's contents, empty ones too."""

ARCHIVE_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    OSError,
    ValueError,
)
"""What zipfile raises on archives that are cut short or tampered with."""

_PIECE_BYTES = 1 << 20
_OVERLAP_BYTES = 5_000
_ROW_PATTERN = re.compile(
    rb"""<(?:\w+:)?row\b[^>]{0,4000}?\sr\s{0,99}=\s{0,99}["']0{0,99}([0-9]{1,12})["']"""
)
_WIDE_PATTERN = re.compile(
    rb"""<(?:\w+:)?c\s[^>]{0,4000}?\br\s{0,99}=\s{0,99}["']([A-Za-z]{1,3})[0-9]"""
)
_WIDE_SHEETS = tuple("sheetData".encode(f"utf-16-{order}") for order in ("le", "be"))
"""Two bytes a sign in a sheet: no program writes that, and nothing here reads it."""


def refuse_unsafe_workbook(source: InputBytes) -> None:
    """Raise if a workbook is locked, broken or too large to open safely.

    The reader sets aside memory for the whole rectangle around a sheet's contents,
    and ends the process when there is none: one stray cell in the far corner is
    enough. So are a few long texts that many cells repeat.

    Raises
    ------
    InputError
        If it is protected by a password, in another format, broken, a zip bomb, or a
        sheet is nearly endless.
    """
    content, name = source.read_bytes(), source.name
    if content.startswith(b"\xd0\xcf\x11\xe0"):
        if "EncryptedPackage".encode("utf-16-le") in content:
            raise _encrypted_error(name)
        if name.lower().endswith(".xls"):
            try:
                refuse_unsafe_compound_file(source)
            except InputError:
                raise
            except (ValueError, IndexError, struct.error):
                raise damaged_workbook_error(name) from None
            return
        raise InputError(
            "File {file!r} is an Excel file of before 2007: give it the suffix .xls.",
            file=name,
        )
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
            source.refuse_bomb(
                sum(member.file_size for member in members), MAX_UNPACKED_BYTES
            )
            if "content.xml" in archive.namelist():
                _refuse_unsafe_document(archive, source)
            n_cells = [  # a sheet may stand anywhere
                _refuse_endless(archive, member, name) for member in members
            ]
            _refuse_repeated_text(archive, max(n_cells, default=0), source)
    except InputError:
        raise
    except (*ARCHIVE_ERRORS, NotImplementedError):
        raise damaged_workbook_error(name) from None
    except RuntimeError:  # an encrypted member, says zipfile
        raise _encrypted_error(name) from None


def _encrypted_error(name: str) -> InputError:
    return InputError(
        "File {file!r} is protected by a password: save it without one.", file=name
    )


def damaged_workbook_error(name: str) -> InputError:
    """Return the error for bytes that are not a valid workbook."""
    if name.lower().endswith(".ods"):
        return InputError(
            "File {file!r} is not a whole OpenDocument spreadsheet (.ods): it may have "
            "been cut short or be in another format, so save it again.",
            file=name,
        )
    return InputError(
        "File {file!r} is not a whole Excel workbook (.xlsx): it may have been cut "
        "short or be in another format, so save it again.",
        file=name,
    )


_STRING_END = re.compile(rb"</(?:\w+:)?si\s*>|<(?:\w+:)?si\s*/>")
_STRING_CELL = re.compile(
    rb"""\bt\s{0,99}=\s{0,99}["']s["'][^>]{0,4000}>(?:[^v]{0,99})v>\s{0,99}(\d{1,9})"""
)


def _refuse_repeated_text(
    archive: zipfile.ZipFile, n_cells: int, source: InputBytes
) -> None:
    """Raise where cells name one long text so often that it would fill memory.

    A workbook holds a text once; whoever reads it holds one for each cell.
    """
    for strings in archive.infolist():
        if not strings.filename.lower().endswith("sharedstrings.xml"):
            continue
        if strings.file_size * n_cells <= MAX_UNCHECKED_BYTES:
            continue
        ends = [each.end() for each in _STRING_END.finditer(archive.read(strings))]
        lengths = np.diff(ends, prepend=0)
        for member in archive.infolist():
            size, tail = 0, b""
            with archive.open(member) as stream:
                while piece := stream.read(_PIECE_BYTES):
                    piece, _, tail = (tail + piece).rpartition(b"</")
                    used = np.array(_STRING_CELL.findall(piece), dtype=np.int64)
                    size += int(lengths[used[used < len(lengths)]].sum())
                    source.refuse_bomb(size)


def _refuse_endless(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str
) -> int:
    """Return the cells of the rectangle in a sheet; raise if they are too many."""
    rows, letters = 0, {b"A"}
    tail = b""
    with archive.open(member) as stream:
        while piece := stream.read(_PIECE_BYTES):
            piece = tail + piece
            if any(sheet in piece for sheet in _WIDE_SHEETS):
                raise damaged_workbook_error(name)
            rows = max([rows, *map(int, _ROW_PATTERN.findall(piece))])
            letters.update(map(bytes.upper, _WIDE_PATTERN.findall(piece)))
            tail = piece[-_OVERLAP_BYTES:]
    columns = max(map(column_number_from_letters, letters))
    if rows * columns > MAX_CELLS:
        raise _too_large_error(name, rows, columns)
    return rows * columns


def _too_large_error(name: str, rows: int, columns: int) -> InputError:
    return InputError(
        "A sheet of file {file!r} reaches to row {rows:,} and column {columns:,}, too "
        "far to be read: delete stray cells below and beside the table, or save it as "
        "CSV.",
        file=name,
        rows=rows,
        columns=columns,
    )


def _refuse_unsafe_document(archive: zipfile.ZipFile, source: InputBytes) -> None:
    """Raise where an OpenDocument is encrypted, or repeats cells without an end."""
    name = source.name
    if "META-INF/manifest.xml" in archive.namelist():
        with archive.open("META-INF/manifest.xml") as stream:
            if b"encryption-data" in stream.read(_PIECE_BYTES):
                raise _encrypted_error(name)
    extent = _Extent()
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler, parser.EndElementHandler = extent.start, extent.end
    parser.CharacterDataHandler = extent.text
    try:
        with archive.open("content.xml") as stream:
            while piece := stream.read(_PIECE_BYTES):
                parser.Parse(piece, False)
                extent.check(source)
            parser.Parse(b"", True)
    except expat.ExpatError:
        raise damaged_workbook_error(name) from None


class _Extent:
    """How far a sheet of an OpenDocument reaches, with all repetitions."""

    def __init__(self) -> None:
        self.rows = self.columns = self._row = self._cell = self._times = 0
        self._reach, self._last, self._open = 0, 1, False
        self.n_bytes = self._row_bytes = self._text_bytes = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Count a row or a cell as often as it is repeated."""
        local = tag.rpartition(" ")[2]
        if local == "table":
            self._row = 0
        elif local == "table-row":
            self._times = _repeat_count(attributes, "number-rows-repeated")
            self._cell = self._reach = self._row_bytes = 0
        elif local in ("table-cell", "covered-table-cell"):
            self._last = _repeat_count(attributes, "number-columns-repeated")
            self._cell += self._last
            self._open, self._text_bytes = True, 0
            if any(key.endswith(("value-type", "formula")) for key in attributes):
                self._reach = self._cell

    def text(self, words: str) -> None:
        """Take a cell with text for one that is filled."""
        self._text_bytes += len(words)
        if self._open and words.strip():
            self._reach = self._cell

    def end(self, tag: str) -> None:
        """Take in what a row comes to: blank ones count once another follows."""
        local = tag.rpartition(" ")[2]
        if local in ("table-cell", "covered-table-cell"):
            self._open = False
            self._row_bytes += self._text_bytes * self._last
        elif local == "table-row":
            self._row += self._times
            self.n_bytes += self._row_bytes * self._times
            if self._reach:
                self.rows = max(self.rows, self._row)
                self.columns = max(self.columns, self._reach)

    def check(self, source: InputBytes) -> None:
        """Raise where a reader would set too much aside."""
        if self.rows * self.columns > MAX_CELLS:
            raise _too_large_error(source.name, self.rows, self.columns)
        source.refuse_bomb(self.n_bytes)


def _repeat_count(attributes: dict[str, str], attribute_name: str) -> int:
    for key, value in attributes.items():
        if key.rpartition(" ")[2] == attribute_name:
            is_count = value.isdecimal() and len(value) < 10
            return int(value) if is_count else MAX_CELLS + 1
    return 1


def column_number_from_letters(letters: bytes) -> int:
    """Return the number of a column, from 1, from its letters, such as AB."""
    number = 0
    for letter in letters:
        number = 26 * number + letter - 64
    return number
