"""File operations: lock, check owner, read, replace, remove, sync, find cache."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from engine.core.errors import InputError

_HELD_BY_OTHERS = (5, 32, 33)
"""Errors of Windows: access denied, sharing violation, lock violation."""

MAX_HELD_SECONDS = 2.0
"""Seconds for which a file is tried that another program, such as a virus scanner,
holds open."""

_MAX_FOLDER_TRIES = 50


def try_lock_file(descriptor: int) -> bool:
    """Lock an open file if no process has locked it; return whether that worked.

    Raises
    ------
    OSError
        If the file system has no locks.
    """
    from filelock import lock_descriptor  # a fiftieth of a second

    return lock_descriptor(descriptor, blocking=False)


def make_private(folder: Path) -> None:
    """Let nobody but its owner, administrators and the system into a new folder.

    For folders that were made with the mode 0o700: on Windows, Python has heeded it
    only since 3.11.10 and 3.12.4, so that others could read what lies outside of this
    user's profile.

    Raises
    ------
    OSError
        If the file system keeps no rights.
    """
    heeded = (3, 12, 4) if sys.version_info[:2] >= (3, 12) else (3, 11, 10)
    if sys.platform != "win32" or sys.version_info >= heeded:
        return
    import ctypes
    import subprocess

    system = ctypes.create_unicode_buffer(260)  # whatever the environment says
    ctypes.windll.kernel32.GetSystemDirectoryW(system, 260)
    words = [os.path.join(system.value, "icacls.exe"), str(folder), "/inheritance:r"]
    words += ["/grant:r", *(f"*{account}:(OI)(CI)F" for account in _OWNER_AND_SYSTEM)]
    if subprocess.run(words, capture_output=True, check=False).returncode:
        raise PermissionError(
            errno.EPERM, "no access rights can be set there", str(folder)
        )


_OWNER_AND_SYSTEM = ("S-1-3-4", "S-1-5-18", "S-1-5-32-544")
"""The owner of a file, the system, and administrators, whatever their language."""


def is_owned_by_user(folder: Path) -> bool:
    """Return whether this user owns a folder; on Windows always True.

    On Windows it is taken to be: temporary and cache folders lie in the user's profile.

    Raises
    ------
    OSError
        If there is no such folder.
    """
    owner = folder.stat().st_uid
    return sys.platform == "win32" or owner == os.getuid()


def read_unchanging_file(path: Path) -> bytes:
    """Return the bytes of a file; raise if its size or time changes during the read.

    Pipes and devices have no size or time to tell: what they give is returned.

    Raises
    ------
    InputError
        If the file has grown, was cut short, written over, replaced or removed.
    OSError
        If it cannot be read.
    """
    with path.open("rb") as file:
        before = os.fstat(file.fileno())
        content = file.read()
    if stat.S_ISREG(before.st_mode):
        raise_if_file_changed(path, file_size_and_mtime(before))
    return content


class FileStatus(Protocol):
    """Size and modification time of a file."""

    @property
    def st_size(self) -> int:
        """Bytes."""

    @property
    def st_mtime_ns(self) -> int:
        """Nanoseconds, or whatever else differs when the content does."""


class LookedAtFile(Protocol):
    """A file with a name, whose status can be asked for."""

    @property
    def name(self) -> str:
        """Name without folders."""

    def stat(self) -> FileStatus:
        """Return the status now."""


def file_size_and_mtime(status: FileStatus) -> tuple[int, int]:
    """Return size and modification time, which identify a version of a file.

    Its inode is not among them: some file systems give another one at each look.
    """
    return status.st_size, status.st_mtime_ns


def raise_if_file_changed(path: LookedAtFile, version: tuple[int, int]) -> None:
    """Raise InputError if a file's size or modification time is not the given one.

    Raises
    ------
    InputError
    """
    try:
        is_same = file_size_and_mtime(path.stat()) == version
    except OSError:
        is_same = False
    if not is_same:
        raise InputError(
            "File {file!r} changed while it was read: wait until nothing writes to it "
            "any more, then read it again.",
            file=path.name,
        )


def move_and_replace(source: str | Path, target: str | Path) -> None:
    """Move a file or folder to a target in one step; a file replaces a file.

    Both must be in one file system. A folder that holds anything is not replaced.

    Windows refuses this as long as another program has one of them open: it is tried
    again for :data:`MAX_HELD_SECONDS`.

    Raises
    ------
    OSError
    """

    def replace() -> None:
        if sys.platform == "win32" and os.path.isdir(source) and os.path.isdir(target):
            os.rmdir(target)  # an empty folder, which is not replaced there
        os.replace(source, target)

    retry_while_held(replace)


def remove_file(path: Path) -> None:
    """Remove a file if there is one; try again as :func:`move_and_replace` does.

    Raises
    ------
    OSError
    """
    retry_while_held(lambda: path.unlink(missing_ok=True))


def remove_folder_with_retries(folder: Path) -> None:
    """Remove a folder; try again for some five seconds while it still exists."""
    for _ in range(_MAX_FOLDER_TRIES):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(0.1)


def retry_while_held(act: Callable[[], None]) -> None:
    """Do something with files; try again for a while if others hold one on Windows.

    Raises
    ------
    OSError
        If they hold it for longer than :data:`MAX_HELD_SECONDS`, or it fails otherwise.
    """
    limit = time.monotonic() + MAX_HELD_SECONDS
    while True:
        try:
            return act()
        except PermissionError as error:
            code = getattr(error, "winerror", None)  # none where a file was opened
            busy = code in _HELD_BY_OTHERS or (code is None and sys.platform == "win32")
            if not busy or time.monotonic() > limit:
                raise
        time.sleep(0.02)


def fsync_folder(folder: Path) -> None:
    """Flush a folder's directory entries to disk; on Windows do nothing."""
    if sys.platform == "win32":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def max_path_chars() -> int | None:
    """Return the most characters that a path may have here; None without a limit.

    Windows has one unless an administrator allows longer paths.
    """
    if sys.platform != "win32":
        return None
    import ctypes

    # Windows has had it since longer paths can be allowed.
    allows_more = getattr(ctypes.windll.ntdll, "RtlAreLongPathsEnabled", lambda: 0)
    return None if allows_more() & 0xFF else 259


def user_cache_folder() -> Path | None:
    """Return the path of this program's cache folder, which may not exist, or None."""
    from platformdirs import user_cache_path

    with contextlib.suppress(RuntimeError, OSError):
        folder = user_cache_path("coterie", appauthor=False)
        if folder.is_absolute():
            return folder
    return None
