"""What nobody protects leaves as it came in, as other readers of files find it."""

import io
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest
import xlsxwriter
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.core.errors import InputError
from engine.files import read_table
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from engine.release.verify import release_bytes_and_checks, release_checks_and_k
from engine.release.writing import WritingOptions
from tests.engine.release.carried import (
    ARROW,
    WRITINGS,
    N,
    delimited,
    protected,
    records,
)
from tests.properties import share_of_examples

HARD = (
    "1000000000000000000.5",
    "1e400",
    "NA",
    ".",
    "1.50",
    "",
    " 2 ",
    "-0",
    "+1.5",
    "12345678901234567890",
    "0.1000000000000000055511151231257827",
    "1e-400",
)


@pytest.mark.parametrize("writing", WRITINGS)
def test_text_stays_the_same_to_the_last_letter(writing: WritingOptions) -> None:
    columns = [
        list(HARD),
        [f"{i}.50" for i in range(N)],
        ["NA", ".", "3"] * 4,
        [f"00{i}" for i in range(N)],
        [f" {i} " for i in range(N)],
        ['a"b\r\nc', "d\ne", ""] * 4,
        ["2020-01-05", "", "2021-02-01"] * 4,
        ["1e5", "2E5", "300000"] * 4,
    ]
    names = [" x ", "y", "z\t", "code", "blank", "quoted", "", "e"]
    cells = [
        [str(30 + i % 5), *row] for i, row in enumerate(zip(*columns, strict=True))
    ]
    content = delimited([["age", *names], *cells])
    _, written, rows = protected(content, ".csv", writing)
    header, *back = records(written.content)
    assert header == ["age", *names]
    assert [record[1:] for record in back] == [cells[row][1:] for row in rows]


cells = st.text(
    st.characters(exclude_categories=("Cs", "Cc"), include_characters='\n",;\t '),
    max_size=6,
) | st.sampled_from(HARD)


@settings(max_examples=share_of_examples(0.5))
@given(st.lists(st.tuples(cells, cells), min_size=6, max_size=9))
def test_any_text_stays_the_same(pairs: list[tuple[str, str]]) -> None:
    source_records = [
        ["age", "a", "b"],
        *([str(i), *pair] for i, pair in enumerate(pairs)),
    ]
    table = read_table(delimited(source_records), name="a.csv")
    if table.schema.names != ("age", "a", "b"):
        return
    _, written, rows = protected(delimited(source_records), ".csv")
    back = records(written.content)
    assert [record[1:] for record in back[1:]] == [list(pairs[row]) for row in rows]


def test_dropped_records_and_another_delimiter_do_not_matter() -> None:
    source_records = [
        ["age", "a"],
        *([str(i) if i % 4 else "", f"{i}.0"] for i in range(N)),
    ]
    content = delimited(source_records, ";", "\r\n")
    writing = WritingOptions(format="csv", delimiter="\t")
    _, written, rows = protected(content, ".csv", writing, missing="drop")
    assert len(rows) == 9
    back = records(written.content, "\t")
    assert [record[1] for record in back[1:]] == [f"{row}.0" for row in rows]


@pytest.mark.parametrize("writing", WRITINGS)
@pytest.mark.parametrize("name", ARROW)
def test_arrow_columns_stay_the_same_to_the_last_bit(
    name: str, writing: WritingOptions
) -> None:
    array = ARROW[name]
    fields = [
        pa.field("age", pa.int64(), nullable=False),
        pa.field(" x ", array.type, metadata={"label": "X"}),
    ]
    table = pa.Table.from_arrays([pa.array(range(N)), array], schema=pa.schema(fields))
    stream = io.BytesIO()
    pq.write_table(table, stream)
    _, written, rows = protected(stream.getvalue(), ".parquet", writing)
    table = pq.read_table(stream)
    back = pq.read_table(io.BytesIO(written.content))
    assert back.schema.field(1).equals(table.schema.field(1), check_metadata=True)
    expected_column, written_column = (
        arrow_table.column(" x ").combine_chunks()
        for arrow_table in (table.take(pa.array(rows)), back)
    )
    assert list(map(repr, written_column.to_pylist())) == list(
        map(repr, expected_column.to_pylist())
    )
    if pa.types.is_floating(array.type):
        assert written_column.is_valid().equals(expected_column.is_valid())


