"""Workers that are forked from a warm template, where the system can fork."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import sys
import threading
import weakref
from contextlib import suppress
from typing import IO, Any

from dashboard.jobs.workers.process import (
    DISCARDED,
    WorkerProcess,
    start_module_process,
)
from dashboard.jobs.workers.spare import SpareWorkerHolder

MAX_PACKET_BYTES = 4096

assert sys.platform == "linux"  # told to type checkers; shared_runs.py asks before

_ANSWER_SECONDS = 5.0
"""Seconds in which a template that has nothing else to do forks a worker."""

_KILLED_EXIT_CODE = -9
"""Exit code of workers that were killed: with their template, all are."""


class WorkerTemplate:
    """Handle of the template process, from which workers are forked.

    Raises
    ------
    OSError
        If the system allows no further process.
    """

    def __init__(self) -> None:
        self._channel, other_end = socket.socketpair(
            socket.AF_UNIX, socket.SOCK_SEQPACKET
        )
        with other_end:
            self._process = start_module_process(
                "dashboard.jobs.workers.template", DISCARDED, stdin=other_end.fileno()
            )
        self._lock = threading.RLock()
        self._exit_codes: dict[int, int] = {}
        self._n_forks, self._last_forked = 0, 0
        self._is_busy, self._is_warm, self._has_ended = True, False, False

    @property
    def exit_code(self) -> int | None:
        """Exit code of the template itself; None while it runs."""
        return self._process.poll()

    def is_ready(self) -> bool:
        """Return whether a worker can be forked at once."""
        with self._lock:
            self._receive(0.0)
            return not self._is_busy and not self._has_ended

    def warm_up(self) -> None:
        """Have it load more kernels, unless it is at work or has loaded all."""
        with self._lock:
            if self.is_ready() and not self._is_warm:
                self._is_busy = self._order(b"warm")

    def fork(self) -> ForkedWorker | None:
        """Return a new worker; None where none can be forked at once.

        One that comes too late ends by itself, as its standard input is closed.
        """
        with self._lock:
            if not self.is_ready():
                return None
            self._n_forks, self._last_forked = self._n_forks + 1, 0
            read_end, write_end = os.pipe()
            stdin = os.fdopen(write_end, "wb")
            try:
                if self._order(b"fork %d" % self._n_forks, read_end):
                    while not self._last_forked and self._receive(_ANSWER_SECONDS):
                        pass
                if self._last_forked:
                    return ForkedWorker(self, self._last_forked, stdin)
            except OSError:  # the system has no handles of processes
                pass
            finally:
                os.close(read_end)
            stdin.close()
            return None

    def exit_code_of(self, pid: int) -> int | None:
        """Return the exit code of a worker; None while it runs."""
        with self._lock:
            while self._receive(0.0):
                pass
            lost = _KILLED_EXIT_CODE if self._has_ended else None
            return self._exit_codes.get(pid, lost)

    def kill_and_wait(self) -> None:
        """End the template, and the workers with it."""
        with self._lock:
            self._channel.close()
            self._has_ended = True
        self._process.terminate()
        self._process.wait()

    def _order(self, packet: bytes, *files: int) -> bool:
        """Send an order; return False where the template is gone."""
        if not self._has_ended:
            try:
                socket.send_fds(self._channel, [packet], files)
            except OSError:
                self._has_ended = True
        return not self._has_ended

    def _receive(self, seconds: float) -> bool:
        """Take in one answer, if one comes in time; return whether one came."""
        if self._has_ended or not _is_readable(self._channel.fileno(), seconds):
            return False
        try:
            packet = self._channel.recv(MAX_PACKET_BYTES)
        except OSError:
            packet = b""
        self._has_ended = not packet
        self._note(json.loads(packet) if packet else {})
        return bool(packet)

    def _note(self, answer: dict[str, Any]) -> None:
        if "warm" in answer:
            self._is_busy, self._is_warm = False, answer["warm"]
        elif "forked" in answer:
            self._exit_codes.pop(answer["forked"], None)  # of an earlier process
            if answer["number"] == self._n_forks:
                self._last_forked = answer["forked"]
        elif "ended" in answer:
            self._exit_codes[answer["ended"]] = answer["code"]


def _is_readable(descriptor: int, seconds: float | None) -> bool:
    """Return whether something can be read in time; however many files are open."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(None if seconds is None else 1000.0 * seconds))


class ForkedWorker:
    """Process of a worker that a template has forked; used like a `Popen`.

    Parameters
    ----------
    template : WorkerTemplate
    pid : int
    stdin : binary file
        Closed, it tells the worker to end.

    Raises
    ------
    OSError
        If the system has no handles of processes that are no children.
    """

    def __init__(self, template: WorkerTemplate, pid: int, stdin: IO[bytes]) -> None:
        self.pid = pid
        self.stdin: IO[bytes] | None = stdin
        self._template, self._has_ended = template, False
        # Nobody has to wait for the template, which may be at work, to end its worker.
        self._handle = os.pidfd_open(pid)
        weakref.finalize(self, os.close, self._handle)

    def poll(self) -> int | None:
        """Return the exit code, None while it runs; negative for signals."""
        code = self._template.exit_code_of(self.pid)
        return _KILLED_EXIT_CODE if code is None and self._has_ended else code

    def kill(self) -> None:
        """Kill the process if it is running."""
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._handle, signal.SIGKILL)

    def wait(self) -> int:
        """Wait until the process ends; return its exit code."""
        self._has_ended = _is_readable(self._handle, None)
        code = self.poll()
        assert code is not None
        return code


class ForkedWorkerSource(SpareWorkerHolder):
    """Source of workers that each carry out one run: forks of a warm template.

    Until the template is ready, or where it is at work, a worker is a new process.
    """

    def __init__(self) -> None:
        super().__init__(keeps_worker=True)
        self._template: WorkerTemplate | None = None

    def take_worker(self) -> WorkerProcess:
        """Return a forked worker, or a new process; see `SpareWorkerHolder`."""
        with self._lock:
            process = self._template.fork() if self._template is not None else None
        if process is not None:
            self.failures = 0
        return WorkerProcess(process)

    def ensure_ready(self, idle: bool) -> None:
        """Start the template if there is none; have it warmed up when idle."""
        with self._lock:
            if self._template is None:
                self._template = self._start_if_due(idle, WorkerTemplate)
            elif self._has_ended(self._template):
                self._template = None
            elif idle:
                self._template.warm_up()

    def close(self) -> None:
        """End the template, and start none any more."""
        super().close()
        with self._lock:
            template, self._template = self._template, None
        if template is not None:
            template.kill_and_wait()
