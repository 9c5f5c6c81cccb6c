"""What nobody protects says the same in another format, or its loss is named."""

import io
from decimal import Decimal
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.core.errors import InputError
from engine.files import ReadOptions, read_table
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from engine.release.verify import release_bytes_and_checks
from engine.release.writing import WritingOptions
from tests.engine.files.test_what_fits import READERS
from tests.engine.files.workbooks.test_ods import cell, document, row
from tests.engine.release.carried import (
    ARROW,
    WRITABLE,
    N,
    delimited,
    protected,
    records,
)


@pytest.mark.parametrize("name", ARROW)
def test_arrow_columns_fit_into_other_formats_or_are_named(name: str) -> None:
    table = pa.table({"age": pa.array(range(N)), "it": ARROW[name]})
    stream = io.BytesIO()
    pq.write_table(table, stream)
    refused = []
    for format_id in WRITABLE:
        try:
            protected(stream.getvalue(), ".parquet", WritingOptions(format=format_id))
        except InputError as error:
            refused.append(str(error))
    assert all("'it'" in error_text for error_text in refused)


def test_other_formats_get_every_digit_or_say_what_they_lose() -> None:
    source_records = [["age", "long", "missing"]]
    source_records += [
        [str(i), f"100000000000000000{i}.5", ("NA", ".", "1.50")[i % 3]]
        for i in range(N)
    ]
    for form, read in {
        "parquet": lambda content: pq.read_table(io.BytesIO(content)).to_pandas(),
        "excel": lambda content: pd.read_excel(
            io.BytesIO(content), engine="calamine", keep_default_na=False, dtype=object
        ),
    }.items():
        _, written, _ = protected(
            delimited(source_records), ".csv", WritingOptions(format=form)
        )
        assert read(written.content)["long"].tolist() == [
            row[1] for row in source_records[1:]
        ]
        note_text = "".join(map(str, written.notes))
        assert "'long'" in note_text
        assert "as text, which keeps every digit" in note_text
        assert "'missing'" in note_text
        assert "with 'NA' and '.' as missing" in note_text


def test_text_cells_of_workbooks_keep_their_signs_in_every_format() -> None:
    """Readers are pandas alone: numbers, dates and codes that were typed as text."""
    texts = {
        "amount": [f"{i}.50" for i in range(N)],
        "comma": [f"{i},50" for i in range(N)],
        "day": [f"{i % 28 + 1:02d}.03.2020" for i in range(N)],
        "code": [f"{i:05d}" for i in range(N)],
    }
    stream = io.BytesIO()
    pd.DataFrame({"age": range(N), **texts}).to_excel(stream, index=False)
    for form, read in {
        "csv": lambda content: pd.read_csv(io.BytesIO(content), dtype=str),
        "parquet": lambda content: pq.read_table(io.BytesIO(content)).to_pandas(),
        "excel": lambda content: pd.read_excel(
            io.BytesIO(content), engine="calamine", dtype=object
        ),
    }.items():
        _, written, _ = protected(
            stream.getvalue(), ".xlsx", WritingOptions(format=form)
        )
        frame = read(written.content)
        for name, column in texts.items():
            assert frame[name].tolist() == column, (form, name)


@pytest.mark.parametrize("end", ["\r", "\r\n"])
def test_line_ends_that_workbooks_cannot_hold_become_line_feeds(end: str) -> None:
    stream, note = io.BytesIO(), ["", f"one{end}two"]
    table = pa.table({"age": range(N), "note": [note[i % 2] for i in range(N)]})
    pq.write_table(table, stream)
    _, written, _ = protected(
        stream.getvalue(), ".parquet", WritingOptions(format="excel")
    )
    note_column = pd.read_excel(
        io.BytesIO(written.content), engine="openpyxl", keep_default_na=False
    )["note"]
    assert note_column.tolist() == ["one\ntwo" if i % 2 else "" for i in range(N)]
    assert "line feed" in "".join(map(str, written.notes))


def test_decimals_become_text_of_the_same_digits() -> None:
    table = pa.table({"age": range(N), "x": ARROW["decimals"]})
    stream = io.BytesIO()
    pq.write_table(table, stream)
    _, written, _ = protected(
        stream.getvalue(), ".parquet", WritingOptions(format="csv")
    )
    assert written.notes == ()
    numbers = [
        Decimal(row[1]) if row[1] else None for row in records(written.content)[1:]
    ]
    assert numbers == ARROW["decimals"].to_pylist()


def test_quasi_identifiers_with_too_many_digits_are_named() -> None:
    source_records = [["age", "long", "short"]]
    source_records += [[str(i), f"100000000000000000{i}.5", "0.1"] for i in range(N)]
    table = read_table(delimited(source_records), name="a.csv")
    wide = pa.table({"age": [2**53 + 1, *range(1, N)], "x": [0.5] * N})
    stream = io.BytesIO()
    pq.write_table(wide, stream)
    for input_table, names in (
        (table, ("long", "short")),
        (read_table(stream.getvalue(), name="a.parquet"), ("age", "x")),
    ):
        plan = Plan(k=3, method="mdav", quasi_identifiers=names, identifiers=())
        outcome = run(plan, input_table)
        messages = [
            str(warning) for warning in outcome.warnings if warning.topic == "digits"
        ]
        assert len(messages) == 1
        assert f"Column {names[0]!r} has numbers with more digits" in messages[0]