def workbook(date_1904: bool = False) -> bytes:
    stream = io.BytesIO()
    book = xlsxwriter.Workbook(stream, {"date_1904": date_1904})
    sheet = book.add_worksheet("people")
    forms = [
        book.add_format({"num_format": code})
        for code in ("0.00", "dd.mm.yyyy", "[h]:mm", "0%", '"№" 000')
    ]
    top, first_column = 2, 1
    for j, name in enumerate(("age", " a ", "mixed", "day", "share", "code", "text")):
        sheet.write(top, first_column + j, name)
    sheet.write_number(top, first_column + 7, 2020)
    for i in range(N):
        row = top + 1 + i
        sheet.write_number(row, first_column, 30 + i % 5)
        sheet.write_number(row, first_column + 1, i / 3, forms[0])
        if i % 3 == 0:
            sheet.write_number(row, first_column + 2, i)
        elif i % 3 == 1:
            sheet.write_string(row, first_column + 2, f"00{i}")
        sheet.write_number(row, first_column + 3, 43_000 + i / 7, forms[1 + i % 2])
        sheet.write_number(row, first_column + 4, i / 10, forms[3])
        sheet.write_number(row, first_column + 5, i, forms[4])
        sheet.write_string(row, first_column + 6, ("<r>", " a&b ", "\n_x")[i % 3])
        if i % 4 == 0:
            sheet.write_formula(row, first_column + 7, "=NA()", None, "#N/A")
        elif i % 4 == 1:
            sheet.write_boolean(row, first_column + 7, True)
    book.close()
    return stream.getvalue()


@pytest.mark.parametrize("date_1904", [False, True])
@pytest.mark.parametrize("writing", WRITINGS)
def test_cells_of_workbooks_keep_types_and_number_formats(
    writing: WritingOptions, date_1904: bool
) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    content = workbook(date_1904)
    _, written, rows = protected(content, ".xlsx", writing)
    sheets = [
        openpyxl.load_workbook(io.BytesIO(file_bytes), data_only=True)["people"]
        for file_bytes in (content, written.content)
    ]
    facts = [
        [
            [(cell.value, cell.data_type, cell.number_format) for cell in row]
            for row in sheet.iter_rows(min_row=first, min_col=column)
        ]
        for sheet, first, column in zip(sheets, (3, 1), (2, 1), strict=True)
    ]
    before, after = facts
    assert after[0] == before[0]
    expected = [before[1 + row][1:] for row in rows]
    assert [row[1:] for row in after[1:]] == expected


def test_text_that_looks_like_markup_is_text_in_workbooks() -> None:
    texts = ["<r>x</r>", "<r><t>x</r>", "a&b", " a ", "x\ny", "\n"]
    source_records = [["age", "x"], *([str(i), text] for i, text in enumerate(texts))]
    _, written, _ = protected(
        delimited(source_records), ".csv", WritingOptions(format="excel")
    )
    back = pd.read_excel(io.BytesIO(written.content), engine="calamine")
    assert back["x"].tolist()[:-1] == texts[:-1]


