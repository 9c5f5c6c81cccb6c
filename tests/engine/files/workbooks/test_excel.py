"""Workbooks: sheets, types of cells, and what is not safe to open."""

import datetime
import io
import struct
import time
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xlsxwriter

from engine.core.errors import InputError
from engine.data.table import Origin, Table
from engine.files import ReadOptions, frame_to_bytes, read_table
from engine.files.input.source import MAX_UNCHECKED_BYTES, InputBytes
from engine.files.workbooks import workbook


def make(**sheets: list[list[Any]]) -> bytes:
    stream = io.BytesIO()
    with xlsxwriter.Workbook(stream, {"in_memory": True}) as book:
        day = book.add_format({"num_format": "yyyy-mm-dd"})
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for i, row in enumerate(rows):
                for j, cell in enumerate(row):
                    if isinstance(cell, datetime.date):
                        sheet.write_datetime(i, j, cell, day)
                    elif isinstance(cell, str) and not cell.startswith("="):
                        sheet.write_string(i, j, cell)
                    elif cell is not None:
                        sheet.write(i, j, cell)
    return stream.getvalue()


def read(content: bytes, **options: Any) -> Table:
    return read_table(content, name="a.xlsx", options=ReadOptions(**options))


def column(*cells: Any) -> pd.Series:
    content = make(s=[["x", "n"], *([cell, i] for i, cell in enumerate(cells))])
    return read(content, header=True).frame["x"]


def test_cells_keep_their_types() -> None:
    assert column(1, 2).tolist() == [1, 2]
    assert column(1, 2).dtype == "int64"
    assert column(1, None).dtype == "Int64"
    assert column(1.5, None).dtype == "float64"
    assert column("0123", "9").tolist() == ["0123", "9"]
    assert column(True, False).dtype == "bool"
    assert column(True, None).dtype == "boolean"
    assert column(datetime.date(2020, 1, 2), None).tolist() == [
        pd.Timestamp(2020, 1, 2),
        pd.NaT,
    ]
    assert column(None, None).isna().all()


def test_mixed_cells_become_text() -> None:
    assert column(1, "unknown", 2.5).tolist() == ["1", "unknown", "2.5"]
    assert column(datetime.date(2020, 1, 2), "?").tolist() == ["2020-01-02", "?"]


def test_na_is_missing_among_numbers_and_text_among_text() -> None:
    assert column(1, "NA", " ").isna().tolist() == [False, True, True]
    assert column("NA", "ZA").tolist() == ["NA", "ZA"]


def test_errors_in_cells_are_missing() -> None:
    assert column(1, "=1/0").tolist()[0] == 1


def test_the_first_sheet_with_contents_is_read_unless_another_is_named() -> None:
    content = make(empty=[], first=[["x"], [1]], second=[["y"], [2]])
    table = read(content)
    assert table.schema.names == ("x",)
    assert table.origin.options["sheet"] == "first"
    assert table.origin.options["sheets"] == ["empty", "first", "second"]
    assert read(content, sheet="second").schema.names == ("y",)
    with pytest.raises(InputError, match=r"no sheet called 'third'.*'empty', 'first'"):
        read(content, sheet="third")
    with pytest.raises(InputError, match="is empty"):
        read(content, sheet="empty")


def test_the_sheet_goes_back_under_its_name() -> None:
    table = read(make(people=[["x", "y"], [1, "a"]]))
    back = read(frame_to_bytes(table.frame, table.origin))
    assert back.origin.options["sheet"] == "people"
    assert back.fingerprint == table.fingerprint


def test_a_sheet_without_names_is_read_and_written_without() -> None:
    table = read(make(s=[[1.5, 2], [3.5, 4]]))
    assert table.origin.options["header"] is False
    assert table.schema.names == ("column 1", "column 2")
    assert (
        read(frame_to_bytes(table.frame, table.origin)).fingerprint == table.fingerprint
    )


def test_every_digit_of_a_number_is_written() -> None:
    values = [0.1 + 0.2, 1 / 3, 5e-324, 1.7976931348623157e308]
    frame = pd.DataFrame({"x": values})
    assert read(frame_to_bytes(frame, Origin("excel"))).frame["x"].tolist() == values


def test_integers_that_excel_would_round_are_written_as_text() -> None:
    frame = pd.DataFrame({"x": [2**53 + 1, 1]})
    back = read(frame_to_bytes(frame, Origin("excel"))).frame
    assert back["x"].tolist() == [2**53 + 1, 1]


def test_dates_that_excel_miscounts_are_written_as_text() -> None:
    frame = pd.DataFrame({"x": pd.to_datetime(["1850-05-06", "2020-01-02"])})
    back = read(frame_to_bytes(frame, Origin("excel")), header=True).frame
    assert back["x"].tolist() == frame["x"].tolist()


