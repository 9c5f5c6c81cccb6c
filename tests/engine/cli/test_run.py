"""What is asked of a run reaches it, and what was asked for is written."""

import json
from pathlib import Path

import pandas as pd
import pytest

from tests.engine.cli.lines import CHOICES, run_line


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
        ["--t-close", "0"],
        ["--sampling-fraction", "0"],
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
    notes = capsys.readouterr().err
    assert "'firm' looks like an identifier" in notes
    assert (
        "Leave as they are, because no option removes them: 'firm' and 'region'"
        in notes
    )
    assert "--identifiers firm." in notes


def test_columns_of_a_person_leave_with_their_names_said_unless_they_are_removed(
    firms: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    visits = pd.concat([pd.read_csv(firms)] * 2).assign(ward=1)
    visits.to_csv(firms, index=False)
    out = tmp_path / "out.csv"
    words = ["run", firms, *CHOICES, "--person", "ward,firm", "--output", out]
    assert run_line(*words) == 0
    notes = capsys.readouterr().err
    assert "no option removes them: 'firm', 'region' and 'ward'" in notes
    assert "which records are one person's, by 'firm'" in notes
    assert run_line(*words, "--identifiers", "ward,firm") == 0
    assert list(pd.read_csv(out).columns) == ["staff", "sales", "region"]


def test_parameters_scaling_strata_and_rules_reach_the_run(
    firms: Path, tmp_path: Path
) -> None:
    figures = tmp_path / "outcome.json"
    words = ["run", firms, *CHOICES, "--method", "vmdav", "--param", "gamma=0.9"]
    words += ["--scaling", "range", "--strata", "region", "--seed", "7"]
    words += ["--constraint", "staff = sales", "--json", figures]
    assert run_line(*words) == 0
    content = json.loads(figures.read_text())
    assert content["parameters"] == {"gamma": 0.9, "rest": "centroid"}
    assert content["scaling"] == "range"
    assert content["strata"] == "region"
    assert content["seed"] == 7
    assert content["constraints"] == ["staff = sales"]


def test_a_plan_repeats_the_random_order_of_its_run(
    firms: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan, first, second = (tmp_path / name for name in ("p.json", "a.csv", "b.csv"))
    words = ["run", firms, *CHOICES, "--shuffle", "--plan", plan]
    assert run_line(*words, "--output", first) == 0
    assert "give a large --shuffle-seed" in capsys.readouterr().err
    assert run_line("run", firms, "--plan", plan, "--output", second) == 0
    assert first.read_bytes() == second.read_bytes()
    plan.unlink()
    assert run_line(*words, "--shuffle-seed", "8", "--output", second) == 0
    assert "--shuffle-seed" not in capsys.readouterr().err
    assert sorted(first.read_text().split()) == sorted(second.read_text().split())
    assert first.read_bytes() != second.read_bytes()


def test_weights_that_tell_more_than_the_protected_columns_are_noted(
    firms: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = pd.read_csv(firms)
    frame["stands for"] = 1 + 9 * (frame["staff"] < frame["staff"].median())
    frame.to_csv(firms, index=False)
    out = tmp_path / "out.csv"
    words = ["run", firms, *CHOICES, "--weights", "stands for", "--output", out]
    assert run_line(*words) == 0
    notes = capsys.readouterr().err
    released = pd.read_csv(out)
    k = released.groupby(["staff", "sales", "stands for"]).size().min()
    assert k < 4
    assert f"k is {k} instead of 4. Add --strata 'stands for'" in notes
    assert run_line(*words, "--strata", "stands for") == 0
    assert "The weights" not in capsys.readouterr().err
