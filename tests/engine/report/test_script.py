"""The script and the notebook that are taken away give the same release again."""

import json
import os
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from engine.analysis.releases.ledger import Ledger
from engine.data.table import Table
from engine.files import ReadOptions, read_table
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.planning.resolve_plan import resolve_plan
from engine.pipeline.run import run
from engine.release.verify import release_bytes_and_checks
from engine.release.writing import WritingOptions
from engine.report import to_notebook, to_script

ROOT = Path(__file__).resolve().parents[3]


def write_source(folder: Path) -> Table:
    rng = np.random.default_rng(4)
    n = 40
    frame = pd.DataFrame(
        {
            "who": [f"Person {i}" for i in range(n)],
            "größe": rng.normal(170, 10, n).round(1),
            "plz": [f"{code:05d}" for code in rng.integers(100, 400, n)],
            "grade": rng.integers(0, 4, n),
        }
    )
    path = folder / "mein e datei.csv"
    frame.to_csv(path, index=False, sep=";", decimal=",", encoding="cp1252")
    return read_table(
        path,
        roles={
            "who": "identifier",
            "größe": "quasi-identifier",
            "grade": "quasi-identifier",
            "plz": "other",
        },
        kinds={"größe": "continuous", "grade": "ordinal"},
        options=ReadOptions(encoding="cp1252"),
    )


def by_script(outcome: Outcome, table: Table, how: WritingOptions) -> str:
    return to_script(outcome, table, how)


def by_notebook(outcome: Outcome, table: Table, how: WritingOptions) -> str:
    cells = json.loads(to_notebook(outcome, table, how))["cells"]
    assert [cell["cell_type"] for cell in cells] == ["markdown", "code"] * 4
    return "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "code")


both_forms = pytest.mark.parametrize(
    ("make", "plan", "how"),
    [
        (
            by_script,
            Plan(k=4, method="vmdav", parameters={"gamma": "auto"}),
            WritingOptions(),
        ),
        (
            by_notebook,
            Plan(k=3, aggregation="median", strata="grade", small_strata="merge"),
            WritingOptions(shuffle=True, seed=9, neutralise=True),
        ),
    ],
    ids=["script", "notebook, shuffled"],
)
Make = Callable[[Outcome, Table, WritingOptions], str]


def made(
    make: Make, plan: Plan, how: WritingOptions, folder: Path
) -> tuple[Path, bytes]:
    """Write the code to a file; return that, and the release it has to write."""
    table = write_source(folder)
    if plan.strata:
        table = table.assign(roles={"grade": "other"})
    outcome = run(plan, table)
    code = folder / "again.py"
    code.write_text(make(outcome, table, how), encoding="utf-8")
    return code, release_bytes_and_checks(outcome, table, how).content


@both_forms
def test_the_code_writes_the_same_release(
    make: Make,
    plan: Plan,
    how: WritingOptions,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, content = made(make, plan, how, tmp_path)
    monkeypatch.chdir(tmp_path)
    runpy.run_path(code.name, run_name="__main__")
    assert (tmp_path / "mein e datei_protected.csv").read_bytes() == content
    assert "FAILED" not in capsys.readouterr().out


@pytest.mark.slow
@both_forms
def test_outside_the_app_the_same_release_comes_out(
    make: Make, plan: Plan, how: WritingOptions, tmp_path: Path
) -> None:
    code, content = made(make, plan, how, tmp_path)
    # Only the compiled kernels are taken over from this machine.
    cache = os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))
    done = subprocess.run(
        [sys.executable, code.name],
        cwd=tmp_path,
        env={
            "PYTHONPATH": str(ROOT),
            "PATH": "/usr/bin:/bin",
            "HOME": str(tmp_path),
            "XDG_CACHE_HOME": cache,
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "mein e datei_protected.csv").read_bytes() == content
    assert "FAILED" not in done.stdout


def test_groups_of_a_ledger_come_out_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(rng.normal(size=(60, 2)).round(3), columns=["a", "b"])
    frame.to_csv(tmp_path / "table.csv", index=False)
    table = read_table(tmp_path / "table.csv")
    plan = Plan(k=3, quasi_identifiers=("a", "b"))
    first, ledger = run(plan, table), Ledger.new()
    ledger = ledger.with_entry(ledger.entry_for(first, table, "first", b"first"))
    (tmp_path / ".coterie-ledger").write_bytes(ledger.to_bytes())
    second = resolve_plan(plan.replace(k=5), table)
    outcome = run(
        second, table, regroup=ledger.regroup_like_earlier(table, second, "coarsen")
    )
    monkeypatch.chdir(tmp_path)
    for text in (
        to_script(outcome, table, regroup="coarsen"),
        "\n".join(
            "".join(cell["source"])
            for cell in json.loads(to_notebook(outcome, table, regroup="coarsen"))[
                "cells"
            ]
            if cell["cell_type"] == "code"
        ),
    ):
        (tmp_path / "protect.py").write_text(text)
        runpy.run_path(str(tmp_path / "protect.py"))
        script_frame = pd.read_csv("table_protected.csv")
        pd.testing.assert_frame_equal(script_frame, outcome.release.frame)
    assert not outcome.release.frame.equals(run(second, table).release.frame)


def test_what_it_shows_of_going_on_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = write_source(tmp_path)
    outcome = run(Plan(k=4), table)
    code, next_steps = to_script(outcome, table).split("# To go on from here", 1)
    assert "coterie check" in next_steps
    example_lines = [
        line[2:] for line in next_steps.splitlines()[2:] if line.startswith("# ")
    ]
    (tmp_path / "s.py").write_text("\n".join([code, *example_lines]), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    runpy.run_path("s.py")
    back = pd.read_csv("further.csv")
    top = outcome.release.frame["größe"].quantile(0.99)
    assert back["größe"].tolist() == pytest.approx(
        outcome.release.frame["größe"].clip(upper=top).tolist()
    )
    assert len(back) == table.n_records
