"""A click never abandons a run, and a run never ends the server."""

from __future__ import annotations

import os
import select
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sample_data
from dashboard.jobs import job as job_module
from dashboard.jobs import jobs
from dashboard.jobs.job import Job, JobView
from dashboard.jobs.jobs import Registry
from dashboard.server import tabs
from engine.data.table import Table
from engine.files import read_table
from engine.pipeline.compare import Failure
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from tests.children import heed_interrupts

QUICK = (Plan(method="mdav", k=3), Plan(method="mdav", k=5))


@pytest.fixture(scope="module")
def firms() -> Table:
    return sample_data.load("business_survey")


SLOW = (
    Plan(method="mdav", k=1_000_000),
    Plan(method="iterated", k=3, parameters={"seconds": 3600.0}),
)
"""One failure in a moment, for want of records; then nothing for an hour."""


@pytest.fixture
def registry() -> Iterator[Registry]:
    made = Registry(spare=False)
    yield made
    made.close()


def job(registry: Registry, job_id: str) -> Job:
    return registry._jobs[job_id]


def wait(
    registry: Registry,
    job_id: str,
    until: Callable[[JobView], bool] = lambda view: not view.running,
    seconds: float = 600.0,
) -> JobView:
    limit = time.monotonic() + seconds
    while True:
        view = registry.view(job_id)
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


def test_results_are_those_of_the_engine(registry: Registry, firms: Table) -> None:
    view = wait(registry, registry.start(firms, QUICK))
    assert (view.state, view.share, view.message) == ("done", 1.0, "")
    assert list(view.results) == [0, 1]
    for position, plan in enumerate(QUICK):
        found, expected = view.results[position], run(plan, firms)
        assert isinstance(found, Outcome)
        pd.testing.assert_frame_equal(
            found.release.frame, expected.release.frame, rtol=0, atol=0
        )
        np.testing.assert_array_equal(found.partition.labels, expected.partition.labels)


def test_progress_never_falls_and_results_come_one_by_one(
    registry: Registry, firms: Table
) -> None:
    plans = [Plan(method="md", k=k) for k in (3, 4, 5, 6)]
    job_id = registry.start(firms, plans)
    views = []

    def watched(view: JobView) -> bool:
        views.append(view)
        return not view.running

    wait(registry, job_id, watched)
    shares = [view.share for view in views]
    counts = [len(view.results) for view in views]
    assert shares == sorted(shares)
    assert counts == sorted(counts)
    assert (shares[-1], counts[-1]) == (1.0, len(plans))
    seconds = [view.seconds for view in views]
    assert seconds == sorted(seconds)
    time.sleep(0.05)
    last = registry.view(job_id)
    assert last is not None
    assert last.seconds == seconds[-1]


def test_known_results_are_not_worked_out_again(
    registry: Registry, firms: Table
) -> None:
    first = wait(registry, registry.start(firms, QUICK[:1]))
    known = {QUICK[0]: first.results[0]}
    second = wait(registry, registry.start(firms, QUICK, known))
    assert second.results[0] is first.results[0]
    assert isinstance(second.results[1], Outcome)


def test_nothing_runs_when_all_is_known(registry: Registry, firms: Table) -> None:
    failure = Failure(QUICK[0], "No.")
    job_id = registry.start(firms, QUICK[:1], {QUICK[0]: failure})
    view = registry.view(job_id)
    assert view is not None
    assert (view.state, dict(view.results)) == ("done", {0: failure})
    assert job(registry, job_id).worker is None


def test_cancel_keeps_results_and_leaves_no_process_and_no_folder(
    registry: Registry, firms: Table
) -> None:
    job_id = registry.start(firms, SLOW)
    wait(registry, job_id, lambda view: len(view.results) == 1)
    worker, folder = job(registry, job_id).worker, job(registry, job_id).folder
    registry.cancel(job_id)
    view = registry.view(job_id)
    assert view is not None
    assert view.state == "cancelled"
    assert list(view.results) == [0]
    assert worker is not None
    assert worker.exit_code is not None
    assert not folder.exists()


def test_cancel_asks_nobody(registry: Registry, firms: Table) -> None:
    job_id = registry.start(firms, SLOW)
    wait_until(lambda: job(registry, job_id).worker is not None)
    worker = job(registry, job_id).worker
    assert worker is not None
    os.kill(worker.pid, signal.SIGSTOP)  # it could not even answer
    registry.cancel(job_id)
    view = registry.view(job_id)
    assert view is not None
    assert view.state == "cancelled"
    assert worker.exit_code == -signal.SIGKILL


