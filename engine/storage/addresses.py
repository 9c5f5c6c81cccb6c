"""Addresses of files and folders in stores such as S3, beside local paths.

An address has those methods of a path that reading needs, so that what reads files
need not know where they are. fsspec (https://filesystem-spec.readthedocs.io) knows the
stores, and finds credentials where their own programs look for them.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from types import SimpleNamespace
from typing import Any

from engine.core.errors import EngineError, InputError, ParameterError

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")

_VERSION_KEYS = (
    *("ETag", "etag", "md5Hash", "generation", "mtime", "LastModified"),
    *("last_modified", "updated", "modified", "created"),
)
"""What stores call that by which one content of a file is told from another."""


@dataclass(frozen=True, order=True, repr=False)
class Address:
    """A file or folder of a store.

    Attributes
    ----------
    text : str
        As it was named, perhaps with credentials; ``str`` has none of them.
    """

    text: str

    def __str__(self) -> str:
        return re.sub("//[^/@]*@", "//", self.text.partition("?")[0])

    __repr__ = __str__

    @property
    def name(self) -> str:
        """Last part of the address."""
        return PurePosixPath(str(self).partition("://")[2]).name

    @property
    def suffix(self) -> str:
        """Suffix of the name, with the dot."""
        return PurePosixPath(self.name).suffix

    def __truediv__(self, name: str) -> Address:
        return self.with_ending(f"/{name}")

    def with_ending(self, ending: str) -> Address:
        """Return the address with something behind its name."""
        head, mark, query = self.text.partition("?")
        return Address(f"{head.rstrip('/')}{ending}{mark}{query}")

    def absolute(self) -> Address:
        """Return the address itself."""
        return self

    def locate(self) -> tuple[Any, str]:
        """Return the store as an fsspec file system, and the place in it.

        Raises
        ------
        ParameterError
            If nothing that is installed knows such addresses.
        InputError
            If the store does not answer.
        """
        scheme = self.text.partition("://")[0].lower()
        with explain_store_errors(self):
            try:
                import fsspec

                if scheme not in fsspec.available_protocols():
                    raise ParameterError(
                        "There are no addresses of {scheme}://: name a path, or an "
                        "address such as s3://bucket/folder.",
                        scheme=scheme,
                    )
                found: tuple[Any, str] = fsspec.core.url_to_fs(self.text)
            except ImportError:
                raise ParameterError(
                    "Addresses of {scheme}:// take a package that is not installed: "
                    "run pip install 'coterie[cloud]' for s3://, or for others the "
                    "package that fsspec names.",
                    scheme=scheme,
                ) from None
        return found

    def stat(self) -> SimpleNamespace:
        """Return size and version, by the names that a path's status has them."""
        store, place = self.locate()
        with explain_store_errors(self):
            store.invalidate_cache()
            found = store.info(place)
        version = repr([found.get(key) for key in _VERSION_KEYS]).encode()
        mark = int.from_bytes(hashlib.sha256(version).digest()[:7])
        return SimpleNamespace(st_size=int(found["size"] or 0), st_mtime_ns=mark)

    def _kind(self) -> str:
        """Return what the store says it is, such as "directory"; "" if nothing."""
        store, place = self.locate()
        with explain_store_errors(self):
            store.invalidate_cache()
            try:
                return str(store.info(place)["type"])
            except FileNotFoundError:
                return ""

    def exists(self) -> bool:
        """Return whether there is a file or a folder that holds something."""
        store, place = self.locate()
        with explain_store_errors(self):
            store.invalidate_cache()
            return bool(store.exists(place))

    def is_dir(self) -> bool:
        """Return whether it is a folder."""
        return self._kind() == "directory"

    def is_file(self) -> bool:
        """Return whether it is a file."""
        return self._kind() not in ("", "directory")

    def iterdir(self) -> Iterator[Address]:
        """Yield what is in the folder."""
        store, place = self.locate()
        with explain_store_errors(self):
            inside = store.ls(place, detail=False)
        for each in inside:
            if each.strip("/") != place.strip("/"):  # some stores have a mark for it
                yield self / each.rstrip("/").rpartition("/")[2]

    def open(self, mode: str = "rb") -> io.RawIOBase:
        """Return the file, open for reading."""
        assert mode == "rb"
        store, place = self.locate()
        with explain_store_errors(self):
            return _StoreFile(store.open(place, "rb", cache_type="none"), self)


class _StoreFile(io.RawIOBase):
    """A file of a store, open for reading, whose errors say what to do."""

    def __init__(self, file: Any, address: Address) -> None:
        self._file, self._address = file, address

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        with explain_store_errors(self._address):
            content = self._file.read(len(buffer))
        buffer[: len(content)] = content
        return len(content)

    def seek(self, offset: int, whence: int = 0) -> int:
        return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        return int(self._file.tell())

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()


Place = Path | Address
"""A file or folder, on this machine or in a store."""


def to_place(named: str | Path | Address) -> Place:
    """Return the place that somebody has named; ``file://`` is a path as any other."""
    if not isinstance(named, str):
        return named
    if not _SCHEME.match(named):
        return Path(named)
    from urllib.parse import urlsplit
    from urllib.request import url2pathname  # with much of the network

    parts = urlsplit(named)
    if parts.scheme == "file" and parts.netloc in ("", "localhost"):
        return Path(url2pathname(parts.path))
    return Address(named)


@contextmanager
def explain_store_errors(address: Address) -> Iterator[None]:
    """Context manager that turns a store's errors into one sentence.

    What a store says itself is not repeated: there may be secrets in it.

    Raises
    ------
    InputError
    """
    try:
        yield
    except EngineError:
        raise
    except FileNotFoundError:
        raise InputError(
            "There is nothing at {address}: check the names of bucket, folder and "
            "file.",
            address=str(address),
        ) from None
    except Exception as error:
        kind = type(error).__name__
        if isinstance(error, PermissionError) or "Credential" in kind:
            raise InputError(
                "The store refuses access to {address}: check your credentials, and "
                "what they allow.",
                address=str(address),
            ) from None
        raise InputError(
            "The store of {address} does not answer as it should ({reason}): check "
            "the address and the network, and repeat the run.",
            address=str(address),
            reason=kind,
        ) from None
