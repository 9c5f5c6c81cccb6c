"""Turns on a machine whose clock goes by itself: who is first, and who waits how long.

Each run takes exactly the seconds that are expected of it, so what is told of the queue
can be compared with what comes.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import pytest

from dashboard.jobs.job import Job
from dashboard.jobs.scheduling import scheduler as module
from dashboard.jobs.scheduling.scheduler import (
    RESTART_SECONDS,
    FairScheduler,
    QueuePlace,
)
from engine.core.message import NO_MESSAGE, Message
from engine.data.table import Table
from engine.pipeline.plan import Plan
from engine.storage.outcomes import read_json

STEP = 0.5


@dataclass(eq=False)
class Run:
    """A run of some plans, on the machine of this module."""

    person: str
    asked_since: float
    todo: list[float]
    clock: list[float]
    state: str = "running"
    stage: Message = NO_MESSAGE
    launched: bool = False
    since: float = 0.0
    worker: object | None = None
    queue_place: QueuePlace | None = None
    has_paused: bool = False
    at: float = 0.0
    came: list[float] = field(default_factory=list)
    begun: float | None = None
    told: list[tuple[float, QueuePlace]] = field(default_factory=list)

    @property
    def has_result(self) -> bool:
        return bool(self.came)

    @property
    def expected_seconds(self) -> Sequence[float]:
        return self.todo

    @property
    def first_seconds(self) -> float:
        return self.todo[0] if self.todo else 0.0

    def pause_after_plan(self) -> None:
        self.has_paused = True

    def preempt(self) -> None:
        raise AssertionError("nobody has several")

    def work(self, seconds: float) -> None:
        """Go on; stand back after a plan where that was asked for."""
        if self.begun is None:
            self.begun = self.clock[0]
        self.at += seconds
        if self.at < self.todo[0]:
            return
        del self.todo[0]
        self.came.append(self.clock[0])
        self.at = 0.0
        if not self.todo:
            self.state = "done"
        elif self.has_paused:
            self.launched, self.has_paused = False, False
            self.at, self.asked_since = -RESTART_SECONDS, self.clock[0]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1_000.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    return now


def serve(runs: list[Run], clock: list[float], seats: int = 2) -> None:
    """Let all runs come and be carried out."""
    turns = FairScheduler[Run](seats, 20.0)
    while any(run.state == "running" for run in runs):
        arrivals = [run for run in runs if run.asked_since <= clock[0]]
        turns.dispatch(arrivals)
        for run in arrivals:
            if run.queue_place is not None and run.begun is None:
                run.told.append((clock[0], run.queue_place))
        clock[0] += STEP
        for run in arrivals:
            if run.launched and run.state == "running":
                run.work(STEP)
        assert clock[0] < 100_000.0


@pytest.mark.parametrize("seed", range(5))
def test_nobody_has_a_second_result_before_everybody_has_a_first(
    clock: list[float], seed: int
) -> None:
    chance = random.Random(seed)
    runs = [
        Run(f"person {n}", clock[0] + chance.uniform(0, 20), [4.0] * 9, clock)
        for n in range(20)
    ]
    serve(runs, clock)
    firsts = max(run.came[0] for run in runs)
    for run in runs:
        # Whoever came alone had begun the second before anybody else was there.
        assert sum(each <= firsts for each in run.came) <= 2
    assert firsts <= min(run.asked_since for run in runs) + 20.0 + 20 * 4.0 / 2 + 20.0


def test_small_runs_come_before_large_ones_that_came_a_little_earlier(
    clock: list[float],
) -> None:
    large = [Run(f"large {n}", clock[0] + n, [20.0, 20.0], clock) for n in range(8)]
    small = Run("small", clock[0] + 10.0, [0.5], clock)
    serve([*large, small], clock)
    assert small.begun is not None
    before = [run for run in large if run.begun is not None and run.begun < small.begun]
    assert len(before) == 2  # those that were at work as it came


def test_large_runs_are_not_put_off_for_ever(clock: list[float]) -> None:
    start = clock[0]
    large = Run("large", start + 1.0, [600.0], clock)
    small = [Run(f"small {n}", start + 4.0 * n, [5.0], clock) for n in range(150)]
    serve([large, *small], clock, seats=1)
    assert large.begun is not None
    assert large.begun - large.asked_since < 2 * module.MAX_SIZE_DELAY_SECONDS


def test_runs_with_results_are_not_put_off_for_ever(clock: list[float]) -> None:
    start = clock[0]
    long = Run("long", start, [5.0] * 4, clock)
    others = [Run(f"p{n}", start + 4.0 * n, [5.0], clock) for n in range(300)]
    serve([long, *others], clock, seats=1)
    for before, after in pairwise(long.came):
        latest = before + module.LATER_RESULT_DELAY_SECONDS
        ahead = [run for run in others if before < run.came[0] < after]
        assert all(run.asked_since < latest for run in ahead)
    assert long.came[1] < others[-1].came[0]


def test_what_is_said_of_the_queue_is_what_comes(clock: list[float]) -> None:
    start = clock[0]
    runs = [Run(f"p{n}", start + 0.25 * n, [4.0] * 9, clock) for n in range(20)]
    serve(runs, clock)
    waited = [run for run in runs if run.told]
    assert len(waited) >= 17
    for run in waited:
        assert run.begun is not None
        for when, estimate in run.told:
            if when < start + 0.25 * len(runs):
                continue  # others were still to come
            seconds_left = run.begun - when
            assert seconds_left / 2 - 6.0 <= estimate.seconds <= 2 * seconds_left + 6.0
        assert [estimate.n_before for _, estimate in run.told] == sorted(
            (estimate.n_before for _, estimate in run.told), reverse=True
        )


def test_nobody_reckons_with_a_plan_that_cannot_be_run(
    firms: Table, tmp_path: Path
) -> None:
    plan = Plan(method="mdav", k=3, quasi_identifiers=("not there",))
    job = Job(firms, (plan,), {}, tmp_path / "job", set())
    assert (job.expected_seconds, job.first_seconds) == ([], 0.0)
    empty_job = Job(firms, (), {}, tmp_path / "job", set())
    empty_job.write_input()  # nothing is left to do
    assert read_json(empty_job.folder / "plans.json") == []


def test_a_run_that_nobody_can_reckon_is_taken_for_a_turn(clock: list[float]) -> None:
    turns = FairScheduler[Run](1, 20.0)
    at_work, first, second = (Run(name, clock[0], [], clock) for name in "abc")
    at_work.since = clock[0] - 5.0
    turns.estimate_waits([at_work], [first, second])
    assert first.queue_place == (0, 15.0)
    assert second.queue_place == (1, 15.0 + RESTART_SECONDS + 20.0)
