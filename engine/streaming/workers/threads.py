"""Tasks in parallel threads; kernels, NumPy and Arrow release the interpreter lock."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

from engine.core.context import RunContext
from engine.streaming.memory import trim_free_memory
from engine.streaming.workers.tasks import Task, TaskResult

THREAD_POLL_SECONDS = 0.1
"""Seconds between two looks at whether the run is to stop."""


@dataclass(frozen=True)
class ThreadWorkers:
    """Threads of this process; see :class:`engine.streaming.workers.tasks.Workers`.

    Attributes
    ----------
    max_parallel : int
        Tasks that may be in memory together, those that were yielded last included.
    spool_bytes : int
    """

    max_parallel: int
    spool_bytes: int

    def run_tasks(
        self, task: Task, arguments: Iterable[Any], poll: Callable[[], None]
    ) -> Generator[TaskResult]:
        """Yield the results of a task for each argument, in the order of completion."""
        over = threading.Event()
        ctx = RunContext(cancelled=over.is_set)
        todo = enumerate(arguments)
        waiting: dict[Future[Any], int] = {}

        def work(argument: Any) -> Any:
            try:
                return task(argument, ctx)
            finally:
                trim_free_memory()  # what this thread keeps

        with ThreadPoolExecutor(self.max_parallel) as threads:
            try:
                while True:
                    while len(waiting) < self.max_parallel and (each := next(todo, ())):
                        waiting[threads.submit(work, each[1])] = each[0]
                    if not waiting:
                        return
                    poll()
                    done = wait(waiting, THREAD_POLL_SECONDS, FIRST_COMPLETED).done
                    while done:
                        future = done.pop()
                        yield TaskResult.of(waiting.pop(future), future.result)
                        del future  # with what it returned
            finally:
                over.set()
                for future in waiting:
                    future.cancel()
