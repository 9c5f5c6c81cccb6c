"""What tests of jobs share."""

from collections.abc import Iterator

import pytest

import sample_data
from dashboard.jobs.registry import JobRegistry, SchedulerWorkerAndQuota
from dashboard.jobs.scheduling.scheduler import FairScheduler
from dashboard.jobs.workers.spare import SpareWorkerHolder
from engine.data.table import Table


class KeptWorker(SpareWorkerHolder):
    """One worker for the runs of many tests: to start one takes longer than a run."""

    def ensure_ready(self, idle: bool) -> None:
        """Start none before a run wants it."""

    def close(self) -> None:
        """Stay for the next test."""


@pytest.fixture(scope="session")
def kept_worker() -> Iterator[SpareWorkerHolder]:
    worker_holder = KeptWorker(keeps_worker=True, reuses_worker=True)
    yield worker_holder
    SpareWorkerHolder.close(worker_holder)


@pytest.fixture(scope="module")
def firms() -> Table:
    return sample_data.load("business_survey")


NEVER = float("inf")
"""Seconds after which a run is given up whose tab is not open."""


@pytest.fixture
def registry(kept_worker: SpareWorkerHolder) -> Iterator[JobRegistry]:
    turns = FairScheduler(2, 20.0)
    sharing = SchedulerWorkerAndQuota(turns, kept_worker)
    # No session gives up, however slow the machine is.
    job_registry = JobRegistry(sharing=sharing, grace=NEVER)
    yield job_registry
    job_registry.close()


@pytest.fixture
def new_workers() -> Iterator[JobRegistry]:
    """Start a worker of its own for each run."""
    job_registry = JobRegistry(spare=False, grace=NEVER)
    yield job_registry
    job_registry.close()
