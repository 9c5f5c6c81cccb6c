"""Above so many records the command line proposes another method, and says so."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from engine.cli.parsing.parser import main
from engine.methods import default


@pytest.fixture
def many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table with more records than the usual method is proposed for."""
    monkeypatch.setattr(default, "MAX_DEFAULT_RECORDS", 50)
    path = tmp_path / "many.csv"
    values = np.random.default_rng(0).normal(size=(51, 2))
    pd.DataFrame(values, columns=["a", "b"]).to_csv(path, index=False)
    return path


def outcome(path: Path, *words: str) -> dict[str, object]:
    figures = path.with_suffix(".json")
    assert (
        main(["run", str(path), "--all-numeric", "--json", str(figures), *words]) == 0
    )
    content: dict[str, object] = json.loads(figures.read_text())
    return content


def test_blocked_is_the_method_where_none_is_chosen(
    many: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = outcome(many, "--plan", str(many.with_suffix(".plan")))
    assert content["method"] == "blocked"
    assert content["k_verified"]
    assert "The method is blocked, because there are 51 records" in (
        capsys.readouterr().err
    )
    figures = many.with_suffix(".again")
    plan = many.with_suffix(".plan")
    words = ["run", str(many), "--plan", str(plan), "--json", str(figures)]
    assert main(words) == 0
    assert json.loads(figures.read_text())["method"] == "blocked"
    assert "The method is" not in capsys.readouterr().err


@pytest.mark.parametrize("words", [("--method", "mdav"), ("--polish",)])
def test_what_was_chosen_stays(
    many: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    assert outcome(many, *words)["method"] == "mdav"
    assert "The method is" not in capsys.readouterr().err


def test_a_smaller_table_is_proposed_the_usual_method(
    many: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pd.read_csv(many).head(50).to_csv(many, index=False)
    assert outcome(many)["method"] == "mdav"
    assert capsys.readouterr().err == ""


def test_a_comparison_without_methods_takes_the_proposed_one(
    many: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", str(many), "--all-numeric", "--k", "3,4"]) == 0
    assert capsys.readouterr().out.count("blocked ") == 2
