"""Work ahead: only while nobody asks for anything, and on nobody's account."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest

import sample_data
from dashboard.jobs.job import Job
from dashboard.jobs.quota import RunQuota
from dashboard.jobs.registry import JobRegistry
from dashboard.server.adapter import access
from dashboard.state.findings import with_results
from dashboard.state.new_table import with_sample
from dashboard.state.workspace import Workspace, resolve_plans
from dashboard.ui.work_ahead import likely_plans
from engine.data.table import Table
from engine.pipeline.compare import compare
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan

QUICK = (Plan(method="mdav", k=4),)
LONG = (Plan(method="iterated", k=3, parameters={"seconds": 3600.0}),)


@pytest.fixture(scope="module")
def firms() -> Table:
    return sample_data.load("business_survey")


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[JobRegistry]:
    made = JobRegistry(parallel=2, spare=False)
    yield made
    made.close()


@pytest.fixture
def tab(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Be another tab from now on."""
    monkeypatch.setattr(access, "is_session_open", lambda name: True)

    def turn(name: str) -> None:
        monkeypatch.setattr(access, "current_session_id", lambda: name)

    turn("one")
    return turn


def ahead(registry: JobRegistry, table: Table, plans: tuple[Plan, ...]) -> Job:
    name = registry.start_speculative(table, lambda: plans)
    until(lambda: name in registry._jobs)
    return registry._jobs[name]


def until(condition: Callable[[], bool], seconds: float = 120.0) -> None:
    limit = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < limit
        time.sleep(0.02)


def test_results_are_there_before_anybody_asks(
    registry: JobRegistry, firms: Table, tab: Callable[[str], None]
) -> None:
    job = ahead(registry, firms, QUICK)
    until(lambda: job.state != "running")
    assert job.state == "done"
    assert isinstance(job.results[0], Outcome)
    assert not RunQuota[Job](1, 0.0).denial_reason(job.person, [job])


def test_it_gives_way_to_a_run_of_the_same_tab(
    registry: JobRegistry, firms: Table, tab: Callable[[str], None]
) -> None:
    job = ahead(registry, firms, LONG)
    until(lambda: job.is_busy)
    asked = registry.start(firms, QUICK)
    assert job.state == "cancelled"
    until(lambda: registry._jobs[asked].state == "done")


def test_it_gives_way_to_a_run_of_somebody_else(
    registry: JobRegistry, firms: Table, tab: Callable[[str], None]
) -> None:
    job = ahead(registry, firms, LONG)
    until(lambda: job.is_busy)
    tab("other")
    registry.start(firms, LONG)
    until(lambda: job.state == "cancelled")


@pytest.mark.slow
def test_it_does_not_begin_while_somebody_runs(
    registry: JobRegistry, firms: Table, tab: Callable[[str], None]
) -> None:
    first = registry.start(firms, LONG)
    until(lambda: registry._jobs[first].is_busy)
    tab("other")
    job = ahead(registry, firms, QUICK)
    time.sleep(1.0)
    assert not job.launched
    registry.cancel_job(first)
    until(lambda: job.state == "done")


def test_a_tab_that_runs_something_does_not_work_ahead(
    registry: JobRegistry, firms: Table, tab: Callable[[str], None]
) -> None:
    registry.start(firms, LONG)
    name = registry.start_speculative(firms, lambda: QUICK)
    time.sleep(0.5)
    assert name not in registry._jobs


def settled() -> Workspace:
    ws = with_sample(Workspace(methods=("mdav",), sizes=(5,)), "business_survey")
    assert ws.table is not None
    asked = resolve_plans(ws)
    return with_results(ws, ws.table, asked, dict(enumerate(compare(asked, ws.table))))


def test_the_next_k_comes_first_then_methods_then_polish() -> None:
    ws = settled()
    found = likely_plans(ws)
    assert [(plan.method, plan.k) for plan in found[:2]] == [("mdav", 3), ("mdav", 10)]
    assert "refined" in {plan.method for plan in found}
    assert any(plan.polish for plan in found)
    assert len(set(found)) == len(found)
    assert not set(resolve_plans(ws)) & set(found)


def test_what_is_known_is_not_worked_on_again() -> None:
    ws = settled()
    assert ws.table is not None
    first = tuple(likely_plans(ws)[:2])
    more = with_results(ws, ws.table, first, dict(enumerate(compare(first, ws.table))))
    assert not set(first) & set(likely_plans(more))
