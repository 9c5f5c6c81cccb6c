"""Worker processes: start, command, monitor and end them; memory of the machine."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

WORKER_NICENESS = 10
"""Niceness of workers: on a busy machine, pages get nine times a worker's share."""


Process: TypeAlias = "subprocess.Popen[bytes]"


def start_module(
    module: str, stdout: int = subprocess.PIPE, **environment: str
) -> Process:
    """Start a module of this program as a process that reads commands from stdin.

    Raises
    ------
    OSError
        If the system allows no further process.
    """
    return subprocess.Popen(
        # -P: modules in the folder where somebody typed the command are not ours.
        [sys.executable, "-P", "-m", module],
        stdin=subprocess.PIPE,
        stdout=stdout,
        env=os.environ | environment,
        # A Ctrl-C in the terminal is for the server, which then ends its workers. Not
        # a session of its own: Linux gives each session the same share of the
        # processor (autogroups), and niceness counts among its processes only.
        process_group=0,
    )


def end_process(process: Process, command: bytes, seconds: float = 5.0) -> None:
    """Send a process its last command; kill it if it has not ended in time."""
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.write(command)
    with contextlib.suppress(OSError):
        process.stdin.close()
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class Worker:
    """A worker process, running :mod:`dashboard.jobs.worker`.

    It starts without a run, imports the engine and warms up; :meth:`send_job` gives it
    its run. It ends by itself when this process ends, because its standard input is
    a pipe that then closes.
    """

    def __init__(self) -> None:
        self._process = start_module("dashboard.jobs.worker", subprocess.DEVNULL)
        self._asked = 0.0

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """Exit code, None while the process lives; negative numbers are signals."""
        return self._process.poll()

    def lower_priority(self) -> None:
        """Lower the process's priority to idle."""
        with contextlib.suppress(OSError):  # ended, or a system that does not say
            os.setpriority(os.PRIO_PROCESS, self.pid, 19)

    def send_job(self, folder: Path) -> None:
        """Have the worker carry out the run in a job folder.

        Raises
        ------
        OSError
            If the worker is dead.
        """
        assert self._process.stdin is not None
        self._process.stdin.write(os.fsencode(folder) + b"\n")
        self._process.stdin.flush()

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
        try:
            with open(f"/proc/{self.pid}/stat", "rb") as stat:
                words = stat.read().rpartition(b")")[2].split()
        except OSError:  # ended, or a system that does not say
            return 0.0
        now = (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
        before, self._asked = self._asked, now
        return now - before

    def resident_bytes(self) -> int:
        """Return the process's resident memory; 0 if unknown."""
        try:
            with open(f"/proc/{self.pid}/statm", "rb") as statm:
                return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except OSError:
            return _resident_by_ps(self.pid)


def _resident_by_ps(pid: int) -> int:
    """Ask ps, where there is no /proc."""
    try:
        found = subprocess.run(
            ["ps", "-o", "rss=", "-p", str(pid)],
            capture_output=True,
            timeout=5,
            check=False,
        )
        return 1024 * int(found.stdout)
    except (OSError, ValueError, subprocess.SubprocessError):
        return 0


def is_process_alive(pid: int) -> bool:
    """Return whether there is a process with this number."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def end_with_parent(parent: int, number: int = signal.SIGKILL) -> None:
    """Have the system end this process when its parent ends, where it can.

    Only for children of processes with one thread: a thread's end counts as well.

    Parameters
    ----------
    parent : int
        The parent's number; a child that comes too late ends at once.
    number : int
        Of the signal.
    """
    if sys.platform == "linux":
        kill_on_parents_end = 1  # PR_SET_PDEATHSIG
        ctypes.CDLL(None).prctl(kill_on_parents_end, number)
    if os.getppid() != parent:
        os._exit(0)


def adopt_orphans() -> None:
    """Have the system make this process the parent of those whose parent has ended."""
    if sys.platform == "linux":
        child_subreaper = 36  # PR_SET_CHILD_SUBREAPER
        ctypes.CDLL(None).prctl(child_subreaper, 1)


def physical_bytes() -> int:
    """Return the memory of this machine, or the limit of its container or service."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min([machine, *cgroup_memory_limits(Path("/"))])


def cgroup_memory_limits(root: Path) -> Iterator[int]:
    """Yield the memory limits of the control groups of this process.

    A container sees its own group as the root of all; a service of systemd is further
    down, and what a group above it may have it has not either (cgroups(7)).

    Parameters
    ----------
    root : Path
        Of the file system.
    """
    mounted = root / "sys/fs/cgroup"
    try:
        groups = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:  # another system
        return
    for _, controllers, group in (line.split(":", 2) for line in groups):
        if not controllers:
            top, name = mounted, "memory.max"
        elif "memory" in controllers.split(","):  # version 1
            top, name = mounted / "memory", "memory.limit_in_bytes"
        else:
            continue
        for one in (Path(group), *Path(group).parents):
            with contextlib.suppress(OSError, ValueError):  # none, or "max"
                yield int((top / one.relative_to("/") / name).read_bytes())
