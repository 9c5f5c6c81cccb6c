"""Runs that tests of jobs start, and how they wait for them."""

import time
from collections.abc import Callable

from dashboard.jobs.job import Job
from dashboard.jobs.job_view import JobView
from dashboard.jobs.registry import JobRegistry
from engine.pipeline.plan import Plan

QUICK = (Plan(method="mdav", k=3), Plan(method="mdav", k=5))

SLOW = (
    Plan(method="mdav", k=1_000_000),
    Plan(method="iterated", k=3, parameters={"seconds": 3600.0}),
)
"""One failure in a moment, for want of records; then nothing for an hour."""


def job(registry: JobRegistry, job_id: str) -> Job:
    return registry._jobs[job_id]


def wait(
    registry: JobRegistry,
    job_id: str,
    until: Callable[[JobView], bool] = lambda view: not view.is_running,
    seconds: float = 600.0,
) -> JobView:
    limit = time.monotonic() + seconds
    while True:
        view = registry.view_job(job_id)
        assert view is not None
        if until(view):
            return view
        assert time.monotonic() < limit, f"still {view.stage} at {view.share}"
        time.sleep(0.02)


def wait_until(condition: Callable[[], bool], seconds: float = 300.0) -> None:
    limit = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < limit
        time.sleep(0.02)
