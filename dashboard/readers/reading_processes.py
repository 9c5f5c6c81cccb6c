"""Processes that each read one file: forks of this process, or new interpreters."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import select
import shutil
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from dashboard.jobs.workers.process import (
    DISCARDED,
    Process,
    send_line,
    start_module_process,
)
from dashboard.readers.limits import ReadingProcessLimits
from engine.core.platform.limits import (
    OUT_OF_MEMORY_EXIT_CODE,
    OUT_OF_TIME_EXIT_CODE,
    is_memory_limit_enforced,
)
from engine.core.platform.memory import resident_bytes
from engine.core.platform.processes import (
    ForkedProcess,
    die_with_parent,
    kill_children_except,
)

_GRACE_SECONDS = 2.0
"""Seconds after which a process is ended from outside whose time is over."""


def process_limits_of_order(order: dict[str, Any]) -> ReadingProcessLimits:
    """Return the process limits in an order: memory in bytes, and seconds."""
    return ReadingProcessLimits(order["memory"], order["seconds"])


class StdinOrderReader:
    """Reader of orders from standard input, one JSON object per line."""

    def __init__(self) -> None:
        self._text = b""

    def receive(self, seconds: float | None) -> list[dict[str, Any]] | None:
        """Return the orders that arrive within some seconds; None at end of input."""
        chunk = self._read_chunk(seconds)
        if chunk is None:
            return []
        *lines, self._text = (self._text + chunk).split(b"\n")
        return [json.loads(line) for line in lines] if chunk else None

    def _read_chunk(self, seconds: float | None) -> bytes | None:
        ready, _, _ = select.select([0], [], [], seconds)
        return os.read(0, 65536) if ready else None


class ThreadedOrderReader(StdinOrderReader):
    """Reader of orders from standard input by a thread of its own, without `select`."""

    def __init__(self) -> None:
        super().__init__()
        self._chunks: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=self._listen, name="orders", daemon=True).start()

    def _listen(self) -> None:
        chunk = b"begun"
        while chunk:
            chunk = os.read(0, 65536)
            self._chunks.put(chunk)

    def _read_chunk(self, seconds: float | None) -> bytes | None:
        try:
            return self._chunks.get(timeout=seconds)
        except queue.Empty:
            return None

    def end_when_closed(self) -> None:
        """End this process when its standard input closes."""

        def wait() -> None:
            while self.receive(None) is not None:
                pass
            os._exit(0)

        threading.Thread(target=wait, name="parent", daemon=True).start()


@dataclass
class _Copy:
    """A process that reads one file.

    Attributes
    ----------
    process : ForkedProcess or Popen
    folder : str
    limits : ReadingProcessLimits
    begun : float
    fate : int or None
        What its exit code is taken for, where it was ended from here.
    """

    process: ForkedProcess | Process
    folder: str
    limits: ReadingProcessLimits
    begun: float = field(default_factory=time.monotonic)
    fate: int | None = None

    def watch(self) -> int | None:
        """Return the exit code, None while it lives; end it where a limit is passed.

        The system keeps what :func:`limit_own_process` says: not every one all of it.
        """
        code = self.process.poll()
        if code is not None:
            return code if self.fate is None else self.fate
        if time.monotonic() - self.begun > self.limits.seconds + _GRACE_SECONDS:
            self._end(OUT_OF_TIME_EXIT_CODE)
        elif (
            not is_memory_limit_enforced()
            and resident_bytes(self.process.pid) > self.limits.memory
        ):
            self._end(OUT_OF_MEMORY_EXIT_CODE)
        return None

    def _end(self, fate: int) -> None:
        if self.fate is None:
            self.fate = fate
            self.process.kill()


class ReadingProcessStarter(Protocol):
    """Protocol of a starter of reading processes, one for each order."""

    def start(self, order: dict[str, Any]) -> ForkedProcess | Process:
        """Start a process for an order, and return it."""

    def waiting_pids(self) -> list[int]:
        """Return the ids of started processes that have no order yet."""


class ReadingProcesses:
    """Running processes that each read one file: start, cancel and reap them.

    Attributes
    ----------
    running : dict of int to _Copy
        By their numbers.
    """

    def __init__(self, starter: ReadingProcessStarter) -> None:
        self._starter = starter
        self.running: dict[int, _Copy] = {}

    def begin(self, order: dict[str, Any]) -> None:
        """Start to read a file, as ordered."""
        process = self._starter.start(order)
        self.running[process.pid] = _Copy(
            process, order["folder"], process_limits_of_order(order)
        )

    def cancel(self, folder: str) -> None:
        """End the reading of the file in a folder."""
        for copy in self.running.values():
            if copy.folder == folder:
                copy.process.kill()

    def reap(self) -> None:
        """Report to the server the reading processes that have ended."""
        for pid, copy in list(self.running.items()):
            if (code := copy.watch()) is not None:
                # If it was taken over: the server reads its files.
                kill_children_except([*self.running, *self._starter.waiting_pids()])
                answer = {"folder": self.running.pop(pid).folder, "exit": code}
                os.write(1, json.dumps(answer).encode() + b"\n")

    def kill_all(self) -> None:
        """Kill all reading processes, and remove their files."""
        for copy in self.running.values():
            copy.process.kill()
            copy.process.wait()
            shutil.rmtree(copy.folder, ignore_errors=True)


class ForkedProcessStarter:
    """Starter of reading processes as forks of this process.

    Parameters
    ----------
    read : callable
        Reads what is in a folder, within limits; returns the exit code.
    """

    def __init__(self, read: Callable[[Path, ReadingProcessLimits], int]) -> None:
        self._read = read
        self._parent = os.getpid()

    def start(self, order: dict[str, Any]) -> ForkedProcess:
        """Fork a process for an order, and return it."""
        return ForkedProcess(lambda: self._carry_out(order))

    def waiting_pids(self) -> list[int]:
        """Return an empty list: forks never wait for an order."""
        return []

    def _carry_out(self, order: dict[str, Any]) -> int:
        die_with_parent(self._parent)
        os.dup2(os.open(os.devnull, os.O_RDWR), 0)
        return self._read(Path(order["folder"]), process_limits_of_order(order))


class SpawnedProcessStarter:
    """Starter of reading processes as new interpreters; one waits in advance.

    Parameters
    ----------
    module : str
        Carries out one order, which comes on standard input, when started with
        ``one``.
    """

    def __init__(self, module: str) -> None:
        self._module = module
        self._waiting = self._begin()

    def start(self, order: dict[str, Any]) -> Process:
        """Give the waiting process an order, start another; return the first."""
        process = self._waiting
        with contextlib.suppress(OSError):  # it has ended: its exit code says why
            send_line(process, json.dumps(order).encode())
        self._waiting = self._begin()
        return process

    def waiting_pids(self) -> list[int]:
        """Return the id of the process that waits for an order."""
        return [self._waiting.pid]

    def _begin(self) -> Process:
        return start_module_process(self._module, DISCARDED, arguments=["one"])
