"""Run quotas: limits on a person's open runs and processor time."""

from __future__ import annotations

import time
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from typing import Any, Generic, Protocol, TypeVar

from engine.core.message import NO_MESSAGE, Message


class QuotaCountedRun(Protocol):
    """Protocol of a run that quotas count: its state and its person."""

    state: Any
    person: str


_QUOTA_WINDOW_SECONDS = 3600.0


R = TypeVar("R", bound=QuotaCountedRun)


class RunQuota(Generic[R]):
    """Limits per person: open runs at a time, and processor minutes within an hour.

    Parameters
    ----------
    n_runs : int
        Carried out or waiting at a time.
    minutes : float
        Of processor within an hour.

    Attributes
    ----------
    seconds_elsewhere : mapping of str to float
        What each person has taken of the processor on other servers within an hour.
    """

    def __init__(self, n_runs: int, minutes: float) -> None:
        self._runs, self._minutes = n_runs, minutes
        self._spent: dict[str, deque[tuple[float, float]]] = defaultdict(deque)
        self.seconds_elsewhere: Mapping[str, float] = {}

    def record_cpu_time(self, person: str, seconds: float) -> None:
        """Add processor seconds that a person's run has taken, at the present time."""
        if seconds > 0.0:
            self._spent[person].append((time.monotonic(), seconds))

    def denial_reason(self, person: str, jobs: Iterable[R]) -> Message:
        """Return why a person may not start another run; empty if allowed.

        Parameters
        ----------
        person : str
        jobs : iterable of Job
            All jobs that are known, of everybody.
        """
        open_ = sum(job.person == person and job.state == "running" for job in jobs)
        if open_ >= self._runs:
            return Message(
                "You have {count} runs going on or waiting in other tabs, which is as "
                "many as one person may have here: wait for one of them, or cancel it.",
                count=open_,
            )
        minutes = self.spent_seconds(person) / 60
        if minutes > self._minutes:
            return Message(
                "Your runs have taken {minutes:.0f} minutes of processor within an "
                "hour; one person may take {most:.0f} here: try again later.",
                minutes=minutes,
                most=self._minutes,
            )
        return NO_MESSAGE

    def spent_seconds(self, person: str) -> float:
        """Return a person's processor seconds within the last hour, on all servers."""
        past = self._spent[person]
        while past and past[0][0] < time.monotonic() - _QUOTA_WINDOW_SECONDS:
            past.popleft()
        local_seconds = sum(seconds for _when, seconds in past)
        return local_seconds + self.seconds_elsewhere.get(person, 0.0)
