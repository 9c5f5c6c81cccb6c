"""Turns, workers and quotas of a place (a person's server), from the supervisor."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from dashboard.jobs.job import Job
from dashboard.jobs.registry import SchedulerWorkerAndQuota
from dashboard.jobs.scheduling.quota import RunQuota
from dashboard.jobs.scheduling.scheduler import STARTING, FairScheduler, QueuePlace
from dashboard.jobs.workers.process import WorkerProcess
from dashboard.jobs.workers.spare import SpareWorkerHolder
from dashboard.places.sharing.shared_runs import FACTS
from dashboard.places.sharing.supervisor_link import SupervisorLink
from engine.core.message import Message, message_from_json

ENDED_BY_ADMINISTRATOR = Message("The administrator of this server has ended the run.")


class RemoteScheduler(FairScheduler[Job]):
    """Scheduler of a place that asks the supervisor for turns."""

    def __init__(self, link: SupervisorLink) -> None:
        self._link = link
        self._next = itertools.count()
        self._numbers: WeakKeyDictionary[Job, int] = WeakKeyDictionary()
        self._has_told = False

    def dispatch(self, jobs: Sequence[Job]) -> list[Job]:
        """Return the runs that leave the queue now; see :class:`FairScheduler`."""
        if not jobs and not self._has_told:
            return []
        self._has_told = bool(jobs)
        numbered = {self._number(job): job for job in jobs}
        facts = [_describe(number, job) for number, job in numbered.items()]
        answer = self._link.ask("turns", jobs=facts)
        for number, orders in answer["orders"]:
            for order in orders:
                if order == "pause":
                    numbered[number].pause_after_plan()
                elif order == "end":
                    numbered[number].finish("cancelled", ENDED_BY_ADMINISTRATOR)
                else:
                    numbered[number].preempt()
        for number, n_before, seconds in answer["waits"]:
            numbered[number].queue_place = QueuePlace(n_before, seconds)
        starting_jobs = [numbered[number] for number in answer["begin"]]
        for job in starting_jobs:
            job.launched, job.since = True, time.monotonic()
            job.stage, job.queue_place = STARTING, None
        return starting_jobs

    def _number(self, job: Job) -> int:
        if job not in self._numbers:
            self._numbers[job] = next(self._next)
        return self._numbers[job]


def _describe(number: int, job: Job) -> dict[str, Any]:
    facts = {name: getattr(job, name) for name in FACTS}
    return {"number": number, "worker": job.worker is not None, **facts}


class RemoteQuota(RunQuota[Job]):
    """Run quota of a place that asks the supervisor, which knows all places' runs."""

    def __init__(self, link: SupervisorLink) -> None:
        self._link = link

    def denial_reason(self, person: str, jobs: Iterable[Job]) -> Message:
        """Return why somebody may not begin another run; see :class:`RunQuota`."""
        facts = [_describe(number, job) for number, job in enumerate(jobs)]
        answer = self._link.ask("quota", person=person, jobs=facts)
        return message_from_json(answer["why"])

    def record_cpu_time(self, person: str, seconds: float) -> None:
        """Tell the supervisor the processor seconds that a run has taken."""
        self._link.tell("spent", person=person, seconds=seconds)


class RemoteWorker(WorkerProcess):
    """Worker of a place that is a child process of the supervisor.

    Parameters
    ----------
    link : SupervisorLink
    pid : int
    codes : dict of int to int
        Exit codes of workers that have ended, by their numbers.
    """

    def __init__(self, link: SupervisorLink, pid: int, codes: dict[int, int]) -> None:
        self._link, self._pid, self._codes = link, pid, codes
        self._asked = 0.0

    @property
    def pid(self) -> int:
        """The process's number."""
        return self._pid

    @property
    def exit_code(self) -> int | None:
        """Exit code; None while the process runs; a negative number is a signal."""
        return self._codes.get(self._pid)

    def send_job(self, folder: Path) -> None:
        """Have the worker carry out the run that `folder` describes."""
        answer = self._link.ask("order", worker=self._pid, folder=str(folder))
        if "failed" in answer:
            raise BrokenPipeError(answer["failed"])

    def kill_and_wait(self) -> None:
        """Have the process killed, and wait until it is gone."""
        self._link.ask("end worker", worker=self._pid)


class RemoteWorkerSource(SpareWorkerHolder):
    """Source of workers for a place, which takes each from the supervisor."""

    def __init__(self, link: SupervisorLink) -> None:
        super().__init__(keeps_worker=False)
        self._link = link
        self._codes: dict[int, int] = {}
        link.register_listener("worker ended", self._take_message)

    def _take_message(self, message: dict[str, Any]) -> None:
        self._codes[message["worker"]] = message["code"]

    def take_worker(self) -> WorkerProcess:
        """Return a worker: the one that waits, or a new one."""
        answer = self._link.ask("worker")
        if "failed" in answer:
            raise OSError(answer["failed"])
        self._codes.pop(answer["worker"], None)
        return RemoteWorker(self._link, answer["worker"], self._codes)


def make_remote_sharing(link: SupervisorLink) -> SchedulerWorkerAndQuota:
    """Return a scheduler, a source of workers and a quota that ask the supervisor."""
    return SchedulerWorkerAndQuota(
        RemoteScheduler(link), RemoteWorkerSource(link), RemoteQuota(link)
    )
