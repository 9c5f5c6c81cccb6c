"""A run never ends the server, and what goes wrong with one is a sentence."""

import json
import os
import select
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pandas as pd
import pytest

from dashboard.jobs import job as job_module
from dashboard.jobs.registry import JobRegistry
from dashboard.jobs.workers import folders
from dashboard.jobs.workers import spare as module
from dashboard.jobs.workers.process import WorkerProcess
from engine.data.table import Table
from engine.files import read_table
from tests.children import heed_interrupts
from tests.dashboard.jobs.runs import QUICK, SLOW, job, wait, wait_until

SERVER = """
import time
import sample_data
from dashboard.jobs.workers.process import WorkerProcess
from dashboard.jobs.registry import JobRegistry
from engine.pipeline.plan import Plan
table = sample_data.load("business_survey")
registry = JobRegistry()
search = Plan(method="iterated", parameters={"seconds": 3600.0})
job = registry.start(table, [Plan(k=1_000_000), search])
while not registry.view_job(job).results:
    time.sleep(0.05)
print(registry._jobs[job].folder, flush=True)
time.sleep(600)
"""


@pytest.mark.posix("no process is ended by SIGKILL there")
def test_a_killed_worker_is_an_error_and_not_a_hang(
    registry: JobRegistry, firms: Table
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


def test_a_crash_is_an_error(registry: JobRegistry, firms: Table) -> None:
    job_id = registry.start(firms, SLOW)
    wait_until(lambda: job(registry, job_id).worker is not None)
    worker = job(registry, job_id).worker
    assert worker is not None
    os.kill(worker.pid, signal.SIGSEGV)
    view = wait(registry, job_id)
    assert view.state == "failed"
    assert "SIGSEGV" in view.message


def test_a_run_that_takes_too_much_memory_is_stopped(firms: Table) -> None:
    with closing(JobRegistry(spare=False, memory=50 * 2**20)) as registry:
        view = wait(registry, registry.start(firms, SLOW))
        assert view.state == "failed"
        assert "of memory; it may take 0.0 GB" in view.message


def test_a_table_that_cannot_be_stored_is_an_error(registry: JobRegistry) -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": pd.Series([1, "x", 2], dtype="O")})
    table = read_table(frame).assign(roles={"a": "quasi-identifier"})
    view = wait(registry, registry.start(table, QUICK))
    assert view.state == "failed"
    assert "Column 'b' mixes types" in view.message


def test_results_that_cannot_be_read_are_an_error(
    registry: JobRegistry, firms: Table
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
    new_workers: JobRegistry, firms: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(module, "WorkerProcess", fail)
    view = wait(new_workers, new_workers.start(firms, QUICK))
    assert view.state == "failed"
    assert "no further process" in view.message


@pytest.mark.slow
def test_a_dead_spare_does_no_harm(firms: Table) -> None:
    with closing(JobRegistry(spare=True)) as registry:
        wait_until(lambda: registry._spare.worker is not None)
        spare = registry._spare.worker
        assert spare is not None
        os.kill(spare.pid, signal.SIGKILL)
        wait_until(lambda: spare.exit_code is not None)
        assert wait(registry, registry.start(firms, QUICK)).state == "done"


@pytest.mark.slow
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
    monkeypatch.setattr(folders.tempfile, "gettempdir", lambda: str(tmp_path))
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    stale = tmp_path / f"coterie-job-{process.pid}-a"
    recent = tmp_path / f"coterie-job-{process.pid}-b"
    alive = tmp_path / f"coterie-job-{os.getpid()}-c"
    for folder in (stale, recent, alive):
        folder.mkdir()
    for folder in (stale, alive):
        os.utime(folder, (0, 0))
    folders.remove_stale_job_folders()
    assert not stale.exists()
    assert recent.exists()
    assert alive.exists()


@pytest.mark.slow
def test_where_no_worker_starts_that_is_said_once_and_tried_ever_later(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    tries = []

    def refused() -> None:
        tries.append(time.monotonic())
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(module, "WorkerProcess", refused)
    with closing(JobRegistry(spare=True)) as registry:
        wait_until(lambda: registry._spare.failures > 0)
        for _ in range(50):
            with registry._change:
                registry._change.notify()
            time.sleep(0.01)
        assert len(tries) == 1
        said = ""

        def told() -> bool:
            nonlocal said
            said += capfd.readouterr().err
            return "again in" in said

        wait_until(told)
        assert said.count("Resource temporarily unavailable") == 1
        assert "Traceback" not in said


SAID = {"share": 0.5, "stage": "", "preparing": False, "prepared": 0.0}
DAMAGED = {
    "end without a state": ("end.json", {}),
    "end unheard of": ("end.json", {"state": "running", "message": ""}),
    "end without words": ("end.json", {"state": "done", "message": 3}),
    "no number": ("progress.json", SAID | {"share": "half"}),
    "no stage": ("progress.json", SAID | {"stage": ["a"]}),
    "no such plan": (
        "progress.json",
        SAID | {"search": {"position": 9, "seconds": 0.0, "points": []}},
    ),
    "no object": ("progress.json", [1]),
    "no such result": ("results/000009/outcome.json", {}),
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_what_is_damaged_in_one_run_is_a_sentence_there_and_nothing_elsewhere(
    firms: Table, tmp_path: Path, damage: str
) -> None:
    name, content = DAMAGED[damage]
    damaged, other = (
        job_module.Job(firms, SLOW, {}, tmp_path / case, set()) for case in "ab"
    )
    for case in (damaged, other):
        case.worker = Idle()
        case.folder.mkdir()
    (damaged.folder / name).parent.mkdir(parents=True, exist_ok=True)
    (damaged.folder / name).write_text(json.dumps(content))
    try:
        for case in (damaged, other):
            case.poll()
        assert damaged.state == "failed"
        assert "cannot be read" in damaged.message
        assert other.state == "running"
    finally:
        for case in (damaged, other):
            case.finish("cancelled")


class Idle(WorkerProcess):
    """A worker that does nothing and does not end."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(["sleep", "600"], stdin=subprocess.PIPE)
        self._asked = 0.0


@pytest.mark.parametrize(
    ("place", "error", "said"),
    [
        pytest.param(
            "dashboard.jobs.job.save_table",
            MemoryError(),
            "not enough memory",
            marks=pytest.mark.slow,
        ),
        ("dashboard.jobs.job.save_table", ValueError("firm 7"), "(ValueError, "),
        pytest.param(
            "threading.Thread",
            RuntimeError("no new thread"),
            "(no new thread)",
            marks=pytest.mark.slow,
        ),
    ],
    ids=["memory", "mistake", "thread"],
)
def test_a_run_that_cannot_begin_is_an_error_and_not_a_hang(
    registry: JobRegistry,
    firms: Table,
    monkeypatch: pytest.MonkeyPatch,
    place: str,
    error: Exception,
    said: str,
) -> None:
    def fail(*_args: object, **_named: object) -> None:
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(place, fail)
        view = wait(registry, registry.start(firms, QUICK), seconds=60.0)
    assert view.state == "failed"
    assert said in view.message
    assert "firm 7" not in view.message
    assert wait(registry, registry.start(firms, QUICK)).state == "done"
