"""Check .xls workbooks for damage and excessive size before they are read.

Such a file is a compound file: sectors that tables chain to streams, of which one is
the workbook's records. The reader sets memory aside for whatever they say, and ends the
process when there is none.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

import numpy as np

from engine.files.input.source import InputBytes

_LAST_SECTOR = 0xFFFFFFFA
"""Numbers from which on a sector is none, but the end of a chain or the like."""

_ENTRY_BYTES, _MINI_BYTES, _MINI_CUTOFF = 128, 64, 4096
"""Bytes of an entry, of a small sector, and of streams from which on
they are in large ones.
"""

_STREAM_NAMES = ("Workbook", "Book")

_BEGIN_OF_STREAM, _SHARED_STRINGS, _SEVERAL_NUMBERS = 0x0809, 0x00FC, 0x00BD
_SHEET = 0x0085
_EXTENT, _SHORT_EXTENT_BYTES = 0x0200, 10
_CELLS = frozenset({0x0006, 0x00FD, 0x0203, 0x0204, 0x0205, 0x027E, 0x00D6, 0x00BD})
"""Records that hold a cell: its row, its column, and what is in it."""

MAX_ROWS, MAX_COLUMNS = 65_536, 256
"""Rows and columns of a sheet of such a workbook."""

CELL_BYTES = 8
"""Bytes of a cell in memory, at least, be it empty."""


def refuse_unsafe_compound_file(source: InputBytes) -> None:
    """Raise if an .xls workbook is damaged, or its cells would take too much memory.

    Raises
    ------
    InputError
        If its cells span far more than it holds.
    ValueError, IndexError, struct.error
        If its tables or records contradict each other.
    """
    box: tuple[int, int, int, int] | None = None
    stream = _CompoundFile(source.read_bytes()).workbook()
    for kind, body in _read_records(stream):
        if kind == _BEGIN_OF_STREAM:
            box = None
        elif kind == _SHARED_STRINGS:
            _total, n_texts = struct.unpack_from("<II", body)
            if n_texts > source.n_bytes:
                raise ValueError("more texts than bytes")
        elif kind == _SHEET and struct.unpack_from("<I", body)[0] >= len(stream):
            raise ValueError("a sheet that begins nowhere")
        elif kind == _EXTENT:
            form = "<IIHH" if len(body) > _SHORT_EXTENT_BYTES else "<HHHH"
            row, end_row, column, end_column = struct.unpack_from(form, body)
            if not (row <= end_row <= MAX_ROWS and column <= end_column <= MAX_COLUMNS):
                raise ValueError("an extent that no sheet has")
        elif kind in _CELLS:
            row, column = struct.unpack_from("<HH", body)
            if kind == _SEVERAL_NUMBERS:
                column = max(column, *struct.unpack_from("<H", body, len(body) - 2))
            if column >= MAX_COLUMNS:
                raise ValueError("a column that no sheet has")
            top, left, bottom, right = box or (row, column, row, column)
            grown = (
                min(top, row),
                min(left, column),
                max(bottom, row),
                max(right, column),
            )
            if grown != box:
                box = grown
                n_cells = (box[2] - box[0] + 1) * (box[3] - box[1] + 1)
                source.refuse_bomb(CELL_BYTES * n_cells)


def _read_records(stream: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the records of a workbook's stream: what kind, and what they hold."""
    place = 0
    while place + 4 <= len(stream):
        kind, size = struct.unpack_from("<HH", stream, place)
        place += 4
        if place + size > len(stream):
            raise ValueError("a record that is cut short")
        yield kind, stream[place : place + size]
        place += size


class _CompoundFile:
    """Sectors of a compound file, and the chains of its streams."""

    def __init__(self, content: bytes) -> None:
        header = struct.unpack_from("<HH", content, 30)
        if header not in ((9, 6), (12, 6)):
            raise ValueError("sectors of no known size")
        self._content, self._size = content, 1 << header[0]
        self._n_sectors = len(content) // self._size
        n_tables, entries_sector = struct.unpack_from("<II", content, 44)
        cutoff, self._small, n_small, more, n_more = struct.unpack_from(
            "<5I", content, 56
        )
        if cutoff != _MINI_CUTOFF or max(n_tables, n_small, n_more) > self._n_sectors:
            raise ValueError("more sectors than there are")
        tables = list(struct.unpack_from("<109I", content, 76))
        for _ in range(n_more):
            *listed, more = struct.unpack(f"<{self._size // 4}I", self._sector(more))
            tables += listed
        self._next = self._join_numbers(tables[:n_tables])
        self._entries = self._read_chain(entries_sector)
        if not self._entries:
            raise ValueError("no entries")

    def workbook(self) -> bytes:
        """Return the stream of the workbook's records; raise ValueError if none."""
        stream = b""
        for place in range(0, len(self._entries), _ENTRY_BYTES):
            entry = self._entries[place : place + _ENTRY_BYTES]
            n_name, kind = struct.unpack_from("<HB", entry, 64)
            start, size = struct.unpack_from("<II", entry, 116)
            if kind not in (2, 5):
                continue
            if size > len(self._content) or n_name > 64:
                raise ValueError("a stream longer than the file")
            name = entry[: max(0, n_name - 2)].decode("utf-16-le")
            if kind == 2 and name in _STREAM_NAMES:
                stream = stream or self._read_stream(start, size)
        if not stream:
            raise ValueError("no workbook")
        return stream

    def _read_stream(self, start: int, size: int) -> bytes:
        if size >= _MINI_CUTOFF:
            stream = self._read_chain(start)
        else:
            (root,) = struct.unpack_from("<I", self._entries, 116)
            small, table = self._read_chain(root), self._read_chain(self._small)
            following = np.frombuffer(table, "<u4")
            stream = b"".join(
                small[at * _MINI_BYTES : (at + 1) * _MINI_BYTES]
                for at in self._follow(start, following)
            )
        if len(stream) < size:
            raise ValueError("a stream that is cut short")
        return stream[:size]

    def _read_chain(self, start: int) -> bytes:
        return b"".join(map(self._sector, self._follow(start, self._next)))

    def _follow(self, start: int, following: np.ndarray) -> Iterator[int]:
        """Yield the numbers of the sectors of a chain, which has an end."""
        for _ in range(following.size + 1):
            if start >= _LAST_SECTOR:
                return
            yield start
            if start >= following.size:
                raise ValueError("a sector that does not exist")
            start = int(following[start])
        raise ValueError("sectors in a circle")

    def _sector(self, number: int) -> bytes:
        place = (number + 1) * self._size
        sector = self._content[place : place + self._size]
        if len(sector) < self._size:
            raise ValueError("a sector that is cut short")
        return sector

    def _join_numbers(self, sectors: list[int]) -> np.ndarray:
        return np.frombuffer(b"".join(map(self._sector, sectors)), "<u4")