SEARCHES = tuple(
    Plan(method="iterated", k=k, parameters={"seconds": 600.0}) for k in (3, 4)
)


def test_a_search_is_followed_and_ended_with_its_best(
    registry: Registry, firms: Table
) -> None:
    job_id = registry.start(firms, SEARCHES)
    found = []
    for position in (0, 1):  # each search is ended on its own
        view = wait(registry, job_id, lambda view, p=position: searched(view, p))
        assert view.search is not None
        assert not view.search.stopping
        losses = [point.loss for point in view.search.points if point.loss is not None]
        assert losses == sorted(losses, reverse=True)
        assert view.search.seconds >= view.search.points[-1].seconds
        registry.enough(job_id)
        view = registry.view(job_id)
        assert view is not None
        assert view.search is None or view.search.stopping
        found.append(losses[-1])
    view = wait(registry, job_id)
    assert view.state == "done"
    assert view.search is None
    for position, loss in enumerate(found):
        outcome = view.results[position]
        assert isinstance(outcome, Outcome)
        assert outcome.information_loss <= loss * (1 + 1e-9)
        assert outcome.trace[-1].loss == pytest.approx(outcome.information_loss)
        assert any("stopped early" in warning for warning in outcome.warnings)


def searched(view: JobView, position: int) -> bool:
    assert view.running, view.message
    search = view.search
    if search is None or search.position != position:
        return False
    return any(point.loss is not None for point in search.points)


def test_only_a_search_can_be_ended_early(registry: Registry, firms: Table) -> None:
    job_id = registry.start(firms, QUICK)
    wait_until(lambda: job(registry, job_id).worker is not None)
    worker = job(registry, job_id).worker
    assert worker is not None
    os.kill(worker.pid, signal.SIGSTOP)  # while it still imports
    registry.enough(job_id)
    view = registry.view(job_id)
    assert view is not None
    assert view.running
    assert view.search is None
    assert not (job(registry, job_id).folder / "enough.json").exists()
    registry.enough("nobody")


def test_a_killed_worker_is_an_error_and_not_a_hang(
    registry: Registry, firms: Table
) -> None:
    job_id = registry.start(firms, SLOW)
    wait(registry, job_id, lambda view: len(view.results) == 1)
    worker = job(registry, job_id).worker
    assert worker is not None
    os.kill(worker.pid, signal.SIGKILL)
    view = wait(registry, job_id)
    assert view.state == "failed"
    assert "memory ran out" in view.message
    assert list(view.results) == [0]


def test_a_crash_is_an_error(registry: Registry, firms: Table) -> None:
    job_id = registry.start(firms, SLOW)
    wait_until(lambda: job(registry, job_id).worker is not None)
    worker = job(registry, job_id).worker
    assert worker is not None
    os.kill(worker.pid, signal.SIGSEGV)
    view = wait(registry, job_id)
    assert view.state == "failed"
    assert "SIGSEGV" in view.message


def test_a_run_that_takes_too_much_memory_is_stopped(firms: Table) -> None:
    registry = Registry(spare=False, memory=50 * 2**20)
    try:
        view = wait(registry, registry.start(firms, SLOW))
        assert view.state == "failed"
        assert "of memory; it may take 0.0 GB" in view.message
    finally:
        registry.close()


def test_a_run_waits_for_its_turn(firms: Table) -> None:
    registry = Registry(spare=False, parallel=1)
    try:
        first = registry.start(firms, SLOW)
        wait(registry, first, lambda view: bool(view.results))
        second = registry.start(firms, QUICK)
        time.sleep(0.5)
        waiting = registry.view(second)
        assert waiting is not None
        assert waiting.running
        assert waiting.stage.startswith("Waiting")
        registry.cancel(first)
        assert wait(registry, second).state == "done"
    finally:
        registry.close()


def test_a_waiting_run_can_be_cancelled(firms: Table) -> None:
    registry = Registry(spare=False, parallel=1)
    try:
        first = registry.start(firms, SLOW)
        wait(registry, first, lambda view: bool(view.results))
        second = registry.start(firms, QUICK)
        registry.cancel(second)
        view = registry.view(second)
        assert view is not None
        assert view.state == "cancelled"
    finally:
        registry.close()


def test_a_table_that_cannot_be_stored_is_an_error(registry: Registry) -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": pd.Series([1, "x", 2], dtype="O")})
    table = read_table(frame).assign(roles={"a": "quasi-identifier"})
    view = wait(registry, registry.start(table, QUICK))
    assert view.state == "failed"
    assert "Column 'b' mixes types" in view.message


