"""Scheduler, spare worker and quota of a job registry, its own or shared."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.jobs.job import Job
from dashboard.jobs.scheduling.quota import RunQuota
from dashboard.jobs.scheduling.scheduler import FairScheduler
from dashboard.jobs.workers.spare import SpareWorkerHolder


@dataclass(frozen=True)
class SchedulerWorkerAndQuota:
    """The scheduler, spare worker and quota that a process's job registry uses.

    Attributes
    ----------
    turns : FairScheduler
    spare : SpareWorkerHolder
    quota : RunQuota or None
        None where one person has all runs.
    """

    turns: FairScheduler[Job]
    spare: SpareWorkerHolder
    quota: RunQuota[Job] | None = None