def test_formulas_in_text_are_not_run() -> None:
    frame = pd.DataFrame({"x": ["=1+1", "https://example.org"]})
    content = frame_to_bytes(frame, Origin("excel"))
    assert read(content).frame["x"].tolist() == frame["x"].tolist()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert b"<f>" not in archive.read("xl/worksheets/sheet1.xml")


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame({"x": [1.0, np.inf]}), "'x' holds infinite values"),
        (pd.DataFrame({"x": ["a" * 32_768]}), "'x' holds text of more than 32,767"),
        pytest.param(
            pd.DataFrame(np.zeros((1, 16_385))),
            "at most 1,048,576 rows",
            marks=pytest.mark.slow,
        ),
        (pd.DataFrame({"x": np.zeros(1_048_576)}), "at most 1,048,576 rows"),
    ],
    ids=["infinite", "long", "wide", "tall"],
)
def test_what_excel_cannot_hold_is_refused(frame: pd.DataFrame, message: str) -> None:
    with pytest.raises(InputError, match=message):
        frame_to_bytes(frame, Origin("excel"))


def test_duplicate_and_missing_names() -> None:
    with pytest.raises(InputError, match=r"'x' \(columns 1 and 3\)"):
        read(make(s=[["x", "y", "x"], [1, 2, 3]]))
    table = read(make(s=[["x", None, "y"], [1, 2, 3], [4, 5, 6]]))
    assert table.schema.names == ("x", "column 2", "y")
    assert table.origin.options["nameless"] == [2]


def test_broken_workbooks_are_refused() -> None:
    content = make(s=[["x", "y"], [1, 2]])
    for spoilt in (content[:500], content[:-30], b"x,y\n1,2\n", b"PK\x03\x04" * 9):
        with pytest.raises(InputError, match="not a whole Excel workbook"):
            read(spoilt)


def test_a_workbook_with_a_broken_part_is_read_or_refused() -> None:
    content = make(s=[["x", "y"], [1, 2], [3, 4]])
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    refused = set()
    for name, part in parts.items():
        for broken in (part[: len(part) // 2], part + b"<", b""):
            stream = io.BytesIO()
            with zipfile.ZipFile(stream, "w") as archive:
                for other, whole in parts.items():
                    archive.writestr(other, broken if other == name else whole)
            try:
                assert read(stream.getvalue()).n_records == 2
            except InputError:
                refused.add(name)
    assert {"_rels/.rels", "xl/workbook.xml", "xl/styles.xml"} <= refused


def test_archives_that_are_no_workbooks_are_refused() -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("letter.txt", "Dear reader")
    with pytest.raises(InputError, match="not a whole Excel workbook"):
        read(stream.getvalue())


def test_old_and_protected_workbooks_are_told_apart() -> None:
    old = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 2000
    with pytest.raises(InputError, match="before 2007"):
        read(old)
    with pytest.raises(InputError, match="protected by a password"):
        read(old + "EncryptedPackage".encode("utf-16-le"))


def inflate(content: bytes, size: int) -> bytes:
    """Put `size` blanks into the sheet."""
    stream = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as before,
        zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as after,
    ):
        for name in before.namelist():
            part = before.read(name)
            if name.endswith("sheet1.xml"):
                part = part.replace(b"<sheetData>", b"<sheetData>" + b" " * size)
            after.writestr(name, part)
    return stream.getvalue()


def test_a_zip_bomb_is_refused_before_it_is_unpacked() -> None:
    bomb = inflate(make(s=[["x", "y"], [1, 2]]), MAX_UNCHECKED_BYTES)
    assert len(bomb) < 1_000_000
    with pytest.raises(
        InputError, match=r"of 0\.1 MB would unfold to more than 105 MB"
    ):
        read(bomb)


def test_a_zip_bomb_that_lies_about_its_size_is_refused() -> None:
    name = b"xl/worksheets/sheet1.xml"
    bomb = bytearray(inflate(make(s=[["x", "y"], [1, 2]]), 10_000_000))
    for signature, at_name, at_size in ((b"PK\1\2", 46, 24), (b"PK\3\4", 30, 22)):
        at = bomb.find(signature)
        while at >= 0:
            if bomb[at + at_name :].startswith(name):
                bomb[at + at_size : at + at_size + 4] = struct.pack("<I", 1000)
            at = bomb.find(signature, at + 4)
    with pytest.raises(InputError, match="not a whole Excel workbook"):
        read(bytes(bomb))


@pytest.mark.slow
def test_a_stray_cell_in_the_far_corner_is_refused() -> None:
    stream = io.BytesIO()
    with xlsxwriter.Workbook(stream, {"in_memory": True}) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["x", "y"])
        sheet.write(1_048_575, 0, 1)
        sheet.write(0, 16_383, 1)
    with pytest.raises(InputError, match="row 1,048,576 and column 16,384"):
        read(stream.getvalue())


