"""What the runs of all processes of a server share: turns, warm workers and quotas."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.jobs.job import Job
from dashboard.jobs.quota import RunQuota
from dashboard.jobs.spare import SpareWorker
from dashboard.jobs.turns import FairScheduler


@dataclass(frozen=True)
class Sharing:
    """Who decides for all of them.

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
