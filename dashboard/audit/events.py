"""Audit events of this process, given to a writer in this or another process."""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
from pathlib import Path
from typing import Any, Protocol

from dashboard.audit.chain import ChainHead
from dashboard.audit.log import AuditError, AuditLog

LOG_FILE_VARIABLE = "COTERIE_AUDIT"
"""Environment variable: path of the log; nothing is logged where it is not set."""

_MINUTE_SECONDS = 61.0


class EventWriter(Protocol):
    """Protocol of a writer of audit events, in this process or in another."""

    def write(self, event: str, person: str, **facts: Any) -> None:
        """Add an event to the log."""

    def note_refusal(self, address: str, reason: str, person: str) -> None:
        """Count a refused request."""


class LocalWriter:
    """Writer of audit events to a log that this process has open."""

    def __init__(self, log: AuditLog) -> None:
        self.log = log
        self.write = log.write
        self._clock: threading.Timer | None = None

    def note_refusal(self, address: str, reason: str, person: str) -> None:
        """Count a refused request, and have it written when its minute is over."""
        self.log.refusals.add(address, reason, person)
        if self._clock is None or not self._clock.is_alive():
            self._clock = threading.Timer(_MINUTE_SECONDS, self.log.write_refusals)
            self._clock.daemon = True
            self._clock.start()


_writer: EventWriter | None = None


def set_event_writer(writer: EventWriter) -> None:
    """Set the writer of this process's audit events."""
    global _writer
    _writer = writer


def start_audit_log(path: Path, head_path: Path | None = None) -> AuditLog:
    """Open the audit log at a path as this process's writer; return the log.

    Raises
    ------
    ParameterError
        As for :class:`AuditLog`.
    """
    if isinstance(_writer, LocalWriter):
        _writer.log.close()
    log = AuditLog(path, head_path)
    set_event_writer(LocalWriter(log))
    set_audit_log_variable(log.path)
    return log


def set_audit_log_variable(path: Path) -> None:
    """Set the audit log's path in the environment, which turns logging on."""
    os.environ[LOG_FILE_VARIABLE] = str(path.resolve())


def close_log_and_set_event_writer(writer: EventWriter) -> None:
    """Close this process's log, if any, and set another writer of its events."""
    if isinstance(_writer, LocalWriter):
        _writer.log.write_refusals(is_end=True)
        _writer.log.close()
    set_event_writer(writer)


def log_server_end() -> None:
    """Log the end of the server, if this process writes the log."""
    if isinstance(_writer, LocalWriter) and is_audit_log_on():
        _writer.log.write_refusals(is_end=True)
        log_event_ignoring_failure("stop", "")


def audit_head() -> ChainHead | None:
    """Return the head of the log that this process writes; None if it writes no log."""
    return _writer.log.head if isinstance(_writer, LocalWriter) else None


def is_audit_log_on() -> bool:
    """Return whether this server keeps an audit log."""
    return bool(os.environ.get(LOG_FILE_VARIABLE))


def log_event(event: str, person: str, **facts: Any) -> None:
    """Log an event if there is a log; raise if it cannot be written.

    Raises
    ------
    AuditError
        If there is a log and it cannot be written: what is not logged is not done.
    """
    if not is_audit_log_on():
        return
    if _writer is None:
        raise AuditError(
            "The audit log is written by another process, which cannot be reached, so "
            "nothing is opened, run or released: tell whoever runs this server."
        )
    _writer.write(event, person, **facts)


def log_event_ignoring_failure(event: str, person: str, **facts: Any) -> None:
    """Log an event if there is a log; ignore a failure to write it."""
    with contextlib.suppress(AuditError):
        log_event(event, person, **facts)


def count_refusal(address: str, reason: str, person: str = "") -> None:
    """Count a refused request, to be logged later, if there is an audit log."""
    if is_audit_log_on() and _writer is not None:
        _writer.note_refusal(address, reason, person)


def sha256_hex(content: bytes) -> str:
    """Return the SHA-256 digest of content, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()
