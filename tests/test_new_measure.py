"""A measure is a file and its twin, as the manual says; a wrong formula is found."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

MEASURE = '''\
"""Change of ranges: how much of what lay between the extremes is gone."""

import numpy as np

from engine.measures.base import MeasureInfo, MeasuredRelease, Score, measures
from engine.measures.judge import SINGLE_GROUP_JUDGE
from engine.measures.before_after.numbers import NumericPair, mean_over_columns


def _changed(pair: NumericPair) -> float:
    return 100.0 * abs(1.0 - float(np.ptp(pair.after) / np.ptp(pair.before)))


@measures.register(
    MeasureInfo(
        id="ranges",
        title="Change of ranges",
        family="loss",
        summary="How much narrower the attributes have become, in per cent.",
        formula="100 * |1 - range(x'_j) / range(x_j)|, mean over attributes",
        direction="lower is better",
        unit="%",
        reference="Nobody 1999, https://doi.org/10.0000/none",
        baseline="Every value becomes the mean of all.",
        judge=SINGLE_GROUP_JUDGE,
        on_demand=True,
    )
)
def ranges(protected: MeasuredRelease) -> Score:
    """Return the change of ranges in per cent."""
    return mean_over_columns("ranges", protected, _changed, lambda pair: 100.0)
'''

TWIN = """

@twin_of("ranges", 100 * (2 / 12 + 2 / 8) / 2)
def ranges(of: Records) -> float:
    return fmean(
        100 * (x.max() - x.min() - (y.max() - y.min())) / (x.max() - x.min())
        for x, y, _ in of.columns()
    )
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the program that somebody adds a measure to."""
    into = tmp_path / "copy"
    ignore = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "*.png")
    shutil.copytree(ROOT, into, ignore=ignore)
    (into / "engine/measures/loss/ranges.py").write_text(MEASURE, encoding="utf-8")
    return into


def conforms(copy: Path) -> subprocess.CompletedProcess[str]:
    tests = "tests/engine/measures/test_conformance.py"
    return call(copy, "-m", "pytest", "-n", "0", "-k", "ranges or every", tests)


def call(copy: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.slow
def test_a_measure_is_a_file_and_its_twin_and_a_wrong_one_fails(
    copy: Path,
) -> None:
    done = conforms(copy)
    assert done.returncode == 1
    assert "has its twin in tests/reference/measures.py" in done.stdout
    with (copy / "tests/reference/measures.py").open("a", encoding="utf-8") as twins:
        twins.write(TWIN)
    done = conforms(copy)
    assert done.returncode == 0, done.stdout
    listed = json.loads(call(copy, "-m", "engine", "measures", "--json").stdout)
    assert "ranges" in {each["id"] for each in listed}
    done = call(copy, "-m", "tests.regenerate")
    assert "zh: Change of ranges\n" in done.stdout, done.stderr
    chapters = (copy / "dashboard/manual").glob("*.md")
    assert any("Change of ranges" in chapter.read_text("utf-8") for chapter in chapters)
    wrong = MEASURE.replace("100.0 * abs", "50.0 * abs")
    (copy / "engine/measures/loss/ranges.py").write_text(wrong, encoding="utf-8")
    done = conforms(copy)
    assert done.returncode == 1
    assert "test_a_measure_equals_its_twin[ranges" in done.stdout
