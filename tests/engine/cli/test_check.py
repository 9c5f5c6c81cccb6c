"""What is counted in a file as it is."""

import json
from pathlib import Path

import pytest

from engine.cli.parsing.parser import main
from tests.engine.cli.lines import CHOICES, run_line


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


def test_check_counts_over_all_columns_beside_those_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, figures = tmp_path / "t.csv", tmp_path / "t.json"
    path.write_text("a,b,c\n1,1,x\n1,2,x\n1,3,x\n2,4,y\n2,5,y\n2,6,y\n")
    command = ["check", str(path), "--quasi-identifiers", "a", "--k", "3"]
    assert main([*command, "--json", str(figures)]) == 0
    output = capsys.readouterr()
    assert "3-anonymity holds" in output.out
    assert "6 records are unique" in output.out
    assert "'b'" in output.err
    uniqueness = json.loads(figures.read_text())["uniqueness"]
    assert (uniqueness["unique"], uniqueness["singling_out"]) == (6, ["b"])
    assert main([*command, "--confidential", "b"]) == 0
    output = capsys.readouterr()
    assert "0 records are unique" in output.out
    assert output.err == ""
    assert main([*command, "--confidential", "d"]) == 2


@pytest.mark.parametrize(
    "wrong", ["--counts", "--household a", "--household z", "--person a", "--k 1"]
)
def test_check_says_nothing_before_a_choice_is_refused(
    wrong: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,x\n1,x\n2,y\n")
    assert main(["check", str(path), "--quasi-identifiers", "a", *wrong.split()]) == 2
    output = capsys.readouterr()
    assert (output.out, output.err.count("\n")) == ("", 1)


def test_check_names_as_not_counted_what_is_not_and_speaks_of_a_single_record(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,x\n1,x\n2,y\n")
    command = ["check", str(path), "--quasi-identifiers", "a", "--k", "2"]
    assert main([*command, "--confidential", "a"]) == 1
    assert capsys.readouterr().out == (
        "k = 1 over a in 3 records: 2-anonymity does not hold, 1 record is in smaller "
        "groups.\n"
        "Over all 2 columns: 1 record is unique, 1 shares its values with fewer than "
        "1 other.\n"
    )


def test_check_says_that_an_intruder_who_knows_all_needs_people(
    firms: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["check", firms, *CHOICES, "--intruder-knows", "all"]
    assert run_line(*words) == 1
    assert "--intruder-knows all changes nothing here" in capsys.readouterr().err
    assert run_line(*words, "--person", "firm") == 1
    assert "changes nothing" not in capsys.readouterr().err
