"""Audit log file with a hash chain, and counter of refused requests."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import threading
import time
import weakref
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dashboard.audit import chain
from engine.core.errors import EngineError, ParameterError
from engine.core.platform.files import try_lock_file
from engine.core.platform.processes import register_after_fork_in_child

EVENTS: Mapping[str, frozenset[str]] = {
    "start": frozenset({"version", "places"}),
    "stop": frozenset(),
    "reload": frozenset(),
    "drain": frozenset({"minutes"}),
    "sign-in": frozenset({"address"}),
    "sign-out": frozenset({"address"}),
    "refusal": frozenset({"address", "minute", "count", "reasons"}),
    "open": frozenset({"table", "records"}),
    "run-begun": frozenset({"run", "kind", "table", "plans"}),
    "run-ended": frozenset({"run", "kind", "plans", "state"}),
    "release": frozenset({"table", "plan", "k", "checks", "sha256"}),
    "download": frozenset({"sha256"}),
    "erase": frozenset({"why"}),
    "administer": frozenset({"act"}),
    chain.CONTINUED: frozenset(),
}
"""Events, and what is told of each beside who, when and in which place."""

Event = tuple[str, str, dict[str, Any]]
"""An event, who it was, and what is told of it."""

MAX_NAME_LENGTH = 1_000
"""Characters of who it was, as the identity provider knows them."""

_PLAIN = re.compile(r"[\w.:+%\[\]-]{0,64}( [\w-]{1,20}){0,3}", re.ASCII)
"""Digests, identifiers and addresses: no text that a table could hold."""


class AuditError(EngineError):
    """Raised if an event cannot be logged, and so must not be carried out."""


class AuditLog:
    """Append-only file of events with a file for the head of its hash chain.

    The file may be renamed at any time: the next line goes to a new one, which begins
    with a line that names the digest of the last.

    Parameters
    ----------
    path : Path
    head_path : Path, optional
        File of the chain's head: best where nobody can write who can write the log.
        By default beside it.

    Attributes
    ----------
    head : ChainHead
        Number and digest of the last line.

    Raises
    ------
    ParameterError
        If the files cannot be written to, are another server's, or are not as written.
    """

    def __init__(self, path: Path, head_path: Path | None = None) -> None:
        self.path = path.resolve()
        self._lock = threading.Lock()
        self.refusals = RefusalCounter()
        self._head_path = head_path or Path(f"{self.path}.head")
        try:
            self._head_file = os.open(self._head_path, os.O_RDWR | os.O_CREAT, 0o600)
            log = _open_log(self.path)
        except OSError as error:
            raise ParameterError(
                "{file} cannot be written to ({reason}): name a file for the audit "
                "log in a folder that exists.",
                file=error.filename,
                reason=error.strerror,
            ) from None
        try:
            self._lock_head()
            self.head = self._find_head(log)
            self._file = os.fstat(log)
        except ParameterError:
            self.close()
            raise
        finally:
            os.close(log)
        forget = weakref.WeakMethod(self.close)
        register_after_fork_in_child(lambda: (f := forget()) and f())

    def _lock_head(self) -> None:
        try:
            is_alone = try_lock_file(self._head_file)
        except OSError:  # a file system without locks
            return
        if not is_alone:
            raise ParameterError(
                "{file} is the audit log of another server that runs: name another "
                "one for this server.",
                file=self.path,
            )

    def _find_head(self, log: int) -> chain.ChainHead:
        """Return which line is the last, as both files say."""
        os.lseek(self._head_file, 0, os.SEEK_SET)
        content = os.read(self._head_file, 200)
        head = chain.ChainHead.from_bytes(content) if content else chain.START
        fault = f"{self._head_path} does not name a line."
        if head is not None:
            if not os.fstat(log).st_size:
                return head
            # Lines are written before the head is.
            check = chain.check_hash_chain([self.path], head)
            if not check.fault:
                return check.last
            fault = check.fault
        raise ParameterError(
            "The audit log is not as it was written, or the machine has stopped as a "
            "line was written: {fault} Move {file} and {head} away to begin a new one.",
            fault=fault,
            file=self.path,
            head=self._head_path,
        )

    def write(self, event: str, person: str, **facts: Any) -> None:
        """Append an event to the log.

        Parameters
        ----------
        event : str
            One of :data:`EVENTS`.
        person : str
            As the identity provider knows them; empty for nobody.
        **facts
            Digests and counts; no values and no names of columns or files.

        Raises
        ------
        AuditError
            If it could not be written: what is not logged is not done.
        ValueError
            If there is no such event, or `facts` are not those told of it.
        """
        allowed_facts = EVENTS.get(event)
        if allowed_facts is None or not facts.keys() <= allowed_facts | {"place"}:
            raise ValueError(f"This is not told of {event!r}.")
        if not _is_plain(facts):
            raise ValueError(f"This is not told of {event!r}.")
        with self._lock:
            self._write_lines([*self._due_refusals(), (event, person, facts)])

    def write_refusals(self, is_end: bool = False) -> None:
        """Add a line per address, person and past minute with refused requests.

        Parameters
        ----------
        is_end : bool
            Whether this minute is over as well.
        """
        with self._lock, contextlib.suppress(AuditError):
            self._write_lines(self._due_refusals(is_end))

    def _due_refusals(self, is_end: bool = False) -> list[Event]:
        due = self.refusals.take_due(is_end)
        return [("refusal", who, facts) for who, facts in due]

    def _write_lines(self, events: Sequence[Event]) -> None:
        """Add events, all or none."""
        try:
            log = _open_log(self.path)
        except OSError as error:
            raise _unwritable(error) from None
        try:
            file = os.fstat(log)
            if not file.st_size:  # new, or the earlier one was renamed
                if self.head.number:
                    events = [(chain.CONTINUED, "", {}), *events]
            elif (file.st_ino, file.st_size) != (self._file.st_ino, self._file.st_size):
                raise AuditError(
                    "The audit log was changed by somebody else, so nothing is opened, "
                    "run or released: tell whoever runs this server, who will find "
                    "the line with coterie audit check."
                )
            self._append(log, events)
            self._file = os.fstat(log)
        except OSError as error:
            raise _unwritable(error) from None
        finally:
            os.close(log)

    def _append(self, log: int, events: Sequence[Event]) -> None:
        """Write lines and then the head; nothing where one cannot be."""
        content, head, size = b"", self.head, os.fstat(log).st_size
        when = datetime.now(UTC).isoformat(timespec="milliseconds")
        for event, who, facts in events:
            entry = {"when": when, "who": who[:MAX_NAME_LENGTH], "event": event}
            line, head = chain.chained_line_and_new_head(head, entry | facts)
            content += line
        os.lseek(self._head_file, 0, os.SEEK_SET)
        try:
            for file, text in ((log, content), (self._head_file, head.to_bytes())):
                if os.write(file, text) < len(text):  # a disk that is full
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                os.fsync(file)
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(log, size)
            raise
        self.head = head

    def close(self) -> None:
        """Close the head's file, so that another process may write the log."""
        if self._head_file >= 0:
            os.close(self._head_file)
            self._head_file = -1


