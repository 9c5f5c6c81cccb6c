"""Results come in the order of the arguments, whoever is done first."""

import threading
from collections.abc import Callable, Generator, Iterable
from functools import partial
from typing import Any

import pytest

from engine.core.context import SILENT, RunContext
from engine.core.errors import Cancelled, InputError
from engine.streaming.workers.tasks import Task, TaskResult, map_in_order
from engine.streaming.workers.threads import ThreadWorkers


class LastFirst:
    """Workers that finish the last task first."""

    spool_bytes = 0

    def run_tasks(
        self, task: Task, arguments: Iterable[Any], poll: Callable[[], None]
    ) -> Generator[TaskResult]:
        for place, each in reversed([*enumerate(arguments)]):
            poll()
            yield TaskResult.of(place, partial(task, each, SILENT))


def add_one(number: int, ctx: RunContext) -> int:
    if number in (3, 7):
        raise InputError("Record {number} is odd: mend it.", number=number)
    return number + 1


def test_results_are_in_order_and_progress_rises() -> None:
    shares: list[float] = []
    ctx = RunContext(lambda share, stage: shares.append(share))
    found = map_in_order(LastFirst(), add_one, [10, 20, 30], ctx, "Adding")
    assert list(found) == [11, 21, 31]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_of_several_errors_the_first_in_order_is_raised() -> None:
    for workers in (LastFirst(), ThreadWorkers(4, 0)):
        found = map_in_order(workers, add_one, range(10), SILENT, "Adding")
        assert [next(found), next(found), next(found)] == [1, 2, 3]
        with pytest.raises(InputError, match="Record 3"):
            next(found)


def test_threads_do_all_tasks_with_no_more_at_once_than_asked() -> None:
    at_work, most, lock = [0], [0], threading.Lock()

    def task(number: int, ctx: RunContext) -> int:
        with lock:
            at_work[0] += 1
            most[0] = max(at_work[0], most[0])
        threading.Event().wait(0.001)
        with lock:
            at_work[0] -= 1
        return -number

    results = ThreadWorkers(3, 0).run_tasks(task, range(40), lambda: None)
    found = {result.place: result.get() for result in results}
    assert found == {number: -number for number in range(40)}
    assert most[0] <= 3


def test_a_run_that_ends_stops_its_tasks() -> None:
    begun = threading.Event()

    def task(number: int, ctx: RunContext) -> None:
        begun.set()
        while True:
            ctx.tick(0, 1, "For ever")

    def cancelled() -> bool:
        return begun.is_set()

    with pytest.raises(Cancelled):
        list(
            map_in_order(
                ThreadWorkers(2, 0),
                task,
                range(9),
                RunContext(cancelled=cancelled),
                "Waiting",
            )
        )
