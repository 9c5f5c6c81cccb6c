"""Comparisons: a row for each method and k."""

import json
from pathlib import Path

import pytest

from tests.engine.cli.lines import CHOICES, run_line


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
