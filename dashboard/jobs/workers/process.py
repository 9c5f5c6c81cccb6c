"""Worker processes: start, command, monitor and end them."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Protocol, TypeAlias

from engine.core.platform.memory import processor_seconds, resident_bytes
from engine.core.platform.processes import NEW_GROUP

CLUSTER_VARIABLE = "COTERIE_CLUSTER"
"""Environment variable: address of the scheduler; set where runs go to a cluster."""

WORKER_NICENESS = 10
"""Niceness of workers: on a busy machine, pages get nine times a worker's share."""


Process: TypeAlias = "subprocess.Popen[bytes]"


class ChildProcess(Protocol):
    """Protocol of a process with a pipe to its standard input; a `Popen` has it."""

    pid: int
    stdin: IO[bytes] | None

    def poll(self) -> int | None:
        """Return the exit code, None while it runs; negative for signals."""

    def kill(self) -> None:
        """Kill the process if it is running."""

    def wait(self) -> int:
        """Wait until the process ends; return its exit code."""


DISCARDED = subprocess.DEVNULL
"""Where the output of a process goes that says nothing."""


def start_module_process(
    module: str,
    stdout: int = subprocess.PIPE,
    arguments: Sequence[str] = (),
    stdin: int = subprocess.PIPE,
    **environment: str,
) -> Process:
    """Start a module of this program as a process with a pipe to its standard input.

    Parameters
    ----------
    stdin : int, optional
        A descriptor in the place of that pipe.

    Raises
    ------
    OSError
        If the system allows no further process.
    """
    return subprocess.Popen(
        # -P: modules in the folder where somebody typed the command are not ours.
        [sys.executable, "-P", "-m", module, *arguments],
        stdin=stdin,
        stdout=stdout,
        env=os.environ | environment,
        # A Ctrl-C in the terminal is for the server, which then ends its workers. Not
        # a session of its own: Linux gives each session the same share of the
        # processor (autogroups), and niceness counts among its processes only.
        process_group=0,
        creationflags=NEW_GROUP,
    )


def send_line(process: ChildProcess, line: bytes) -> None:
    """Write a line to a process's standard input, and flush it.

    Raises
    ------
    OSError
        If the process is dead.
    """
    assert process.stdin is not None
    process.stdin.write(line + b"\n")
    process.stdin.flush()


def end_or_kill_process(process: Process) -> None:
    """Tell a process on its stdin to end; kill it if it runs on after five seconds."""
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.write(b'{"end": true}\n')
    with contextlib.suppress(OSError):
        process.stdin.close()
    try:
        process.wait(5.0)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class WorkerProcess:
    """Handle of a worker process, which runs one job folder after another.

    It starts without a run, imports the engine and warms up; :meth:`send_job` gives it
    its run. It ends by itself when this process ends, because its standard input is
    a pipe that then closes.

    Parameters
    ----------
    process : ChildProcess, optional
        One that has been forked; a new one is started unless given.
    """

    def __init__(self, process: ChildProcess | None = None) -> None:
        is_remote = bool(os.environ.get(CLUSTER_VARIABLE))
        name = "cluster_worker" if is_remote else "worker"
        self._process = process or start_module_process(
            f"dashboard.jobs.workers.{name}", DISCARDED
        )
        self._asked = 0.0

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """Exit code; None while the process runs; a negative number is a signal."""
        return self._process.poll()

    def send_job(self, folder: Path) -> None:
        """Have the worker run a job folder.

        Raises
        ------
        OSError
            If the worker is dead.
        """
        send_line(self._process, os.fsencode(folder))

    def kill_and_wait(self) -> None:
        """Kill the process and wait until it is gone."""
        if self._process.poll() is None:
            self._process.kill()
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        self._process.wait()

    def cpu_seconds_since_last_call(self) -> float:
        """Return the processor seconds taken since the last call."""
        now = processor_seconds(self.pid)
        if now is None:
            return 0.0
        before, self._asked = self._asked, now
        return now - before

    def resident_bytes(self) -> int:
        """Return the process's resident memory in bytes; 0 if unknown."""
        return resident_bytes(self.pid)
