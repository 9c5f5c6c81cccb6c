"""What the runs of all processes of a server share: turns, warm workers and quotas."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.jobs.job import Job
from dashboard.jobs.quota import Quota
from dashboard.jobs.spare import Spare
from dashboard.jobs.turns import Turns


@dataclass(frozen=True)
class Sharing:
    """Who decides for all of them.

    Attributes
    ----------
    turns : Turns
    spare : Spare
    quota : Quota
    """

    turns: Turns[Job]
    spare: Spare
    quota: Quota[Job]
