"""Job that another process carries out on one file: state, elapsed time, result."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter
from typing_extensions import TypedDict

from dashboard.readers.work_kinds import WORK_KINDS, lost_copy_message
from engine.core.errors import EngineError
from engine.core.message import NO_MESSAGE, Message
from engine.storage.bounded_reading import DamagedFileError, read_validated_json

WAITING_FOR_FILES = Message("Waiting for other files to be read")


class _Answer(TypedDict, total=False):
    """What the process has to say, as JSON."""

    failed: Message


_ANSWER_ADAPTER = TypeAdapter(_Answer)

_MAX_ANSWER_BYTES = 2**20

State = Literal["waiting", "running", "ended", "failed", "done"]

_HEED_SECONDS = 0.1
"""Seconds between looks whether whoever waits for a file wants something else."""


@dataclass(eq=False)
class FileReadingJob:
    """Job of another process on one file: its kind, state, elapsed time and result.

    Attributes
    ----------
    kind : str
        One of :data:`dashboard.readers.work_kinds.WORK_KINDS`.
    name : str
        Of the file.
    about : object
        What whoever started it wants back with the result; stays in the server.
    session : str
        Whose it is.
    folder : Path
        What server and process exchange.
    size : int
        Bytes in the folder before anything is done.
    state : {"waiting", "running", "ended", "failed", "done"}
        Ended: there is an answer to fetch.
    message : Message
        For what failed, one sentence that says why and what to do.
    result : object
        For what is done, what :attr:`WorkKind.fetch` returned.
    """

    kind: str
    name: str
    about: Any
    session: str
    folder: Path
    size: int = 0
    state: State = "waiting"
    message: Message = NO_MESSAGE
    result: Any = field(default=None, repr=False)
    started: float = field(default_factory=time.monotonic)
    seen: float = field(default_factory=time.monotonic)
    _over: threading.Event = field(default_factory=threading.Event)
    _fetching: threading.Lock = field(default_factory=threading.Lock)

    @property
    def current_stage(self) -> Message:
        """Sentence on the present stage of reading."""
        if self.state == "waiting":
            return WAITING_FOR_FILES
        return Message("Reading {file}", file=self.name)

    @property
    def elapsed_seconds(self) -> float:
        """Seconds since the reading was started."""
        return time.monotonic() - self.started

    def wait(self, seconds: float, heed: Callable[[], None] = lambda: None) -> bool:
        """Wait some seconds at most for the end; return whether it has come.

        `heed` is called now and then, and may end the wait by what it raises.
        """
        self.seen = time.monotonic()
        if seconds == 0.0 or self._over.is_set():
            return self._over.is_set()
        limit = time.monotonic() + seconds
        while not self._over.wait(_HEED_SECONDS) and time.monotonic() < limit:
            heed()
        return self._over.is_set()

    def fail(self, message: Message) -> None:
        """Record that the reading failed."""
        if not self._over.is_set():
            self.state, self.message = "failed", message
            self._over.set()
            shutil.rmtree(self.folder, ignore_errors=True)

    def mark_ready(self) -> None:
        """Record that there is an answer to fetch."""
        if not self._over.is_set():
            self.state = "ended"
            self._over.set()

    def fetch_result(self) -> None:
        """Load the result, once only, and remove the folder."""
        with self._fetching:
            if self.state == "ended":
                self._fetch()

    def _fetch(self) -> None:
        try:
            answer = read_validated_json(
                self.folder / "answer.json", _ANSWER_ADAPTER, _MAX_ANSWER_BYTES
            )
            if "failed" in answer:
                self.state, self.message = "failed", answer["failed"]
            else:
                self.result = WORK_KINDS[self.kind].fetch(self.folder)
                self.state = "done"
        except Exception as error:  # where files are damaged, it can be any
            self.state = "failed"
            if isinstance(error, EngineError) and not isinstance(
                error, DamagedFileError
            ):
                self.message = error.message
                return
            self.message = lost_copy_message(self.name, error)
        finally:
            # What is mapped stays, without a name, until nobody needs it any more.
            shutil.rmtree(self.folder, ignore_errors=True)