def test_folders_are_private_and_go_with_the_run(
    registry: Registry, firms: Table
) -> None:
    job_id = registry.start(firms, SLOW)
    wait(registry, job_id, lambda view: len(view.results) == 1)
    folder = job(registry, job_id).folder
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    registry.cancel(job_id)
    assert not folder.exists()


def test_a_run_that_nobody_asks_about_is_stopped_and_forgotten(firms: Table) -> None:
    registry = Registry(spare=False, grace=1.0)
    try:
        job_id = registry.start(firms, SLOW)
        wait(registry, job_id, lambda view: len(view.results) == 1)
        forgotten = job(registry, job_id)
        wait_until(lambda: job_id not in registry._jobs)
        assert forgotten.state == "cancelled"
        assert forgotten.worker is not None
        assert forgotten.worker.exit_code is not None
        assert registry.view(job_id) is None
    finally:
        registry.close()


def test_a_run_stays_while_its_tab_is_open(
    firms: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = {"mine"}
    monkeypatch.setattr(tabs, "current", lambda: "mine")
    looks: list[str] = []

    def is_open(tab: str) -> bool:
        looks.append(tab)
        return tab in opened

    monkeypatch.setattr(tabs, "is_open", is_open)
    registry = Registry(spare=False, grace=0.0)
    try:
        job_id = registry.start(firms, QUICK)
        wait(registry, job_id)
        looks.clear()
        wait_until(lambda: len(looks) > 2)
        assert registry.view(job_id) is not None
        opened.clear()
        wait_until(lambda: job_id not in registry._jobs)
    finally:
        registry.close()


def test_a_tab_has_one_run_at_a_time(
    registry: Registry, firms: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tabs, "current", lambda: "mine")
    first = registry.start(firms, SLOW)
    monkeypatch.setattr(tabs, "current", lambda: "another")
    other = registry.start(firms, QUICK)
    monkeypatch.setattr(tabs, "current", lambda: "mine")
    second = registry.start(firms, QUICK)
    assert registry.view(first) is None
    assert wait(registry, second).state == "done"
    assert wait(registry, other).state == "done"


def test_a_reloaded_tab_still_has_one_run_at_a_time(
    registry: Registry, firms: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = {"before", "after"}
    monkeypatch.setattr(tabs, "is_open", opened.__contains__)
    monkeypatch.setattr(tabs, "current", lambda: "before")
    first = registry.start(firms, QUICK, dict.fromkeys(QUICK))
    monkeypatch.setattr(tabs, "current", lambda: "after")
    assert registry.view(first) is not None
    shared = registry.start(firms, QUICK, dict.fromkeys(QUICK))
    assert registry.view(first) is not None  # the other tab still shows it
    opened.discard("before")
    registry.start(firms, QUICK, dict.fromkeys(QUICK))
    assert registry.view(first) is None
    assert registry.view(shared) is None


def test_results_that_cannot_be_read_are_an_error(
    registry: Registry, firms: Table
) -> None:
    job_id = registry.start(firms, SLOW)
    wait(registry, job_id, lambda view: len(view.results) == 1)
    half = job(registry, job_id).folder / "results" / "000001"
    half.mkdir()
    (half / "outcome.json").write_text("{")
    view = wait(registry, job_id)
    assert view.state == "failed"
    assert "cannot be read" in view.message


def test_no_process_is_an_error(
    registry: Registry, firms: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(jobs, "Worker", fail)
    view = wait(registry, registry.start(firms, QUICK))
    assert view.state == "failed"
    assert "no further process" in view.message


def test_nobody_attaches_by_guessing(registry: Registry, firms: Table) -> None:
    ids = {registry.start(firms, QUICK, dict.fromkeys(QUICK)) for _ in range(20)}
    assert len(ids) == 20
    assert min(map(len, ids)) >= 32
    assert registry.view("") is None
    assert registry.view("1") is None
    registry.cancel("1")
    assert jobs.view(None) is None
    jobs.cancel(None)


def test_a_spare_worker_is_used_and_replaced(firms: Table) -> None:
    registry = Registry()
    try:
        wait_until(lambda: registry._spare is not None)
        spare = registry._spare
        job_id = registry.start(firms, QUICK)
        wait(registry, job_id, lambda view: bool(view.results))
        assert job(registry, job_id).worker is spare
        wait(registry, job_id)
        wait_until(lambda: registry._spare is not None)
        assert registry._spare is not spare
    finally:
        registry.close()


def test_a_dead_spare_does_no_harm(firms: Table) -> None:
    registry = Registry()
    try:
        wait_until(lambda: registry._spare is not None)
        spare = registry._spare
        assert spare is not None
        os.kill(spare.pid, signal.SIGKILL)
        wait_until(lambda: spare.exit_code is not None)
        assert wait(registry, registry.start(firms, QUICK)).state == "done"
    finally:
        registry.close()


SERVER = """
import time
import sample_data
from dashboard.jobs.jobs import Registry
from engine.pipeline.plan import Plan
table = sample_data.load("business_survey")
registry = Registry()
search = Plan(method="iterated", parameters={"seconds": 3600.0})
job = registry.start(table, [Plan(k=1_000_000), search])
while not registry.view(job).results:
    time.sleep(0.05)
print(registry._jobs[job].folder, flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGINT])
def test_a_dead_server_leaves_nothing_behind(sign: int) -> None:
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=heed_interrupts,
    )
    assert server.stdout is not None
    assert server.stderr is not None
    try:
        folder = Path(server.stdout.readline().decode().strip())
        assert list(folder.iterdir())
        server.send_signal(sign)
        # The workers share the server's stderr: it ends when the last of them does.
        limit = time.monotonic() + 300.0
        while True:
            assert select.select([server.stderr], [], [], limit - time.monotonic())[0]
            if not os.read(server.stderr.fileno(), 65536):
                break
        assert not folder.exists()
    finally:
        server.kill()
        server.communicate()


def test_what_a_crash_left_behind_is_removed_by_the_next_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_module.tempfile, "gettempdir", lambda: str(tmp_path))
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    stale = tmp_path / f"coterie-job-{ended.pid}-a"
    recent = tmp_path / f"coterie-job-{ended.pid}-b"
    alive = tmp_path / f"coterie-job-{os.getpid()}-c"
    for folder in (stale, recent, alive):
        folder.mkdir()
    for folder in (stale, alive):
        os.utime(folder, (0, 0))
    job_module.remove_stale()
    assert not stale.exists()
    assert recent.exists()
    assert alive.exists()


@pytest.mark.slow
def test_a_long_run_stands_back_for_somebody_else_and_is_finished(
    firms: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    one_at_a_time = Registry(parallel=1, spare=False, turn=0.0)
    try:
        whose = ["ann"]
        monkeypatch.setattr(jobs.sign_in, "user_id", lambda: whose[0])
        plans = [Plan(method="md", k=k) for k in range(3, 33)]
        long = one_at_a_time.start(firms, plans)
        wait(one_at_a_time, long, lambda view: len(view.results) > 0)
        whose[0] = "bob"
        short = one_at_a_time.start(firms, QUICK[:1])
        assert wait(one_at_a_time, short).state == "done"
        between = one_at_a_time.view(long)
        assert between is not None
        assert between.running
        view = wait(one_at_a_time, long)
        assert view.state == "done"
        assert view.share >= between.share
        assert len(view.results) == len(plans)
        assert all(isinstance(one, Outcome) for one in view.results.values())
    finally:
        one_at_a_time.close()


def test_nobody_has_more_runs_than_their_quota(firms: Table) -> None:
    limited = Registry(parallel=1, spare=False, waiting=2)
    try:
        begun = [limited.start(firms, SLOW) for _ in range(3)]
        refused = limited.view(begun[-1])
        assert refused is not None
        assert refused.state == "failed"
        assert "as many as one person may have" in refused.message
        for job_id in begun[:2]:
            found = limited.view(job_id)
            assert found is not None
            assert found.running
    finally:
        limited.close()


def test_nobody_has_more_of_the_processor_than_their_quota(firms: Table) -> None:
    limited = Registry(parallel=1, spare=False, minutes=0.0)
    try:
        assert wait(limited, limited.start(firms, QUICK)).state == "done"
        refused = wait(limited, limited.start(firms, QUICK))
        assert refused.state == "failed"
        assert "minutes of processor" in refused.message
    finally:
        limited.close()


def test_where_no_worker_starts_that_is_said_once_and_tried_ever_later(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    tries = []

    def refused() -> None:
        tries.append(time.monotonic())
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(jobs, "Worker", refused)
    registry = Registry()
    try:
        for _ in range(50):
            with registry._change:
                registry._change.notify()
            time.sleep(0.01)
        assert len(tries) == 1
        said = capfd.readouterr().err
        assert said.count("Resource temporarily unavailable") == 1
        assert "Traceback" not in said
    finally:
        registry.close()
