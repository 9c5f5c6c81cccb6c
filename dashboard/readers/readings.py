"""Jobs by which a server has files read by another process: start, find, cancel.

The server never looks into a file that somebody has brought: it puts the bytes into a
private folder, has :mod:`dashboard.readers.process` read them there, and fetches what
that has found::

    readings = file_readings()
    key = readings.start_reading("table", upload.content, upload.name, upload)
    reading = readings.find_reading(key)  # twice a second, from any page
    reading.wait(0.5), reading.current_stage, reading.message, reading.result
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import json
import os
import secrets
import shutil
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Protocol

import streamlit as st

from dashboard.jobs.workers.folders import new_job_folder_path
from dashboard.jobs.workers.process import (
    Process,
    end_or_kill_process,
    send_line,
    start_module_process,
)
from dashboard.jobs.workers.resource_limits import resource_limits
from dashboard.readers.limits import ReadingProcessLimits
from dashboard.readers.reading import FileReadingJob
from dashboard.readers.work_kinds import WORK_KINDS
from dashboard.server.adapter import access
from engine.core.errors import EngineError
from engine.core.message import Message
from engine.files import ReadOptions

_BRIEF_BYTES = 2**29
"""Memory of a file that does not wait for others, beside what those may take."""

_ABANDONED_SECONDS = 60.0
"""Seconds after which a file that nobody waits for any more is forgotten."""

_PRESTART_SECONDS = 10.0
"""Seconds after which the reading process starts, unless a file comes before.

