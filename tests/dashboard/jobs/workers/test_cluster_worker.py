"""Runs on a cluster give the same as here, and leave no value in its processes."""

import os
import shutil
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from dashboard.jobs.workers import cluster_worker, worker
from dashboard.jobs.workers.cluster_worker import (
    KEY_BYTES,
    apply_keystream,
    pack_folder,
    print_cluster_capacity,
    run_folder_on_cluster,
    unpack_archive,
)
from dashboard.jobs.workers.process import CLUSTER_VARIABLE, WorkerProcess
from dashboard.places.__main__ import main
from engine import read_table
from engine.core.message import message_from_json
from engine.data.table import Table
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.storage.outcomes import read_json, write_json
from tests.browser.places.memory import (
    N_PLANTED,
    find_in_files,
    find_in_process,
    find_planted,
    planted_rows,
)
from tests.dashboard.jobs.workers.test_worker import assert_same, job_folder, results
from tests.dashboard.places.servers import wait_until
from tests.engine.streaming.workers.test_cluster import Cluster, certificates, cluster

pytest.importorskip("distributed")

PLANS = [Plan(method=method, k=5) for method in ("mdav", "pca-projection")]


def test_what_is_enciphered_is_read_with_its_key_only() -> None:
    content = "\n".join(planted_rows()).encode()
    key = bytes(range(KEY_BYTES))
    enciphered = apply_keystream(content, key)
    assert apply_keystream(enciphered, key) == content
    assert len(find_planted(content)) == 2 * N_PLANTED
    assert find_planted(enciphered) == set()
    assert find_planted(apply_keystream(enciphered, key[::-1])) == set()


def test_a_folder_comes_back_without_what_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "a" / "inner").mkdir(parents=True)
    (tmp_path / "a" / "inner" / "x").write_text("1")
    (tmp_path / "a" / "y").write_text("2")
    packed = pack_folder(tmp_path / "a", ["y"], {"z": b"3"})
    (tmp_path / "b").mkdir()
    unpack_archive(packed, tmp_path / "b")
    text_by_name = {
        p.name: p.read_text() for p in (tmp_path / "b").rglob("*") if p.is_file()
    }
    assert text_by_name == {"x": "1", "z": "3"}


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("local", "starts a cluster for one run"),
        ("tcp://10.1.2.3:8786", "use tls://"),
        ("far", "the address of a scheduler"),
    ],
)
@pytest.mark.posix("no server runs there")
def test_addresses_that_cannot_be_are_refused(
    address: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--dask", address]) == 2
    assert told in capsys.readouterr().err


def test_nobody_at_the_address_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(CLUSTER_VARIABLE, "tcp://127.0.0.1:9")
    monkeypatch.setattr("engine.streaming.workers.cluster.CONNECT_SECONDS", 0.5)
    assert print_cluster_capacity() == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("coterie: There is no scheduler to be reached at tcp://127")


@pytest.fixture
def running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    """Give a cluster without workers, to which runs go."""
    with cluster(tmp_path / "cluster") as empty_cluster:
        (empty_cluster.folder / "tmp").mkdir()
        empty_cluster.environment["TMPDIR"] = str(empty_cluster.folder / "tmp")
        monkeypatch.setenv(CLUSTER_VARIABLE, empty_cluster.address)
        yield empty_cluster


def planted_table(folder: Path) -> Table:
    path = folder / "planted.csv"
    path.write_text("\n".join(planted_rows()) + "\n")
    roles = {"name": "identifier", "age": "quasi-identifier"}
    return read_table(path, roles=roles | {"amount": "quasi-identifier"})


@pytest.mark.slow
def test_results_are_those_of_this_machine_and_no_value_is_left(
    running: Cluster, tmp_path: Path
) -> None:
    table = planted_table(tmp_path)
    local_folder, cluster_folder = tmp_path / "here", tmp_path / "there"
    for each in (local_folder, cluster_folder):
        each.mkdir()
    local_job = job_folder(local_folder, table, PLANS)
    worker.run_job_folder(local_job)
    expected = results(local_job, table)
    at_work = running.add_worker()
    process = WorkerProcess()
    try:
        folder = job_folder(cluster_folder, table, PLANS)
        process.send_job(folder)
        wait_until((folder / "end.json").exists, "the run does not end")
        assert read_json(folder / "end.json")["state"] == "done"
        cluster_results = results(folder, table)
        assert cluster_results.keys() == expected.keys()
        for position, outcome in expected.items():
            assert isinstance(outcome, Outcome)
            other = cluster_results[position]
            assert isinstance(other, Outcome)
            assert_same(other, outcome)
            assert {name: score.value for name, score in other.scores.items()} == {
                name: score.value for name, score in outcome.scores.items()
            }
        for each in running.processes:
            if sys.platform == "linux":
                assert find_in_process(each.pid) == set()
        assert find_in_files(running.folder) == set()
        assert list((running.folder / "tmp").glob("coterie-job-*")) == []
        assert at_work.poll() is None
    finally:
        process.kill_and_wait()


def run_in_thread(folder: Path) -> threading.Thread:
    running = threading.Thread(target=run_folder_on_cluster, args=(folder,))
    running.start()
    return running


def stage(folder: Path) -> str:
    try:
        return str(message_from_json(read_json(folder / "progress.json")["stage"]))
    except FileNotFoundError:
        return ""


SEARCH = Plan(method="iterated", k=5, parameters={"seconds": 600.0})
"""It is still running whenever, and ends with its best when it is told to."""


def children(pid: int) -> list[int]:
    return [child.pid for child in psutil.Process(pid).children()]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="processes are ended here")
