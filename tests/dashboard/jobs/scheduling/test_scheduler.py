"""Whose run it is, whose turn, and how much of the machine anybody may have."""

import time
from contextlib import closing
from types import SimpleNamespace
from typing import Any

import pytest

from dashboard.jobs import jobs
from dashboard.jobs import registry as module
from dashboard.jobs.job import Job
from dashboard.jobs.job_view import JobView
from dashboard.jobs.registry import JobRegistry, SchedulerWorkerAndQuota
from dashboard.jobs.scheduling import quota as quota_module
from dashboard.jobs.scheduling.quota import RunQuota
from dashboard.jobs.scheduling.scheduler import FairScheduler
from dashboard.jobs.workers.spare import SpareWorkerHolder
from dashboard.server.adapter import access
from engine.data.table import Table
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from tests.dashboard.jobs.runs import QUICK, SLOW, job, wait, wait_until


def test_a_run_waits_for_its_turn(firms: Table) -> None:
    with closing(JobRegistry(spare=False, parallel=1)) as registry:
        first = registry.start(firms, SLOW)
        wait(registry, first, lambda view: bool(view.results))
        second = registry.start(firms, QUICK)
        wait(registry, second, lambda view: view.stage.startswith("Waiting"))
        registry.cancel_job(first)
        assert wait(registry, second).state == "done"


def test_a_waiting_run_can_be_cancelled(firms: Table) -> None:
    with closing(JobRegistry(spare=False, parallel=1)) as registry:
        first = registry.start(firms, SLOW)
        wait(registry, first, lambda view: bool(view.results))
        second = registry.start(firms, QUICK)
        registry.cancel_job(second)
        view = registry.view_job(second)
        assert view is not None
        assert view.state == "cancelled"


@pytest.mark.slow
def test_a_run_that_nobody_asks_about_is_stopped_and_forgotten(firms: Table) -> None:
    with closing(JobRegistry(spare=False)) as registry:
        job_id = registry.start(firms, SLOW)
        wait(registry, job_id, lambda view: len(view.results) == 1)
        forgotten = job(registry, job_id)
        registry._grace = 0.1  # from here on nobody asks
        wait_until(lambda: job_id not in registry._jobs)
        assert forgotten.state == "cancelled"
        assert forgotten.worker is not None
        assert forgotten.worker.exit_code is not None
        assert registry.view_job(job_id) is None


