"""Audit log: who opened, ran and downloaded what; digests, never values.

One line of JSON for each event, added at the end of a file that nobody else need be
able to write. The digest of what was downloaded is that of the release as it was
checked, so that a file found elsewhere can be traced.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dashboard.server import sign_in
from engine.core.errors import ParameterError

LOG_FILE_VARIABLE = "COTERIE_AUDIT"
"""Environment variable: path of the log; nothing is logged where it is not set."""

_lock = threading.Lock()


def start_logging(path: Path) -> None:
    """Log from now on.

    Raises
    ------
    ParameterError
        If the file cannot be written to.
    """
    try:
        os.close(_open_log(str(path)))
    except OSError as error:
        raise ParameterError(
            "{file} cannot be written to ({reason}): name a file for the audit log in "
            "a folder that exists.",
            file=path,
            reason=error.strerror,
        ) from None
    os.environ[LOG_FILE_VARIABLE] = str(path.resolve())


def log_event(event: str, person: str | None = None, **facts: Any) -> None:
    """Log an event, if there is a log.

    Parameters
    ----------
    event : str
        Such as "opened".
    person : str, optional
        Whose event it is; by default the person of the session that runs this script.
    **facts
        Digests and counts; no values and no names of columns or files.

    Raises
    ------
    OSError
        If there is a log and it cannot be written: what is not logged is not done.
    """
    path = os.environ.get(LOG_FILE_VARIABLE)
    if not path:
        return
    line = {
        "when": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "who": sign_in.signed_in_user_id() if person is None else person,
        "event": event,
        **facts,
    }
    # In ASCII: a name could have what others take for the end of a line.
    text = json.dumps(line).encode() + b"\n"
    with _lock:
        descriptor = _open_log(path)
        try:
            if (written := os.write(descriptor, text)) < len(text):
                # A full disk takes a part, and the next line would go on there.
                os.ftruncate(descriptor, os.fstat(descriptor).st_size - written)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
        finally:
            os.close(descriptor)


def sha256_of(content: bytes) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(content).hexdigest()


def _open_log(path: str) -> int:
    return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
