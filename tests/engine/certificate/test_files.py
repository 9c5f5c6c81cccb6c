"""The checker reads the file itself, and counts what a certificate does not cover."""

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.certificate import certify as checker
from engine.certificate.write import build_certificate
from engine.data.source_file import SourceFile
from engine.files import ReadOptions, read_table
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from tests.engine.certificate.hidden import (
    ALLOWED,
    HIDDEN,
    ROWS,
    ROWS_WITH_LETTER,
    hidden,
)
from tests.engine.certificate.made import Made, certify, outcome_of, table_of, values_of


def test_numbers_that_cannot_be_read_are_said_to_be_taken() -> None:
    table, text = table_of(values_of(12, 2))
    outcome = outcome_of(table, "edge-cover")
    file = text.replace(b",", b";").replace(b".", b"'")
    table = replace(table, carried=SourceFile.from_bytes("table.csv", file))
    answer = " ".join(certify(build_certificate(outcome, table).text, file))
    assert "Taken from the certificate, not the file: 'a', 'b'." in answer


@pytest.mark.parametrize("way", HIDDEN)
def test_what_hides_a_record_is_counted_and_refused(
    way: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines, choices, reason = HIDDEN[way]
    text, file = hidden(lines, **choices)
    (tmp_path / "c.json").write_bytes(text)
    (tmp_path / "f.csv").write_bytes(file)
    words = [str(tmp_path / "c.json"), str(tmp_path / "f.csv")]
    out = len(lines) - 1 - len(ROWS)
    assert checker.main(words) == 1
    output = capsys.readouterr().out
    assert output.startswith(f"Covers 12 of {12 + out} records.")
    assert reason in output
    assert (
        f"Does not hold of all: {out} of {12 + out} records are not covered." in output
    )
    for allowed, code in ALLOWED.items():
        count = allowed.replace("out", f"{out}").replace("fewer", f"{out - 1}")
        assert checker.main([*words, f"--allow-left-out={count}"]) == code, count
        assert checker.main([*words, "--allow-left-out", count]) == code, count
        output = capsys.readouterr()
        assert output.err.count("--allow-left-out takes") == code // 2 * 2


def test_lines_that_are_no_records_are_counted_and_allowed() -> None:
    text, file = hidden(
        ["Title,", "a,b", *ROWS, "Total,"], header_row="2", footer_rows=1
    )
    lines, out, n = checker.examine(text, file)
    assert (out, n) == (0, 12)
    assert "Other lines 1 above the header: [['Title', '']]." in lines
    assert "Other lines 1 below the table: [['Total', '']]." in lines


@pytest.mark.parametrize("encoding", checker.ENCODINGS)
def test_a_file_is_read_in_its_encoding(encoding: str) -> None:
    _, out, n = checker.examine(
        *hidden(["a,b,ä", *ROWS_WITH_LETTER], encoding=encoding)
    )
    assert (out, n) == (0, 12)


def test_declared_suppression_has_to_be_allowed(certificates: Made) -> None:
    lines, out, n = checker.examine(*certificates["left out"])
    assert (out, n) == (2, 24)
    assert "Not covered, as the run was allowed to leave them out: 2." in lines


def test_a_cell_longer_than_the_csv_module_reads_unasked_is_read() -> None:
    values = np.round(np.random.default_rng(3).lognormal(size=(12, 2)), 2)
    lines = [f"{a},{b},{'x' * 140_000 if a == values[0][0] else ''}" for a, b in values]
    file = "\n".join(["a,b,text", *lines, ""]).encode()
    roles = {"a": "quasi-identifier", "b": "quasi-identifier", "text": "other"}
    table = read_table(file, name="table.csv", roles=roles)
    outcome = run(Plan(method="mdav", k=3, quasi_identifiers=("a", "b")), table)
    limit = csv.field_size_limit()
    certify(build_certificate(outcome, table).text, file)
    assert csv.field_size_limit() == limit


def test_a_text_without_names_of_columns_is_told_by_its_digest_alone(
    tmp_path: Path,
) -> None:
    path = tmp_path / "plain.csv"
    rows = [f"{i},{i * i % 11}.5,{i * 3 % 7}" for i in range(1, 13)]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    table = read_table(path, options=ReadOptions(header=False))
    plan = Plan(method="mdav", k=3, quasi_identifiers=table.schema.names)
    text = build_certificate(run(plan, table), table).text
    lines, _out, n = checker.examine(text, path.read_bytes())
    assert n == 12
    assert "Compared with it: nothing." in "\n".join(lines)
