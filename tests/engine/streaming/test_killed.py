"""A run that is killed leaves a complete release or none, and can be gone on with."""

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engine import Plan
from engine.core.context import RunContext
from engine.streaming import run
from engine.streaming.records.delimited import _Conversion
from tests.engine.streaming.tables import content, numbers, written

SCRIPT = """
import os, signal, sys
from engine import Plan
from engine.streaming import run
from engine.streaming import workspace
from engine.streaming.blocks import spool
from engine.streaming.records import delimited

def kill(*arguments):
    os.kill(os.getpid(), signal.SIGKILL)

place, source, target, plan = sys.argv[1:]
keep, calls = workspace.RunWorkspace.save_part, []
def keep_two(self, part):
    keep(self, part)
    calls.append(part)
    if len(calls) == 2:
        kill()

def half(self, part):
    os.truncate(part.path, 100)
    kill()

if place == "spool":
    spool.LeafSpool.finish = kill
elif place == "run":
    spool.SpoolWriter.finish = kill
elif place == "blocks":
    workspace.RunWorkspace.save_part = keep_two
elif place == "part":
    workspace.RunWorkspace.save_part = half
elif place == "before":
    workspace.os.replace = lambda a, b: kill() if b.name == "out" else os.rename(a, b)
elif place == "after":
    workspace.fsync_folder = kill
elif place == "text":
    delimited.ColumnTask._convert_columns = kill
elif place == "copy":
    workspace.RunWorkspace.resume_or_start = kill
run(Plan.from_json(plan), source, target, records_per_block=300)
"""

NUMBERS = Plan(k=3, quasi_identifiers=("x0", "x1"))
MIXED = Plan(
    k=3,
    quasi_identifiers=("x0", "word"),
    kinds={"word": "nominal"},
    transforms={"x0": "box-cox"},
    attribute_weights={"word": 2.0},
)


@pytest.mark.parametrize(
    ("place", "plan"),
    [
        *(
            pytest.param(place, NUMBERS, marks=pytest.mark.slow)
            for place in ("run", "spool", "part", "before", "blocks", "after")
        ),
        ("blocks", MIXED),
    ],
    ids=["run", "spool", "part", "before", "blocks", "after", "categories"],
)
def test_a_killed_run_leaves_all_or_nothing(
    place: str, plan: Plan, tmp_path: Path
) -> None:
    table = numbers(1500, 2)
    words = [f"w{number % 70}" for number in range(1500)]
    source = written(table.append_column("word", [words]), tmp_path / "in.parquet")
    if plan is NUMBERS:
        plan = plan.replace(identifiers=("word",), person="none")
    run(plan, source, tmp_path / "expected", records_per_block=300)
    expected = content(tmp_path / "expected")
    target = tmp_path / "out"
    command = [sys.executable, "-c", SCRIPT, place, source, target, plan.to_json()]
    killed = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    if place == "after":
        assert content(target) == expected
        return
    assert not target.exists()
    outcome = run(plan, source, target, records_per_block=300)
    assert content(target) == expected
    resumed = {"run": 0, "spool": 0, "part": 0, "blocks": 2, "before": 5}
    assert outcome.resumed == resumed[place]
    file_names = {each.name for each in tmp_path.iterdir()}
    assert file_names == {"in.parquet", "expected", "out"}


@pytest.mark.parametrize(
    ("place", "conversions", "resumed"),
    [
        pytest.param("text", 1, 0, marks=pytest.mark.slow),
        pytest.param("copy", 0, 0, marks=pytest.mark.slow),
        ("blocks", 0, 2),
    ],
)
def test_a_killed_run_of_text_goes_on(
    place: str,
    conversions: int,
    resumed: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source, target = tmp_path / "in.csv", tmp_path / "out"
    numbers(1500, 2).to_pandas().to_csv(source, index=False)
    plan = NUMBERS.replace(person="none")
    run(plan, source, tmp_path / "expected", records_per_block=300)
    command = [sys.executable, "-c", SCRIPT, place, source, target, plan.to_json()]
    killed = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert not target.exists()
    convert, calls = _Conversion.run, []

    def counted(self: _Conversion, ctx: RunContext) -> Any:
        calls.append(self)
        return convert(self, ctx)

    monkeypatch.setattr(_Conversion, "run", counted)
    outcome = run(plan, source, target, records_per_block=300)
    assert len(calls) == conversions
    assert outcome.resumed == resumed
    assert content(target) == content(tmp_path / "expected")
    file_names = {each.name for each in tmp_path.iterdir()}
    assert file_names == {"in.csv", "expected", "out"}
