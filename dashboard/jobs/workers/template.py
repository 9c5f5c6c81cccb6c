"""Template of workers: a process that is warm, has read nobody's file, and is forked.

It is started by ``python -m dashboard.jobs.workers.template`` with a Unix socket as its
standard input; :class:`dashboard.jobs.workers.forked.WorkerTemplate` is its other end.
Workers carry out one run each where several people are served: a fork has in
milliseconds what a new interpreter imports and loads in seconds, and shares its memory.

An order is a packet: ``fork NUMBER``, which brings the standard input of a new worker;
``warm`` loads the kernels of some more methods. Back come packets of JSON:
``{"forked": pid, "number": n}``, ``{"ended": pid, "code": n}``, ``{"warm": is_all}``.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import socket
import sys
import time
from contextlib import suppress

from dashboard.jobs.workers import worker
from dashboard.jobs.workers.forked import MAX_PACKET_BYTES
from dashboard.jobs.workers.process import WORKER_NICENESS
from dashboard.jobs.workers.warm_up import methods_to_warm_up, warm_up_method
from engine.core.platform.processes import (
    ForkedProcess,
    die_with_parent,
    lower_own_priority,
)
from engine.kernels.compilation.cache_cleanup import remove_unused_folders

assert sys.platform == "linux"  # told to type checkers; shared_runs.py asks before

_REAP_SECONDS = 0.05
"""Seconds between looks at the workers."""

_WARM_UP_SECONDS = 1.0
"""Seconds of one order to warm up, after which other orders are looked for."""

_PATIENCE_SECONDS = 10.0
"""Seconds in which workers remove their folders once the server is gone."""


class _Template:
    """The process that is forked, and the workers that it has begun.

    Parameters
    ----------
    channel : socket
        Of packets.
    """

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self._pid = os.getpid()
        self._workers: dict[int, ForkedProcess] = {}
        self._methods = iter(methods_to_warm_up())

    def serve(self) -> None:
        """Carry out orders until the server closes the channel."""
        self._answer({"warm": False})
        while self._carry_out_next():
            self._reap()
        until = time.monotonic() + _PATIENCE_SECONDS
        while self._workers and time.monotonic() < until:
            time.sleep(_REAP_SECONDS)
            with suppress(OSError):
                self._reap()

    def _carry_out_next(self) -> bool:
        """Carry out the next order, if one comes; return False where none will."""
        seconds = _REAP_SECONDS if self._workers else None
        if not select.select([self._channel], [], [], seconds)[0]:
            return True
        packet, files, _, _ = socket.recv_fds(self._channel, MAX_PACKET_BYTES, 1)
        order, _, number = packet.decode().partition(" ")
        if order == "fork":
            self._fork(files[0], int(number))
        elif order == "warm":
            self._answer({"warm": self._warm_up()})
        return bool(packet)

    def _fork(self, standard_input: int, number: int) -> None:
        process = ForkedProcess(lambda: self._work(standard_input))
        os.close(standard_input)
        self._workers[process.pid] = process
        self._answer({"forked": process.pid, "number": number})

    def _work(self, standard_input: int) -> int:
        """Be a worker, in the fork."""
        die_with_parent(self._pid)
        os.dup2(standard_input, 0)  # in the place of the channel
        os.close(standard_input)
        try:
            worker.main([], is_warm=True)
        except SystemExit as end:
            return end.code if isinstance(end.code, int) else 1
        return 0

    def _warm_up(self) -> bool:
        """Load the kernels of some methods; return whether those of all are loaded."""
        until = time.monotonic() + _WARM_UP_SECONDS
        # To compile some takes longer than a server that has ended should leave traces.
        signal.signal(signal.SIGALRM, lambda *_: self._exit_if_alone())
        signal.setitimer(signal.ITIMER_REAL, _WARM_UP_SECONDS, _WARM_UP_SECONDS)
        try:
            for name in self._methods:
                try:
                    warm_up_method(name)
                except Exception as error:  # whose runs fail, and say so
                    worker.log_warm_up_failure(error)
                if time.monotonic() > until:
                    return False
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
        remove_unused_folders()
        gc.collect()
        gc.freeze()  # a collection in a fork would copy every page that is shared
        return True

    def _exit_if_alone(self) -> None:
        """End this process if the server is gone and no worker is left."""
        with suppress(BlockingIOError):
            flags = socket.MSG_PEEK | socket.MSG_DONTWAIT
            if not self._channel.recv(1, flags) and not self._workers:
                os._exit(0)

    def _reap(self) -> None:
        for pid, process in list(self._workers.items()):
            if (code := process.poll()) is not None:
                del self._workers[pid]
                self._answer({"ended": pid, "code": code})

    def _answer(self, content: dict[str, int]) -> None:
        self._channel.send(json.dumps(content).encode())


def main() -> None:
    """Serve as a template of workers until the server is gone."""
    lower_own_priority(WORKER_NICENESS)
    with suppress(BrokenPipeError, ConnectionResetError):
        _Template(socket.socket(fileno=0)).serve()


if __name__ == "__main__":
    main()
