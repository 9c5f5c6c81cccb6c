"""Temporary folders, with a clear error if the disk is full."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.core.errors import InputError
from engine.core.platform.files import make_private, remove_folder_with_retries

DISK_FULL_CODES = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""Error numbers of a disk, or of somebody's share of it, that has no room left."""


class DiskFullError(InputError):
    """Error that temporary files cannot be written, mostly because the disk is full."""


@contextmanager
def open_temporary_folder() -> Iterator[Path]:
    """Yield a temporary folder, deleted after the with block.

    Raises
    ------
    DiskFullError
        For any OSError within the block: it is taken for one of this folder.
    """
    try:
        folder = Path(tempfile.mkdtemp())
        try:
            make_private(folder)
            yield folder
        finally:
            remove_folder_with_retries(folder)
    except OSError as error:
        raise disk_full_error(error.strerror or type(error).__name__) from None


def disk_full_error(reason: str) -> DiskFullError:
    """Return the error for temporary files that cannot be written."""
    try:
        folder = tempfile.gettempdir()
    except OSError:
        folder = os.environ.get("TMPDIR", "/tmp")
    return DiskFullError(
        "The folder for temporary files, {folder}, cannot be written to ({reason}): "
        "make room there, or name another one (TMPDIR).",
        folder=folder,
        reason=reason.lower(),
    )
