"""A release is read back as it was written: nothing in it is guessed."""

import io
from typing import Any

import pandas as pd
import pytest
import xlsxwriter
from hypothesis import given
from hypothesis import strategies as st

from engine.core.errors import InputError
from engine.data.table import Origin
from engine.files import ReadOptions, formats, frame_to_bytes, read_table
from engine.files.format_compatibility import stored_frame_and_messages
from engine.files.input.source import InputBytes
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from engine.release.columns import count_differences
from engine.release.verify import release_bytes_and_checks, release_checks_and_k
from engine.release.writing import WritingOptions

WRITABLE = [info.id for info in formats.infos() if info.writable]

LOOKS = (
    "Total", "Source: x", "sep=;", "a", "b", "1.234", "1,5", "007", "NA", ".", "-",
    "2020-01-31", "1.2.2020", "20200131", "12:30", "1e400", "5 €", "x;", 'q"', "%PDF",
    "<html>", "[[1", "l\ni", " ", "True", "inf", "0x1F", "'", "ß",
)  # fmt: skip
"""Text that a reader who guesses takes for something else."""

texts = st.none() | st.sampled_from(LOOKS)
columns = st.sampled_from(
    [
        (texts, "str"),
        (st.sampled_from([20200131, 20200201]), "int64"),
        (st.sampled_from([1.234, 5.678, 12.345, 999.001, 1.001, 2.002]), "float64"),
        (st.none() | st.integers(-(2**40), 2**40), "Int64"),
        (st.none() | st.floats(allow_nan=False, allow_infinity=False), "float64"),
        (st.none() | st.datetimes().map(pd.Timestamp), "datetime64[us]"),
    ]
)


@st.composite
def frames(draw: st.DrawFn) -> pd.DataFrame:
    n = draw(st.integers(1, 8))
    names = draw(st.lists(st.sampled_from(LOOKS), min_size=1, max_size=4, unique=True))
    names = [name for name in names if name.strip()] or ["a"]
    series = {}
    for name in names:
        cells, dtype = draw(columns)
        cells = draw(st.lists(cells, min_size=n, max_size=n))
        series[name] = pd.Series(cells, dtype=dtype)
    return pd.DataFrame(series)


@given(
    frames(),
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from([".", ","]),
    st.booleans(),
    st.sampled_from(["utf-8", "utf-16", "utf-8-sig"]),
)
def test_text_is_read_back_whatever_it_looks_like(
    frame: pd.DataFrame, delimiter: str, decimal: str, header: bool, encoding: str
) -> None:
    options = {
        "delimiter": delimiter,
        "decimal": decimal,
        "header": header,
        "encoding": encoding,
    }
    stored_frame, _ = stored_frame_and_messages(frame, "csv")
    content = frame_to_bytes(stored_frame, Origin("csv", options), is_held=True)
    source = InputBytes("a.csv", content=content)
    back, _ = formats.get("csv")().read_back(source, options, stored_frame)
    assert list(back.columns) == list(stored_frame.columns)
    assert len(back) == len(stored_frame)
    assert [
        name
        for name in stored_frame
        if count_differences(back[name], stored_frame[name])
    ] == []


@given(frames(), st.booleans())
def test_sheets_are_read_back_whatever_they_look_like(
    frame: pd.DataFrame, header: bool
) -> None:
    stored_frame, _ = stored_frame_and_messages(frame, "excel")
    if len(stored_frame) and stored_frame.iloc[-1].isna().all():
        with pytest.raises(InputError, match="hold no value in any column"):
            frame_to_bytes(
                stored_frame, Origin("excel", {"header": header}), is_held=True
            )
        return
    content = frame_to_bytes(
        stored_frame, Origin("excel", {"header": header}), is_held=True
    )
    source = InputBytes("a.xlsx", content=content)
    back, _ = formats.get("excel")().read_back(source, {"header": header}, stored_frame)
    assert list(back.columns) == list(stored_frame.columns)
    assert len(back) == len(stored_frame)
    assert [
        name
        for name in stored_frame
        if count_differences(back[name], stored_frame[name])
    ] == []


def workbook(columns: dict[str, list[Any]]) -> bytes:
    stream = io.BytesIO()
    book = xlsxwriter.Workbook(stream)
    sheet = book.add_worksheet()
    for j, (name, cells) in enumerate(columns.items()):
        sheet.write_string(0, j, name)
        for i, cell in enumerate(cells, start=1):
            if isinstance(cell, str):
                sheet.write_string(i, j, cell)
            elif cell is not None:
                sheet.write(i, j, cell)
    book.close()
    return stream.getvalue()


