"""Bytes of an input file, from a path or an upload."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path, PurePath

from engine.core.errors import InputError
from engine.core.platform.files import read_unchanging_file


@dataclass(frozen=True)
class FileSource:
    """Input bytes: the path of a file, or an upload's content.

    Attributes
    ----------
    name : str
        File name without folders, for messages.
    path : Path, optional
        Where the file is.
    content : bytes, optional
        What is read already, or an upload.
    """

    name: str
    path: Path | None = None
    content: bytes | None = None

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
        if self.path is None:
            return
        try:
            self.path.open("rb").close()
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
