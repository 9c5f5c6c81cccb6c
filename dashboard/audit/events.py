"""Events of this process for the audit log, wherever it is written."""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import os
import threading
from pathlib import Path
from typing import Any, Protocol

from dashboard.audit.log import AuditError, AuditLog

LOG_FILE_VARIABLE = "COTERIE_AUDIT"
"""Environment variable: path of the log; nothing is logged where it is not set."""

_MINUTE_SECONDS = 61.0


class EventWriter(Protocol):
    """Writes events, here or in another process; see :class:`.log.AuditLog`."""

    def write(self, event: str, who: str, **facts: Any) -> None:
        """Add an event."""

    def note_refusal(self, address: str, reason: str, who: str) -> None:
        """Count a refusal."""


class LocalWriter:
    """Writes the log in this process.

    Parameters
    ----------
    log : AuditLog
    """

    def __init__(self, log: AuditLog) -> None:
        self.log = log
        self.write = log.write
        self._clock: threading.Timer | None = None

    def note_refusal(self, address: str, reason: str, who: str) -> None:
        """Count a refusal, and have it written when its minute is over."""
        self.log.refusals.add(address, reason, who)
        if self._clock is None or not self._clock.is_alive():
            self._clock = threading.Timer(_MINUTE_SECONDS, self.log.write_refusals)
            self._clock.daemon = True
            self._clock.start()


_writer: EventWriter | None = None


def use_writer(writer: EventWriter) -> None:
    """Have events written by somebody else from now on."""
    global _writer
    _writer = writer


def start_logging(path: Path, head_path: Path | None = None) -> AuditLog:
    """Log in this process from now on.

    Raises
    ------
    ParameterError
        As for :class:`AuditLog`.
    """
    if isinstance(_writer, LocalWriter):
        _writer.log.close()
    log = AuditLog(path, head_path)
    use_writer(LocalWriter(log))
    os.environ[LOG_FILE_VARIABLE] = str(log.path)
    return log


def end_logging() -> None:
    """Log that the server has ended, where this process writes the log."""
    if isinstance(_writer, LocalWriter) and is_logging():
        _writer.log.write_refusals(is_end=True)
        try_log_event("stop", "")


def log_end_at_exit() -> None:
    """Log the end of the server when this process ends."""
    atexit.register(end_logging)


def is_logging() -> bool:
    """Return whether there is a log."""
    return bool(os.environ.get(LOG_FILE_VARIABLE))


def log_event(event: str, who: str, **facts: Any) -> None:
    """Log an event, if there is a log.

    Raises
    ------
    AuditError
        If there is a log and it cannot be written: what is not logged is not done.
    """
    if not is_logging():
        return
    if _writer is None:
        raise AuditError(
            "The audit log is written by another process, which cannot be reached, so "
            "nothing is opened, run or released: tell whoever runs this server."
        )
    _writer.write(event, who, **facts)


def try_log_event(event: str, who: str, **facts: Any) -> None:
    """Log what is done whether or not it can be logged, such as an erasure."""
    with contextlib.suppress(AuditError):
        log_event(event, who, **facts)


def note_refusal(address: str, reason: str, who: str = "") -> None:
    """Count a refusal, if there is a log."""
    if is_logging() and _writer is not None:
        _writer.note_refusal(address, reason, who)


def sha256_of(content: bytes) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(content).hexdigest()