LONG = {
    "whole": [str(2**60 + 7 * i) for i in range(N)],
    "below": [str(-(2**62) - i) for i in range(N)],
    "point": [f"{i}.123456789012345678{i:02d}" for i in range(N)],
}
"""Numbers with more digits than float64 holds."""

COMMA = [f"{i},123456789012345678{i:02d}" for i in range(N)]
EUROS = [f"12.345.678.901.234.567.8{i:02d},12 €" for i in range(N)]


def long_file(way: str) -> tuple[bytes, str, ReadOptions, dict[str, list[str]]]:
    """Return a file of numbers of many digits, how to read it, and what it says."""
    ages = [str(i) for i in range(N)]
    columns = {"age": ages, **LONG}
    if way in ("comma", "cells of text"):
        del columns["point"]
        columns |= {"comma": COMMA, "euros": EUROS}
    rows = [list(cells) for cells in zip(*columns.values(), strict=True)]
    options, suffix = ReadOptions(), ".csv"
    if way == "fixed width":
        content = "".join(f"{''.join(c.ljust(30) for c in row)}\n" for row in rows)
        places = [f"{n} {30 * j + 1}-{30 * j + 30}" for j, n in enumerate(columns)]
        options, suffix = ReadOptions(layout=", ".join(places)), ".fwf"
        return content.encode(), suffix, options, columns
    if way == "cells of text":
        sheet = [row([cell(name) for name in columns])]
        sheet += [row([cell(int(first)), *map(cell, more)]) for first, *more in rows]
        return document(sheet=sheet), ".ods", options, columns
    csv_bytes = delimited([[*columns], *rows], ";" if way == "comma" else ",")
    return csv_bytes, suffix, options, columns


def amount(cell: object) -> Decimal:
    """Return what a cell says, whoever wrote it."""
    text = str(cell).removesuffix(" €")
    if "," in text:
        text = text.replace(".", "").replace(",", ".")
    return Decimal(text)


@pytest.mark.parametrize("way", ["point", "comma", "fixed width", "cells of text"])
@pytest.mark.parametrize("format_id", WRITABLE)
def test_every_digit_arrives_in_every_format(
    way: str, format_id: str, tmp_path: Path
) -> None:
    content, suffix, options, columns = long_file(way)
    table = read_table(content, name=f"in{suffix}", options=options)
    roles = dict.fromkeys(columns, "other") | {"age": "quasi-identifier"}
    table = table.assign(roles=roles, kinds={"age": "continuous"})
    outcome = run(Plan(k=3, method="mdav"), table)
    written = release_bytes_and_checks(outcome, table, WritingOptions(format=format_id))
    assert [str(check.detail) for check in written.failed_checks] == []
    if format_id == "csv":
        sign = ";" if way == "comma" else ","
        head, *rows = records(written.content, sign)
        values_by_column = dict(zip(head, zip(*rows, strict=True), strict=True))
    else:
        values_by_column = READERS[format_id](written.content, tmp_path)
    for name in columns.keys() - {"age"}:
        assert [*map(amount, values_by_column[name])] == [
            *map(amount, columns[name])
        ], name


PEOPLE = {
    "euros": ("1.234,50 €", "-7,00 €", "0,25 €"),
    "per cent": ("5 %", "12 %", "k.A."),
    "in parentheses": ("$1,200.50", "($3.25)", ""),
    "area": ("1,5 m²", "2,25 m²", "n.a."),
    "days": ("31.12.2020", "1.2.2021", "03.04.1999"),
    "months": ("3. März 2024", "12. Mai 2023", ""),
    "quarters": ("2024Q1", "2023Q4", "2020Q2"),
    "weeks": ("2024-W05", "2023-W52", "2020-W53"),
    "compact": ("20201231", "19991130", "20200131"),
    "times": ("31.12.2020 10:05", "01.02.2021 09:30", ""),
    "codes": ("99", "1", "-9"),
}
"""Columns as people write them."""


@pytest.mark.parametrize("name", PEOPLE)
@pytest.mark.parametrize("format_id", WRITABLE)
def test_what_people_write_says_the_same_in_every_format(
    name: str, format_id: str
) -> None:
    rows = [["age", "said"], *([str(i), PEOPLE[name][i % 3]] for i in range(N))]
    missing = {"said": ("99", "-9")} if name == "codes" else None
    table = read_table(
        delimited(rows), name="a.csv", options=ReadOptions(missing=missing)
    ).assign(
        roles={"age": "quasi-identifier", "said": "other"}, kinds={"age": "continuous"}
    )
    assert not isinstance(table.frame["said"].dtype, pd.StringDtype)
    outcome = run(Plan(k=3, method="mdav"), table)
    written = release_bytes_and_checks(outcome, table, WritingOptions(format=format_id))
    assert [str(check.detail) for check in written.failed_checks] == []
