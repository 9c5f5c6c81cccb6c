"""Import modules that lie packed in their files, which have their usual names.

A packed file is zlib's form of what it would be. The folder's Python imports this when
it starts, as ``packed_modules.pth`` asks; its own modules that come before are as ever.
"""

from __future__ import annotations

import sys
import zlib
from importlib.machinery import (
    BYTECODE_SUFFIXES,
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    SourceFileLoader,
    SourcelessFileLoader,
)

MARK = b"x\xda"
"""First bytes of what is packed: no source and no compiled code begins with them."""


def pack(data: bytes) -> bytes:
    """Return the bytes of a packed file."""
    return zlib.compress(data, 9)


def _unpack(path: str, data: bytes) -> bytes:
    is_packed = path.endswith((".py", ".pyc")) and data.startswith(MARK)
    return zlib.decompress(data) if is_packed else data


class _SourceLoader(SourceFileLoader):
    def get_data(self, path: str) -> bytes:
        return _unpack(path, super().get_data(path))

    def path_stats(self, path: str) -> dict[str, float]:
        """Tell the length of the source, which is kept where it is compiled."""
        return {**super().path_stats(path), "size": len(self.get_data(path))}


class _CodeLoader(SourcelessFileLoader):
    def get_data(self, path: str) -> bytes:
        return _unpack(path, super().get_data(path))


def install() -> None:
    """Have this Python find packed modules; its last hook is that for folders."""
    sys.path_hooks[-1] = FileFinder.path_hook(
        (ExtensionFileLoader, EXTENSION_SUFFIXES),
        (_SourceLoader, SOURCE_SUFFIXES),
        (_CodeLoader, BYTECODE_SUFFIXES),
    )
    sys.path_importer_cache.clear()
