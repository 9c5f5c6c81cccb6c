"""Bytes of an input file, from a path or an upload."""

from __future__ import annotations

import os
from dataclasses import dataclass
from io import BufferedIOBase
from pathlib import Path, PurePath
from typing import IO

from engine.core.errors import InputError
from engine.core.platform.files import read_unchanging_file, retry_while_held

MAX_UNFOLDING = 200
"""Times its size to which a file may unfold; nothing but a bomb does more."""

MAX_UNCHECKED_BYTES = 100 << 20
"""Bytes to which any file may unfold."""

MAX_UNPACKED_BYTES = 4 << 30
"""Bytes to which a packed file may unfold; larger ones, people unpack themselves."""

_PIECE_BYTES = 1 << 20


@dataclass(frozen=True)
class InputBytes:
    """An input file: name, path or content, and the size of the archive it came in.

    Attributes
    ----------
    name : str
        File name without folders, for messages.
    path : Path, optional
        Where the file is.
    content : bytes, optional
        What is read already, or an upload.
    packed_bytes : int, optional
        Size of the archive that it came in.
    """

    name: str
    path: Path | None = None
    content: bytes | None = None
    packed_bytes: int | None = None

    @property
    def suffix(self) -> str:
        """File name's suffix in lower case, with the dot."""
        return PurePath(self.name).suffix.lower()

    def check_readable(self) -> None:
        """Raise if the file does not exist or cannot be opened.

        Raises
        ------
        InputError
        """
        path = self.path
        if path is None:
            return
        try:
            retry_while_held(lambda: path.open("rb").close())
        except OSError as error:
            raise self._unreadable_error(error) from None

    def _unreadable_error(self, error: OSError) -> InputError:
        if self.path is not None and os.path.isdir(self.path):
            return InputError(
                "{path!r} is a folder: name a file in it.", path=str(self.path)
            )
        if isinstance(error, FileNotFoundError):
            return InputError(
                "There is no file called {path!r}: check its name and folder.",
                path=str(self.path),
            )
        return InputError(
            "File {file!r} cannot be opened ({reason}): check that "
            "it is a file that you may read.",
            file=self.name,
            reason=error.strerror or type(error).__name__,
        )

    @property
    def n_bytes(self) -> int:
        """How many bytes the file has."""
        if self.content is None and self.path is not None:
            return self.path.stat().st_size
        return len(self.content or b"")

    def refuse_bomb(self, n_bytes: int, max_bytes: int | None = None) -> None:
        """Raise if so many bytes in memory are too many for a file of this size.

        Parameters
        ----------
        n_bytes : int
            What it unfolds to, or has so far.
        max_bytes : int, optional
            A bound whatever its size.

        Raises
        ------
        InputError
        """
        packed = self.packed_bytes or self.n_bytes
        limit = max(MAX_UNCHECKED_BYTES, MAX_UNFOLDING * packed)
        limit = limit if max_bytes is None else min(limit, max_bytes)
        if n_bytes > limit:
            raise InputError(
                "File {file!r} of {packed:,.1f} MB would unfold to more than "
                "{most:,.0f} MB, which is not safe to open: unpack it, or save the "
                "table as CSV, and choose that file.",
                file=self.name,
                packed=packed / 1e6,
                most=limit / 1e6,
            )

    def read_unpacked(self, stream: IO[bytes] | BufferedIOBase) -> bytes:
        """Return all bytes of a stream that unpacks this file.

        Raises
        ------
        InputError
            If there are too many of them; see :meth:`refuse_bomb`.
        """
        pieces, size = [], 0
        while piece := stream.read(_PIECE_BYTES):
            size += len(piece)
            self.refuse_bomb(size, MAX_UNPACKED_BYTES)
            pieces.append(piece)
        return b"".join(pieces)

    def read_bytes(self) -> bytes:
        """Return all bytes.

        Raises
        ------
        InputError
            If the file does not exist, cannot be read, is empty or changes meanwhile.
        """
        content = self.content
        if content is None:
            assert self.path is not None
            try:
                content = read_unchanging_file(self.path)
            except OSError as error:
                raise self._unreadable_error(error) from None
        if not content:
            raise InputError(
                "File {file!r} is empty: choose a file with data.", file=self.name
            )
        return content
