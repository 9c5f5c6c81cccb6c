"""Tasks in threads, with results in order, progress and cancellation."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import TypeVar

from engine.core.context import RunContext
from engine.core.errors import ParameterError
from engine.core.platform.processes import count_usable_cores

T = TypeVar("T")

THREADS_VARIABLE = "COTERIE_THREADS"
"""Environment variable with the number of threads; without it, all cores are used."""

MAX_THREADS = 1024

STOP_POLL_SECONDS = 0.1
"""Seconds between two looks at whether the run is to stop."""


def max_run_threads() -> int:
    """Return the number of threads of a run: the environment's, or one per usable core.

    Raises
    ------
    ParameterError
        If the environment variable holds no number of threads.
    """
    setting = os.environ.get(THREADS_VARIABLE, "").strip()
    if not setting:
        return count_usable_cores()
    if not setting.isdecimal() or not 1 <= int(setting) <= MAX_THREADS:
        raise ParameterError(
            "The environment variable {variable} must be a whole number from 1 to "
            "{most:,}: correct it, or unset it to use all cores.",
            variable=THREADS_VARIABLE,
            most=MAX_THREADS,
        )
    return int(setting)


def set_openmp_threads() -> None:
    """Set the threads of OpenMP to those of a run, unless the environment says them.

    scikit-learn would start a program of the system that counts cores, which a
    locked-down one refuses, and print a traceback.
    """
    import psutil

    cores = psutil.cpu_count(logical=False) or MAX_THREADS
    os.environ.setdefault("OMP_NUM_THREADS", str(min(max_run_threads(), cores)))


def map_in_threads(
    task: Callable[[int, RunContext], T], count: int, ctx: RunContext, stage: str
) -> list[T]:
    """Return task(number, ctx) for each number below count, in order, run in threads.

    What comes out must not depend on which task ends first: each writes to places of
    its own, and kernels release Python's lock.

    Parameters
    ----------
    task : callable
        Called as ``task(number, ctx)``; that context hears how much of the task is
        done, and stops it once the run has ended.
    count : int
    ctx : RunContext
        Told, in the calling thread, how much of all is done and how many
        ``"distances"`` were measured; may stop the run.

    Raises
    ------
    Exception
        What the failing task with the lowest number raised.
    """
    over = threading.Event()
    shares, distances = [0.0] * count, [0.0] * count

    def run(number: int) -> T:
        def report(share: float, stage: str) -> None:
            shares[number] = share

        def hear(name: str, value: float) -> None:
            if name == "distances":
                distances[number] += value

        result = task(number, RunContext(report, over.is_set, hear=hear))
        shares[number] = 1.0
        return result

    results: list[T] = []
    with ThreadPoolExecutor(min(max_run_threads(), max(1, count))) as threads:
        futures = [threads.submit(run, number) for number in range(count)]
        try:
            for future in futures:
                while not wait([future], timeout=STOP_POLL_SECONDS).done:
                    ctx.tick(sum(shares), count, stage)
                results.append(future.result())
                ctx.tick(sum(shares), count, stage)
        finally:
            over.set()
            for future in futures:
                future.cancel()
    ctx.tick(1, 1, stage)
    ctx.note("distances", sum(distances))
    return results


@contextmanager
def open_background_task(
    task: Callable[[RunContext], T], ctx: RunContext, stage: str
) -> Iterator[Callable[[], T]]:
    """Run a task in a thread within a with block; yield a function to await its result.

    What comes out must not depend on which ends first: the task changes nothing that
    the other work reads, and is waited for at a point of its own.

    Parameters
    ----------
    task : callable
        Called as ``task(ctx)``; that context stops it once the run has ended, and
        says enough when the run's does.
    ctx : RunContext
        May stop the run while the task is waited for, and is told then how many
        ``"distances"`` were measured.

    Yields
    ------
    callable
        Waits for the task, and returns what it gives, or raises what it raised.
    """
    over, distances = threading.Event(), [0.0]

    def hear(name: str, value: float) -> None:
        if name == "distances":
            distances[0] += value

    quiet = RunContext(cancelled=over.is_set, enough=ctx.enough, hear=hear)
    with ThreadPoolExecutor(1) as threads:
        future = threads.submit(task, quiet)

        def result() -> T:
            while not wait([future], timeout=STOP_POLL_SECONDS).done:
                ctx.tick(0.0, 1.0, stage)
            answer = future.result()
            ctx.note("distances", distances[0])
            return answer

        try:
            yield result
        finally:
            over.set()