@pytest.mark.parametrize(
    "change",
    [
        lambda sheet: sheet.replace(b' r="', b' r = "'),
        lambda sheet: sheet.replace(b"<row ", b"<row " + b" " * 3000),
        lambda sheet: sheet.decode().encode("utf-16"),
    ],
    ids=["blanks", "far apart", "two bytes a sign"],
)
@pytest.mark.parametrize("place", ["xl/worksheets/sheet1.xml", "xl/elsewhere/s.bin"])
def test_a_sheet_without_an_end_is_refused_however_it_is_written(
    change: Callable[[bytes], bytes], place: str
) -> None:
    stream = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(make(s=[["x", "y"], [1, 2]]))) as before,
        zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as after,
    ):
        for name in before.namelist():
            part = before.read(name)
            if name.endswith("sheet1.xml"):
                part = part.replace(b'<row r="2"', b'<row r="1048576"')
                part = part.replace(b'r="A2"', b'r="XFD1048576"')
                name, part = place, change(part)
            elif place.endswith("bin"):
                part = part.replace(b"worksheets/sheet1.xml", b"elsewhere/s.bin")
            after.writestr(name, part)
    with pytest.raises(InputError, match=r"row 1,048,576|not a whole"):
        workbook.refuse_unsafe_workbook(InputBytes("t.xlsx", content=stream.getvalue()))


def test_other_parts_of_a_workbook_may_name_far_cells_and_have_wide_signs() -> None:
    stream = io.BytesIO(make(s=[["x", "y"], [1, 2]]))
    with zipfile.ZipFile(stream, "a") as archive:
        archive.writestr("customXml/item1.xml", "<a>note</a>".encode("utf-16"))
        far = b'<sheetData><row r="1048576"><cell r="XFD1048576"/></row></sheetData>'
        archive.writestr("xl/externalLinks/externalLink1.xml", far)
        archive.writestr("xl/calcChain.xml", b'<calcChain><c r="XFD1"/></calcChain>')
    assert read(stream.getvalue()).frame["y"].tolist() == [2]


def test_rows_below_the_table_that_hold_nothing_are_left_out() -> None:
    content = make(s=[["x", "y"], [1, "a"], [None, None], [2, "b"], [" ", ""]])
    assert read(content).frame["y"].isna().tolist() == [False, True, False]


def test_the_same_records_give_the_same_bytes_at_any_time() -> None:
    frame = pd.DataFrame({"a": [1, 2]})
    first = frame_to_bytes(frame, Origin("excel"))
    time.sleep(1.1)  # workbooks tell seconds
    assert frame_to_bytes(frame, Origin("excel")) == first


def shown(content: bytes) -> dict[str, tuple[Any, str]]:
    """Return the first record's values and number formats, read by openpyxl."""
    import openpyxl

    sheet = openpyxl.load_workbook(io.BytesIO(content)).active
    names, first = list(sheet.rows)[:2]
    return {
        str(name.value): (cell.value, cell.number_format)
        for name, cell in zip(names, first, strict=True)
    }


def test_protected_columns_keep_their_number_format() -> None:
    stream = io.BytesIO()
    forms = ["0.0%", "#,##0.00 [$€-1]", "dd.mm.yyyy", "General", '0 "kg"']
    days = [datetime.date(2020, 1, 1 + i) for i in range(6)]
    with xlsxwriter.Workbook(stream, {"in_memory": True}) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["share", "price", "day", "plain", "weight"])
        for j, form in enumerate(forms):
            cell_format = book.add_format({"num_format": form})
            for i, day in enumerate(days, 1):
                if j == 2:
                    sheet.write_datetime(i, j, day, cell_format)
                else:
                    sheet.write_number(i, j, i / 4, None if j == 3 else cell_format)
    table = read(stream.getvalue())
    assert table.origin.options["number_formats"] == {
        "share": "0.0%",
        "price": "#,##0.00 [$€-1]",
        "day": "dd.mm.yyyy",
        "weight": '0 "kg"',
    }
    changed = table.frame.assign(day=table.frame["day"] + pd.Timedelta(days=31))
    cells_by_column = shown(frame_to_bytes(changed, table.origin))
    assert [form for _, form in cells_by_column.values()] == forms
    assert cells_by_column["day"][0] == datetime.datetime(2020, 2, 1)
    with_hours = table.frame.assign(day=table.frame["day"] + pd.Timedelta(hours=5))
    assert "hh:mm" in shown(frame_to_bytes(with_hours, table.origin))["day"][1]


def test_numbers_among_words_with_a_decimal_comma_are_one_column() -> None:
    rows = [["kg", "note"], [75.5, 2.5], ["86,0", "a,1 b"], ["51,3", "c"], [60, "d"]]
    stream = io.BytesIO()
    with xlsxwriter.Workbook(stream) as book:
        sheet = book.add_worksheet()
        for row, cells in enumerate(rows):
            sheet.write_row(row, 0, cells)
    table = read_table(stream.getvalue(), name="a.xlsx")
    assert table.frame["kg"].tolist() == [75.5, 86.0, 51.3, 60.0]
    assert table.frame["note"].tolist() == ["2.5", "a,1 b", "c", "d"]
