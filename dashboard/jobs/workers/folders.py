"""Job folders: directories in which the server and its workers exchange files."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import tempfile
import time
from pathlib import Path

from engine.core.platform.files import (
    is_owned_by_user,
    remove_folder_with_retries,
    try_lock_file,
)
from engine.core.platform.processes import is_process_alive

_FOLDER_PREFIX = "coterie-job-"

_STALE_SECONDS = 3600.0

SCRATCH_VARIABLE = "COTERIE_SCRATCH"
"""Environment variable: the folder for temporary files of this server's processes."""

SCRATCH_LOCK_FILE = "lock"
"""File of that folder, which the server holds locked until it ends."""

_END_SECONDS = 1.0
"""Seconds in which the system lets go of the lock of a server that was killed."""


def new_job_folder_path() -> Path:
    """Return an unused path for a job folder; its name has this process's number."""
    name = f"{_FOLDER_PREFIX}{os.getpid()}-{secrets.token_hex(8)}"
    return Path(tempfile.gettempdir()) / name


def remove_stale_job_folders() -> None:
    """Remove this user's job folders of ended processes that are over an hour old."""
    now = time.time()
    for old in Path(tempfile.gettempdir()).glob(f"{_FOLDER_PREFIX}*"):
        with contextlib.suppress(OSError, ValueError):
            pid = int(old.name.removeprefix(_FOLDER_PREFIX).split("-")[0])
            is_old = now - old.stat().st_mtime > _STALE_SECONDS
            if is_old and is_owned_by_user(old) and not is_process_alive(pid):
                shutil.rmtree(old)


def remove_scratch_folder_of_ended_server() -> None:
    """Remove the folder for temporary files if the server whose it is has ended."""
    folder = Path(os.environ.get(SCRATCH_VARIABLE, os.devnull))
    limit = time.monotonic() + _END_SECONDS
    while time.monotonic() < limit:
        try:
            if not is_scratch_folder_held(folder):
                return remove_folder_with_retries(folder)
        except OSError:  # removed meanwhile, or a place's, which others remove
            return
        time.sleep(_END_SECONDS / 20)


def is_scratch_folder_held(folder: Path) -> bool:
    """Return whether there is a process whose folder it is.

    Raises
    ------
    OSError
        If the folder has no lock, or the file system has no locks.
    """
    lock = os.open(folder / SCRATCH_LOCK_FILE, os.O_RDWR)
    try:
        return not try_lock_file(lock)
    finally:
        os.close(lock)
