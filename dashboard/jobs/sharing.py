"""Scheduler, spare worker and quotas that all processes of a server share."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.jobs.job import Job
from dashboard.jobs.quota import RunQuota
from dashboard.jobs.scheduler import FairScheduler
from dashboard.jobs.spare import SpareWorker


@dataclass(frozen=True)
class SharedJobServices:
    """Bundle of scheduler, spare worker and quota that a server's processes share.

    Attributes
    ----------
    turns : FairScheduler
    spare : SpareWorker
    quota : RunQuota or None
        None where one person has all runs.
    """

    turns: FairScheduler[Job]
    spare: SpareWorker
    quota: RunQuota[Job] | None = None
