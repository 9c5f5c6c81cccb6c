"""A forked worker gives what the engine gives, carries out one run, and leaves none."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from unittest import mock

import psutil
import pytest

import sample_data
from dashboard.jobs.failures import DISK_FULL_EXIT_CODE, exit_code_message
from dashboard.jobs.workers import forked
from dashboard.jobs.workers import template as template_process
from dashboard.jobs.workers.forked import ForkedWorkerSource, WorkerTemplate
from dashboard.jobs.workers.process import WorkerProcess
from dashboard.jobs.workers.warm_up import methods_to_warm_up
from engine.core.platform.processes import count_usable_cores
from engine.data.table import Table
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from engine.storage.outcomes import read_json
from tests.dashboard.jobs.workers.test_worker import (
    assert_same,
    job_folder,
    results,
    wait_for,
)

pytestmark = [
    pytest.mark.posix("workers are forked on Linux alone"),
    pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux"),
]


@pytest.fixture
def firms() -> Table:
    return sample_data.load("business_survey")


@pytest.fixture
def template() -> Iterator[WorkerTemplate]:
    template = WorkerTemplate()
    try:
        wait_until(template.is_ready)
        yield template
    finally:
        template.kill_and_wait()


def wait_until(holds: Callable[[], bool], seconds: float = 60.0) -> None:
    limit = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < limit
        time.sleep(0.02)


def fork_worker(template: WorkerTemplate) -> WorkerProcess:
    process = template.fork()
    assert process is not None
    return WorkerProcess(process)


def test_a_fork_gives_what_the_engine_gives_and_takes_its_folder_with_it(
    template: WorkerTemplate, firms: Table, tmp_path: Path
) -> None:
    plan = Plan(method="mdav", k=4)
    folder = job_folder(tmp_path, firms, [plan])
    worker = fork_worker(template)
    worker.send_job(folder)
    wait_for(folder / "end.json")
    assert read_json(folder / "end.json") == {"state": "done", "message": ""}
    assert_same(results(folder, firms)[0], run(plan, firms))
    assert worker.exit_code is None
    assert worker._process.stdin is not None
    worker._process.stdin.close()
    wait_until(lambda: worker.exit_code is not None)
    assert worker.exit_code == 0
    assert not folder.exists()


@pytest.mark.parametrize("is_forked", [True, False], ids=["fork", "new process"])
def test_a_worker_without_room_for_the_end_of_its_run_says_so_by_its_exit_code(
    is_forked: bool, firms: Table, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    import resource  # which a run that is like one on Windows does not have

    folder = job_folder(tmp_path, firms, [Plan(method="mdav", k=4)])
    worker = (
        fork_worker(request.getfixturevalue("template"))
        if is_forked
        else WorkerProcess()
    )
    # Of a limit of 0 bytes a file says what it would of a disk that is full.
    resource.prlimit(worker.pid, resource.RLIMIT_FSIZE, (0, 0))
    worker.send_job(folder)
    wait_until(lambda: worker.exit_code is not None)
    worker.kill_and_wait()
    assert worker.exit_code == DISK_FULL_EXIT_CODE
    assert not (folder / "end.json").exists()
    assert "make room" in exit_code_message(DISK_FULL_EXIT_CODE)


def test_forks_share_nothing_that_they_were_given(
    template: WorkerTemplate, firms: Table, tmp_path: Path
) -> None:
    first, second = fork_worker(template), fork_worker(template)
    assert {os.getsid(each.pid) for each in (first, second)} == {os.getsid(0)}
    first.kill_and_wait()
    assert first.exit_code is not None
    assert second.exit_code is None
    folder = job_folder(tmp_path, firms, [Plan(method="mdav", k=4)])
    second.send_job(folder)
    wait_for(folder / "end.json")
    # Neither the template's orders nor another worker's input are open in it.
    third = fork_worker(template)
    inputs = Path(f"/proc/{third.pid}/fd")
    wait_until(lambda: str((inputs / "0").readlink()).startswith("pipe:"))
    orders = Path(f"/proc/{template._process.pid}/fd/0").readlink()
    assert orders not in {file.readlink() for file in inputs.iterdir()}
    for worker in (second, third):
        worker.kill_and_wait()


def test_workers_of_a_template_that_was_killed_have_ended(
    template: WorkerTemplate,
) -> None:
    worker = fork_worker(template)
    process = psutil.Process(worker.pid)
    template._process.kill()
    wait_until(lambda: worker.exit_code is not None)
    assert worker.exit_code == -signal.SIGKILL
    wait_until(lambda: not process.is_running())
    assert template.fork() is None
    worker.kill_and_wait()


def test_a_worker_is_killed_while_the_template_is_at_work(
    template: WorkerTemplate,
) -> None:
    worker = fork_worker(template)
    process = psutil.Process(worker.pid)
    os.kill(template._process.pid, signal.SIGSTOP)
    worker.kill_and_wait()
    assert worker.exit_code == -signal.SIGKILL
    assert process.status() == psutil.STATUS_ZOMBIE  # until the template looks
    os.kill(template._process.pid, signal.SIGCONT)
    wait_until(lambda: not process.is_running())


def test_a_fork_that_comes_too_late_is_nobodys_worker(
    template: WorkerTemplate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forked, "_ANSWER_SECONDS", 0.1)
    os.kill(template._process.pid, signal.SIGSTOP)
    assert template.fork() is None
    os.kill(template._process.pid, signal.SIGCONT)
    monkeypatch.setattr(forked, "_ANSWER_SECONDS", 60.0)
    first = fork_worker(template)
    children = psutil.Process(template._process.pid).children
    wait_until(lambda: [child.pid for child in children()] == [first.pid])
    assert first.exit_code is None
    first.kill_and_wait()


_SERVER = """
import sys, time
from pathlib import Path
from dashboard.jobs.workers.forked import WorkerTemplate
from dashboard.jobs.workers.process import WorkerProcess
template = WorkerTemplate()
while (process := template.fork()) is None:
    time.sleep(0.02)
