"""One file on its way from an upload to what is in it."""

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

from dashboard.readers.kinds import KINDS
from engine.core.errors import EngineError
from engine.core.message import NOTHING, Message
from engine.storage.bounded import DamagedError, shaped

WAITING = Message("Waiting for other files to be read")


class _Answer(TypedDict, total=False):
    """What the process has to say, as JSON."""

    failed: Message
    bytes: int


_ANSWER = TypeAdapter(_Answer)

_MOST_ANSWER = 2**20

State = Literal["waiting", "running", "ended", "failed", "done"]

_HEED_SECONDS = 0.1
"""Seconds between looks whether whoever waits for a file wants something else."""


@dataclass(eq=False)
class Reading:
    """One file being read.

    Attributes
    ----------
    kind : str
        One of :data:`dashboard.readers.kinds.KINDS`.
    name : str
        Of the file.
    about : object
        What whoever started it wants back with the result; stays in the server.
    person, session : str
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
        For what is done, what the kind's ``fetch`` returned.
    """

    kind: str
    name: str
    about: Any
    person: str
    session: str
    folder: Path
    size: int = 0
    state: State = "waiting"
    message: Message = NOTHING
    result: Any = field(default=None, repr=False)
    started: float = field(default_factory=time.monotonic)
    seen: float = field(default_factory=time.monotonic)
    _over: threading.Event = field(default_factory=threading.Event)
    _fetching: threading.Lock = field(default_factory=threading.Lock)

    @property
    def stage(self) -> Message:
        """What is being done."""
        if self.state == "waiting":
            return WAITING
        return Message("Reading {file}", file=self.name)

    @property
    def seconds(self) -> float:
        """How long it has taken so far."""
        return time.monotonic() - self.started

    def wait(self, seconds: float, heed: Callable[[], None] = lambda: None) -> bool:
        """Wait until it is over, or so long; return whether it is.

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
        """Say that nothing will come of it."""
        if not self._over.is_set():
            self.state, self.message = "failed", message
            self._over.set()
            shutil.rmtree(self.folder, ignore_errors=True)

    def end(self) -> None:
        """Say that there is an answer to fetch."""
        if not self._over.is_set():
            self.state = "ended"
            self._over.set()

    def fetch(self) -> None:
        """Load the answer, once, and remove the folder."""
        with self._fetching:
            if self.state == "ended":
                self._fetch()

    def _fetch(self) -> None:
        try:
            answer = shaped(self.folder / "answer.json", _ANSWER, _MOST_ANSWER)
            if "failed" in answer:
                self.state, self.message = "failed", answer["failed"]
            else:
                self.result = KINDS[self.kind].fetch(self.folder)
                self.state = "done"
        except Exception as error:  # where files are damaged, it can be any
            self.state = "failed"
            if isinstance(error, EngineError) and not isinstance(error, DamagedError):
                self.message = error.message
                return
            self.message = Message(
                "What was read from {file!r} cannot be fetched ({error}), perhaps "
                "because the folder for temporary files was tidied up: open the file "
                "again.",
                file=self.name,
                error=type(error).__name__,
            )
        finally:
            # What is mapped stays, without a name, until nobody needs it any more.
            shutil.rmtree(self.folder, ignore_errors=True)
