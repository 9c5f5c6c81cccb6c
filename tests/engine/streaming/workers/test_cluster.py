"""Blocks on a cluster: the same bytes, also when a worker is killed in mid-run."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from engine import Plan
from engine.core.context import SILENT, RunContext
from engine.core.errors import Cancelled, InputError, ParameterError
from engine.core.platform.memory import resident_bytes
from engine.streaming import StreamedOutcome
from engine.streaming import run as streamed
from engine.streaming.workers.address import check_cluster_address
from engine.streaming.workers.cluster import (
    ClusterWorkers,
    WorkerCounter,
    _value_of,
    run_on_worker,
    stat_files,
)
from engine.streaming.workers.tasks import map_in_order
from tests.engine.streaming.tables import content, numbers, written

pytest.importorskip("distributed")

PLAN = Plan(
    k=3,
    quasi_identifiers=("x0", "x1"),
    identifiers=("whose",),
    person=("whose",),
    intruder_knows="all",
)


def run(source: Path, target: Path, **how: Any) -> StreamedOutcome:
    return streamed(PLAN, source, target, records_per_block=300, **how)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    whose = pa.array(np.random.default_rng(2).integers(0, 1000, 3000))
    table = numbers(3000, 2).append_column("whose", whose)
    folder = tmp_path_factory.mktemp("in")
    for first in range(0, 3000, 75):  # each file is a part
        written(table.slice(first, 75), folder / f"{first:04}.parquet")
    return folder


@pytest.fixture(scope="module")
def expected(
    source: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, bytes]:
    target = tmp_path_factory.mktemp("expected") / "out"
    run(source, target)
    return content(target)


@pytest.mark.parametrize(
    "address", ["local", "tls://far.example:8786", "tcp://127.0.0.1:1", "tcp://[::1]:1"]
)
def test_this_machine_and_tls_are_let_through(address: str) -> None:
    check_cluster_address(address)


@pytest.mark.parametrize(
    "address", ["tcp://10.1.2.3:8786", "tcp://far.example:8786", "tcp://[fe80::1]:1"]
)
def test_others_could_listen_to_a_plain_address(address: str) -> None:
    with pytest.raises(ParameterError, match="use tls://"):
        check_cluster_address(address)


@pytest.mark.parametrize("address", ["", "far:8786", "tls://far", "ucx://far:1", "tcp"])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(ParameterError, match="local or the address"):
        check_cluster_address(address)


def test_without_dask_one_sentence_says_what_to_install(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.streaming.workers.address.find_spec", lambda name: None)
    with pytest.raises(ParameterError, match=r"pip install 'coterie\[dask\]'"):
        run(source, tmp_path / "out", dask="local")


def test_the_engine_does_not_load_dask() -> None:
    code = "import sys, engine.streaming; print('distributed' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "False"


def add_one(number: int, ctx: RunContext) -> int:
    if number == 3:
        raise InputError("Record {number} is odd: mend it.", number=number)
    return number + 1


def test_tasks_of_a_cluster_give_what_threads_give(tmp_path: Path) -> None:
    from distributed import Client, LocalCluster

    here, gone = tmp_path / "here", tmp_path / "gone"
    here.touch()
    assert stat_files([here, gone])[1] is None
    with (
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=False,
            dashboard_address=None,
            memory_limit=0,
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        workers = ClusterWorkers(client, 0)
        assert workers.reach_files([here, gone], lambda: None)
        found = map_in_order(workers, add_one, range(4, 30), SILENT, "Adding")
        assert list(found) == list(range(5, 31))
        found = map_in_order(workers, add_one, range(9), SILENT, "Adding")
        with pytest.raises(InputError, match="Record 3 is odd"):
            list(found)


task_began, task_ended = threading.Event(), threading.Event()


def go_on_for_ever(number: int, ctx: RunContext) -> None:
    task_began.set()
    try:
        while True:
            ctx.tick(0, 1, "")
            time.sleep(0.001)
    finally:
        time.sleep(0.3)  # a run that did not wait would be over long before
        task_ended.set()


@pytest.mark.parametrize("n_tasks", [1, 5], ids=["running", "also queued"])
def test_nothing_of_a_run_is_left_on_a_cluster_once_it_is_cancelled(
    n_tasks: int,
) -> None:
    from distributed import Client, LocalCluster

    def stop_once_begun() -> None:
        if task_began.is_set():
            raise Cancelled("The run was cancelled; nothing was written.")

    task_began.clear()
    task_ended.clear()
    with (
        LocalCluster(
            n_workers=1,
            threads_per_worker=1,
            processes=False,
            dashboard_address=None,
            memory_limit=0,
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        workers = ClusterWorkers(client, 0)
        with pytest.raises(Cancelled):
            list(workers.run_tasks(go_on_for_ever, range(n_tasks), stop_once_begun))
        assert task_ended.is_set()
        assert not cluster.scheduler.tasks
        assert not any(each.state.tasks for each in cluster.workers.values())
        task_ended.clear()
        found = map_in_order(workers, add_one, range(4, 9), SILENT, "Adding")
        assert list(found) == list(range(5, 10))


def test_other_versions_are_refused() -> None:
    with pytest.raises(ParameterError, match="same versions"):
        run_on_worker(add_one, 1, {})


def test_nobody_at_an_address_is_one_sentence(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.streaming.workers.cluster.CONNECT_SECONDS", 1)
    with pytest.raises(InputError, match="no scheduler to be reached"):
        run(source, tmp_path / "out", dask="tcp://127.0.0.1:9")


def test_processes_that_do_not_fit_are_refused(source: Path, tmp_path: Path) -> None:
    limit = resident_bytes() + 250_000_000
    with pytest.raises(ParameterError, match="raise --memory, or leave --dask out"):
        run(source, tmp_path / "out", dask="local", memory=limit)


class Client:
    """A client of a cluster that has lost something."""

    def __init__(self, status: str) -> None:
        self.status = status

    def nthreads(self) -> dict[str, int]:
        return {}


def test_a_cluster_without_workers_is_not_waited_for_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    workers = WorkerCounter(Client("running"))
    workers.count_workers()
    monkeypatch.setattr("engine.streaming.workers.cluster.MAX_WORKERLESS_SECONDS", -1.0)
    with pytest.raises(InputError, match="no worker"):
        workers.count_workers()
    with pytest.raises(InputError, match="scheduler was lost"):
        WorkerCounter(Client("closed"))


def test_what_goes_wrong_in_a_cluster_is_one_sentence() -> None:
    from concurrent.futures import CancelledError

    from distributed import KilledWorker

    class Future:
        def __init__(self, error: Exception) -> None:
            self.error = error

        def result(self) -> None:
            raise self.error

    for error, says in (
        (CancelledError(), "scheduler was lost"),
        (KilledWorker("task", None, 3), "did the same task"),
        (ModuleNotFoundError("engine"), "cannot import coterie"),
        (InputError("Column 'a' is odd: mend it."), "Column 'a' is odd"),
    ):
        with pytest.raises(InputError, match=says) as raised:
            _value_of(Future(error))
        assert str(raised.value).endswith(".")


# Real clusters, as the command line starts and finds them: warnings of other
# libraries about a busy machine are no failures of ours.


def command(source: Path, target: Path, *words: object) -> list[str]:
    line = [sys.executable, "-m", "engine", "run", "--out-of-core", source]
    line += ["--output", target, "--quasi-identifiers", "x0,x1", "--k", "3"]
    line += ["--identifiers", "whose", "--person", "whose", "--intruder-knows", "all"]
    line += ["--method", "mdav", "--records-per-block", "300", *words]
    return list(map(str, line))


def done(line: list[str], **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(line, capture_output=True, text=True, timeout=900, **more)


@pytest.mark.slow
@pytest.mark.parametrize("processes", ["1", "2", "4"])
def test_any_number_of_processes_gives_the_same_bytes(
    processes: str, source: Path, expected: dict[str, bytes], tmp_path: Path
) -> None:
    figures = tmp_path / "figures.json"
    words = ["--dask", "local", "--json", figures]
    environment = {**os.environ, "COTERIE_THREADS": processes}
    found = done(command(source, tmp_path / "out", *words), env=environment)
    assert found.returncode == 0, found.stderr
    assert content(tmp_path / "out") == expected
    known = json.loads(figures.read_text())
    assert known["n_blocks"] == 10
    assert not any("read all records alone" in text for text in known["warnings"])


@pytest.mark.slow
def test_workers_that_reach_no_file_are_sent_blocks(
    source: Path,
    expected: dict[str, bytes],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ClusterWorkers, "reach_files", lambda *_: False)
    outcome = run(source, tmp_path / "out", dask="local")
    assert content(tmp_path / "out") == expected
    assert any("read all records alone" in text for text in outcome.warnings)


class Cluster:
    """A scheduler and workers as processes of their own."""

    def __init__(self, folder: Path, security: dict[str, str], scheme: str) -> None:
        self.folder = folder
        self.environment = {**os.environ, **security}
        self.environment["PYTHONPATH"] = str(Path(__file__).parents[4])
        self.processes: list[subprocess.Popen[bytes]] = []
        self._scheme = scheme
        self.address = ""
        self.scheduler = self.start_scheduler()

    def start_scheduler(self) -> subprocess.Popen[bytes]:
        """Start a scheduler; where there was one, at its address."""
        scheduler_file, port = (
            self.folder / "scheduler.json",
            self.address.rpartition(":")[2],
        )
        scheduler_file.unlink(missing_ok=True)
        words = ["--host", f"{self._scheme}://127.0.0.1", "--port", port or "0"]
        words += ["--no-dashboard", "--scheduler-file", str(scheduler_file)]
        scheduler, self.address = self._start("scheduler", *words), ""
        while not self.address:
            assert scheduler.poll() is None
            time.sleep(0.05)
            with contextlib.suppress(OSError, ValueError):
                self.address = json.loads(scheduler_file.read_text())["address"]
        return scheduler

    def add_worker(self) -> subprocess.Popen[bytes]:
        words = [self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
        return self._start("worker", *words, "--memory-limit", "0")

    def _start(self, what: str, *words: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{what}", *words],
            stderr=subprocess.DEVNULL,
            cwd=self.folder,
            env=self.environment,
        )
        self.processes.append(process)
        return process

    def stop(self) -> None:
        for process in self.processes:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            process.wait()


@contextlib.contextmanager
def cluster(
    folder: Path, security: dict[str, str] | None = None, scheme: str = "tcp"
) -> Iterator[Cluster]:
    folder.mkdir()
    found = Cluster(folder, security or {}, scheme)
    try:
        yield found
    finally:
        found.stop()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("folder", "file", "last"),
    [
        ("persons-0", "run-00002.arrows", "index.npy"),
        ("spool", "run-00002.arrows", "index.npy"),
        ("release", "part-*", "part-*[89].parquet"),
    ],
    ids=["counting people", "second pass", "blocks"],
)
def test_one_of_two_workers_is_killed_in_mid_run(
    folder: str,
    file: str,
    last: str,
    source: Path,
    expected: dict[str, bytes],
    tmp_path: Path,
) -> None:
    target, log = tmp_path / "out", tmp_path / "log"
    place = tmp_path / ".out.partial" / folder
    with cluster(tmp_path / "cluster") as dask_cluster, log.open("wb") as stream:
        workers = [dask_cluster.add_worker(), dask_cluster.add_worker()]
        line = command(source, target, "--dask", dask_cluster.address)
        running = subprocess.Popen(line, stderr=stream)
        try:
            while not list(place.glob(file)):
                assert running.poll() is None, log.read_text()
                time.sleep(0.002)
            for worker in workers:  # nothing more can be done until one goes on
                os.kill(worker.pid, signal.SIGSTOP)
            assert running.poll() is None
            assert not list(place.glob(last))
            os.kill(workers[1].pid, signal.SIGKILL)
            os.kill(workers[0].pid, signal.SIGCONT)
            running.wait(900)
        finally:
            running.kill()
            running.wait()
    assert running.returncode == 0, log.read_text()
    assert content(target) == expected


def certificates(folder: Path) -> dict[str, str]:
    """Return settings of dask for a certificate that is its own authority."""
    folder.mkdir()
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    words = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    words += ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    words += ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run(["openssl", *words], check=True, capture_output=True)
    prefix = "DASK_DISTRIBUTED__COMM__"
    settings = {
        f"{prefix}REQUIRE_ENCRYPTION": "True",
        f"{prefix}TLS__CA_FILE": str(certificate),
    }
    for who in ("CLIENT", "SCHEDULER", "WORKER"):
        settings[f"{prefix}TLS__{who}__CERT"] = str(certificate)
        settings[f"{prefix}TLS__{who}__KEY"] = str(key)
    return settings


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_records_travel_by_tls(
    source: Path, expected: dict[str, bytes], tmp_path: Path
) -> None:
    security, target = certificates(tmp_path / "security"), tmp_path / "out"
    with cluster(tmp_path / "cluster", security, "tls") as dask_cluster:
        dask_cluster.add_worker()
        assert dask_cluster.address.startswith("tls://")
        line = command(source, target, "--dask", dask_cluster.address)
        ran = done(line, env={**os.environ, **security})
        assert ran.returncode == 0, ran.stderr
        assert content(target) == expected
        without = done(command(source, tmp_path / "other", *line[-2:]))
        assert without.returncode == 2
        assert "no scheduler to be reached" in without.stderr
