"""A run that is killed leaves a complete release or none, and can be gone on with."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from engine import Plan
from engine.streaming import run
from tests.engine.streaming.tables import content, numbers, written

SCRIPT = """
import os, signal, sys
from engine import Plan
from engine.streaming import run
from engine.streaming import workspace, spool

def kill(*arguments):
    os.kill(os.getpid(), signal.SIGKILL)

place, source, target = sys.argv[1:]
keep, calls = workspace.Workspace.keep, []
def keep_two(self, part):
    keep(self, part)
    calls.append(part)
    if len(calls) == 2:
        kill()

def half(self, part):
    workspace.Workspace.path(self, part.number).write_bytes(part.content[:100])
    kill()

if place == "spool":
    spool.Spool.finish = kill
elif place == "blocks":
    workspace.Workspace.keep = keep_two
elif place == "part":
    workspace.Workspace.keep = half
elif place == "before":
    workspace.os.replace = lambda a, b: kill() if b.name == "out" else os.rename(a, b)
elif place == "after":
    workspace._sync_folder = kill
plan = Plan(k=3, quasi_identifiers=("x0", "x1"))
run(plan, source, target, records_per_block=300)
"""


@pytest.mark.parametrize("place", ["spool", "blocks", "part", "before", "after"])
def test_a_killed_run_leaves_all_or_nothing(place: str, tmp_path: Path) -> None:
    source = written(numbers(1500, 2), tmp_path / "in.parquet")
    plan = Plan(k=3, quasi_identifiers=("x0", "x1"))
    run(plan, source, tmp_path / "expected", records_per_block=300)
    expected = content(tmp_path / "expected")
    target = tmp_path / "out"
    command = [sys.executable, "-c", SCRIPT, place, str(source), str(target)]
    killed = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    if place == "after":
        assert content(target) == expected
        return
    assert not target.exists()
    outcome = run(plan, source, target, records_per_block=300)
    assert content(target) == expected
    resumed = {"spool": 0, "part": 0, "blocks": 2, "before": 5}
    assert outcome.resumed == resumed[place]
    left = {each.name for each in tmp_path.iterdir()}
    assert left == {"in.parquet", "expected", "out"}
