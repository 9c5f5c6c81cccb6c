"""The command line keeps its contract, and bad input is one line and exit code 2."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from engine.cli.parsing.parser import main
from engine.files import read_table
from engine.measures import measures
from engine.methods import methods
from engine.pipeline.evaluate import evaluate
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from tests.engine.cli.lines import CHOICES, run_line


@pytest.mark.parametrize(
    ("command", "registry"), [("methods", methods), ("measures", measures)]
)
def test_a_registry_is_listed(
    command: str, registry: Iterable[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_line(command, "--json") == 0
    listed = json.loads(capsys.readouterr().out)
    assert [entry["id"] for entry in listed] == list(registry)
    assert run_line(command) == 0
    printed = capsys.readouterr().out
    assert all(f"  {name} " in printed for name in registry)


def test_measures_that_are_asked_for_are_said_and_written(
    firms: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "o.json"
    line = ["run", str(firms), *CHOICES, "--json", str(path), "--measure", "il1s, ks"]
    assert main(line) == 0
    figures = {each["id"]: each for each in json.loads(path.read_text())["measures"]}
    assert list(figures) == ["il1s", "kolmogorov-smirnov"]
    table = read_table(firms)
    outcome = run(Plan(quasi_identifiers=("staff", "sales"), k=4), table)
    value = evaluate(outcome, table, ["il1s"])["il1s"].value
    assert figures["il1s"]["value"] == pytest.approx(value)
    assert f"IL1s: {value:.6g}. The sum" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([*CHOICES, "--measure", "il1s,il2s"], "'il2s'"),
        (["--quasi-identifiers", "staff,size", "--k", "3"], "'size'"),
        (["--quasi-identifiers", "staff", "--k", "1"], "k is 1"),
        (["--quasi-identifiers", "staff", "--k", "51"], "fewer than k = 51"),
        (["--quasi-identifiers", "staff", "--method", "mdva"], "'mdva'"),
        ([*CHOICES, "--attribute-weights", "size=-1"], "'size' is '-1'"),
        ([*CHOICES, "--attribute-weights", "size=x"], "'size' is 'x'"),
        ([*CHOICES, "--attribute-weights", "height=2"], "'height'"),
        ([*CHOICES, "--attribute-weights", "size"], "income=2,sex=0.5"),
        ([*CHOICES, "--param", "gamma=1"], "'gamma'"),
        ([*CHOICES, "--method", "vmdav", "--param", "gamma=x"], "gamma is 'x'"),
        ([*CHOICES, "--param", "gamma"], "NAME=VALUE"),
        ([*CHOICES, "--scaling", "log"], "'log'"),
        ([*CHOICES, "--seed", "-1"], "seed"),
        ([*CHOICES, "--strata", "county"], "'county'"),
        ([*CHOICES, "--constraint", "staff + firm = sales"], "'firm'"),
        ([*CHOICES, "--output", "no/such/folder/out.csv"], "does not exist"),
        ([*CHOICES, "--colour", "red"], "--colour"),
        (["--k", "three"], "three"),
        (["--k", "3"], "no quasi-identifier"),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(
    firms: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    says: str,
) -> None:
    outputs = {"--groups": tmp_path / "g.csv", "--json": tmp_path / "o.json"}
    line = ["run", str(firms), *words]
    for option, path in outputs.items():
        line += [option, str(path)]
    try:
        code = main(line)
    except SystemExit as stop:  # argparse leaves this way
        code = int(str(stop.code))
    captured = capsys.readouterr()
    assert code == 2
    assert says in captured.err
    assert captured.err.count("\n") == 1
    assert "Traceback" not in captured.err
    assert [path.name for path in tmp_path.iterdir()] == [firms.name]


def test_the_process_exits_with_the_code(firms: Path) -> None:
    line = [sys.executable, "-m", "engine", "run", str(firms), "--k", "3"]
    line += ["--quasi-identifiers", "nothing"]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_linear_algebra_does_not_wait_for_busy_cores() -> None:
    """A program of its own, whose numpy has not been imported."""
    code = (
        "import contextlib, io, engine.cli\n"
        "with contextlib.redirect_stdout(io.StringIO()):\n"
        "    engine.cli.main(['methods', '--json'])\n"
        "import numpy\n"
        "from threadpoolctl import threadpool_info\n"
        "print([one['num_threads'] for one in threadpool_info()\n"
        "    if one['internal_api'] == 'openblas'])"
    )
    bare = {k: v for k, v in os.environ.items() if k != "OPENBLAS_NUM_THREADS"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=bare, capture_output=True, text=True
    )
    assert set(json.loads(done.stdout)) <= {1}, done.stderr
