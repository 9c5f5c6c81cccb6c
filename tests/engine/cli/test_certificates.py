"""Certificates on the command line: written by run, checked by certify."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.cli.parser import main
from tests.engine.certificate.made import values_of

COLUMNS = ["--quasi-identifiers", "a,b", "--k", "3"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "table.csv"
    lines = [f"{a},{b},{i % 2}" for i, (a, b) in enumerate(values_of(24, 6).tolist())]
    path.write_text("a,b,s\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_what_run_writes_certify_confirms(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    proof = file.with_name("c.json")
    words = ["run", str(file), *COLUMNS, "--certificate", str(proof)]
    assert main(words) == 0
    said = capsys.readouterr().out
    assert "Certified, to be checked with coterie certify: no groups" in said
    assert main(["certify", str(proof), str(file)]) == 0
    said = capsys.readouterr().out
    assert "24 of 24 records are in 8 groups of at least k = 3; 0 are left out" in said
    file.write_text(file.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert main(["certify", str(proof), str(file)]) == 1
    assert capsys.readouterr().out.startswith("Does not hold: the file is not the one")
    assert main(["certify", str(proof), str(file.with_name("none"))]) == 2


def test_what_cannot_be_certified_writes_nothing(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    proof, output = file.with_name("c.json"), file.with_name("out.csv")
    words = ["run", str(file), *COLUMNS, "--transform", "a=log"]
    words += ["--output", str(output)]
    assert main([*words, "--certificate", str(proof)]) == 2
    assert "No certificate can be written of a run with transforms" in (
        capsys.readouterr().err
    )
    assert not proof.exists()
    assert not output.exists()
    words = ["run", str(file), *COLUMNS, "--certificate", str(file)]
    assert main(words) == 2  # never over what is read
