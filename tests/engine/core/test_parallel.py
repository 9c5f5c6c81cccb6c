import os
import subprocess
import sys
import threading
import time

import pytest

from engine.core.context import RunContext
from engine.core.errors import Cancelled, ParameterError
from engine.core.parallel import (
    THREADS_VARIABLE,
    map_in_threads,
    max_run_threads,
    open_background_task,
)


@pytest.fixture(params=[1, 2, 4])
def threads(request, monkeypatch) -> int:
    monkeypatch.setenv(THREADS_VARIABLE, str(request.param))
    return int(request.param)


def test_all_cores_work_unless_the_environment_says_otherwise(monkeypatch) -> None:
    monkeypatch.delenv(THREADS_VARIABLE, raising=False)
    assert max_run_threads() >= 1
    monkeypatch.setenv(THREADS_VARIABLE, " 3 ")
    assert max_run_threads() == 3


@pytest.mark.parametrize("said", ["0", "-1", "two", "1.5", "1025"])
def test_what_is_no_number_of_threads_is_refused(monkeypatch, said: str) -> None:
    monkeypatch.setenv(THREADS_VARIABLE, said)
    with pytest.raises(ParameterError, match=THREADS_VARIABLE):
        max_run_threads()


def test_results_come_in_the_order_of_the_tasks(threads: int) -> None:
    def task(number: int, ctx: RunContext) -> int:
        time.sleep(0.002 * (7 - number))
        return number**2

    assert map_in_threads(task, 7, RunContext(), "Work") == [t**2 for t in range(7)]


def test_no_tasks_give_no_results(threads: int) -> None:
    assert map_in_threads(lambda number, ctx: number, 0, RunContext(), "Work") == []


def test_as_many_tasks_run_at_once_as_there_are_threads(threads: int) -> None:
    barrier = threading.Barrier(threads)

    def task(number: int, ctx: RunContext) -> bool:
        barrier.wait(timeout=60)  # only passed by so many at once
        return True

    assert all(map_in_threads(task, 3 * threads, RunContext(), "Work"))


def test_progress_adds_up_what_the_tasks_say_and_never_goes_back(threads: int) -> None:
    shares: list[float] = []

    def task(number: int, ctx: RunContext) -> None:
        for done in range(5):
            ctx.tick(done, 5, "Inside")
            time.sleep(0.01)

    class Watch(RunContext):
        def tick(self, done: float, total: float, stage: str) -> None:
            shares.append(done / total)

    map_in_threads(task, 6, Watch(), "Work")
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert any(0.0 < share < 1.0 for share in shares)


def test_distances_of_all_tasks_are_told_once(threads: int) -> None:
    notes: list[tuple[str, float]] = []

    def task(number: int, ctx: RunContext) -> None:
        ctx.note("sse", 1.0)  # of a part only
        ctx.note("distances", number)
        ctx.note("distances", 1)

    ctx = RunContext(hear=lambda name, value: notes.append((name, value)))
    map_in_threads(task, 5, ctx, "Work")
    assert notes == [("distances", 15)]


def test_a_cancel_ends_the_tasks_that_run_and_those_that_wait(threads: int) -> None:
    start_event, stopped_tasks = threading.Event(), []

    def task(number: int, ctx: RunContext) -> None:
        start_event.set()
        try:
            while True:
                ctx.tick(0, 1, "Inside")
                time.sleep(0.001)
        except Cancelled:
            stopped_tasks.append(number)
            raise

    with pytest.raises(Cancelled):
        map_in_threads(task, 50, RunContext(cancelled=start_event.is_set), "Work")
    assert 1 <= len(stopped_tasks) <= threads


def test_an_error_in_a_task_is_raised_and_ends_the_others(threads: int) -> None:
    def task(number: int, ctx: RunContext) -> None:
        if number == 1:
            raise TimeoutError("of the task")
        for _ in range(10_000):
            ctx.tick(0, 1, "Inside")
            time.sleep(0.001)
            if number == 0:
                return

    with pytest.raises(TimeoutError, match="of the task"):
        map_in_threads(task, 9, RunContext(), "Work")


def test_a_task_goes_on_beside_other_work() -> None:
    barrier = threading.Barrier(2)

    def task(ctx: RunContext) -> int:
        barrier.wait(timeout=60)
        ctx.note("sse", 1.0)  # of a part only
        ctx.note("distances", 3)
        return 7

    notes: list[tuple[str, float]] = []
    ctx = RunContext(hear=lambda name, value: notes.append((name, value)))
    with open_background_task(task, ctx, "Work") as result:
        barrier.wait(timeout=60)
        assert result() == 7
    assert notes == [("distances", 3)]


@pytest.mark.parametrize("where", ["body", "waiting"])
def test_a_cancel_ends_what_goes_on_beside(where: str) -> None:
    start_event, end_event = threading.Event(), threading.Event()

    def task(ctx: RunContext) -> None:
        start_event.set()
        try:
            while True:
                ctx.tick(0, 1, "Inside")
                time.sleep(0.001)
        finally:
            end_event.set()

    def work() -> None:
        ctx = RunContext(cancelled=start_event.is_set)
        with open_background_task(task, ctx, "Work") as result:
            if where == "body":
                start_event.wait(timeout=60)
                ctx.tick(0, 1, "Body")
            result()

    with pytest.raises(Cancelled):
        work()
    assert end_event.is_set()


def test_what_goes_on_beside_ends_when_it_is_enough_and_tells_its_error() -> None:
    enough = threading.Event()

    def task(ctx: RunContext) -> None:
        while not ctx.enough():
            time.sleep(0.001)
        raise TimeoutError("of the task")

    ctx = RunContext(enough=enough.is_set)
    with open_background_task(task, ctx, "Work") as result:
        enough.set()
        with pytest.raises(TimeoutError, match="of the task"):
            result()


BOOSTING = """
import numpy as np
from engine.analysis.modelling.models import models
from engine.measures.loss.propensity_boosting import boosted_pmse
X = np.arange(40.0)[:, np.newaxis]
boosted_pmse(X, np.arange(40) % 2 == 1, 0)
models.get("boosting")(0).fit(X, X[:, 0])
"""


def test_nothing_is_said_where_no_program_of_the_system_can_be_started() -> None:
    environment = {**os.environ, "PATH": "/nowhere"}
    environment.pop("OMP_NUM_THREADS", None)
    words = [sys.executable, "-c", BOOSTING]
    done = subprocess.run(words, env=environment, capture_output=True, check=True)
    assert done.stderr == b""