def test_a_worker_that_dies_and_a_cluster_that_is_full_are_survived(
    running: Cluster, tmp_path: Path
) -> None:
    table = planted_table(tmp_path)
    first = running.add_worker()
    folder = job_folder(tmp_path, table, [SEARCH])
    run = run_in_thread(folder)
    wait_until(lambda: children(first.pid), "nothing is carried out")
    (tmp_path / "next").mkdir()
    other = job_folder(tmp_path / "next", table, PLANS[1:])
    waiting = run_in_thread(other)
    wait_until(lambda: "Waiting for a worker" in stage(other), "it does not wait")
    (child,) = children(first.pid)
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    wait_until(lambda: not Path(f"/proc/{child}").exists(), "its child goes on")
    second = running.add_worker()
    wait_until(lambda: children(second.pid), "nothing is carried out again")
    write_json(folder / "enough.json", {"position": 0})
    for each, at in ((run, folder), (waiting, other)):
        each.join()
        assert read_json(at / "end.json")["state"] == "done"
    assert isinstance(results(folder, table)[0], Outcome)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_by_tls_a_scheduler_that_is_killed_and_started_again_is_survived(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    security, table = certificates(tmp_path / "security"), planted_table(tmp_path)
    (tmp_path / "here").mkdir()
    local_job = job_folder(tmp_path / "here", table, PLANS)
    worker.run_job_folder(local_job)
    with cluster(tmp_path / "cluster", security, "tls") as running:
        assert running.address.startswith("tls://")
        for name, value in (security | {CLUSTER_VARIABLE: running.address}).items():
            monkeypatch.setenv(name, value)
        folder = job_folder(tmp_path, table, [SEARCH, *PLANS])
        at_work, process = running.add_worker(), WorkerProcess()
        try:
            process.send_job(folder)
            wait_until(lambda: children(at_work.pid), "nothing is carried out")
            (child,) = children(at_work.pid)
            running.scheduler.kill()
            running.scheduler.wait()
            wait_until(lambda: not Path(f"/proc/{child}").exists(), "its child goes on")
            address = running.address
            running.start_scheduler()
            assert running.address == address
            second_worker = running.add_worker()
            wait_until(
                lambda: children(second_worker.pid), "nothing is carried out again"
            )
            write_json(folder / "enough.json", {"position": 0})
            wait_until((folder / "end.json").exists, "the run does not end")
        finally:
            process.kill_and_wait()
        assert read_json(folder / "end.json")["state"] == "done"
        assert sorted(results(folder, table)) == [0, 10, 20]
        for position, outcome in results(local_job, table).items():
            cluster_outcome = results(folder, table)[position + 10]
            assert isinstance(outcome, Outcome)
            assert isinstance(cluster_outcome, Outcome)
            assert_same(cluster_outcome, outcome)


@pytest.mark.slow
def test_a_scheduler_that_does_not_come_back_is_one_sentence(
    running: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_worker, "MAX_LOST_SECONDS", 0.0)
    monkeypatch.setattr("engine.streaming.workers.cluster.CONNECT_SECONDS", 1.0)
    running.add_worker()
    folder = job_folder(tmp_path, planted_table(tmp_path), [SEARCH])
    run = run_in_thread(folder)
    wait_until(lambda: stage(folder) == "On the cluster", "nothing is carried out")
    running.processes[0].kill()
    run.join()
    end = read_json(folder / "end.json")
    assert end["state"] == "failed"
    assert "scheduler" in str(message_from_json(end["message"]))


@pytest.mark.slow
def test_a_cluster_without_workers_is_one_sentence(
    running: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_worker, "MAX_WORKERLESS_SECONDS", 0.1)
    folder = job_folder(tmp_path, planted_table(tmp_path), PLANS)
    run_folder_on_cluster(folder)
    end = read_json(folder / "end.json")
    assert "has had no worker" in str(message_from_json(end["message"]))
