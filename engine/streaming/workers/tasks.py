"""Tasks of an out-of-core run: a function of one argument, done for many of them.

A task depends on its argument alone, and what several wrote or returned is joined in
the order of the arguments. So the bytes of a release do not tell who did which task.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Protocol

from engine.core.context import RunContext

Task = Callable[[Any, RunContext], Any]
"""Called with its argument, and with a context that stops it once the run ends."""


@dataclass(frozen=True)
class TaskResult:
    """What a task returned or raised.

    Attributes
    ----------
    place : int
        Of its argument, from 0.
    value : object
    error : Exception or None
    """

    place: int
    value: Any
    error: Exception | None = None

    @classmethod
    def of(cls, place: int, call: Callable[[], Any]) -> TaskResult:
        """Return what a call returns or raises."""
        try:
            return cls(place, call())
        except Exception as error:
            return cls(place, None, error)

    def get(self) -> Any:
        """Return the value, or raise the error."""
        if self.error is not None:
            raise self.error
        return self.value


class Workers(Protocol):
    """Interface of those who do tasks."""

    @property
    def spool_bytes(self) -> int:
        """Bytes of records that a task may buffer before it writes them."""

    def run_tasks(
        self, task: Task, arguments: Iterable[Any], poll: Callable[[], None]
    ) -> Generator[TaskResult]:
        """Yield the results of a task for each argument, in the order of completion.

        Parameters
        ----------
        task : callable
            Can be sent to another process.
        arguments : iterable
            Each taken when its task can begin soon.
        poll : callable
            Called again and again while tasks are at work; may raise to end the run.
        """


def map_in_order(
    workers: Workers, task: Task, arguments: Sequence[Any], ctx: RunContext, stage: str
) -> Iterator[Any]:
    """Yield the results of a task in the order of its arguments.

    Of several tasks that fail, the first in this order decides on the error.

    Parameters
    ----------
    workers : Workers
    task : callable
    arguments : sequence
    ctx : RunContext
        Told how many tasks are done; may stop the run.
    stage : str
    """
    early: dict[int, TaskResult] = {}
    turn = n_done = 0

    def poll() -> None:
        ctx.tick(n_done, len(arguments), stage)

    with closing(workers.run_tasks(task, arguments, poll)) as results:
        for result in results:
            n_done += 1
            early[result.place] = result
            while turn in early:
                yield early.pop(turn).get()
                turn += 1
    ctx.tick(1, 1, stage)