@pytest.mark.slow
def test_a_run_stays_while_its_tab_is_open(
    firms: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = {"mine"}
    monkeypatch.setattr(access, "current_session_id", lambda: "mine")
    looks: list[str] = []

    def is_open(tab: str) -> bool:
        looks.append(tab)
        return tab in opened

    monkeypatch.setattr(access, "is_session_open", is_open)
    with closing(JobRegistry(spare=False, grace=0.0)) as registry:
        job_id = registry.start(firms, QUICK)
        wait(registry, job_id)
        looks.clear()
        wait_until(lambda: len(looks) > 2)
        assert registry.view_job(job_id) is not None
        opened.clear()
        wait_until(lambda: job_id not in registry._jobs)


def test_a_tab_has_one_run_at_a_time(
    registry: JobRegistry, firms: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access, "current_session_id", lambda: "mine")
    first = registry.start(firms, SLOW)
    monkeypatch.setattr(access, "current_session_id", lambda: "another")
    other = registry.start(firms, QUICK)
    monkeypatch.setattr(access, "current_session_id", lambda: "mine")
    second = registry.start(firms, QUICK)
    assert registry.view_job(first) is None
    assert wait(registry, second).state == "done"
    assert wait(registry, other).state == "done"


def test_a_reloaded_tab_still_has_one_run_at_a_time(
    registry: JobRegistry, firms: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = {"before", "after"}
    monkeypatch.setattr(access, "is_session_open", opened.__contains__)
    monkeypatch.setattr(access, "current_session_id", lambda: "before")
    first = registry.start(firms, QUICK, dict.fromkeys(QUICK))
    monkeypatch.setattr(access, "current_session_id", lambda: "after")
    assert registry.view_job(first) is not None
    shared = registry.start(firms, QUICK, dict.fromkeys(QUICK))
    assert registry.view_job(first) is not None  # the other tab still shows it
    opened.discard("before")
    registry.start(firms, QUICK, dict.fromkeys(QUICK))
    assert registry.view_job(first) is None
    assert registry.view_job(shared) is None


def test_nobody_attaches_by_guessing(registry: JobRegistry, firms: Table) -> None:
    ids = {registry.start(firms, QUICK, dict.fromkeys(QUICK)) for _ in range(20)}
    assert len(ids) == 20
    assert min(map(len, ids)) >= 32
    assert registry.view_job("") is None
    assert registry.view_job("1") is None
    registry.cancel_job("1")
    assert jobs.view_job(None) is None
    jobs.cancel_job(None)


@pytest.mark.slow
def test_a_long_run_stands_back_for_somebody_else_and_is_finished(
    firms: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(JobRegistry(parallel=1, spare=False, turn=0.0)) as one_at_a_time:
        whose = ["ann"]
        monkeypatch.setattr(module.sign_in, "signed_in_person_id", lambda: whose[0])
        plans = [Plan(method="md", k=k) for k in range(3, 33)]
        long = one_at_a_time.start(firms, plans)
        wait(one_at_a_time, long, lambda view: len(view.results) > 0)
        whose[0] = "bob"
        short = one_at_a_time.start(firms, QUICK[:1])
        assert wait(one_at_a_time, short).state == "done"
        between = one_at_a_time.view_job(long)
        assert between is not None
        assert between.is_running
        view = wait(one_at_a_time, long)
        assert view.state == "done"
        assert view.share >= between.share
        assert len(view.results) == len(plans)
        assert all(isinstance(result, Outcome) for result in view.results.values())


def held(person: str, since: float, ended: list[str]) -> SimpleNamespace:
    """Return what is asked of a run that has been at work, or waits, for so long."""
    start = time.monotonic() - since
    return SimpleNamespace(
        person=person,
        since=start,
        asked_since=start,
        worker="one",
        preempt=lambda: ended.append(f"{person} {since:g}"),
    )


@pytest.mark.parametrize(
    ("running", "waiting", "given"),
    [
        ((("eve", 90.0), ("eve", 60.0)), ("bob", 50.0), ["eve 60"]),
        ((("eve", 90.0), ("ann", 60.0)), ("bob", 50.0), []),  # each has one
        ((("eve", 90.0), ("eve", 60.0)), ("bob", 30.0), []),  # not yet
        ((("eve", 30.0), ("eve", 20.0)), ("bob", 50.0), []),  # they have just begun
        ((("eve", 90.0), ("eve", 60.0)), ("eve", 50.0), []),  # one's own
    ],
)
def test_whoever_has_several_runs_gives_one_place_away(
    running: tuple[tuple[str, float], ...], waiting: tuple[str, float], given: list[str]
) -> None:
    preemptions: list[str] = []
    at_work: Any = [held(*pair, preemptions) for pair in running]
    in_line: Any = [held(*waiting, [])]
    FairScheduler(2, 20.0).preempt_for_starved(at_work, in_line)
    assert preemptions == given


@pytest.mark.slow
def test_nobody_waits_for_somebody_who_has_several_endless_runs(
    firms: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(JobRegistry(parallel=2, spare=False, turn=0.1)) as two_at_a_time:
        whose = ["eve"]
        monkeypatch.setattr(module.sign_in, "signed_in_person_id", lambda: whose[0])
        endless = [two_at_a_time.start(firms, SLOW) for _ in range(3)]
        for job_id in endless[:2]:
            wait(two_at_a_time, job_id, lambda view: bool(view.results))
        whose[0] = "bob"
        views: list[JobView | None] = []

        def is_done(quick: JobView) -> bool:
            # Eve's tab is open: her runs are looked at, or they would be ended.
            views[:] = map(two_at_a_time.view_job, endless)
            return not quick.is_running

        quick = two_at_a_time.start(firms, QUICK)
        assert wait(two_at_a_time, quick, is_done).state == "done"
        assert all(view is not None and view.is_running for view in views), views
        assert sum(bool(view and view.results) for view in views) >= 2


@pytest.mark.slow
def test_whoever_has_one_run_keeps_their_place(
    firms: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(JobRegistry(parallel=1, spare=False, turn=0.1)) as one_at_a_time:
        whose = ["ann"]
        monkeypatch.setattr(module.sign_in, "signed_in_person_id", lambda: whose[0])
        job_id = one_at_a_time.start(firms, SLOW)
        wait(one_at_a_time, job_id, lambda view: bool(view.results))
        pid = job(one_at_a_time, job_id).worker.pid
        whose[0] = "bob"
        other = one_at_a_time.start(firms, QUICK)
        time.sleep(1.0)
        assert not job(one_at_a_time, other).launched
        assert job(one_at_a_time, job_id).worker.pid == pid


def limited_registry(waiting: int, minutes: float) -> JobRegistry:
    turns: FairScheduler[Job] = FairScheduler(1, 20.0)
    quota: RunQuota[Job] = RunQuota(waiting, minutes)
    return JobRegistry(
        sharing=SchedulerWorkerAndQuota(
            turns, SpareWorkerHolder(keeps_worker=False), quota
        )
    )


def test_nobody_has_more_runs_than_their_quota(firms: Table) -> None:
    with closing(limited_registry(waiting=2, minutes=9.0)) as limited:
        job_ids = [limited.start(firms, SLOW) for _ in range(3)]
        refused = limited.view_job(job_ids[-1])
        assert refused is not None
        assert refused.state == "failed"
        assert "as many as one person may have" in refused.message
        for job_id in job_ids[:2]:
            view = limited.view_job(job_id)
            assert view is not None
            assert view.is_running


@pytest.mark.slow
def test_nobody_has_more_of_the_processor_than_their_quota(
    firms: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(limited_registry(waiting=9, minutes=0.0)) as limited:
        assert wait(limited, limited.start(firms, QUICK)).state == "done"
        refused = wait(limited, limited.start(firms, QUICK))
        assert refused.state == "failed"
        assert "minutes of processor" in refused.message
        # An hour later, although the run is listed still.
        monkeypatch.setattr(quota_module, "_QUOTA_WINDOW_SECONDS", 0.0)
        assert wait(limited, limited.start(firms, QUICK)).state == "done"
