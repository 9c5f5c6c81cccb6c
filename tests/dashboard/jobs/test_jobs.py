"""A click never abandons a run."""

import os
import signal
import stat
import time
from collections.abc import Sequence
from contextlib import closing

import numpy as np
import pandas as pd
import pytest

from dashboard.jobs.job import Job
from dashboard.jobs.job_view import JobView
from dashboard.jobs.registry import JobRegistry, SchedulerWorkerAndQuota
from dashboard.jobs.scheduling.scheduler import FairScheduler
from dashboard.jobs.workers.spare import SpareWorkerHolder
from engine.data.table import Table
from engine.pipeline.compare import Failure
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from tests.dashboard.jobs.runs import QUICK, SLOW, job, wait, wait_until


def test_results_are_those_of_the_engine(registry: JobRegistry, firms: Table) -> None:
    view = wait(registry, registry.start(firms, QUICK))
    assert (view.state, view.share, view.message) == ("done", 1.0, "")
    assert list(view.results) == [0, 1]
    for position, plan in enumerate(QUICK):
        outcome, expected = view.results[position], run(plan, firms)
        assert isinstance(outcome, Outcome)
        pd.testing.assert_frame_equal(
            outcome.release.frame, expected.release.frame, rtol=0, atol=0
        )
        np.testing.assert_array_equal(
            outcome.partition.labels, expected.partition.labels
        )


def test_progress_never_falls_and_results_come_one_by_one(
    registry: JobRegistry, firms: Table
) -> None:
    plans = [Plan(method="md", k=k) for k in (3, 4, 5, 6)]
    job_id = registry.start(firms, plans)
    views = []

    def watched(view: JobView) -> bool:
        views.append(view)
        return not view.is_running

    wait(registry, job_id, watched)
    shares = [view.share for view in views]
    counts = [len(view.results) for view in views]
    assert shares == sorted(shares)
    assert counts == sorted(counts)
    assert (shares[-1], counts[-1]) == (1.0, len(plans))
    seconds = [view.seconds for view in views]
    assert seconds == sorted(seconds)
    time.sleep(0.05)
    last = registry.view_job(job_id)
    assert last is not None
    assert last.seconds == seconds[-1]


def test_known_results_are_not_worked_out_again(
    registry: JobRegistry, firms: Table
) -> None:
    first = wait(registry, registry.start(firms, QUICK[:1]))
    known_results = {QUICK[0]: first.results[0]}
    second = wait(registry, registry.start(firms, QUICK, known_results))
    assert second.results[0] is first.results[0]
    assert isinstance(second.results[1], Outcome)


def test_nothing_runs_when_all_is_known(registry: JobRegistry, firms: Table) -> None:
    failure = Failure(QUICK[0], "No.")
    job_id = registry.start(firms, QUICK[:1], {QUICK[0]: failure})
    view = registry.view_job(job_id)
    assert view is not None
    assert (view.state, dict(view.results)) == ("done", {0: failure})
    assert job(registry, job_id).worker is None


def test_cancel_keeps_results_and_leaves_no_process_and_no_folder(
    registry: JobRegistry, firms: Table
) -> None:
    job_id = registry.start(firms, SLOW)
    wait(registry, job_id, lambda view: len(view.results) == 1)
    worker, folder = job(registry, job_id).worker, job(registry, job_id).folder
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    registry.cancel_job(job_id)
    view = registry.view_job(job_id)
    assert view is not None
    assert view.state == "cancelled"
    assert list(view.results) == [0]
    assert worker is not None
    assert worker.exit_code is not None
    assert not folder.exists()


def test_cancel_asks_nobody(registry: JobRegistry, firms: Table) -> None:
    job_id = registry.start(firms, SLOW)
    wait_until(lambda: job(registry, job_id).worker is not None)
    worker = job(registry, job_id).worker
    assert worker is not None
    os.kill(worker.pid, signal.SIGSTOP)  # it could not even answer
    registry.cancel_job(job_id)
    view = registry.view_job(job_id)
    assert view is not None
    assert view.state == "cancelled"
    assert worker.exit_code == -signal.SIGKILL


