"""A count of one has a noun in the singular, whatever command tells it."""

import re
from pathlib import Path

import pandas as pd
import pytest

from tests.engine.cli.lines import run_line

PLURAL_OF_ONE = re.compile(
    r"(?<![\d.,])(?<!k-)1 (?:[a-z-]+ )?(?:records|people|persons|groups|others|classes|"
    r"blocks|columns|values|releases|rows|terms|households|seeds)\b"
)
CHOICES = ["--quasi-identifiers", "age,net", "--k", "2"]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Two records, which are one group in one block."""
    path = tmp_path / "in.csv"
    path.write_text("age,net,sex\n31,5,m\n32,7,f\n")
    return path


def told_by(
    capsys: pytest.CaptureFixture[str], *words: object, files: tuple[Path, ...] = ()
) -> str:
    """Return what a command prints and writes, of a file that it takes."""
    assert run_line(*words) in (0, 1, 3)
    output = capsys.readouterr()
    return " ".join(
        [output.out, output.err, *(path.read_text(encoding="utf-8") for path in files)]
    )


def test_run_attack_and_their_reports_count_one_in_the_singular(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, page, director, ddi = (
        tmp_path / name for name in ("o.csv", "r.html", "d.html", "d.xml")
    )
    words = ["--output", out, "--report", page, "--director-page", director]
    words += ["--ddi", ddi, "--person", "none"]
    files = page, director, ddi
    text = told_by(capsys, "run", source, *CHOICES, *words, files=files)
    assert "2 records in 1 group of" in text
    assert "at least 1 other" in text
    assert PLURAL_OF_ONE.findall(text) == []
    text = told_by(capsys, "attack", source, out, *CHOICES[:2])
    assert "1 class of at least 2 records" in text
    assert PLURAL_OF_ONE.findall(text) == []


def test_a_run_out_of_core_counts_one_in_the_singular(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parquet = tmp_path / "in.parquet"
    pd.read_csv(source).to_parquet(parquet)
    words = ["--out-of-core", "--output", tmp_path / "out"]
    text = told_by(capsys, "run", parquet, *CHOICES, *words)
    assert "1 group of 2 to 2, in 1 block." in text
    assert PLURAL_OF_ONE.findall(text) == []


@pytest.mark.parametrize("command", ["compare", "check", "protect"])
def test_other_commands_count_one_in_the_singular(
    command: str, source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = (
        ["--k", "2", "--output", tmp_path / "o.csv", "--accept-red", "a trial"]
        if command == "protect"
        else CHOICES
    )
    text = told_by(capsys, command, source, *words)
    assert re.search(r"\b1 (?:other|record|thing)\b|mdav", text)
    assert PLURAL_OF_ONE.findall(text) == []


def test_checking_a_single_column_calls_it_the_only_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "one.csv"
    path.write_text("age\n31\n")
    text = told_by(capsys, "check", path, "--quasi-identifiers", "age", "--k", "2")
    assert "Over the only column: 1 record is unique" in text
