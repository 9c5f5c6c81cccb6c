"""`coterie protect` writes all of it or nothing, and says why by its exit code."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from engine.cli import main

N = 160
RNG = np.random.default_rng(6)


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    frame = pd.DataFrame(
        {
            "rownames": np.arange(1, N + 1),
            "age": RNG.integers(18, 90, N),
            "income": RNG.lognormal(10, 1, N).round(),
            "race": RNG.choice([1, 2, 6, 8], N),
        }
    )
    path = tmp_path / "survey.csv"
    frame.to_csv(path, index=False)
    return path


def wide(path: Path) -> Path:
    """Return a file of so many columns that too much is lost."""
    frame = pd.DataFrame(RNG.normal(size=(60, 40)).round(3))
    frame.columns = [f"m{j}" for j in range(40)]
    frame.to_csv(path, index=False)
    return path


def test_it_writes_release_groups_and_figures(survey: Path, tmp_path: Path) -> None:
    out, groups, figures = (tmp_path / n for n in ("p.csv", "g.csv", "o.json"))
    words = ["protect", str(survey), "--output", str(out), "--groups", str(groups)]
    assert main([*words, "--json", str(figures), "--shuffle-seed", "3"]) == 0
    release, labels = pd.read_csv(out), pd.read_csv(groups)["group"]
    assert "rownames" not in release
    assert release.value_counts(list(release)).min() >= 5
    # Groups stay in the order of the input, records do not.
    ages = pd.read_csv(survey)["age"].groupby(labels).mean()
    assert labels.value_counts().min() >= 5
    assert sorted(release["age"]) == sorted(labels.map(ages).round())
    content = json.loads(figures.read_text())
    assert content["verdict"]["colour"] in ("green", "amber")
    first = out.read_bytes()
    assert main([*words, "--shuffle-seed", "3"]) == 0
    assert out.read_bytes() == first


def test_a_loss_that_somebody_allows_decides_what_leaves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = wide(tmp_path / "wide.csv"), tmp_path / "p.csv"
    column_counts = []
    for limit in ("60", "5"):
        words = ["protect", str(path), "--output", str(out), "--max-loss", limit]
        assert main([*words, "--accept-red", "a try"]) == 0
        column_counts.append(pd.read_csv(out).shape[1])
    assert column_counts[0] > column_counts[1]
    assert main([*words[:-1], "-1"]) == 2
    assert "must be 0 or more" in capsys.readouterr().err


def test_red_writes_figures_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, groups, figures = (tmp_path / n for n in ("p.csv", "g.csv", "o.json"))
    file = wide(tmp_path / "wide.csv")
    words = ["protect", str(file), "--output", str(out), "--groups", str(groups)]
    words += ["--json", str(figures), "--k", "15"]
    assert main(words) == 3
    assert not out.exists()
    assert not groups.exists()
    assert json.loads(figures.read_text())["verdict"]["colour"] == "red"
    assert "red: Is it still useful?" in capsys.readouterr().err
    assert main([*words, "--accept-red", "a test of the method"]) == 0
    verdict = json.loads(figures.read_text())["verdict"]
    assert (verdict["colour"], verdict["accepted"]) == ("red", "a test of the method")
    assert out.exists()


def test_formulas_get_an_apostrophe_in_text_unless_it_is_said_otherwise(
    survey: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = pd.read_csv(survey)
    frame["race"] = frame["race"].map({1: "=1+1", 2: "b", 6: "c", 8: "-5"})
    frame.to_csv(survey, index=False)
    out, figures = tmp_path / "p.csv", tmp_path / "o.json"
    words = ["protect", str(survey), "--output", str(out), "--shuffle-seed", "3"]
    for more, sign in ([], "'=1+1"), (["--no-neutralise-formulas"], "=1+1"):
        assert main([*words, "--json", str(figures), *more]) == 0
        cells = pd.read_csv(out, dtype=str)["race"]
        ran = (cells == sign).sum()
        assert ran > 0
        assert json.loads(figures.read_text())["formula_cells"] == {"race": ran}
        assert f"'race' ({ran})" in capsys.readouterr().err
    book = tmp_path / "p.xlsx"
    assert main([*words[:3], str(book), *words[4:]]) == 0
    assert (pd.read_excel(book, engine="openpyxl")["race"] == "=1+1").any()


def test_a_run_leaves_formulas_bit_for_bit_and_says_so(
    survey: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = pd.read_csv(survey).drop(columns="race").assign(note="=1+1")
    frame.to_csv(survey, index=False)
    out = tmp_path / "p.csv"
    words = ["run", str(survey), "--quasi-identifiers", "age", "--output", str(out)]
    assert main(words) == 0
    assert (pd.read_csv(out)["note"] == "=1+1").all()
    assert f"leave as they are: 'note' ({N})." in capsys.readouterr().err
    assert main([*words, "--neutralise-formulas"]) == 0
    assert (pd.read_csv(out)["note"] == "'=1+1").all()


def test_bad_input_is_two(tmp_path: Path) -> None:
    file = tmp_path / "empty.csv"
    file.write_text("a,b\n")
    assert main(["protect", str(file), "--output", str(tmp_path / "p.csv")]) == 2


def test_a_format_that_cannot_be_written_is_refused_before_the_file_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["protect", str(tmp_path / "none.csv"), "--output", str(tmp_path / "out")]
    assert main(words) == 2
    assert "There is no format for 'out'" in capsys.readouterr().err


def test_double_names_are_told_apart_here_and_refused_by_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = tmp_path / "double.csv", tmp_path / "p.csv"
    rows = [f"{a},{b},{c}" for a, b, c in RNG.integers(0, 900, (60, 3))]
    file.write_text("a,b,a\n" + "\n".join(rows) + "\n")
    assert main(["protect", str(file), "--output", str(out)]) in (0, 3)
    assert main(["run", str(file), "--all-numeric"]) == 2
    assert "--number-names" in capsys.readouterr().err
    assert main(["run", str(file), "--all-numeric", "--number-names"]) == 0


def test_what_is_odd_about_people_is_noted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    patient = np.repeat([f"P{i}" for i in range(40)], 4).astype(object)
    frame = pd.DataFrame({"patient": patient, "visit": np.arange(N) % 4})
    frame["age"], frame["weight"] = RNG.integers(18, 90, N), RNG.normal(70, 9, N)
    panel, out = tmp_path / "panel.csv", tmp_path / "p.csv"
    frame.loc[: N // 2 + 1, "patient"] = "P0"
    frame.loc[N - 5 :, "patient"] = None
    frame.loc[100, "patient"] = str(frame.loc[104, "patient"]).lower()
    frame.to_csv(panel, index=False)
    words = ["protect", str(panel), "--output", str(out), "--person", "patient"]
    assert main(words) == 0
    notes = capsys.readouterr().err
    for part in ("counts the", "count for nobody", "for case or blanks", "One person"):
        assert part in notes
