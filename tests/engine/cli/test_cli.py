"""The command line keeps its contract, and bad input is one line and exit code 2."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from engine.cli.interrupts import best_on_interrupt
from engine.cli.parser import main
from engine.methods import methods
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.run import run


@pytest.fixture
def firms(tmp_path: Path) -> Path:
    rng = np.random.default_rng(3)
    n = 50
    frame = pd.DataFrame(
        {
            "firm": np.arange(n) + 100,
            "staff": rng.integers(1, 500, n),
            "sales": rng.lognormal(10, 1, n).round(),
            "region": rng.choice(["north", "south"], n),
        }
    )
    path = tmp_path / "firms.csv"
    frame.to_csv(path, index=False)
    return path


CHOICES = ["--quasi-identifiers", "staff,sales", "--k", "4"]


def run_line(*words: object) -> int:
    return main([str(word) for word in words])


def test_run_writes_what_the_contract_names(firms: Path, tmp_path: Path) -> None:
    out, groups = tmp_path / "out.csv", tmp_path / "groups.csv"
    figures, plan = tmp_path / "outcome.json", tmp_path / "plan.json"
    words = ["run", firms, *CHOICES, "--method", "mdav", "--identifiers", "firm"]
    words += ["--output", out, "--groups", groups, "--json", figures, "--plan", plan]
    assert run_line(*words) == 0

    released = pd.read_csv(out)
    assert list(released.columns) == ["staff", "sales", "region"]
    assert released.groupby(["staff", "sales"]).size().min() >= 4

    labels = pd.read_csv(groups)
    assert list(labels.columns) == ["group"]
    assert len(labels) == 50
    assert labels["group"].value_counts().min() >= 4
    assert set(labels["group"]) == set(range(labels["group"].nunique()))
    # Same group, same released values: the labels are in the order of the input.
    assert (released.groupby(labels["group"])[["staff", "sales"]].nunique() == 1).all(
        axis=None
    )

    content = json.loads(figures.read_text())
    assert content["method"] == "mdav"
    assert content["k"] == 4
    assert content["n_records"] == 50
    assert content["n_groups"] == labels["group"].nunique()
    assert set(content["group_size"]) == {"min", "mean", "max"}
    assert content["scaling"] == "zscore"
    assert 0 < content["lower_bound"] <= content["information_loss"] < 100
    assert content["gap"] == pytest.approx(
        100 * (1 - content["lower_bound"] / content["information_loss"])
    )
    assert {"partition", "total"} <= set(content["seconds"])
    assert content["k_verified"] is True
    assert json.loads(plan.read_text())["k"] == 4


def test_a_plan_alone_is_repeated_byte_for_byte(firms: Path, tmp_path: Path) -> None:
    plan, first, second = (tmp_path / name for name in ("p.json", "1.csv", "2.csv"))
    assert run_line("run", firms, *CHOICES, "--plan", plan, "--output", first) == 0
    before = plan.read_bytes()
    assert run_line("run", firms, "--plan", plan, "--output", second) == 0
    assert first.read_bytes() == second.read_bytes()
    assert plan.read_bytes() == before


@pytest.mark.parametrize(
    "words",
    [
        ["--seed", "0"],
        ["--rounding", "none"],
        ["--weights", "region"],
        ["--block", "staff"],
        ["--kind", "staff=ordinal"],
        ["--small-strata", "merge"],
        ["--interval-columns"],
    ],
    ids=" ".join,
)
def test_a_choice_beside_a_plan_is_never_ignored(
    words: list[str],
    firms: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    plan, out = tmp_path / "plan.json", tmp_path / "out.csv"
    assert run_line("run", firms, *CHOICES, "--plan", plan) == 0
    before = plan.read_bytes()
    capsys.readouterr()
    assert run_line("run", firms, "--plan", plan, *words, "--output", out) == 2
    assert "--quasi-identifiers" in capsys.readouterr().err
    assert plan.read_bytes() == before
    assert not out.exists()


@pytest.mark.parametrize("zone", [None, "Europe/Berlin"])
@pytest.mark.parametrize("columns", ["staff", "staff,founded"])
def test_moments_of_another_format_reach_a_text_file(
    zone: str | None, columns: str, tmp_path: Path
) -> None:
    moments = pd.Timestamp("2023-01-01") + pd.to_timedelta(range(0, 90_000, 9_000), "s")
    frame = pd.DataFrame({"staff": range(10), "founded": moments, "other": moments})
    for name in ("founded", "other"):
        frame[name] = frame[name].dt.tz_localize(zone)
    frame.loc[3, "other"] = pd.NaT
    source, out = tmp_path / "firms.parquet", tmp_path / "out.csv"
    frame.to_parquet(source)
    words = ["--quasi-identifiers", columns, "--k", "5", "--output", out]
    assert run_line("run", source, *words) == 0
    released = pd.read_csv(out)
    assert pd.to_datetime(released["other"]).isna().tolist() == [
        row == 3 for row in range(10)
    ]
    pd.testing.assert_series_equal(
        pd.to_datetime(released["other"], utc=True),
        pd.to_datetime(frame["other"], utc=True),
        check_dtype=False,
    )
    assert released.groupby(columns.split(",")).size().min() >= 5


def test_groups_have_a_row_for_records_that_were_dropped(
    firms: Path, tmp_path: Path
) -> None:
    frame = pd.read_csv(firms)
    frame.loc[[0, 7, 49], "sales"] = None
    frame.to_csv(firms, index=False)
    groups = tmp_path / "groups.csv"
    words = [*CHOICES, "--missing", "drop", "--groups", groups]
    assert run_line("run", firms, *words) == 0
    labels = pd.read_csv(groups)["group"]
    assert len(labels) == 50
    assert labels.index[labels.isna()].tolist() == [0, 7, 49]


def test_all_numeric_takes_every_numeric_column_but_the_named(
    firms: Path, tmp_path: Path
) -> None:
    figures = tmp_path / "outcome.json"
    words = ["run", firms, "--all-numeric", "--identifiers", "firm", "--k", "3"]
    assert run_line(*words, "--json", figures) == 0
    content = json.loads(figures.read_text())
    assert content["quasi_identifiers"] == ["staff", "sales"]


def test_no_column_is_left_out_without_being_named(
    firms: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.csv"
    assert run_line("run", firms, *CHOICES, "--output", out) == 0
    assert list(pd.read_csv(out).columns) == ["firm", "staff", "sales", "region"]
    said = capsys.readouterr().err
    assert "'firm' looks like an identifier" in said
    assert (
        "Leave as they are, because no option names them: 'firm' and 'region'" in said
    )
    assert "--identifiers firm." in said


def test_what_leaves_as_it_is_is_in_the_outcome(firms: Path, tmp_path: Path) -> None:
    figures = tmp_path / "outcome.json"
    words = ["run", firms, *CHOICES, "--identifiers", "firm", "--json", figures]
    assert run_line(*words) == 0
    assert json.loads(figures.read_text())["unprotected"] == ["region"]


def test_parameters_scaling_strata_and_rules_reach_the_run(
    firms: Path, tmp_path: Path
) -> None:
    figures = tmp_path / "outcome.json"
    words = ["run", firms, *CHOICES, "--method", "vmdav", "--param", "gamma=0.9"]
    words += ["--scaling", "range", "--strata", "region", "--seed", "7"]
    words += ["--constraint", "staff = sales", "--json", figures]
    assert run_line(*words) == 0
    content = json.loads(figures.read_text())
    assert content["parameters"] == {"gamma": 0.9}
    assert content["scaling"] == "range"
    assert content["strata"] == "region"
    assert content["seed"] == 7
    assert content["constraints"] == ["staff = sales"]


def test_compare_gives_one_object_per_method_and_k(firms: Path, tmp_path: Path) -> None:
    table = tmp_path / "table.json"
    words = ["compare", firms, "--quasi-identifiers", "staff,sales"]
    words += ["--methods", "mdav,vmdav,ldf", "--k", "3,5,10", "--json", table]
    assert run_line(*words) == 0
    rows = json.loads(table.read_text())
    assert [(row["method"], row["k"]) for row in rows] == [
        (method, k) for method in ("mdav", "vmdav", "ldf") for k in (3, 5, 10)
    ]
    assert all(row["k_verified"] for row in rows)


def test_methods_lists_the_registry(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_line("methods", "--json") == 0
    listed = json.loads(capsys.readouterr().out)
    assert [entry["id"] for entry in listed] == list(methods)
    assert run_line("methods") == 0
    printed = capsys.readouterr().out
    assert all(f"  {name} " in printed for name in methods)


def test_check_counts_k_in_the_file(
    firms: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_line("check", firms, *CHOICES) == 1
    assert "does not hold" in capsys.readouterr().out
    out = tmp_path / "out.csv"
    assert run_line("run", firms, *CHOICES, "--output", out) == 0
    capsys.readouterr()
    assert run_line("check", out, *CHOICES) == 0
    assert "4-anonymity holds" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "says"),
    [
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


def test_an_output_that_cannot_be_written_leaves_the_others_unwritten(
    firms: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["run", firms, *CHOICES, "--json", tmp_path / "o.json"]
    assert run_line(*words, "--output", tmp_path / "out.docx") == 2
    assert "out.docx" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == [firms.name]


def test_an_impossible_comparison_is_refused_before_it_starts(
    firms: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["compare", firms, "--quasi-identifiers", "staff,sales"]
    words += ["--methods", "mdav,hansen-mukherjee", "--k", "3"]
    assert run_line(*words, "--json", tmp_path / "t.json") == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "one attribute" in captured.err
    assert not (tmp_path / "t.json").exists()


def test_the_process_exits_with_the_code(firms: Path) -> None:
    line = [sys.executable, "-m", "engine", "run", str(firms), "--k", "3"]
    line += ["--quasi-identifiers", "nothing"]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_polish_reaches_the_run_and_its_plan(firms: Path, tmp_path: Path) -> None:
    plan, plain, polished = (tmp_path / name for name in ("p.json", "a.json", "b.json"))
    assert run_line("run", firms, *CHOICES, "--json", plain) == 0
    words = ["--polish", "--json", polished, "--plan", plan]
    assert run_line("run", firms, *CHOICES, *words) == 0
    assert json.loads(plan.read_text())["polish"] is True
    losses = [
        json.loads(path.read_text())["information_loss"] for path in (plain, polished)
    ]
    assert losses[1] < losses[0]


def test_a_comparison_has_polished_results_beside_the_others(
    firms: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "table.json"
    words = ["--methods", "mdav,refined", "--polish", "--json", table]
    assert run_line("compare", firms, *CHOICES, *words) == 0
    rows = json.loads(table.read_text())
    assert [(row["method"], row["polish"]) for row in rows] == [
        ("mdav", False),
        ("mdav", True),
        ("refined", False),
    ]
    assert rows[1]["information_loss"] == rows[2]["information_loss"]
    assert "mdav, polished" in capsys.readouterr().out


def test_what_cannot_be_polished_is_one_line(
    firms: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--method", "iterated", "--polish", "--output", tmp_path / "out.csv"]
    assert run_line("run", firms, *CHOICES, *words) == 2
    assert "iterated cannot be polished" in capsys.readouterr().err
    assert not (tmp_path / "out.csv").exists()


def interrupt() -> None:
    signal.raise_signal(signal.SIGINT)


@pytest.fixture
def hearing() -> Iterator[None]:
    """Hear of interrupts, also where tests run in the background and hear of none."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("hearing")
