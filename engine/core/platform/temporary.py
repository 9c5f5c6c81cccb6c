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
        If it cannot be made, or the block meets a full disk or is refused a file in it.
        Any other OSError of the block is raised as it is.
    """
    private_folder: Path | None = None
    try:
        folder = Path(tempfile.mkdtemp())
        try:
            make_private(folder)
            private_folder = folder
            yield folder
        finally:
            remove_folder_with_retries(folder)
    except OSError as error:
        if private_folder is not None and not _is_error_of(private_folder, error):
            raise
        raise disk_full_error(error.strerror or type(error).__name__) from None


def _is_error_of(folder: Path, error: OSError) -> bool:
    """Return whether an error names a folder or a file of it, or just a full disk."""
    if not isinstance(error.filename, str | bytes):  # of a file that is open
        return error.errno in DISK_FULL_CODES
    path = Path(os.fsdecode(error.filename))
    return folder in (path, *path.parents)


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
