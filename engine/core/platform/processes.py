"""Operations on processes: query, replace, fork, lower in priority, kill and adopt."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Collection, Sequence
from typing import NoReturn

NEW_GROUP = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
"""Flag by which a process on Windows hears nothing of a Ctrl-C in the terminal."""

if sys.platform == "win32":
    KILLED_EXIT_CODES: frozenset[int] = frozenset({signal.SIGTERM})
else:
    KILLED_EXIT_CODES = frozenset({-signal.SIGKILL})
"""Exit codes of a process that somebody has ended by force."""


def count_usable_cores() -> int:
    """Return the number of cores: on Linux of those that this process may use."""
    if sys.platform == "linux":
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


def is_process_alive(pid: int) -> bool:
    """Return whether a process with this id exists."""
    import psutil

    return bool(psutil.pid_exists(pid))


def exec_program(command: Sequence[str]) -> NoReturn:
    """Replace this process by a program; on Windows run it and exit with its code.

    Parameters
    ----------
    command : sequence of str
        Path of the program, and its arguments.
    """
    sys.stdout.flush()
    if sys.platform != "win32":
        os.execv(command[0], list(command))
    # There, the terminal would not wait for what takes a process's place.
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is for the other one
    raise SystemExit(subprocess.call(list(command)))


def lower_own_priority(steps: int) -> None:
    """Lower this process's priority by steps of niceness; on Windows to below normal.

    Parameters
    ----------
    steps : int
        Of niceness; on Windows there is but one step before idle.
    """
    if sys.platform == "win32":
        import psutil

        psutil.Process().nice(psutil.BELOW_NORMAL_PRIORITY_CLASS)
    else:
        os.nice(steps)


def die_with_parent(parent_pid: int, signal_number: int | None = None) -> None:
    """Exit if this process's parent has ended; on Linux, be signalled when it ends.

    Only for children of processes with one thread: a thread's end counts as well.
    Elsewhere than on Linux, a child notices that its standard input closes.

    Parameters
    ----------
    parent_pid : int
        The parent's number; a child that comes too late ends at once.
    signal_number : int, optional
        Signal that the system sends; SIGKILL unless given.
    """
    if sys.platform == "linux":
        import ctypes

        kill_on_parents_end = 1  # PR_SET_PDEATHSIG
        ctypes.CDLL(None).prctl(kill_on_parents_end, signal_number or signal.SIGKILL)
    if os.getppid() != parent_pid:
        os._exit(0)


def adopt_orphans() -> None:
    """Make this process the parent of orphaned descendants, if supported."""
    if sys.platform == "linux":
        import ctypes

        child_subreaper = 36  # PR_SET_CHILD_SUBREAPER
        ctypes.CDLL(None).prctl(child_subreaper, 1)


def kill_children_except(kept_pids: Collection[int]) -> None:
    """Kill all child processes except the given ones; on Windows do nothing.

    After :func:`adopt_orphans`, processes whose parents have ended are among them.

    Parameters
    ----------
    kept_pids : collection of int
        Numbers of the processes that stay.
    """
    if sys.platform == "win32":
        return
    import psutil

    while True:
        pids = {child.pid for child in psutil.Process().children()} - {*kept_pids}
        if not pids:
            return
        for pid in pids:
            with contextlib.suppress(ProcessLookupError, ChildProcessError):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)


def is_stdin_readable() -> bool:
    """Return whether standard input, a pipe, has data to read or is closed."""
    if sys.platform != "win32":
        return bool(select.select([0], [], [], 0.0)[0])
    import ctypes
    import msvcrt

    waiting = ctypes.c_uint32()
    is_open = ctypes.windll.kernel32.PeekNamedPipe(
        ctypes.c_void_p(msvcrt.get_osfhandle(0)),
        *(None, 0, None),
        *(ctypes.byref(waiting), None),
    )
    return not is_open or waiting.value > 0


def register_after_fork_in_child(task: Callable[[], object]) -> None:
    """Register a task that every forked copy of this process runs first."""
    if sys.platform != "win32":
        os.register_at_fork(after_in_child=task)


def _fork() -> int:
    if sys.platform == "win32":
        raise OSError("no process can be copied here")
    return os.fork()


class ForkedProcess:
    """A forked copy of this process that runs one task; used like a `Popen`.

    Only where this process has one thread.

    Parameters
    ----------
    task : callable
        What the copy does; it returns the exit code.
    """

    def __init__(self, task: Callable[[], int]) -> None:
        self.returncode: int | None = None
        self.pid = _fork()
        if self.pid == 0:
            code = 1
            try:
                code = task()
            finally:
                os._exit(code)

    def poll(self) -> int | None:
        """Return the exit code, None while it runs; negative for signals."""
        if sys.platform != "win32" and self.returncode is None:
            self._note(*os.waitpid(self.pid, os.WNOHANG))
        return self.returncode

    def kill(self) -> None:
        """Kill the process if it is running."""
        if sys.platform != "win32" and self.returncode is None:
            os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        """Wait until the process ends; return its exit code."""
        if self.returncode is None:
            self._note(*os.waitpid(self.pid, 0))
        assert self.returncode is not None
        return self.returncode

    def _note(self, ended: int, status: int) -> None:
        if ended:
            self.returncode = os.waitstatus_to_exitcode(status)