def test_a_run_that_waits_is_not_over(
    kept_worker: SpareWorkerHolder, firms: Table
) -> None:
    class Nobody(FairScheduler[Job]):
        def dispatch(self, jobs: Sequence[Job]) -> list[Job]:
            return []

    sharing = SchedulerWorkerAndQuota(Nobody(1, 1.0), kept_worker)
    with closing(JobRegistry(sharing=sharing)) as registry:
        assert not registry.has_unfinished_runs()
        job_id = registry.start(firms, QUICK)
        assert registry.has_unfinished_runs()
        assert registry.is_idle()  # it has no worker
        registry.cancel_job(job_id)
        assert not registry.has_unfinished_runs()


SEARCHES = tuple(
    Plan(method="iterated", k=k, parameters={"seconds": 600.0}) for k in (3, 4)
)


def test_a_search_is_followed_and_ended_with_its_best(
    registry: JobRegistry, firms: Table
) -> None:
    job_id = registry.start(firms, SEARCHES)
    best_losses = []
    for position in (0, 1):  # each search is ended on its own
        view = wait(registry, job_id, lambda view, p=position: searched(view, p))
        assert view.search is not None
        assert not view.search.stopping
        losses = [point.loss for point in view.search.points if point.loss is not None]
        assert losses == sorted(losses, reverse=True)
        assert view.search.seconds >= view.search.points[-1].seconds
        registry.request_early_stop(job_id)
        view = registry.view_job(job_id)
        assert view is not None
        assert view.search is None or view.search.stopping
        best_losses.append(losses[-1])
    view = wait(registry, job_id)
    assert view.state == "done"
    assert view.search is None
    for position, loss in enumerate(best_losses):
        outcome = view.results[position]
        assert isinstance(outcome, Outcome)
        assert outcome.information_loss <= loss * (1 + 1e-9)
        assert outcome.trace[-1].loss == pytest.approx(outcome.information_loss)
        assert any("stopped early" in warning for warning in outcome.warnings)


def searched(view: JobView, position: int) -> bool:
    assert view.is_running, view.message
    search = view.search
    if search is None or search.position != position:
        return False
    return any(point.loss is not None for point in search.points)


def test_only_a_search_can_be_ended_early(
    new_workers: JobRegistry, firms: Table
) -> None:
    registry = new_workers
    job_id = registry.start(firms, QUICK)
    wait_until(lambda: job(registry, job_id).worker is not None)
    worker = job(registry, job_id).worker
    assert worker is not None
    os.kill(worker.pid, signal.SIGSTOP)  # while it still imports
    registry.request_early_stop(job_id)
    view = registry.view_job(job_id)
    assert view is not None
    assert view.is_running
    assert view.search is None
    assert not (job(registry, job_id).folder / "enough.json").exists()
    registry.request_early_stop("nobody")


def test_a_worker_carries_out_one_run_after_the_other(firms: Table) -> None:
    with closing(JobRegistry(spare=True, reuses_worker=True)) as registry:
        wait_until(lambda: registry._spare.worker is not None)
        spare = registry._spare.worker
        for plan in (*QUICK, QUICK[0]):
            job_id = registry.start(firms, [plan])
            outcome = wait(registry, job_id).results[0]
            assert job(registry, job_id).worker is spare
            assert not job(registry, job_id).folder.exists()
            assert isinstance(outcome, Outcome)
            same = run(plan, firms).partition.labels
            np.testing.assert_array_equal(outcome.partition.labels, same)
        assert registry._spare.worker is spare
        cancelled = registry.start(firms, SLOW)
        wait_until(lambda: job(registry, cancelled).worker is spare)
        registry.cancel_job(cancelled)
        assert spare is not None
        assert spare.exit_code is not None


@pytest.mark.slow
def test_a_worker_that_has_grown_large_is_not_used_again(
    firms: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dashboard.jobs.workers.spare.MAX_SPARE_WORKER_BYTES", 0)
    with closing(JobRegistry(spare=True, reuses_worker=True)) as registry:
        job_id = registry.start(firms, QUICK)
        wait(registry, job_id)
        worker = job(registry, job_id).worker
        assert worker is not None
        assert worker.exit_code is not None


@pytest.mark.slow
def test_a_spare_worker_is_used_and_replaced(firms: Table) -> None:
    with closing(JobRegistry(spare=True)) as registry:
        wait_until(lambda: registry._spare.worker is not None)
        spare = registry._spare.worker
        job_id = registry.start(firms, QUICK)
        wait(registry, job_id, lambda view: bool(view.results))
        assert job(registry, job_id).worker is spare
        wait(registry, job_id)
        wait_until(lambda: registry._spare.worker is not None)
        assert registry._spare.worker is not spare
