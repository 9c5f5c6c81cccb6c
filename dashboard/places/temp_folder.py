"""Temporary folder of the server: private, and removed when the server ends.

What people bring passes through files: uploads that do not fit into memory, the folders
of runs and of files being read, texts that libraries for SPSS, Stata and SAS want on a
disk. All of them lie in one folder. The server removes it at its end, its workers and
the process that reads files where the server was killed, and the next server where all
were: a lock that the system lets go of tells that nobody is left.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path
from types import FrameType
from typing import NoReturn

from dashboard.jobs.workers.folders import (
    SCRATCH_LOCK_FILE,
    SCRATCH_VARIABLE,
    is_scratch_folder_held,
)
from engine.core.errors import ParameterError
from engine.core.platform import files

FOLDER_PREFIX = "coterie-server-"

_MIN_AGE_SECONDS = 60.0
"""Seconds in which a folder without a lock may be one that is being made."""


def use_private_temp_folder() -> Path:
    """Make, use and return a private temporary folder until exit; remove stale ones.

    It goes with the process, after all else that is done at its end.

    Raises
    ------
    ParameterError
        If there can be none.
    """
    remove_stale_temp_folders()
    try:
        folder = Path(tempfile.mkdtemp(prefix=FOLDER_PREFIX))
        files.make_private(folder)
        lock = os.open(folder / SCRATCH_LOCK_FILE, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise ParameterError(
            "The folder {folder} for temporary files cannot be written to ({reason}): "
            "make room there, or name another one in TMPDIR.",
            folder=tempfile.gettempdir(),
            reason=error.strerror,
        ) from None
    with contextlib.suppress(OSError):  # a file system without locks
        files.try_lock_file(lock)  # until this process ends
    tempfile.tempdir = os.environ["TMPDIR"] = os.environ[SCRATCH_VARIABLE] = str(folder)
    atexit.register(files.remove_folder_with_retries, folder)
    if sys.platform == "win32":  # which removes no file that is open
        atexit.register(os.close, lock)
    signal.signal(signal.SIGTERM, _end)
    return folder


def _end(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)


def remove_stale_temp_folders() -> None:
    """Remove this user's temporary folders of servers that have ended."""
    for folder in Path(tempfile.gettempdir()).glob(f"{FOLDER_PREFIX}*"):
        with contextlib.suppress(OSError):  # another one's, or gone meanwhile
            if files.is_owned_by_user(folder) and not _is_held(folder):
                shutil.rmtree(folder)


def _is_held(folder: Path) -> bool:
    """Return whether there is a process whose folder it is."""
    try:
        return is_scratch_folder_held(folder)
    except FileNotFoundError:
        return time.time() - folder.stat().st_mtime < _MIN_AGE_SECONDS
