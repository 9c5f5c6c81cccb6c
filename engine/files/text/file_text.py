"""Text of a file that is read piece by piece, where a function takes bytes."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from engine.core.platform.system_errors import name_file_in_errors

PIECE_BYTES = 1 << 22
"""Bytes that are in memory at once while a text is searched."""


@dataclass(frozen=True)
class FileText:
    """A range of a file's bytes, with those methods of bytes that reading text needs.

    Attributes
    ----------
    path : Path
    begin, end : int
        First byte in the file, and the byte behind the last one.
    """

    path: Path
    begin: int
    end: int

    @classmethod
    def of_file(cls, path: Path) -> FileText:
        """Return the text of a whole file."""
        return cls(path, 0, path.stat().st_size)

    def __len__(self) -> int:
        return self.end - self.begin

    def __getitem__(self, place: slice) -> bytes:
        first, last, _ = place.indices(len(self))
        with name_file_in_errors(self.path), self.path.open("rb") as stream:
            stream.seek(self.begin + first)
            return stream.read(max(last - first, 0))

    def __contains__(self, byte: bytes) -> bool:
        return self.find(byte) >= 0

    def part(self, first: int, last: int) -> FileText:
        """Return a range of this text as a text of its own."""
        return FileText(self.path, self.begin + first, self.begin + last)

    def iterate_pieces(
        self, start: int = 0, end: int | None = None
    ) -> Iterator[tuple[int, bytes]]:
        """Yield pieces of the text, each with its place."""
        end = len(self) if end is None else min(end, len(self))
        with self.path.open("rb") as stream:
            stream.seek(self.begin + start)
            while start < end:
                with name_file_in_errors(self.path):
                    piece = stream.read(min(PIECE_BYTES, end - start))
                if not piece:
                    return
                yield start, piece
                start += len(piece)

    def count(self, byte: bytes, start: int = 0, end: int | None = None) -> int:
        """Return how often a byte occurs."""
        return sum(piece.count(byte) for _, piece in self.iterate_pieces(start, end))

    def find(self, byte: bytes, start: int = 0, end: int | None = None) -> int:
        """Return the first place of a byte; -1 if there is none."""
        for at, piece in self.iterate_pieces(start, end):
            if (place := piece.find(byte)) >= 0:
                return at + place
        return -1

    def index(self, byte: bytes, start: int = 0) -> int:
        """Return the first place of a byte; raise ValueError if there is none."""
        if (place := self.find(byte, start)) < 0:
            raise ValueError("subsection not found")
        return place

    def startswith(self, prefix: bytes | tuple[bytes, ...]) -> bool:
        """Return whether the text begins with a prefix, or one of several."""
        return self[:16].startswith(prefix)

    def endswith(self, suffix: bytes) -> bool:
        """Return whether the text ends with a suffix."""
        return self[max(0, len(self) - len(suffix)) :] == suffix

    def rstrip(self, signs: bytes) -> FileText:
        """Return the text without these bytes at its end."""
        end = len(self)
        while end:
            first = max(0, end - PIECE_BYTES)
            kept = len(self[first:end].rstrip(signs))
            if kept or not first:
                return self.part(0, first + kept)
            end = first
        return self.part(0, 0)

    def removeprefix(self, prefix: bytes) -> FileText:
        """Return the text without a prefix."""
        return self.part(len(prefix) if self.startswith(prefix) else 0, len(self))


class _RangeStream(io.RawIOBase):
    """A stream of a text's bytes."""

    def __init__(self, text: FileText) -> None:
        super().__init__()
        self._left, self._path = len(text), text.path
        self._stream = text.path.open("rb")
        self._stream.seek(text.begin)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        room = memoryview(buffer)[: self._left]
        with name_file_in_errors(self._path):
            size = self._stream.readinto(room)
        self._left -= size
        return size

    def close(self) -> None:
        self._stream.close()
        super().close()


def open_text(
    text: bytes | FileText, start: int, end: int
) -> io.BytesIO | io.BufferedReader:
    """Return a stream of a range of a text's bytes."""
    if isinstance(text, FileText):
        return io.BufferedReader(_RangeStream(text.part(start, end)), 1 << 16)
    return io.BytesIO(memoryview(text)[start:end])
