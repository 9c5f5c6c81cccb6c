"""Process that forks people's server processes and the proxy; its end ends them all.

It has one thread and has imported what a place needs, where it is forked from a process
that has; a place is a copy of it. It is the parent of all, also of what places leave
behind when they end, and ends all when the supervisor closes the connection or is gone.

The supervisor sends a line of JSON for each order: ``{"place": {...}}`` to start one,
``{"program": name, "words": [...], "environment": {...}}`` to start another program,
``{"signal": name, "number": n}`` to send a signal. Back comes a line for each that has
started (``{"started": name, "pid": n}``) or ended (``{"ended": name, "code": n}``).
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import select
import signal
import socket
import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn

from engine.core.errors import EngineError
from engine.core.platform import processes
from engine.core.platform.files import remove_folder_with_retries

assert sys.platform != "win32"  # told to type checkers; see __main__

StartPlace = Callable[[Mapping[str, Any]], None]
"""Is a place, in the process that runs it: returns when the place ends."""


def start_forkserver(start_place: StartPlace, folder: Path) -> socket.socket:
    """Fork the process that starts places; return the socket connected to it.

    Parameters
    ----------
    start_place : callable
    folder : Path
        Removed when all has ended.
    """
    parent_socket, child_socket = socket.socketpair()
    sys.stdout.flush()
    if os.fork():
        child_socket.close()
        return parent_socket
    code = 1
    try:
        parent_socket.close()
        _Forkserver(child_socket, start_place).run()
        remove_folder_with_retries(folder)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


class _Forkserver:
    """Process that forks places and programs as the supervisor orders."""

    def __init__(self, link: socket.socket, start_place: StartPlace) -> None:
        self._link, self._start_place = link, start_place
        self._running: dict[int, str] = {}
        self._places: set[int] = set()
        self._parent = os.getpid()

    def run(self) -> None:
        """Take orders until there is nobody to give any; end all."""
        # A Ctrl-C in the terminal is for the supervisor.
        os.setpgid(0, 0)
        processes.adopt_orphans()
        atexit.unregister(remove_folder_with_retries)
        awake, self._wake = socket.socketpair()
        awake.setblocking(False)
        self._wake.setblocking(False)
        signal.set_wakeup_fd(self._wake.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # its end is that of the link
        text = b""
        while True:
            ready, _, _ = select.select([self._link, awake], [], [])
            if awake in ready:
                with contextlib.suppress(BlockingIOError):
                    awake.recv(4096)
                self._reap()
            if self._link in ready:
                try:
                    chunk = self._link.recv(65536)
                except ConnectionError:
                    chunk = b""
                if not chunk:
                    break
                *lines, text = (text + chunk).split(b"\n")
                for line in lines:
                    self._obey(json.loads(line))
        for pid in self._running:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL if pid in self._places else signal.SIGTERM)
        for pid in self._running:
            _wait_or_kill(pid)
        processes.kill_children_except(())

    def _tell(self, answer: Mapping[str, Any]) -> None:
        with contextlib.suppress(OSError):  # gone: the next look at the link says so
            self._link.sendall(json.dumps(answer).encode() + b"\n")

    def _obey(self, order: Mapping[str, Any]) -> None:
        if "signal" in order:
            for pid, name in self._running.items():
                if name == order["signal"]:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, order["number"])
            return
        name = order["place"]["name"] if "place" in order else order["program"]
        try:
            pid = os.fork()
        except OSError:
            self._tell({"ended": name, "code": 1})
            return
        if pid == 0:
            self._become(order)
        self._running[pid] = name
        if "place" in order:
            self._places.add(pid)
        self._tell({"started": name, "pid": pid})

    def _become(self, order: Mapping[str, Any]) -> NoReturn:
        code = 1
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            self._link.close()
            os.dup2(os.open(os.devnull, os.O_RDWR), 0)
            if "place" in order:
                processes.die_with_parent(self._parent)
                self._start_place(order["place"])
                code = 0
            else:
                processes.die_with_parent(self._parent, signal.SIGTERM)
                environment = os.environ | order["environment"]
                os.execve(order["words"][0], order["words"], environment)
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
        except EngineError as error:  # such as a port that is taken: another one comes
            sys.stderr.write(f"coterie: {error}\n")
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not pid:
                return
            name = self._running.pop(pid, None)
            self._places.discard(pid)
            if name is not None:
                processes.kill_children_except(self._running)
                code = os.waitstatus_to_exitcode(status)
                self._tell({"ended": name, "code": code})


def _wait_or_kill(pid: int, seconds: int = 5) -> None:
    """Wait for a child that was told to end; kill it if it does not."""
    signal.signal(signal.SIGALRM, lambda number, frame: os.kill(pid, signal.SIGKILL))
    signal.alarm(seconds)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, 0)
    signal.alarm(0)
