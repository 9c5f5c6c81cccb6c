"""A run apart from the server gives what the engine gives, and never outlives it."""

import os
import queue
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest

import sample_data
from dashboard.jobs.job import Job
from dashboard.jobs.workers import warm_up, worker
from engine.core.message import message_from_json
from engine.data.table import Table
from engine.kernels.compilation import compiling
from engine.kernels.compilation.compiling import listen_to_compiling
from engine.pipeline import compare as comparing
from engine.pipeline.compare import Failure, Result
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from engine.storage.outcomes import load_outcome, read_json, save_table, write_json


def job_folder(at: Path, table: Table, plans: Sequence[Plan]) -> Path:
    folder = at / "job"
    folder.mkdir()
    (folder / "results").mkdir()
    save_table(table, folder / "table")
    write_json(
        folder / "plans.json",
        [
            {"position": 10 * position, "plan": plan.to_json(), "is_first": False}
            for position, plan in enumerate(plans)
        ],
    )
    write_json(folder / "bounds.json", [])
    return folder


def results(folder: Path, table: Table) -> dict[int, Result]:
    return {
        int(entry.name): load_outcome(entry, table)
        for entry in (folder / "results").iterdir()
    }


def wait_for(path: Path, seconds: float = 60.0) -> None:
    limit = time.monotonic() + seconds
    while not path.exists():
        assert time.monotonic() < limit, f"{path.name} did not appear"
        time.sleep(0.02)


def assert_same(found: Result, expected: Outcome) -> None:
    assert isinstance(found, Outcome)
    pd.testing.assert_frame_equal(
        found.release.frame, expected.release.frame, check_exact=True, rtol=0, atol=0
    )
    np.testing.assert_array_equal(found.partition.labels, expected.partition.labels)
    assert found.information_loss == expected.information_loss
    assert found.bound == expected.bound


@pytest.fixture
def firms() -> Table:
    return sample_data.load("business_survey")


def test_a_process_gives_what_the_engine_gives(firms: Table, tmp_path: Path) -> None:
    plans = [Plan(method="mdav", k=3), Plan(method="mdav1", k=5)]
    folder = job_folder(tmp_path, firms, plans)
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "dashboard.jobs.workers.worker", str(folder)],
        stdin=subprocess.PIPE,
    )
    try:
        wait_for(folder / "end.json")
        assert read_json(folder / "end.json") == {"state": "done", "message": ""}
        assert read_json(folder / "progress.json")["share"] == 1.0
        outcomes = results(folder, firms)
        assert sorted(outcomes) == [0, 10]
        for position, plan in zip((0, 10), plans, strict=True):
            assert_same(outcomes[position], run(plan, firms))
        # The server lets go: the process ends and takes its folder with it.
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(120) == 0
        assert not folder.exists()
    finally:
        process.kill()
        process.wait()