def statistical(writer: Callable[..., None], suffix: str, **how: Any) -> bytes:
    frame = pd.DataFrame(
        {
            "age": np.arange(N, dtype="float64"),
            "x": [0.1 + 0.2, np.nan, 1e300] * 4,
            "code": [1.0, 2.0, 99.0] * 4,
            "day": [13_800_000_000.5, np.nan, -1e9] * 4,
            "clock": [3600.25, np.nan, 0.0] * 4,
            "word": [" a", "b", ""] * 4,
        }
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"a{suffix}"
        writer(
            frame,
            path,
            variable_value_labels={"code": {1: "one", 99: "refused"}},
            **how,
        )
        return path.read_bytes()


def raw(content: bytes, suffix: str) -> tuple[pd.DataFrame, Any]:
    readers = {".sav": pyreadstat.read_sav, ".dta": pyreadstat.read_dta}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"a{suffix}"
        path.write_bytes(content)
        frame_and_metadata: tuple[pd.DataFrame, Any] = readers[suffix](
            path, disable_datetime_conversion=True, user_missing=True
        )
        return frame_and_metadata


@pytest.mark.parametrize("writing", WRITINGS)
@pytest.mark.parametrize("suffix", [".sav", ".dta"])
def test_statistical_files_keep_numbers_labels_and_missing_values(
    suffix: str, writing: WritingOptions
) -> None:
    if suffix == ".sav":
        content = statistical(
            pyreadstat.write_sav,
            suffix,
            variable_format={"day": "DATETIME23.2", "clock": "TIME11.2"},
            missing_ranges={"code": [{"lo": 99, "hi": 99}]},
        )
    else:
        content = statistical(
            pyreadstat.write_dta, suffix, variable_format={"day": "%tc"}
        )
    _, written, rows = protected(content, suffix, writing)
    (before, meta), (after, other) = raw(content, suffix), raw(written.content, suffix)
    for name in ("x", "code", "day", "clock", "word"):
        expected_values, written_values = (
            before[name].iloc[rows].tolist(),
            after[name].tolist(),
        )
        assert list(map(repr, written_values)) == list(map(repr, expected_values)), name
    assert other.variable_value_labels == meta.variable_value_labels
    assert other.missing_ranges == meta.missing_ranges
    formats = meta.original_variable_types
    column_names = {name for name in formats if name not in ("age", "word")}
    assert {name: other.original_variable_types[name] for name in column_names} == {
        name: formats[name] for name in column_names
    }


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_cell_that_changed_is_found_whatever_it_is_read_as(suffix: str) -> None:
    if suffix == ".csv":
        source_records = [["age", "x"], *([str(i), f"{i}.50"] for i in range(N))]
        content = delimited(source_records)
        spoil = lambda done: done.replace(b"7.50", b"7.5")  # noqa: E731
    else:
        table = pa.table({"age": range(N), "x": ARROW["decimals"]})
        stream = io.BytesIO()
        pq.write_table(table, stream)
        content = stream.getvalue()

        def spoil(done: bytes) -> bytes:
            arrow_table = pq.read_table(io.BytesIO(done))
            column = arrow_table["x"].cast(pa.float64()).cast(pa.decimal128(38, 10))
            stream = io.BytesIO()
            pq.write_table(
                arrow_table.set_column(1, arrow_table.schema.field("x"), column), stream
            )
            return stream.getvalue()

    table = read_table(content, name=f"in{suffix}").assign(
        roles={"age": "quasi-identifier", "x": "other"}, kinds={"age": "continuous"}
    )
    outcome = run(Plan(k=3, method="mdav"), table)
    written = release_bytes_and_checks(outcome, table)
    spoilt = spoil(written.content)
    assert spoilt != written.content
    checks, _ = release_checks_and_k(
        spoilt, written.origin, outcome, table, WritingOptions()
    )
    assert {check.id for check in checks if not check.passed} == {"unchanged"}


def test_the_file_must_be_what_it_was(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(delimited([["age", "x"], *([str(i), "1.50"] for i in range(N))]))
    table = read_table(path).assign(
        roles={"age": "quasi-identifier", "x": "other"}, kinds={"age": "continuous"}
    )
    outcome = run(Plan(k=3, method="mdav"), table)
    path.write_bytes(path.read_bytes().replace(b"1.50", b"1.51"))
    with pytest.raises(InputError, match=r"'a\.csv' has changed since it was read"):
        release_bytes_and_checks(outcome, table)
    path.unlink()
    with pytest.raises(InputError, match=r"'a\.csv' cannot be read again \(no such"):
        release_bytes_and_checks(outcome, table)