CELLS: dict[str, list[Any]] = {
    "words beside too large a number": ["NA", "1e400", "2"],
    "too many digits": ["1000000000000000000.5", "2", "-"],
    "numbers and words": [1, 2.5, "NA"],
    "numbers, words and blanks": [1, " . ", " "],
    "numbers, words and text": [1, "NA", "low"],
    "numbers and digits": [1, "1e400", "0.1"],
    "truth and words": [True, "NA", False],
    "days": ["1.2.2020", "31.12.2020", "k.A."],
    "amounts": ["1.234,50 €", "2,00 €", "-3,10 €"],
    "days and words": ["2020-01-31", "#N/A", "2020-02-01"],
    "codes": ["007", "010", "NA"],
}
"""Cells of text in workbooks, where they are often typed."""


@pytest.mark.parametrize("format_id", WRITABLE)
@pytest.mark.parametrize("name", CELLS)
def test_text_in_workbooks_says_the_same_in_every_format(
    name: str, format_id: str
) -> None:
    content = workbook({"age": [*range(12)], "said": CELLS[name] * 4})
    table = read_table(content, name="a.xlsx").assign(
        roles={"age": "quasi-identifier", "said": "other"}, kinds={"age": "continuous"}
    )
    outcome = run(Plan(k=3), table)
    written = release_bytes_and_checks(outcome, table, WritingOptions(format=format_id))
    assert [str(check.detail) for check in written.failed_checks] == []
    if format_id == "csv" and not name.startswith(("days", "amounts")):
        text, notes = written.content.decode(), " ".join(map(str, written.notes))
        for cell in CELLS[name]:
            if isinstance(cell, str) and cell.strip():
                assert cell in text or repr(cell.strip()) in notes


@pytest.mark.parametrize("suffix", [".csv", ".xlsx"])
def test_a_last_record_of_nothing_but_its_name_is_still_one(suffix: str) -> None:
    n = 12
    columns: dict[str, list[Any]] = {
        "name": [f"p{i}" for i in range(n)],
        "age": [*range(n - 1), None],
        "note": [*["x", "y"] * (n // 2 - 1), "x", None],
    }
    content = workbook(columns)
    if suffix == ".csv":
        content = pd.DataFrame(columns).to_csv(index=False).encode()
    table = read_table(content, name=f"a{suffix}").assign(
        roles={"name": "identifier", "age": "quasi-identifier", "note": "other"},
        kinds={"age": "continuous"},
    )
    plan = Plan(k=3, missing="keep-or-fill")
    outcome = run(plan, table)
    for format_id in WRITABLE:
        written = release_bytes_and_checks(
            outcome, table, WritingOptions(format=format_id)
        )
        assert [str(check.detail) for check in written.failed_checks] == []


def test_records_that_say_the_names_are_records() -> None:
    """What no longer stands beside an identifier may look like a header."""
    rows = [("id", "job", "note"), *((f"p{i}", "job", "note") for i in range(8))]
    content = "\n".join(map(",".join, rows)).encode()
    options = ReadOptions(header=True)
    table = read_table(content, name="a.csv", options=options).assign(
        roles={"id": "identifier", "job": "quasi-identifier", "note": "other"},
        kinds={"job": "nominal"},
    )
    written = release_bytes_and_checks(run(Plan(k=3), table), table)
    assert [str(check.detail) for check in written.failed_checks] == []


@pytest.mark.parametrize("format_id", ["csv", "excel"])
def test_a_cell_that_became_text_is_found(format_id: str) -> None:
    frame = pd.DataFrame({"age": [*range(12)], "day": ["2020-01-31"] * 12})
    suffix = formats.info(format_id).suffixes[0]
    table = read_table(
        frame_to_bytes(frame, Origin(format_id)), name=f"a{suffix}"
    ).assign(
        roles={"age": "quasi-identifier", "day": "other"}, kinds={"age": "continuous"}
    )
    outcome = run(Plan(k=3), table)
    spoilt = outcome.release.frame.astype({"age": object})
    spoilt.loc[3, "age"] = "x"
    content = frame_to_bytes(spoilt, table.origin)
    checks, _ = release_checks_and_k(
        content, table.origin, outcome, table, WritingOptions()
    )
    assert {"values", "types"} <= {each.id for each in checks if not each.passed}