def test_the_first_interrupt_keeps_the_best_of_a_search_and_the_second_stops(
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = signal.getsignal(signal.SIGINT)
    with best_on_interrupt(Plan(method="iterated")) as ctx:
        assert not ctx.enough()
        interrupt()
        assert ctx.enough()
        with pytest.raises(KeyboardInterrupt):
            interrupt()
    assert signal.getsignal(signal.SIGINT) is before
    assert capsys.readouterr().err == "Keeping the best so far; once more to stop.\n"
    with best_on_interrupt(Plan(method="mdav")) as ctx:
        with pytest.raises(KeyboardInterrupt):
            interrupt()
        assert not ctx.enough()


def test_an_interrupted_search_is_written(
    firms: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*arguments: Any, **choices: Any) -> Outcome:
        interrupt()
        return run(*arguments, **choices)

    monkeypatch.setattr("engine.pipeline.run.run", interrupted)
    out, figures = tmp_path / "out.csv", tmp_path / "outcome.json"
    words = ["--method", "iterated", "--param", "seconds=600"]
    words += ["--output", str(out), "--json", str(figures)]
    assert run_line("run", firms, *CHOICES, *words) == 0
    assert pd.read_csv(out).groupby(["staff", "sales"]).size().min() >= 4
    content = json.loads(figures.read_text())
    assert content["iterations"][0] > 0
    loss = content["trace"][-1]["information_loss"]
    assert loss == pytest.approx(content["information_loss"])
    assert any("stopped early" in warning for warning in content["warnings"])


def test_check_counts_over_all_columns_beside_those_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, figures = tmp_path / "t.csv", tmp_path / "t.json"
    path.write_text("a,b,c\n1,1,x\n1,2,x\n1,3,x\n2,4,y\n2,5,y\n2,6,y\n")
    command = ["check", str(path), "--quasi-identifiers", "a", "--k", "3"]
    assert main([*command, "--json", str(figures)]) == 0
    said = capsys.readouterr()
    assert "3-anonymity holds" in said.out
    assert "6 records are unique" in said.out
    assert "'b'" in said.err
    told = json.loads(figures.read_text())["uniqueness"]
    assert (told["unique"], told["singling_out"]) == (6, ["b"])
    assert main([*command, "--confidential", "b"]) == 0
    said = capsys.readouterr()
    assert "0 records are unique" in said.out
    assert said.err == ""
    assert main([*command, "--confidential", "d"]) == 2


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
