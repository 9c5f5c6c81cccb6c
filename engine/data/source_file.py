"""The input file of a table, kept to release unprotected columns unchanged."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

from engine.core.errors import InputError


@dataclass(frozen=True, eq=False)
class SourceFile:
    """File or upload that a table was read from: name, hash, and path or bytes.

    Attributes
    ----------
    name : str
        File name without folders.
    digest : str
        SHA-256 of the bytes.
    path : Path or None
        Where they are; read again when they are needed, so that memory holds them
        once at most.
    content : bytes or None
        The bytes themselves, where they are not in a file.
    """

    name: str
    digest: str
    path: Path | None = None
    content: bytes | None = field(default=None, repr=False)

    @classmethod
    def from_bytes(cls, name: str, content: bytes) -> SourceFile:
        """Return a source file for an upload, without copying its bytes."""
        return cls(name, hashlib.sha256(content).hexdigest(), content=content)

    def read_bytes(self) -> bytes:
        """Return the file's bytes; raise if they have changed.

        Raises
        ------
        InputError
            If the file is gone, or is not what it was.
        """
        if self.content is not None:
            return self.content
        assert self.path is not None
        try:
            content = self.path.read_bytes()
        except OSError as error:
            raise InputError(
                "File {file!r} cannot be read again ({reason}), but columns that are "
                "not protected are taken from it: put it back, or read it anew.",
                file=self.name,
                reason=(error.strerror or type(error).__name__).lower(),
            ) from None
        if hashlib.sha256(content).hexdigest() != self.digest:
            raise InputError(
                "File {file!r} has changed since it was read: read it anew.",
                file=self.name,
            )
        return content
