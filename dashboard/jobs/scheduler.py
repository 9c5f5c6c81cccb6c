"""Fair scheduling: which queued runs start, and which runs they preempt."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from typing import Any, Generic, Protocol, TypeVar

from engine.core.message import Message

MAX_STARVATION_TURNS = 2.0
"""Turns that a person may wait while others have several running jobs."""


DEFAULT_TURN_SECONDS = 20.0
"""After which a run stands back, between two plans, for people who have fewer."""

STARTING = Message("Starting")


class ScheduledRun(Protocol):
    """Protocol of a run as the scheduler sees it: state, person, times and worker."""

    state: Any
    stage: Message
    person: str
    launched: bool
    since: float
    started: float
    asked_since: float
    worker: Any

    def pause_after_plan(self) -> None:
        """Stop after the plan that it is at."""

    def preempt(self) -> None:
        """Stop at once and wait again."""


R = TypeVar("R", bound=ScheduledRun)


class FairScheduler(Generic[R]):
    """Scheduler that assigns worker slots to queued runs, fairly among people.

    Parameters
    ----------
    places : int
        Runs at the same time; the others wait.
    seconds : float
        After which a run stands back, between two plans, for those of people who have
        fewer.
    """

    def __init__(self, places: int, seconds: float) -> None:
        self._places = places
        self._seconds = seconds

    def dispatch(self, jobs: Sequence[R]) -> list[R]:
        """Return the runs that start now; ask other runs to make room.

        Parameters
        ----------
        jobs : sequence of Job
            All that are known, of everybody.
        """
        asked = [job for job in jobs if job.state == "running"]
        running = [job for job in asked if job.launched]
        waiting = [job for job in asked if not job.launched]
        have = Counter(job.person for job in running)
        # First those of who have least at work.
        waiting.sort(key=lambda job: (have[job.person], job.since or job.started))
        free = max(0, self._places - len(running))
        for job in waiting[:free]:
            job.launched, job.stage = True, STARTING
            job.since = time.monotonic()
        if left := waiting[free:]:
            self._stand_back(running)
            self.preempt_for_starved(running, left)
        return waiting[:free]

    def _stand_back(self, running: list[R]) -> None:
        """Have whoever had a turn pause between two plans, for those who had none."""
        now = time.monotonic()
        for job in running:
            if now - job.since > self._seconds:
                job.pause_after_plan()

    def preempt_for_starved(self, running: list[R], waiting: list[R]) -> None:
        """Preempt a run of a person with several, for one who waits for the first.

        Not every plan comes to its end soon. The run that is put off has its results,
        and begins the plan that it was at once more.
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
