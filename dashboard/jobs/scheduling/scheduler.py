"""Fair scheduling: which queued runs start, and which runs they preempt."""

from __future__ import annotations

import heapq
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from engine.core.message import Message

MAX_STARVATION_TURNS = 2.0
"""Turns that a person may wait while others have several running jobs."""


DEFAULT_TURN_SECONDS = 20.0
"""Seconds after which a run stands back, between two plans, for people with fewer."""

RESTART_SECONDS = 2.0
"""Processor seconds it takes a run to begin again after it has stood back."""

SIZE_WEIGHT, MAX_SIZE_DELAY_SECONDS = 30.0, 300.0
"""Small before large: a run counts as having come later by the first of these times the
seconds that its next result should take, and at most by the second."""

LATER_RESULT_DELAY_SECONDS = 600.0
"""First results before others: a run that has results counts as having come so much
later, and no later, so that what is asked for again and again puts nobody off for ever.
"""

QUEUE_SECONDS = 1.0
"""Seconds between two looks at how long runs will wait."""

STARTING = Message("Starting")


class QueuePlace(NamedTuple):
    """Number of runs before a waiting run, and expected seconds until its turn.

    Attributes
    ----------
    n_before : int
        Runs that wait and come first.
    seconds : float
        Time until its turn, if nobody else comes.
    """

    n_before: int
    seconds: float


class SchedulableRun(Protocol):
    """Protocol of a run as the scheduler sees it: state, person, times and worker."""

    state: Any
    stage: Message
    person: str
    launched: bool
    since: float
    asked_since: float
    worker: Any
    queue_place: QueuePlace | None

    @property
    def has_result(self) -> bool:
        """Whether the run has brought a result yet."""

    @property
    def expected_seconds(self) -> Sequence[float]:
        """Expected seconds of each missing result; empty if unknown."""

    @property
    def first_seconds(self) -> float:
        """Expected seconds until the run shows anything; 0 if unknown."""

    def pause_after_plan(self) -> None:
        """Stop after the current plan."""

    def preempt(self) -> None:
        """Stop at once and wait again."""


R = TypeVar("R", bound=SchedulableRun)


class FairScheduler(Generic[R]):
    """Scheduler that assigns worker slots to queued runs, fairly among people.

    Parameters
    ----------
    n_slots : int
        Runs at the same time; the others wait.
    seconds : float
        After which a run stands back, between two plans, for those of people who have
        fewer.
    """

    def __init__(self, n_slots: int, seconds: float) -> None:
        self._n_slots = n_slots
        self._seconds = seconds
        self._looked = 0.0

    def dispatch(self, jobs: Sequence[R]) -> list[R]:
        """Return the runs that start now; ask other runs to make room.

        Parameters
        ----------
        jobs : sequence of Job
            All that are known, of everybody.
        """
        active_jobs = [job for job in jobs if job.state == "running"]
        running = [job for job in active_jobs if job.launched]
        waiting = [job for job in active_jobs if not job.launched]
        have = Counter(job.person for job in running)
        # First those of who have least at work.
        waiting.sort(key=lambda job: (have[job.person], _time_of_arrival(job)))
        free = max(0, self._n_slots - len(running))
        for job in waiting[:free]:
            job.launched, job.stage, job.queue_place = True, STARTING, None
            job.since = time.monotonic()
        if queued_jobs := waiting[free:]:
            self._stand_back(running, queued_jobs)
            self.preempt_for_starved(running, queued_jobs)
            if time.monotonic() - self._looked >= QUEUE_SECONDS:
                self._looked = time.monotonic()
                self.estimate_waits([*running, *waiting[:free]], queued_jobs)
        return waiting[:free]

    def _stand_back(self, running: list[R], waiting: list[R]) -> None:
        """Have whoever had a turn pause between two plans, for those who had none.

        For a first result nobody else's turn goes on, but where the rest of it takes
        no longer than to begin again would.
        """
        now, first_waits = time.monotonic(), not all(job.has_result for job in waiting)
        for job in running:
            rest = sum(job.expected_seconds)
            is_over = now - job.since > self._seconds
            if is_over or (first_waits and rest > RESTART_SECONDS):
                job.pause_after_plan()

    def estimate_waits(self, running: Sequence[R], waiting: Sequence[R]) -> None:
        """Set each waiting run's place in the queue and expected wait, in place.

        Parameters
        ----------
        running : sequence of Job
        waiting : sequence of Job
            In the order of their turns.
        """
        now = time.monotonic()
        n_first = sum(not job.has_result for job in waiting)
        ends = [
            max(0.0, self._turn_length(job, n_first > 0) - (now - job.since))
            for job in running
        ]
        ends = sorted(ends)[-self._n_slots :] or [0.0]
        heapq.heapify(ends)
        for position, job in enumerate(waiting):
            job.queue_place = QueuePlace(position, ends[0])
            n_first -= not job.has_result
            length = RESTART_SECONDS + self._turn_length(job, n_first > 0)
            heapq.heapreplace(ends, ends[0] + length)

    def _turn_length(self, job: R, first_waits: bool) -> float:
        """Return the seconds for which a run should have its turn."""
        rest = job.expected_seconds
        if not rest:
            return self._seconds
        if first_waits and sum(rest) > RESTART_SECONDS:
            return rest[0] if job.has_result else job.first_seconds
        return min(sum(rest), max(self._seconds, rest[0]))

    def preempt_for_starved(self, running: list[R], waiting: list[R]) -> None:
        """Preempt a run of a person with several for a person who has none.

        Not every plan comes to its end soon. The run that is put off keeps its results,
        and begins its present plan anew.
        """
        now, patience = time.monotonic(), MAX_STARVATION_TURNS * self._seconds
        have = Counter(job.person for job in running)
        first = next((job for job in waiting if not have[job.person]), None)
        if first is None or now - first.asked_since < patience:
            return
        several = [
            job
            for job in running
            if have[job.person] > 1
            and now - job.since > patience
            and job.worker is not None
        ]
        if several:
            max(several, key=lambda job: job.since).preempt()


def _time_of_arrival(job: SchedulableRun) -> float:
    """Return the time by which runs of people who have as many take their turns."""
    late = min(SIZE_WEIGHT * job.first_seconds, MAX_SIZE_DELAY_SECONDS)
    return job.asked_since + late + LATER_RESULT_DELAY_SECONDS * job.has_result
