"""No file that somebody brings ends anybody else's work, whatever is in it."""

import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dashboard.readers.limits import ReadingProcessLimits
from dashboard.readers.process import SPAWN_VARIABLE
from dashboard.readers.reading import FileReadingJob
from dashboard.readers.readings import FileReadings
from dashboard.readers.work_kinds import TableWithSuggestions
from engine.core.platform.limits import OUT_OF_MEMORY_EXIT_CODE
from engine.core.platform.memory import resident_bytes
from engine.data.kinds import Role
from engine.data.propose import column_labels, suggest_columns
from engine.data.table import Origin, frame_fingerprint
from engine.files import frame_to_bytes, read_table
from engine.pipeline.plan import Plan
from tests.dashboard.pages import small_table
from tests.dashboard.readers import hostile

GIGABYTE = 2**30


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture(scope="module")
def _one_process() -> Iterator[FileReadings]:
    """Start a process once: what one file does to it, the next one would notice."""
    file_readings = FileReadings(
        2, ReadingProcessLimits(memory=GIGABYTE * 3 // 4, seconds=60)
    )
    yield file_readings
    file_readings.close()


@pytest.fixture
def readings(folder: Path, _one_process: FileReadings) -> Iterator[FileReadings]:
    yield _one_process
    assert not _one_process._readings
    assert not list(folder.iterdir())


def read(
    readings: FileReadings, content: bytes, name: str, kind: str = "table"
) -> FileReadingJob:
    identifier = readings.start_reading(kind, content, name)
    job = readings.find_reading(identifier)
    assert job is not None
    assert job.wait(120)
    assert readings.find_reading(identifier) is job
    readings.cancel_reading(identifier)
    return job


@pytest.mark.parametrize(
    "suffix",
    [
        *(".csv", ".xlsx"),
        *(
            pytest.param(s, marks=pytest.mark.slow)
            for s in (".parquet", ".sav", ".dta")
        ),
    ],
)
def test_a_table_comes_back_as_it_is_read(readings: FileReadings, suffix: str) -> None:
    frame = small_table(60, missing=4).frame.assign(
        day=pd.date_range("2020-01-31", periods=60, unit="us"),
        many=pd.array([None, *range(59)], dtype="Int64"),
        word=["", "ä", None, *["x"] * 57],
    )
    formats = {".sav": "spss", ".dta": "stata", ".xlsx": "excel"}
    kind = formats.get(suffix, suffix[1:])
    content = frame_to_bytes(frame, Origin(kind))
    job = read(readings, content, f"f{suffix}")
    assert job.message == ""
    expected, job_result = read_table(content, name=f"f{suffix}"), job.result
    assert isinstance(job_result, TableWithSuggestions)
    table = job_result.table
    pd.testing.assert_frame_equal(table.frame, expected.frame, rtol=0, atol=0)
    assert (table.schema, table.origin) == (expected.schema, expected.origin)
    assert table.fingerprint == expected.fingerprint == frame_fingerprint(table.frame)
    proposed = suggest_columns(expected.frame, column_labels(expected.origin))
    assert job_result.suggestions == tuple(
        replace(suggestion, steps=None) for suggestion in proposed
    )
    assert job_result.distinct == tuple(expected.frame.nunique())


def test_a_confidential_column_that_tells_others_is_asked_about_if_it_is_rare(
    readings: FileReadings,
) -> None:
    code = np.arange(900) % 300
    frame = pd.DataFrame(
        {
            "age": 20 + np.arange(900) % 61,
            "diagnosis": [f"D{number:03}" for number in code],
            "region": [f"region {number // 50}" for number in code],
        }
    )
    job_result = read(readings, frame.to_csv(index=False).encode(), "f.csv").result
    assert isinstance(job_result, TableWithSuggestions)
    assert job_result.table.schema["diagnosis"].role is Role.UNDECIDED
    assert job_result.table.schema["region"].role is Role.QUASI_IDENTIFIER


HOSTILE: dict[str, tuple[str, str, Callable[[], bytes], int]] = {
    "shared string": ("t.xlsx", "table", hostile.shared_string, 30_000),
    "wide sheet": ("t.xlsx", "table", hostile.wide_sheet, 30_000),
    "constant": ("t.parquet", "table", hostile.constant_parquet, 1_700_000),
    "long text": ("t.parquet", "table", hostile.text_parquet, 900_000),
    "project": ("t.coterie", "project", hostile.swollen_project, 1_100_000),
    "project's data": ("t.coterie", "project", hostile.project_with, 1_100_000),
    "SPSS": ("t.zsav", "table", hostile.long_texts, 4_000_000),
    "Stata": ("t.dta", "table", hostile.shared_texts, 900_000),
    "zeros of R": ("t.rds", "table", hostile.r_zeros, 400_000),
    "claim of R": ("t.rds", "table", hostile.r_claim, 1_000),
    "repeated cells": ("t.ods", "table", hostile.repeated_cells, 2_000),
    "endless view": ("t.duckdb", "table", hostile.endless_view, 1_000_000),
    "reaching view": ("t.duckdb", "table", hostile.reaching_view, 1_000_000),
    "wide text": ("t.csv", "table", hostile.wide_text, 10_000_000),
    "tall": ("t.csv", "hierarchy", hostile.tall_hierarchy, 8_000_000),
    "ledger": (".coterie-ledger", "ledger", hostile.swollen_ledger, 8_000_000),
    "nested": ("t.json", "plan", hostile.nested_json, 2_100_000),
    "columns": ("t.json", "plan", hostile.many_columns, 2_100_000),
}

FIRST = ("shared string", "nested")
"""Attacks that are tried in every run."""


@pytest.mark.parametrize(
    "attack",
    [
        pytest.param(
            attack_name, marks=[] if attack_name in FIRST else [pytest.mark.slow]
        )
        for attack_name in HOSTILE
    ],
)
def test_a_small_file_that_grows_is_refused_in_a_sentence(
    readings: FileReadings, attack: str
) -> None:
    name, kind, make, size = HOSTILE[attack]
    content = make()
    assert len(content) < size
    before = resident_bytes()
    job = read(readings, content, name, kind)
    assert job.state == "failed"
    assert job.message.endswith(".")
    assert "mistake" not in job.message
    assert resident_bytes() - before < 50 * 2**20
    assert read(readings, b"a,b\n1,2\n", "t.csv").state == "done"


@pytest.mark.slow
def test_a_file_that_takes_for_ever_is_stopped(folder: Path) -> None:
    with closing(FileReadings(1, ReadingProcessLimits(seconds=1))) as limited:
        content = b"a,b,c\n" + b"1.5,x,2020-01-01\n" * 2_000_000
        job = read(limited, content, "long.csv")
        assert job.state == "failed"
        assert "after 1 seconds" in job.message
        assert read(limited, b"a\n1\n", "t.csv").state == "done"
        limited.start_reading("table", content, "long.csv")
    assert not list(folder.iterdir())


@pytest.mark.slow
def test_neither_plans_nor_small_files_wait_for_long(folder: Path) -> None:
    with closing(FileReadings(1)) as file_readings:
        rows = b"a,b\n" + b"1.5,x\n" * 3_000_000
        long, large, small = (
            file_readings.start_reading("table", content, "t.csv")
            for content in (rows, rows, b"a,b\n1,2\n")
        )
        plan = read(file_readings, Plan(k=7).to_json().encode(), "plan.json", "plan")
        assert plan.result.k == 7
        states = {
            each: file_readings._readings[each].state for each in (long, large, small)
        }
        assert states == {long: "running", large: "waiting", small: "waiting"}
        file_readings.cancel_reading(long)
        job = file_readings.find_reading(small)
        assert job is not None
        assert job.wait(60)
        assert file_readings._readings[large].state == "running"
        file_readings.cancel_reading(large)


def test_what_was_read_and_is_damaged_is_said(readings: FileReadings) -> None:
    for name in ("table/values.arrow", "table/schema.json", "answer.json"):
        identifier = readings.start_reading("table", b"a,b\n1,2\n", "t.csv")
        job = readings._readings[identifier]
        assert job.wait(60)
        (job.folder / name).write_bytes(b"\xff{")
        assert readings.find_reading(identifier) is job
        assert job.state == "failed"
        assert "has changed or is gone" in job.message
        assert not job.folder.exists()
        readings.cancel_reading(identifier)


@pytest.mark.parametrize(
    "change",
    [
        lambda path: path.write_bytes(path.read_bytes() + b"3,4\n"),
        lambda path: path.write_bytes(b"a,b\n1,9\n"),
        lambda path: os.truncate(path, 3),
        lambda path: path.unlink(),
    ],
)
def test_a_copy_that_changes_before_it_is_read_is_said(
    readings: FileReadings,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[Path], object],
) -> None:
    begin = readings._send_order

    def changed(order: dict[str, object]) -> None:
        change(Path(str(order["folder"])) / "content")
        begin(order)

    monkeypatch.setattr(readings, "_send_order", changed)
    job = read(readings, b"a,b\n1,2\n", "t.csv")
    assert job.state == "failed"
    assert "copy of 't.csv' has changed or is gone" in job.message
    assert "make room" not in job.message


