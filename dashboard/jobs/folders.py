"""Folders that server and processes exchange files in."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import tempfile
import time
from pathlib import Path

from dashboard.jobs.process import is_alive

_PREFIX = "coterie-job-"

_STALE_SECONDS = 3600.0


def new_folder() -> Path:
    """Return a folder that does not exist yet and whose name tells whose it is."""
    name = f"{_PREFIX}{os.getpid()}-{secrets.token_hex(8)}"
    return Path(tempfile.gettempdir()) / name


def remove_stale() -> None:
    """Remove what a crash of the whole machine left behind."""
    now = time.time()
    for old in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError, ValueError):
            pid = int(old.name.removeprefix(_PREFIX).split("-")[0])
            status = old.stat()
            mine = status.st_uid == os.getuid()
            if mine and now - status.st_mtime > _STALE_SECONDS and not is_alive(pid):
                shutil.rmtree(old)
