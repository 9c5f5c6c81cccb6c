"""Locks, owners, replacing and durable writing of files, on every system."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from pathlib import Path

_HELD_BY_OTHERS = (5, 32, 33)
"""Errors of Windows: access denied, sharing violation, lock violation."""

MAX_REPLACE_SECONDS = 2.0
"""Seconds for which a file is tried that another program, such as a virus scanner,
holds open."""


def try_lock(descriptor: int) -> bool:
    """Lock an open file, until it is closed or the process ends, if nobody else has.

    Raises
    ------
    OSError
        If the file system has no locks.
    """
    from filelock import lock_descriptor  # a fiftieth of a second

    return lock_descriptor(descriptor, blocking=False)


def is_owned_by_user(folder: Path) -> bool:
    """Return whether a folder is this user's own.

    On Windows it is taken to be: temporary and cache folders lie in the user's profile.

    Raises
    ------
    OSError
        If there is no such folder.
    """
    owner = folder.stat().st_uid
    return sys.platform == "win32" or owner == os.getuid()


def replace_path(source: str | Path, target: str | Path) -> None:
    """Move a file or folder over another in one step.

    Windows refuses this as long as another program has one of them open: it is tried
    again for :data:`MAX_REPLACE_SECONDS`.

    Raises
    ------
    OSError
    """
    limit = time.monotonic() + MAX_REPLACE_SECONDS
    while True:
        try:
            os.replace(source, target)
            return
        except PermissionError as error:
            held = getattr(error, "winerror", None) in _HELD_BY_OTHERS
            if not held or time.monotonic() > limit:
                raise
        time.sleep(0.02)


def sync_folder(folder: Path) -> None:
    """Have the system write down which files a folder has; Windows does so itself."""
    if sys.platform == "win32":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def user_cache_folder() -> Path | None:
    """Return where this user's programs keep what they can make again, if anywhere."""
    from platformdirs import user_cache_path

    with contextlib.suppress(RuntimeError, OSError):
        folder = user_cache_path("coterie", appauthor=False)
        if folder.is_absolute():
            return folder
    return None