def _unwritable(error: OSError) -> AuditError:
    return AuditError(
        "The audit log cannot be written ({reason}), so nothing is opened, run or "
        "released until it can: tell whoever runs this server.",
        reason=error.strerror or type(error).__name__,
    )


def _is_plain(value: object) -> bool:
    if isinstance(value, str):
        return _PLAIN.fullmatch(value) is not None
    if isinstance(value, Mapping):
        return all(map(_is_plain, (*value, *value.values())))
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, bool | int)


def _open_log(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)


MAX_ADDRESSES = 1_000
"""Addresses that have a line of their own in one minute; the others share one."""

OTHERS = "others"


class RefusalCounter:
    """Counter of refused requests by minute, address and person."""

    def __init__(self) -> None:
        self._counts: dict[tuple[int, str, str], Counter[str]] = {}
        self._lock = threading.Lock()

    def add(self, address: str, reason: str, person: str = "") -> None:
        """Count a refused request.

        Parameters
        ----------
        address : str
            From where it was asked.
        reason : str
            Why it was refused, in a few words of ours.
        person : str
            Who has signed in there; empty for nobody.
        """
        key = int(time.time() // 60), address, person
        with self._lock:
            if key not in self._counts and len(self._counts) >= MAX_ADDRESSES:
                key = key[0], OTHERS, ""
            self._counts.setdefault(key, Counter())[reason] += 1

    def take_due(self, is_end: bool = False) -> list[tuple[str, dict[str, Any]]]:
        """Return and remove the counts of past minutes, as (person, facts) pairs.

        Parameters
        ----------
        is_end : bool
            Whether this minute is over as well.
        """
        now = int(time.time() // 60)
        with self._lock:
            due = [key for key in self._counts if is_end or key[0] < now]
            past_counts = [(key, self._counts.pop(key)) for key in due]
        return [
            (
                who,
                {
                    "address": address,
                    "minute": datetime.fromtimestamp(60 * minute, UTC).isoformat(),
                    "count": reasons.total(),
                    "reasons": dict(sorted(reasons.items())),
                },
            )
            for (minute, address, who), reasons in past_counts
        ]