Its imports would take half the processor from a first run on the sample.
"""


class SharedReader(Protocol):
    """Protocol of a reading process that several servers share."""

    def send_order(self, order: dict[str, Any]) -> None:
        """Order a file to be read, or its reading to be stopped."""

    def register_listener(self, take: Callable[[dict[str, Any]], None]) -> None:
        """Register the function that takes the answer on each file."""


_reader: SharedReader | None = None


def set_shared_reader(reader: SharedReader) -> None:
    """Set the shared reading process that reads all files for this process."""
    global _reader
    _reader = reader


def start_reading_process() -> Process:
    """Start the process that reads files; return it.

    Raises
    ------
    OSError
        If the system allows no further process.
    """
    return start_module_process(
        "dashboard.readers.process",
        # One thread, so that it can be copied; and what is taken is counted.
        OPENBLAS_NUM_THREADS="1",
        ARROW_DEFAULT_MEMORY_POOL="system",
    )


class FileReadings:
    """All readings of one server: start, find and cancel them.

    Parameters
    ----------
    at_once : int
        Files read at a time; the others wait.
    limits : ReadingProcessLimits
        Of each.
    reader : SharedReader, optional
        Who reads, where it is no process of this one's own.
    """

    def __init__(
        self,
        at_once: int = 2,
        limits: ReadingProcessLimits | None = None,
        reader: SharedReader | None = None,
    ) -> None:
        self._at_once, self._limits = at_once, limits or ReadingProcessLimits()
        self._reader = reader
        if reader is not None:
            reader.register_listener(self._take_answer)
        self._lock = threading.RLock()
        self._readings: dict[str, FileReadingJob] = {}
        self._process: Process | None = None
        self._closed = False
        atexit.register(self.close)
        threading.Thread(target=self._tidy, name="readings", daemon=True).start()

    def start_reading(
        self,
        kind: str,
        content: bytes | Callable[[Path], None],
        name: str,
        about: Any = None,
        ways: Sequence[ReadOptions | None] = (None,),
        fingerprint: str | None = None,
    ) -> str:
        """Start to read a file in the background; return the reading's identifier.

        A tab reads one file of a kind: an earlier one of the same tab is forgotten.

        Parameters
        ----------
        kind : str
            One of :data:`dashboard.readers.work_kinds.WORK_KINDS`.
        content : bytes or callable
            What somebody has brought, or what writes it and more into a folder.
        name : str
            File name, whose suffix tells the format of a table.
        about : object
            As in :class:`FileReadingJob`.
        ways : sequence of ReadOptions or None
            For tables: to be tried one after the other; None finds all out.
        fingerprint : str, optional
            For tables: the first way that leads to it is taken, else the last one.
        """
        session = access.current_session_id()
        reading = FileReadingJob(kind, name, about, session, new_job_folder_path())
        order = {
            "kind": kind,
            "name": name,
            "ways": [None if way is None else asdict(way) for way in ways],
            "fingerprint": fingerprint,
            "most_bytes": self._limits.table,
            "sha256": None
            if callable(content)
            else hashlib.sha256(content).hexdigest(),
        }
        try:
            reading.size = _write(reading.folder, content, order)
        except OSError as error:
            reading.fail(
                Message(
                    "File {file!r} could not be opened, because the folder for "
                    "temporary files cannot be written to ({reason}): make room there.",
                    file=name,
                    reason=error.strerror,
                )
            )
        identifier = secrets.token_urlsafe(24)
        with self._lock:
            for old_id, old in list(self._readings.items()):
                if session and (old.session, old.kind) == (session, kind):
                    self.cancel_reading(old_id)
            self._readings[identifier] = reading
        self._launch()
        return identifier

    def find_reading(self, identifier: str | None) -> FileReadingJob | None:
        """Return a reading, with its result if it is done; None if there is none."""
        reading = self._readings.get(identifier or "")
        if reading is None:
            return None
        reading.seen = time.monotonic()
        reading.fetch_result()  # holding nothing that others wait for
        return reading

    def cancel_reading(self, identifier: str | None) -> None:
        """Stop a reading, and forget it with its result."""
        with self._lock:
            reading = self._readings.pop(identifier or "", None)
            if reading is None:
                return
            if reading.state == "running":
                self._send_order({"cancel": str(reading.folder)})
            reading.fail(Message("Cancelled."))
            shutil.rmtree(reading.folder, ignore_errors=True)
        self._launch()

    def close(self) -> None:
        """Stop all readings, and remove their files."""
        with self._lock:
            self._closed = True
            for identifier in list(self._readings):
                self.cancel_reading(identifier)
            process, self._process = self._process, None
        if process is not None:
            end_or_kill_process(process)
        atexit.unregister(self.close)

    def _launch(self) -> None:
        """Order what may begin, the smallest file first.

        What is brief has a place of its own.
        """
        with self._lock:
            self._launch_of(brief=True, n_places=1)
            self._launch_of(brief=False, n_places=self._at_once)

    def _launch_of(self, brief: bool, n_places: int) -> None:
        jobs = [r for r in self._readings.values() if WORK_KINDS[r.kind].brief == brief]
        waiting = [r for r in jobs if r.state == "waiting"]
        waiting.sort(key=lambda reading: reading.size)
        for reading in waiting:
            n_running = sum(r.state == "running" for r in jobs)
            if n_running < n_places and not self._closed:
                self._begin(reading)

    def _limits_of(self, reading: FileReadingJob) -> ReadingProcessLimits:
        if not WORK_KINDS[reading.kind].brief:
            return self._limits
        return replace(self._limits, memory=min(self._limits.memory, _BRIEF_BYTES))

    def _begin(self, reading: FileReadingJob) -> None:
        reading.state = "running"
        process_limits = self._limits_of(reading)
        limits = {"memory": process_limits.memory, "seconds": process_limits.seconds}
        waits = {"size": reading.size, "brief": WORK_KINDS[reading.kind].brief}
        try:
            self._send_order({"folder": str(reading.folder), **limits, **waits})
        except OSError as error:
            reading.fail(
                Message(
                    "File {file!r} could not be opened, because the system allows no "
                    "further process ({reason}): close other programs.",
                    file=reading.name,
                    reason=error.strerror,
                )
            )

    def prestart_process(self, seconds: float) -> None:
        """Start a reading process after some seconds, unless a file comes before."""
        if self._reader is None:
            timer = threading.Timer(seconds, self._start_if_open)
            timer.daemon = True
            timer.start()

    def _start_if_open(self) -> None:
        with self._lock, contextlib.suppress(OSError):  # said when a file comes
            if not self._closed:
                self._living()

    def _send_order(self, order: dict[str, Any]) -> None:
        if self._reader is not None:
            self._reader.send_order(order)
            return
        send_line(self._living(), json.dumps(order).encode())

    def _living(self) -> Process:
        """Return the process that reads; start one where there is none.

        Raises OSError if the system allows no further process.
        """
        process = self._process
        if process is None or process.poll() is not None:
            process = self._process = start_reading_process()
            threading.Thread(
                target=self._listen, args=(process,), name="reader", daemon=True
            ).start()
        return process

    def _take_answer(self, answer: dict[str, Any]) -> None:
        """Take what became of a file."""
        with self._lock:
            for reading in self._readings.values():
                if str(reading.folder) == answer["folder"]:
                    self._ended(reading, answer["exit"])
        self._launch()

    def _listen(self, process: Process) -> None:
        """Hear of files whose reading has ended, until the process has."""
        assert process.stdout is not None
        for line in process.stdout:
            self._take_answer(json.loads(line))
        code = process.wait()
        assert process.stdin is not None
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):  # an order that nobody took
                pipe.close()
        with self._lock:
            for reading in self._readings.values():
                if reading.state == "running":
                    self._ended(reading, code or 1)
            if self._process is process:
                self._process = None
        if not self._closed:
            self._launch()

    def _ended(self, reading: FileReadingJob, code: int) -> None:
        if code == 0:
            reading.mark_ready()
        else:
            reading.fail(self._limits_of(reading).end_message(code, reading.name))

    def _tidy(self) -> None:
        """Forget files that nobody waits for any more."""
        while not self._closed:
            time.sleep(_ABANDONED_SECONDS / 10)
            now = time.monotonic()
            for identifier, reading in list(self._readings.items()):
                if access.is_session_open(reading.session) and reading.state != "done":
                    continue
                if now - reading.seen > _ABANDONED_SECONDS:
                    self.cancel_reading(identifier)


def _write(
    folder: Path, content: bytes | Callable[[Path], None], order: dict[str, Any]
) -> int:
    folder.mkdir(mode=0o700)
    try:
        if isinstance(content, bytes):
            _write_one(folder / "content", content)
        else:
            content(folder)
        _write_one(folder / "order.json", json.dumps(order).encode())
        return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _write_one(path: Path, content: bytes) -> None:
    with open(path, "xb", opener=_open_private) as file:
        file.write(content)


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


@st.cache_resource(show_spinner=False)
def file_readings() -> FileReadings:
    """Return this server's readings; the first call starts any reader of its own."""
    share = resource_limits()
    readings = FileReadings(
        share.readings,
        ReadingProcessLimits(
            share.reading_bytes, share.reading_seconds, share.table_bytes
        ),
        reader=_reader,
    )
    readings.prestart_process(_PRESTART_SECONDS)
    return readings


def read_file_and_wait(
    work_kind: str, content: bytes | Callable[[Path], None], file_name: str
) -> Any:
    """Do work of a kind on a file in a reading process, and return what it found.

    Raises
    ------
    EngineError
        One sentence, if it is not what it should be.
    """
    all_ = file_readings()
    identifier = all_.start_reading(work_kind, content, file_name)
    reading = all_.find_reading(identifier)
    assert reading is not None
    while not reading.wait(1.0):
        pass
    all_.find_reading(identifier)
    all_.cancel_reading(identifier)
    if reading.state != "done":
        raise EngineError(reading.message)
    return reading.result