def test_a_run_that_stood_back_takes_its_bounds_along(
    firms: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, other_k, same_k = (
        Plan(method="mdav", k=3),
        Plan(method="mdav", k=5),
        Plan(method="mdav1", k=3),
    )
    known = {0: run(first, firms), 1: run(other_k, firms)}
    job = Job(firms, (first, other_k, same_k), known, tmp_path / "job", set())
    job.write_input()
    prove = Mock(name="lower_bound")
    monkeypatch.setattr(comparing, "lower_bound", prove)
    worker.run_job_folder(job.folder)
    prove.assert_not_called()
    assert_same(
        load_outcome(job.folder / "results" / "000002", firms), run(same_k, firms)
    )


_COMPILES_FOR_EVER = """
import sys, time
from dashboard.jobs.workers import warm_up, worker

def compile_for_ever(orders):
    print("begun", flush=True)
    time.sleep(600.0)

warm_up.warm_up_kernels = compile_for_ever
worker.main(sys.argv[1:])
"""


@pytest.mark.slow
def test_an_order_does_not_wait_for_what_else_compiles(
    firms: Table, tmp_path: Path
) -> None:
    folder = job_folder(tmp_path, firms, [Plan(method="mdav", k=4)])
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", _COMPILES_FOR_EVER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        process.stdin.write(os.fsencode(folder) + b"\n")
        process.stdin.flush()
        wait_for(folder / "end.json", 120.0)
        assert_same(results(folder, firms)[0], run(Plan(method="mdav", k=4), firms))
        # It is still the process that the server knows, and ends with its input.
        process.stdin.close()
        assert process.wait(120) == 0
        assert not folder.exists()
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def test_a_plan_that_fails_leaves_the_others(firms: Table, tmp_path: Path) -> None:
    plans = [Plan(method="mdav", k=5000), Plan(method="mdav", k=3)]
    folder = job_folder(tmp_path, firms, plans)
    worker.run_job_folder(folder)
    outcomes = results(folder, firms)
    assert isinstance(outcomes[0], Failure)
    assert "fewer than k = 5000" in outcomes[0].message
    assert_same(outcomes[10], run(plans[1], firms))
    assert read_json(folder / "end.json")["state"] == "done"


@pytest.mark.parametrize(
    ("mishap", "words"),
    [
        (ValueError("secret 4711"), "mistake in Coterie (ValueError, test_worker.py:"),
        (MemoryError(), "not enough memory"),
        (OSError(28, "No space left on device"), "make room"),
        (OSError(122, "Disk quota exceeded"), "make room"),
        (OSError(24, "Too many open files"), "refused something to the run (Too many"),
        (TimeoutError(), "refused something to the run (TimeoutError)"),
    ],
)
def test_a_mishap_becomes_a_sentence_without_values(
    mishap: Exception,
    words: str,
    firms: Table,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(*_: object) -> None:
        raise mishap

    monkeypatch.setattr(worker.PlanRunner, "run_plan", fail)
    folder = job_folder(tmp_path, firms, [Plan()])
    worker.run_job_folder(folder)
    end = read_json(folder / "end.json")
    assert end["state"] == "failed"
    assert words in message_from_json(end["message"])
    assert "4711" not in end["message"]
    assert "4711" not in "".join(capsys.readouterr())


def test_a_warm_up_that_fails_is_logged_and_ends_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: object) -> None:
        raise RuntimeError("4711")

    monkeypatch.setattr(warm_up, "warm_up_kernels", fail)
    orders: queue.SimpleQueue[Path] = queue.SimpleQueue()
    orders.put(Path("order"))
    worker._warm_up(orders)
    assert orders.get_nowait() == Path("order")
    logged = capsys.readouterr().err
    assert logged.startswith("coterie: a worker did not warm up: RuntimeError, ")
    assert "4711" not in logged


def test_a_search_is_told_to_end_by_the_position_of_its_plan(tmp_path: Path) -> None:
    progress = worker._Progress(tmp_path)
    progress.begin_plan(3, searches=True)
    assert not progress.should_stop_early()
    write_json(tmp_path / "enough.json", {"position": 3})
    assert progress.should_stop_early()
    progress.begin_plan(4, searches=True)
    assert not progress.should_stop_early()
    write_json(tmp_path / "enough.json", {"position": 4})
    progress.begin_plan(4, searches=False)
    assert not progress.should_stop_early()


def test_the_curve_of_a_search_is_written_until_the_next_plan(tmp_path: Path) -> None:
    progress = worker._Progress(tmp_path)
    progress.begin_plan(3, searches=True)
    for name, value in (("sst", 50.0), ("bound", 1.0), ("sse", 5.0)):
        progress.trace(name, value)
    progress(1.0, "Searching")
    search = read_json(tmp_path / "progress.json")["search"]
    assert search["position"] == 3
    assert [point[1:] for point in search["points"]] == [[None, 2.0], [10.0, 2.0]]
    progress.begin_plan(4, searches=True)
    progress(1.0, "Searching")
    assert read_json(tmp_path / "progress.json")["search"]["points"] == []
    progress.begin_plan(5, searches=False)
    progress(1.0, "MDAV")
    assert "search" not in read_json(tmp_path / "progress.json")


def test_progress_is_written_now_and_then(tmp_path: Path) -> None:
    report = worker._Progress(tmp_path)
    writes = 0
    for step in range(1000):
        report(step / 1000, "working")
        content = read_json(tmp_path / "progress.json")
        writes += content["share"] == step / 1000
    report(1.0, "done")
    assert writes < 100
    content = read_json(tmp_path / "progress.json")
    assert (content["share"], content["stage"]) == (1.0, "done")


def test_progress_says_that_kernels_are_compiled_and_for_how_long(
    tmp_path: Path,
) -> None:
    progress = worker._Progress(tmp_path)
    progress(0.25, "MDAV")
    with listen_to_compiling(progress.report_preparation):
        compiling.report_compiling_begun()
        compiling.report_compiling_begun()  # one that the first one calls
        time.sleep(0.05)
        content = read_json(tmp_path / "progress.json")
        assert content["preparing"]
        assert (content["share"], content["stage"]) == (0.25, "MDAV")
        compiling.report_compiling_ended()
        assert read_json(tmp_path / "progress.json")["preparing"]
        compiling.report_compiling_ended()
    content = read_json(tmp_path / "progress.json")
    assert not content["preparing"]
    assert content["prepared"] >= 0.05
    compiling.report_compiling_begun()  # told no more
    compiling.report_compiling_ended()
    assert read_json(tmp_path / "progress.json") == content


def test_what_lacks_its_bound_is_there_before_the_result(
    firms: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparing, "EARLY_RESULT_BOUND_SECONDS", -1.0)
    plan = Plan(method="mdav", k=3)
    folder = job_folder(tmp_path, firms, [plan])
    worker.run_job_folder(folder)
    assert_same(results(folder, firms)[0], run(plan, firms))
    (early,) = (folder / "early").iterdir()
    early_outcome = load_outcome(early / "0", firms)
    assert isinstance(early_outcome, Outcome)
    assert early_outcome.bound.kind == "none"
    assert_same(replace(early_outcome, bound=run(plan, firms).bound), run(plan, firms))


@pytest.mark.parametrize("ready", [False, True])
def test_what_waits_for_kernels_to_be_measured_is_there_before(
    ready: bool, firms: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "is_ready", lambda kernel: ready)
    plan = Plan(method="mdav", k=3)
    folder = job_folder(tmp_path, firms, [plan])
    worker.run_job_folder(folder)
    measured = []
    for path in (*folder.glob("early/*/*"), *folder.glob("results/*")):
        found = load_outcome(path, firms)
        assert isinstance(found, Outcome)
        measured.append("record-linkage" in found.scores)
    assert measured == ([True] if ready else [False, True])


def test_what_has_shown_the_first_stands_back_and_goes_on_later(
    firms: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparing, "EARLY_RESULT_BOUND_SECONDS", -1.0)
    plans = (Plan(method="mdav", k=3), Plan(method="mdav", k=5))
    job = Job(firms, plans, {}, tmp_path / "first", set())
    ends = []
    for name in ("first", "second"):
        job.folder = tmp_path / name
        job.write_input()
        write_json(job.folder / "pause.json", {})
        worker.run_job_folder(job.folder)
        job.load_results()
        ends.append((read_json(job.folder / "end.json")["state"], job.has_result))
        assert sorted(job.results) == ([] if name == "first" else [0])
        assert sorted(job.early) == ([0] if name == "first" else [])
    assert ends == [("paused", True), ("paused", True)]
    assert_same(job.results[0], run(plans[0], firms))


def test_the_latest_of_what_comes_early_counts(
    firms: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparing, "EARLY_RESULT_BOUND_SECONDS", -1.0)
    monkeypatch.setattr(comparing, "EARLY_RESULT_METHOD_SECONDS", -1.0)
    plan = Plan(method="blocked", k=3)
    folder = job_folder(tmp_path, firms, [plan])
    job = Job(firms, (plan,), {}, folder, set())
    early_outcomes: list[Outcome] = []
    save = worker.save_outcome

    def look(*arguments: Any) -> None:
        save(*arguments)
        job.load_results()
        early_outcomes.extend(job.early.values())

    monkeypatch.setattr(worker, "save_outcome", look)
    worker.run_job_folder(folder)
    first_outcome, refined = early_outcomes
    assert "improving" in {warning.topic for warning in first_outcome.warnings}
    assert first_outcome.information_loss > refined.information_loss
    assert_same(replace(refined, bound=run(plan, firms).bound), run(plan, firms))
    assert_same(job.results[0], run(plan, firms))
