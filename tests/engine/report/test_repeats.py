"""Whatever was chosen, the script of a run writes the same bytes again."""

import os
import runpy
import subprocess
import sys
from collections.abc import Callable, Iterable
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from engine.cli.parsing.parser import main
from engine.core.errors import EngineError
from engine.data.table import Origin
from engine.files import formats, frame_to_bytes, read_table
from engine.methods import methods
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from engine.release.verify import release_bytes_and_checks
from engine.release.write import format_id_for_path
from engine.release.writing import WritingOptions
from engine.report import to_script

ROOT = Path(__file__).resolve().parents[3]
WHOLE = {"quasi_identifiers": ("a", "b", "c")}

OPTIONS: dict[str, dict[str, Any]] = {
    "blocks": {**WHOLE, "blocks": (("a", "b"),)},
    "strata": {**WHOLE, "strata": "g"},
    "polish": {**WHOLE, "polish": True},
    "intervals": {**WHOLE, "aggregation": "interval", "interval_columns": True},
    "median": {**WHOLE, "aggregation": "median"},
    "precision": {**WHOLE, "rounding": "precision"},
    "as they are": {**WHOLE, "rounding": "none"},
    "p-sensitive": {**WHOLE, "p_sensitive": 2, "confidential": ("g",)},
    "a rule": {
        "quasi_identifiers": ("a", "c", "d"),
        "constraints": ("a + c = d",),
    },
    "weights": {**WHOLE, "weights": "w"},
    "missing": {"quasi_identifiers": ("a", "m"), "missing": "keep"},
    "one column": {"quasi_identifiers": ("b",)},
    "usual": WHOLE,
}


