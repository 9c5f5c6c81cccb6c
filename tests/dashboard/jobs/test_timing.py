"""Timings in a worker: they arrive one by one, and end at once when told to."""

import pytest

from dashboard.jobs.registry import JobRegistry
from dashboard.state.results.job_results import copy_with_timings
from dashboard.state.workspace import Workspace
from engine.analysis.curves.experiment import Experiment
from engine.data.table import Table
from engine.pipeline.plan import Plan
from tests.dashboard.jobs.runs import wait

PLANS = (Plan(method="mdav", k=3), Plan(method="vmdav", k=3))


def test_every_time_arrives_and_is_kept(registry: JobRegistry, firms: Table) -> None:
    experiment = Experiment("records", (100, 200), repeats=2)
    job = registry.start(firms, PLANS, None, experiment)
    view = wait(registry, job, lambda view: not view.is_running)
    assert view.state == "done"
    assert [(timing.method, timing.n_records) for timing in view.timings] == [
        ("mdav", 100),
        ("vmdav", 100),
        ("mdav", 200),
        ("vmdav", 200),
    ]
    assert all(len(timing.seconds) == 2 for timing in view.timings)
    ws = copy_with_timings(Workspace(), view)
    assert ws.timings["records"].found == view.timings
    assert ws.timings["records"].fingerprint == firms.fingerprint
    assert copy_with_timings(ws, view) is ws


@pytest.mark.slow
def test_cancel_keeps_what_was_taken(registry: JobRegistry, firms: Table) -> None:
    experiment = Experiment("k", tuple(range(2, 90)), repeats=50)
    job = registry.start(firms, PLANS, None, experiment)
    wait(registry, job, lambda view: len(view.timings) > 0)
    registry.cancel_job(job)
    view = wait(registry, job, lambda view: not view.is_running)
    assert view.state == "cancelled"
    assert 0 < len(view.timings) < 2 * 88
