"""OpenDocument spreadsheets: cells come as they are, and bombs are refused."""

import contextlib
import io
import zipfile
from collections.abc import Sequence
from xml.sax.saxutils import escape

import numpy as np
import pandas as pd
import pytest

from engine.core.errors import InputError
from engine.files import ReadOptions, preview_file, read_table

SPACES = {
    "office": "urn:oasis:names:tc:opendocument:xmlns:office:1.0",
    "table": "urn:oasis:names:tc:opendocument:xmlns:table:1.0",
    "text": "urn:oasis:names:tc:opendocument:xmlns:text:1.0",
}
KIND = "application/vnd.oasis.opendocument.spreadsheet"


def cell(value: object, times: int = 1) -> str:
    repetition = f' table:number-columns-repeated="{times}"' if times > 1 else ""
    if pd.isna(value):
        return f"<table:table-cell{repetition}/>"
    attributes, words = 'office:value-type="string"', str(value)
    if isinstance(value, bool):
        words = words.lower()
        attributes = f'office:value-type="boolean" office:boolean-value="{words}"'
    elif isinstance(value, int | float):
        attributes = f'office:value-type="float" office:value="{value}"'
    elif isinstance(value, pd.Timestamp):
        attributes = f'office:value-type="date" office:date-value="{value:%Y-%m-%d}"'
    inner = f"<text:p>{escape(words)}</text:p>"
    return f"<table:table-cell {attributes}{repetition}>{inner}</table:table-cell>"


def row(cells: Sequence[str], times: int = 1) -> str:
    repetition = f' table:number-rows-repeated="{times}"' if times > 1 else ""
    return f"<table:table-row{repetition}>{''.join(cells)}</table:table-row>"


def document(**sheets: Sequence[str]) -> bytes:
    spaces = " ".join(f'xmlns:{short}="{long}"' for short, long in SPACES.items())
    tables = "".join(
        f'<table:table table:name="{name}">{"".join(rows)}</table:table>'
        for name, rows in sheets.items()
    )
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content {spaces}>'
        f"<office:body><office:spreadsheet>{tables}</office:spreadsheet>"
        "</office:body></office:document-content>"
    )
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", KIND)
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
        archive.writestr("content.xml", content)
    return stream.getvalue()


def people() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, 30),
            "income": rng.lognormal(8, 1, 30).round(2),
            "region": rng.choice(["n & s", "<w>"], 30),
            "day": pd.to_datetime("2024-01-01") + pd.to_timedelta(range(30), "D"),
            "member": rng.random(30) < 0.5,
            "code": [None if i == 3 else f"0{i}" for i in range(30)],
        }
    )


def of(frame: pd.DataFrame) -> list[str]:
    rows = [row([cell(name) for name in frame])]
    for record in frame.astype(object).itertuples(index=False, name=None):
        rows.append(row([cell(value) for value in record]))
    return [*rows, row([cell(None, 1000)], 1_040_000)]


def test_cells_come_as_they_are() -> None:
    table = read_table(document(people=of(people())), name="a.ods")
    frame, expected = table.frame, people()
    for name in ("age", "income", "region", "day", "member"):
        assert frame[name].tolist() == expected[name].tolist(), name
    assert frame["code"].isna().tolist() == expected["code"].isna().tolist()
    assert frame["code"].dropna().tolist() == expected["code"].dropna().tolist()
    assert table.origin.format == "ods"


def test_a_sheet_is_named_or_the_one_that_is_a_table() -> None:
    notes = [row([cell("Notes on the survey")])]
    content = document(notes=notes, people=of(people()))
    assert read_table(content, name="a.ods").n_records == 30
    preview = preview_file(content, "a.ods")
    assert preview is not None
    assert (preview.sheets, preview.layout.sheet) == (["notes", "people"], "people")
    with pytest.raises(InputError, match="no sheet called 'firms'"):
        read_table(content, name="a.ods", options=ReadOptions(sheet="firms"))


@pytest.mark.parametrize(
    "rows",
    [
        [row([cell(1, 16_000)], 16_000)],
        [row([cell(1)]), row([cell(None)], 100_000_000), row([cell(1)])],
        [row([cell(1)], 3_000_000_000)],
        [row([cell(1), cell(None, 60_000_000), cell(1)])],
        [row([cell(1)], 10_000), row([cell(None, 9_999), cell("x")])],
    ],
)
def test_repetitions_without_an_end_are_refused(rows: list[str]) -> None:
    with pytest.raises(InputError, match="too far to be read"):
        read_table(document(a=rows), name="a.ods")


def test_what_is_broken_or_locked_is_one_sentence() -> None:
    whole = document(a=of(people()))
    for content in (whole[:200], whole[: len(whole) // 2], b"PK\x03\x04", b"a,b\n1,2"):
        with pytest.raises(InputError, match=r"not a whole OpenDocument spreadsheet"):
            read_table(content, name="a.ods")
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("META-INF/manifest.xml", "<manifest:encryption-data/>")
        archive.writestr("content.xml", "\0garbage")
    with pytest.raises(InputError, match="protected by a password"):
        read_table(stream.getvalue(), name="a.ods")
    rng = np.random.default_rng(1)
    for _ in range(60):
        bytes_ = bytearray(whole)
        for place in rng.integers(0, len(whole), 4):
            bytes_[place] = rng.integers(0, 256)
        with contextlib.suppress(InputError):  # a changed digit is a digit
            read_table(bytes(bytes_), name="a.ods")
