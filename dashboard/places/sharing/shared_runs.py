"""Turns, workers and quotas of the runs in all people's server processes (places)."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dashboard.jobs.scheduling.quota import RunQuota
from dashboard.jobs.scheduling.scheduler import (
    DEFAULT_TURN_SECONDS,
    FairScheduler,
    QueuePlace,
)
from dashboard.jobs.workers.process import CLUSTER_VARIABLE, WorkerProcess
from dashboard.jobs.workers.resource_limits import ResourceLimits
from dashboard.jobs.workers.spare import SpareWorkerHolder
from engine.core.message import NO_MESSAGE, Message, message_to_json


@dataclass(eq=False)
class RemoteJob:
    """One run of a place, as the supervisor's scheduler and quotas see it.

    Attributes
    ----------
    person, state, launched, since, asked_since, has_result, expected_seconds, \
first_seconds, stage, queue_place
        As in :class:`dashboard.jobs.job.Job`.
    worker : object or None
        Whether there is one.
    is_granted : bool
        Whether it may begin and its place has not said that it has.
    orders : set of str
        What its place is to do with it.
    """

    person: str = ""
    state: str = "running"
    launched: bool = False
    since: float = 0.0
    asked_since: float = 0.0
    has_result: bool = False
    expected_seconds: Sequence[float] = ()
    first_seconds: float = 0.0
    worker: object | None = None
    stage: Message = NO_MESSAGE
    queue_place: QueuePlace | None = None
    is_granted: bool = False
    orders: set[str] = field(default_factory=set)

    @property
    def is_busy(self) -> bool:
        """Whether the run occupies a worker slot."""
        return self.launched and self.state == "running"

    def update(self, run_facts: Mapping[str, Any]) -> None:
        """Take over the facts on the run that its place sent."""
        since = self.since
        for name in FACTS:
            setattr(self, name, run_facts[name])
        self.worker = run_facts["worker"] or None
        if self.launched or self.state != "running":
            self.is_granted = False
        elif self.is_granted:
            self.launched, self.since = True, since

    def pause_after_plan(self) -> None:
        """Order the run to stop after its current plan."""
        self.orders.add("pause")

    def preempt(self) -> None:
        """Order the run to stop at once and to wait again."""
        self.orders.add("give_way")


FACTS = (
    "person",
    "state",
    "launched",
    "since",
    "asked_since",
    "has_result",
    "expected_seconds",
    "first_seconds",
)
"""What places tell of each run, beside its number and whether it has a worker."""


class PlaceRunScheduler:
    """Scheduler of all places' runs: gives turns and workers, and applies the quota.

    Parameters
    ----------
    share : ResourceLimits
        Of the machine.
    turns, spare : FairScheduler, SpareWorkerHolder
        In place of those that are made by default.

    Attributes
    ----------
    quota : RunQuota
    tell_spent : callable
        Told what a run of a person has taken of the processor.
    """

    def __init__(
        self,
        share: ResourceLimits,
        turns: FairScheduler[RemoteJob] | None = None,
        spare: SpareWorkerHolder | None = None,
    ) -> None:
        self._turns = turns or FairScheduler[RemoteJob](
            share.runs, DEFAULT_TURN_SECONDS
        )
        self.quota = RunQuota[RemoteJob](share.person_waiting, share.person_minutes)
        self.tell_spent: Callable[[str, float], None] = lambda person, seconds: None
        self.max_minutes = float(share.person_minutes)
        self._spare = spare or _make_single_use_worker_source()
        self._jobs: dict[tuple[str, int], RemoteJob] = {}
        self._workers: dict[int, tuple[str, WorkerProcess]] = {}

    def take_turns(self, token: str, run_facts: Sequence[Mapping[str, Any]]) -> Any:
        """Return which runs of a place begin, and orders for its other runs, as JSON.

        Parameters
        ----------
        token : str
            The place's.
        run_facts : sequence of mapping
            All runs that it has.
        """
        runs = {(token, each["number"]): each for each in run_facts}
        for key in [key for key in self._jobs if key[0] == token and key not in runs]:
            del self._jobs[key]
        for key, facts in runs.items():
            self._jobs.setdefault(key, RemoteJob()).update(facts)
        for job in self._turns.dispatch(list(self._jobs.values())):
            job.is_granted = True
        answer: dict[str, Any] = {"begin": [], "orders": [], "waits": []}
        for key, job in self._jobs.items():
            if key[0] != token:
                continue
            if job.is_granted:
                answer["begin"].append(key[1])
            elif job.queue_place is not None:
                answer["waits"].append([key[1], *job.queue_place])
            if job.orders:
                answer["orders"].append([key[1], sorted(job.orders)])
                job.orders.clear()
        return answer

    def explain_denial(
        self, token: str, person: str, run_facts: Sequence[Mapping[str, Any]]
    ) -> Any:
        """Return why a person may not start another run, as JSON; empty if allowed.

        Parameters
        ----------
        token : str
            The place's that asks.
        person : str
        run_facts : sequence of mapping
            All runs that this place has now; those it had last may have been cancelled.
        """
        jobs = [job for key, job in self._jobs.items() if key[0] != token]
        for facts in run_facts:
            jobs.append(RemoteJob())
            jobs[-1].update(facts)
        return {"why": message_to_json(self.quota.denial_reason(person, jobs))}

    def note_spent(self, person: str, seconds: float) -> None:
        """Add processor seconds of a person's run to their quota."""
        self.quota.record_cpu_time(person, seconds)
        self.tell_spent(person, seconds)

    def hand_worker(self, token: str) -> Any:
        """Return a worker's process id for a place, or why none started, as JSON."""
        try:
            worker = self._spare.take_worker()
        except OSError as error:
            return {"failed": error.strerror or type(error).__name__}
        self._workers[worker.pid] = token, worker
        return {"worker": worker.pid}

    def send_job(self, token: str, pid: int, folder: str) -> Any:
        """Have a place's worker run a job folder; return a failure as JSON."""
        worker = self._owned(token, pid)
        if worker is None:
            return {"failed": "ended"}
        try:
            worker.send_job(Path(folder))
        except OSError as error:
            return {"failed": error.strerror or type(error).__name__}
        return {}

    def end_worker(self, token: str, pid: int) -> Any:
        """End a place's worker; return an empty answer."""
        worker = self._owned(token, pid)
        if worker is not None:
            worker.kill_and_wait()
        return {}

    def _owned(self, token: str, pid: int) -> WorkerProcess | None:
        owner, worker = self._workers.get(pid, ("", None))
        return worker if owner == token else None

    def remove_place(self, token: str) -> None:
        """Remove a place, and end its workers."""
        person = ""
        for key in [key for key in self._jobs if key[0] == token]:
            person = self._jobs.pop(key).person
        for pid, (owner, worker) in list(self._workers.items()):
            if owner == token:
                del self._workers[pid]
                # Its place can no longer say what it has taken.
                self.note_spent(person, worker.cpu_seconds_since_last_call())
                worker.kill_and_wait()

    def collect_ended(self) -> list[tuple[str, int, int]]:
        """Return (token, process id, exit code) of workers ended since last call."""
        exits = []
        for pid, (token, worker) in list(self._workers.items()):
            if (code := worker.exit_code) is not None:
                del self._workers[pid]
                worker.kill_and_wait()
                exits.append((token, pid, code))
        return exits

    def count_jobs(self, token: str | None = None) -> Counter[str]:
        """Return the numbers of running and waiting runs, of one place or of all."""
        jobs = [job for (owner, _), job in self._jobs.items() if token in (None, owner)]
        states = [job for job in jobs if job.state == "running"]
        counts = Counter("running" if job.is_busy else "waiting" for job in states)
        return Counter(running=counts["running"], waiting=counts["waiting"])

    def spent_minutes(self, token: str, person: str) -> float:
        """Return the processor minutes of a place's person within the last hour.

        Parameters
        ----------
        token : str
            The place's.
        person : str
            Who has it; empty where nobody signs in: then whoever its runs name.
        """
        jobs = (job.person for key, job in self._jobs.items() if key[0] == token)
        return self.quota.spent_seconds(person or next(jobs, "")) / 60

    def cancel_runs(self, token: str) -> None:
        """Order a place to end all of its runs."""
        for key, job in self._jobs.items():
            if key[0] == token and job.state == "running":
                job.orders.add("end")

    def worker_owners(self) -> dict[int, str]:
        """Return the place's token of each worker, by process id."""
        return {pid: token for pid, (token, _) in self._workers.items()}

    def prestart_worker(self) -> None:
        """Keep an idle worker warm while no run is in progress."""
        self._spare.ensure_ready(
            idle=not any(job.is_busy for job in self._jobs.values())
        )

    def close(self) -> None:
        """End all workers."""
        for token in {owner for owner, _ in self._workers.values()}:
            self.remove_place(token)
        self._spare.close()


def _make_single_use_worker_source() -> SpareWorkerHolder:
    """Return a source of workers that each carry out one run: forks where possible."""
    is_local = not os.environ.get(CLUSTER_VARIABLE)
    if sys.platform == "linux" and is_local:
        from dashboard.jobs.workers.forked import ForkedWorkerSource

        return ForkedWorkerSource()
    return SpareWorkerHolder(keeps_worker=True)
