"""Zip archives of a project's parts: deterministic writing, guarded reading."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Mapping

from dashboard.i18n import text_session
from engine.core.errors import InputError

MAX_UNPACKED_BYTES = 2**30
"""Bytes that all parts may have together, unpacked."""

MAX_PARTS = 10_000

_EARLIEST_ZIP_TIME = (1980, 1, 1, 0, 0, 0)
"""The earliest moment that a zip file knows; when it was written is not told."""


def pack_archive(parts: Mapping[str, bytes]) -> bytes:
    """Return a zip file of named parts; the same parts give the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in sorted(parts.items()):
            info = zipfile.ZipInfo(name, _EARLIEST_ZIP_TIME)
            info.external_attr = 0o600 << 16
            info.create_system = 3
            archive.writestr(info, content, zipfile.ZIP_DEFLATED, 6)
    return buffer.getvalue()


def unpack_archive(content: bytes) -> Mapping[str, bytes]:
    """Return the named parts of an untrusted zip file; raise if bad or too large.

    Raises
    ------
    InputError
        If it is none, is damaged, is locked with a password, or would be too large.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            infos = archive.infolist()
            size = sum(info.file_size for info in infos)
            if size > MAX_UNPACKED_BYTES or len(infos) > MAX_PARTS:
                raise InputError(text_session.PROJECT_TOO_LARGE)
            # No more is read of a part than it says to have.
            return {info.filename: archive.read(info) for info in infos}
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(text_session.PROJECT_CUT) from None
    except (RuntimeError, NotImplementedError):
        raise InputError(text_session.PROJECT_LOCKED) from None
