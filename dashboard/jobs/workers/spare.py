"""Spare worker: an idle, warmed-up process that takes the next run."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from typing import Protocol, TypeVar

from dashboard.jobs.failures import exit_code_message
from dashboard.jobs.workers.process import WorkerProcess

MAX_SPARE_WORKER_BYTES = 2**30
"""Memory up to which a worker that has carried out a run waits for another; a warm one
has about a third."""


class IdleProcess(Protocol):
    """Protocol of a process that waits for runs."""

    @property
    def exit_code(self) -> int | None:
        """Exit code; None while the process runs."""

    def kill_and_wait(self) -> None:
        """Kill the process and wait until it is gone."""


P = TypeVar("P", bound=IdleProcess)


class SpareWorkerHolder:
    """Holder of at most one idle worker process, ready for the next run.

    Parameters
    ----------
    keeps_worker : bool
        Whether one is kept at all; without, every run starts its own.
    reuses_worker : bool
        Whether a worker that has carried out a run waits for another: not where
        several people are served, whose tables share no process.

    Attributes
    ----------
    worker : WorkerProcess or None
        The one that waits.
    failures : int
        How often in a row none could be started.
    """

    def __init__(self, keeps_worker: bool, reuses_worker: bool = False) -> None:
        self.worker: WorkerProcess | None = None
        self.failures = 0
        self._wanted, self._again = keeps_worker, reuses_worker
        self._due = 0.0
        self._lock = threading.RLock()

    def take_worker(self) -> WorkerProcess:
        """Return the idle worker, or a new one.

        Raises
        ------
        OSError
            If the system allows no further process.
        """
        with self._lock:
            worker, self.worker = self.worker, None
        if worker is not None:
            if worker.exit_code is None:
                self.failures = 0
                return worker
            worker.kill_and_wait()
        return WorkerProcess()

    def return_worker(self, worker: WorkerProcess) -> None:
        """Take back the worker of a run that has ended, as the idle one, or end it.

        To start another takes a second, and to warm it up four more of processor.
        """
        with self._lock:
            needs_spare = self._wanted and self._again and self.worker is None
            if needs_spare and worker.resident_bytes() <= MAX_SPARE_WORKER_BYTES:
                self.worker = worker
                return
        worker.kill_and_wait()

    def ensure_ready(self, idle: bool) -> None:
        """Remove the idle worker if it has ended; start one if there is none.

        Parameters
        ----------
        idle : bool
            Whether the processor has nothing else to do: only then one starts.
        """
        with self._lock:
            if self.worker is None:
                self.worker = self._start_if_due(idle, WorkerProcess)
            elif self._has_ended(self.worker):
                self.worker = None

    def close(self) -> None:
        """End the idle worker, and start no more."""
        with self._lock:
            worker, self.worker, self._wanted = self.worker, None, False
        if worker is not None:
            worker.kill_and_wait()

    def _start_if_due(self, idle: bool, start: Callable[[], P]) -> P | None:
        """Return a new process; None where it is not time for one, or none starts."""
        if self._wanted and idle and time.monotonic() >= self._due:
            try:
                return start()
            except OSError as error:
                self._put_off(error.strerror or type(error).__name__)
        return None

    def _has_ended(self, process: IdleProcess) -> bool:
        """Return whether a process has ended by itself; if so, put the next one off."""
        if (code := process.exit_code) is None:
            return False
        process.kill_and_wait()
        self._put_off(exit_code_message(code))
        return True

    def _put_off(self, reason: str) -> None:
        """Try again later, and ever later, where no worker can be started."""
        self.failures += 1
        seconds = min(600.0, 5.0 * 2**self.failures)
        self._due = time.monotonic() + seconds
        print(
            f"coterie: no worker can be started ({reason}); again in {seconds:.0f} s",
            file=sys.stderr,
        )
