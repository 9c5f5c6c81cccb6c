"""What the command line says of groups that were drawn."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from engine.cli.parsing.parser import main


@pytest.fixture
def firms(tmp_path: Path) -> Path:
    X = np.random.default_rng(0).lognormal(3.0, 1.0, (50, 2))
    path = tmp_path / "firms.csv"
    pd.DataFrame(X, columns=["staff", "sales"]).to_csv(path, index=False)
    return path


def test_the_closing_words_name_the_expected_size_and_no_k(
    firms: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, figures = tmp_path / "out.csv", tmp_path / "outcome.json"
    words = ["run", firms, "--all-numeric", "--k", "4", "--method", "fuzzy"]
    assert main(list(map(str, [*words, "--output", out, "--json", figures]))) == 0
    output = capsys.readouterr()
    assert "Probabilistic: expected group size 4.17." in output.out
    assert "k as released" not in output.out
    assert "no grouping can lose less" not in output.out
    assert "anonym" not in output.out + output.err
    assert "of the records are in groups of fewer than 4" in output.err

    content = json.loads(figures.read_text())
    assert content["k_verified"] is False
    assert content["lower_bound_kind"] == "none"
    drawn = content["probabilistic"]
    assert drawn["expected_group_size"] == 50 / 12
    released = pd.read_csv(out)
    sizes = released.groupby(["staff", "sales"]).size()
    assert drawn["realised_size"]["min"] == sizes.min() == content["group_size"]["min"]
    assert drawn["share_below_k"] == sizes[sizes < 4].sum() / 50


def test_comparing_prints_no_bound_for_drawn_groups(
    firms: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["compare", firms, "--all-numeric", "--methods", "fuzzy,mdav", "--k", "4"]
    assert main(list(map(str, words))) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "none" in next(line for line in lines if line.startswith("fuzzy"))
    assert "none" not in next(line for line in lines if line.startswith("mdav"))