def test_a_reader_that_dies_takes_nobody_along(readings: FileReadings) -> None:
    assert read(readings, b"a\n1\n", "t.csv").state == "done"
    identifier = readings.start_reading("table", b"a\n" + b"1\n" * 5_000_000, "t.csv")
    assert readings._process is not None
    os.kill(readings._process.pid, signal.SIGKILL)
    job = readings.find_reading(identifier)
    assert job is not None
    assert job.wait(120)
    assert job.state == "failed"
    readings.cancel_reading(identifier)
    assert read(readings, b"a\n1\n", "t.csv").state == "done"


def test_what_is_cancelled_leaves_nothing(readings: FileReadings, folder: Path) -> None:
    identifier = readings.start_reading("table", b"a\n" + b"1\n" * 5_000_000, "t.csv")
    (job,) = folder.iterdir()
    assert stat.S_IMODE(job.stat().st_mode) == 0o700
    for path in job.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
    readings.cancel_reading(identifier)
    assert readings.find_reading(identifier) is None
    limit = time.monotonic() + 120
    while list(folder.iterdir()):
        assert time.monotonic() < limit
        time.sleep(0.02)


def test_a_full_disk_is_said_and_leaves_nothing(
    readings: FileReadings, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: str, flags: int) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("dashboard.readers.readings._open_private", full)
    job = read(readings, b"a\n1\n", "t.csv")
    assert job.state == "failed"
    assert "No space left on device" in job.message
    assert not list(folder.iterdir())