def write_source(folder: Path) -> None:
    rng = np.random.default_rng(1)
    n = 40
    frame = pd.DataFrame(
        {
            "a": rng.integers(1, 500, n),
            "b": rng.lognormal(3, 1, n).round(2),
            "c": rng.integers(1, 9, n),
            "g": np.tile(["x", "y"], n // 2),
            "w": rng.integers(1, 5, n),
            "m": rng.integers(1, 50, n).astype(float),
        }
    )
    frame["d"] = frame["a"] + frame["c"]
    frame.loc[:3, "m"] = np.nan
    frame.to_csv(folder / "in.csv", index=False)


def prepared(
    method: str, option: str, how: WritingOptions, folder: Path
) -> bytes | None:
    """Leave table and script in a folder; return what the script has to write.

    None where the method takes no such plan.
    """
    folder.mkdir()
    write_source(folder)
    table = read_table(folder / "in.csv")
    timed = methods.info(method).traits.time_budget
    parameters = {"seconds": 0.2} if timed else {}
    choices = {"parameters": parameters, **OPTIONS[option]}
    if methods.info(method).traits.univariate:
        choices["quasi_identifiers"] = ("b",)
    try:
        outcome = run(Plan(method=method, k=3, **choices), table)
    except EngineError:
        return None
    (folder / "again.py").write_text(to_script(outcome, table, how), encoding="utf-8")
    return release_bytes_and_checks(outcome, table, how).content


def run_scripts_apart(folders: Iterable[Path]) -> None:
    """Run the scripts of all folders, in one process of their own."""
    done = subprocess.run(
        [sys.executable, "-c", ALL, *map(str, folders)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def check_repeated(
    asked: Iterable[tuple[str, str, WritingOptions]],
    folder: Path,
    run_scripts: Callable[[Iterable[Path]], None] = run_scripts_apart,
) -> set[tuple[str, str]]:
    """Run all scripts; return what there was to repeat."""
    expected = {}
    for number, (method, option, how) in enumerate(asked):
        content = prepared(method, option, how, folder / str(number))
        if content is not None:
            expected[folder / str(number)] = (method, option), content
    run_scripts(expected)
    for place, (what, content) in expected.items():
        [release] = place.glob("in_protected.*")
        assert release.read_bytes() == content, what
    return {what for what, _ in expected.values()}


ALL = """
import os, runpy, sys
for folder in sys.argv[1:]:
    os.chdir(folder)
    runpy.run_path("again.py", run_name="__main__")
"""

WRITINGS = (
    WritingOptions(),
    WritingOptions(format="parquet"),
    WritingOptions(format="spss"),
    WritingOptions(shuffle=True, seed=3),
    WritingOptions(format="stata"),
    WritingOptions(format="excel", neutralise=True),
)

FEW = {
    ("individual-ranking", "usual"),
    ("mdav", "blocks"),
    ("refined", "usual"),
    ("mdav", "a rule"),
}


def test_scripts_repeat_a_few_kinds_of_releases(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run_scripts_here(folders: Iterable[Path]) -> None:
        for folder in folders:
            monkeypatch.chdir(folder)
            runpy.run_path("again.py", run_name="__main__")

    cases = zip(sorted(FEW), cycle(WRITINGS), strict=False)
    asked = ((*what, how) for what, how in cases)
    assert check_repeated(asked, tmp_path, run_scripts_here) == FEW


IDS = [info.id for info in methods.infos()]
BATCHES = [IDS[start::6] for start in range(6)]
"""Methods whose scripts one process repeats: it takes longest to start."""


@pytest.mark.slow
@pytest.mark.parametrize("batch", BATCHES, ids="-".join)
def test_scripts_repeat_every_method_with_options(
    batch: list[str], tmp_path: Path
) -> None:
    """Each method takes every third option, its neighbours the rest."""
    cases = [
        (method, option, how)
        for number, method in enumerate(batch)
        for place, (option, how) in enumerate(
            zip(OPTIONS, cycle(WRITINGS), strict=False)
        )
        if (place + number) % 3 == 0 or option in ("one column", "usual")
    ]
    repeated_cases = check_repeated(cases, tmp_path)
    assert {option for _, option, _ in cases} == set(OPTIONS)
    for method in batch:
        # A rule, strata or blocks do not go with each; most options do.
        options = {option for name, option in repeated_cases if name == method}
        assert {"one column", "usual"} & options, method
        assert len(options) > 2, method


SUFFIXES = [info.suffixes[0] for info in formats.infos() if info.writable]
LINES = {
    "a block": "--quasi-identifiers a,b,c --block a,b",
    "a rule": "--quasi-identifiers a,c,d --constraint a+c=d",
    "per attribute": "--quasi-identifiers a,b,c --method individual-ranking",
    "intervals": "--quasi-identifiers a,t --aggregation interval",
    "unrounded dates": "--quasi-identifiers b,t --rounding none",
}


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(LINES)), ids=LINES)
def test_scripts_of_command_lines_repeat_releases_in_every_format(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each line reads and writes every format, and all lines every pair of them."""
    words = [*LINES.values()][number]
    first = tmp_path / "first"
    first.mkdir()
    write_source(first)
    frame = pd.read_csv(first / "in.csv")
    # Whole milliseconds, also of means: SPSS and Stata hold nothing finer.
    days = pd.to_timedelta(frame["c"] * 2520, unit="D")
    frame["t"] = pd.Timestamp("2020-01-01") + days
    releases = {}
    for i, before in enumerate(SUFFIXES):
        content = frame_to_bytes(frame, Origin(format_id_for_path(Path(f"in{before}"))))
        for j, after in enumerate(SUFFIXES):
            if (i + j) % len(LINES) != number:
                continue
            place = tmp_path / f"{before}{after}"
            place.mkdir()
            (place / f"in{before}").write_bytes(content)
            monkeypatch.chdir(place)
            line = f"run in{before} {words} --k 3 --output kept{after}"
            assert main([*line.split(), "--script", "again.py"]) == 0
            releases[place] = (place / f"kept{after}").read_bytes()
    run_scripts_apart(releases)
    for place, content in releases.items():
        [script_release] = place.glob("in_protected.*")
        assert script_release.read_bytes() == content, place.name