worker = WorkerProcess(process)
worker.send_job(Path(sys.argv[1]))
print(worker.pid, template._process.pid, flush=True)
time.sleep(600)
"""


def test_nothing_is_left_of_a_server_that_was_killed(
    firms: Table, tmp_path: Path
) -> None:
    folder = job_folder(tmp_path, firms, [Plan(method="mdav", k=4)])
    server = subprocess.Popen(
        [sys.executable, "-c", _SERVER, str(folder)], stdout=subprocess.PIPE
    )
    try:
        assert server.stdout is not None
        pids = [int(word) for word in server.stdout.readline().split()]
        wait_for(folder / "end.json")
        processes = [psutil.Process(pid) for pid in pids]
    finally:
        server.kill()
        server.communicate()
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.wait(60)
    assert not folder.exists()


def test_kernels_that_cannot_be_loaded_are_logged_and_hold_up_no_others(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tried = list[str]()

    def warm_up(name: str) -> None:
        tried.append(name)
        if name in ("mdav", methods_to_warm_up()[-1]):
            raise RuntimeError("4711")

    monkeypatch.setattr(template_process, "warm_up_method", warm_up)
    monkeypatch.setattr(template_process, "remove_unused_folders", lambda: 0)
    # The alarm and the garbage are those of the tests.
    for name in ("signal", "gc"):
        monkeypatch.setattr(template_process, name, mock.MagicMock())
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        assert template_process._Template(theirs)._warm_up()
    assert tried == [*methods_to_warm_up()]
    logged = capsys.readouterr().err.splitlines()
    warnings = [line for line in logged if line.startswith("coterie: ")]
    assert len(warnings) == 2
    for line in warnings:
        assert line.startswith("coterie: a worker did not warm up: RuntimeError, ")
        assert "4711" not in line


def test_a_fork_of_a_cold_template_compiles_in_a_second_process(
    firms: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if count_usable_cores() < 2:
        pytest.skip("a second process would take the only core")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "nothing compiled"))
    template = WorkerTemplate()
    try:
        wait_until(template.is_ready)
        worker = fork_worker(template)
        folder = job_folder(tmp_path, firms, [Plan(method="mdav", k=4)])
        worker.send_job(folder)
        children = psutil.Process(worker.pid).children

        def commands() -> list[str]:
            with suppress(psutil.NoSuchProcess):
                return [word for child in children() for word in child.cmdline()]
            return []

        wait_until(lambda: "engine.bounds.compile_ahead" in commands())
        worker.kill_and_wait()
    finally:
        template.kill_and_wait()


def test_a_run_waits_for_no_template_that_is_at_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source = ForkedWorkerSource()
    source.ensure_ready(idle=True)
    try:
        # It has just been started, and imports what it needs.
        early = source.take_worker()
        assert psutil.Process(early.pid).ppid() == os.getpid()
        early.kill_and_wait()
        assert source._template is not None
        wait_until(source._template.is_ready)
        worker = source.take_worker()
        assert psutil.Process(worker.pid).ppid() == source._template._process.pid
        source.return_worker(worker)
        assert worker.exit_code is not None
    finally:
        source.close()


def test_a_template_that_ends_is_replaced_later(
    capsys: pytest.CaptureFixture[str],
) -> None:
    source = ForkedWorkerSource()
    try:
        source.ensure_ready(idle=True)
        template = source._template
        assert template is not None
        template._process.kill()
        template._process.wait()
        source.ensure_ready(idle=True)
        assert source.failures == 1
        assert "no worker can be started" in capsys.readouterr().err
        source.ensure_ready(idle=True)
        assert source._template is None
    finally:
        source.close()


@pytest.mark.slow
def test_a_template_that_is_warm_has_one_thread_and_no_kernel_left_to_load(
    template: WorkerTemplate, firms: Table, tmp_path: Path
) -> None:
    while not template._is_warm:
        template.warm_up()
        wait_until(template.is_ready, 600.0)  # kernels may have to be compiled
    names = [
        path.read_text().strip()
        for path in Path(f"/proc/{template._process.pid}/task").glob("*/comm")
    ]
    # Arrow's memory is tidied up by a thread that is ready to be forked.
    assert len([name for name in names if name != "jemalloc_bg_thd"]) == 1
    worker = fork_worker(template)
    folder = job_folder(tmp_path, firms, [Plan(method="mdav", k=4)])
    worker.send_job(folder)
    wait_for(folder / "end.json")
    # A new process imports and loads for seconds what a fork has.
    spent = psutil.Process(worker.pid).cpu_times()
    assert spent.user + spent.system < 5.0
    worker.kill_and_wait()