@pytest.mark.posix("no file is mapped there: it could not be removed")
def test_values_are_mapped_and_not_copied(readings: FileReadings) -> None:
    values = np.random.default_rng(0).integers(0, 10**6, (400_000, 6))
    frame = pd.DataFrame(values, columns=list("abcdef"))
    content = frame_to_bytes(frame, Origin("parquet"))
    job = read(readings, content, "t.parquet")
    before = _anonymous()
    assert job.result.table.frame["a"].sum() == values[:, 0].sum()
    assert _anonymous() - before < 10 * 2**20


def _anonymous() -> int:
    with open("/proc/self/status") as status:
        (line,) = [entry for entry in status if entry.startswith("RssAnon")]
    return int(line.split()[1]) * 1024


@pytest.mark.posix("the system ends there who takes too long, by another code")
def test_time_memory_and_an_end_from_outside_are_told_apart() -> None:
    limits = ReadingProcessLimits(memory=GIGABYTE, seconds=1)
    busy = (
        "from engine.core.platform.limits import limit_own_process\n"
        "limit_own_process(2**31, max_seconds=1)\n"
        "while True: pass"
    )
    code = subprocess.run([sys.executable, "-c", busy], check=False).returncode
    assert "1 seconds" in str(limits.end_message(code, "a.csv"))
    assert "more than the 1.0 GB" in str(
        limits.end_message(OUT_OF_MEMORY_EXIT_CODE, "a.csv")
    )
    assert "by the system" in str(limits.end_message(-signal.SIGKILL, "a.csv"))
    assert "damaged" in str(limits.end_message(-signal.SIGSEGV, "a.csv"))


@pytest.mark.slow
def test_files_are_read_alike_where_no_process_can_be_copied(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SPAWN_VARIABLE, "1")
    limited = FileReadings(
        1, ReadingProcessLimits(memory=GIGABYTE * 3 // 4, seconds=60)
    )
    try:
        assert read(limited, b"a\n1\n", "t.csv").state == "done"
        job = read(limited, hostile.nested_json(), "t.json", "plan")
        assert job.state == "failed"
        assert "mistake" not in job.message
        identifier = limited.start_reading("table", b"a\n" + b"1\n" * 10**6, "t.csv")
        limited.cancel_reading(identifier)
        assert read(limited, b"a\n1\n", "t.csv").state == "done"
    finally:
        limited.close()
    assert not list(folder.iterdir())
