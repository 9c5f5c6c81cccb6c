"""Source of a file's bytes: a path, or an upload."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePath

from engine.core.errors import InputError


@dataclass(frozen=True)
class FileSource:
    """Bytes to read: a file, or an upload.

    Attributes
    ----------
    name : str
        File name without folders, for messages.
    path : Path, optional
    content : bytes, optional
        One of `path` and `content` is given.
    """

    name: str
    path: Path | None = None
    content: bytes | None = None

    @property
    def suffix(self) -> str:
        """The name's suffix in lower case, with the dot."""
        return PurePath(self.name).suffix.lower()

    def check_readable(self) -> None:
        """Raise unless there is a file that can be opened.

        Raises
        ------
        InputError
        """
        path = self.path
        if path is None:
            return
        try:
            if path.is_dir():
                raise InputError(
                    "{path!r} is a folder: name a file in it.", path=str(path)
                )
            path.open("rb").close()
        except FileNotFoundError:
            raise InputError(
                "There is no file called {path!r}: check its name and folder.",
                path=str(path),
            ) from None
        except OSError as error:
            raise InputError(
                "File {file!r} cannot be opened ({reason}): check that "
                "it is a file that you may read.",
                file=self.name,
                reason=error.strerror,
            ) from None

    def read_bytes(self) -> bytes:
        """Return all bytes.

        Raises
        ------
        InputError
            If the file does not exist, cannot be opened or is empty.
        """
        self.check_readable()
        content = self.content
        if content is None:
            assert self.path is not None
            content = self.path.read_bytes()
        if not content:
            raise InputError(
                "File {file!r} is empty: choose a file with data.", file=self.name
            )
        return content
