"""Files as others write and read them, with no help of the engine."""

import csv
import datetime
import io
import math
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import xlsxwriter

from tests.engine.files.workbooks import test_ods as ods
from tests.fuzz.files.cases import Case, Columns, Dialect

WIDTH = 40
"""Letters of a column of fixed width."""


def store(case: Case) -> bytes:
    """Return the file that comes in."""
    stream = io.BytesIO()
    if case.suffix == ".csv":
        return _text(case).encode(case.dialect.encoding)
    if case.suffix == ".fwf":
        lines = ["".join(c.ljust(WIDTH) for c in row) for row in _text_rows(case)]
        return "\n".join([*lines, ""]).encode()
    if case.suffix == ".ods":
        return _document(case.columns)
    if case.suffix == ".parquet":
        arrays = {name: pa.array(cells) for name, cells in case.columns.items()}
        pq.write_table(pa.table(arrays), stream)
        return stream.getvalue()
    if case.suffix == ".xlsx":
        _store_book(case.columns, stream)
        return stream.getvalue()
    writers = {".sav": pyreadstat.write_sav, ".dta": pyreadstat.write_dta}
    frame = pd.DataFrame({name: _series(c) for name, c in case.columns.items()})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"a{case.suffix}"
        writers[case.suffix](frame, path)
        return path.read_bytes()


def _text(case: Case) -> str:
    dialect, stream = case.dialect, io.StringIO()
    writer = csv.writer(
        stream,
        delimiter=dialect.delimiter,
        lineterminator=dialect.newline,
        quoting=csv.QUOTE_ALL if dialect.quoted else csv.QUOTE_MINIMAL,
    )
    writer.writerow(case.columns)
    writer.writerows(_text_rows(case))
    return stream.getvalue()


def _text_rows(case: Case) -> list[list[str]]:
    """Return the records as a text file writes them."""
    dialect = case.dialect

    def said(name: str, cell: Any) -> str:
        if cell is None:
            return ""
        if name in case.texts:
            return case.texts[name](cell)
        if isinstance(cell, float):
            return str(cell).replace(".", dialect.decimal)
        return str(cell)

    rows = range(len(case.columns["row"]))
    return [[said(name, c[i]) for name, c in case.columns.items()] for i in rows]


def layout_of(case: Case) -> str | None:
    """Return the places of columns of fixed width, None of other files."""
    if case.suffix != ".fwf":
        return None
    places = [f"{WIDTH * j + 1}-{WIDTH * (j + 1)}" for j in range(len(case.columns))]
    return ", ".join(map(" ".join, zip(case.columns, places, strict=True)))


def _document(columns: Columns) -> bytes:
    """Return an OpenDocument spreadsheet of one sheet."""
    names, rows = [*map(_cell, columns)], zip(*columns.values(), strict=True)
    return ods.document(
        sheet=[ods.row(names), *[ods.row([*map(_cell, each)]) for each in rows]]
    )


def _cell(value: Any) -> str:
    """Return a cell of an OpenDocument spreadsheet."""
    if not isinstance(value, datetime.date):
        return ods.cell(value)
    date_text = value.isoformat()
    return (
        f'<table:table-cell office:value-type="date" office:date-value="{date_text}">'
        f"<text:p>{date_text}</text:p></table:table-cell>"
    )


def _store_book(columns: Columns, stream: io.BytesIO) -> None:
    book = xlsxwriter.Workbook(stream)
    sheet = book.add_worksheet()
    form = book.add_format({"num_format": "0.00"})
    dated = book.add_format({"num_format": "dd/mm/yyyy hh:mm"})
    for j, (name, cells) in enumerate(columns.items()):
        sheet.write_string(0, j, name)
        for i, cell in enumerate(cells, start=1):
            if isinstance(cell, str):
                sheet.write_string(i, j, cell)
            elif isinstance(cell, bool):
                sheet.write_boolean(i, j, cell)
            elif isinstance(cell, datetime.date):
                sheet.write_datetime(i, j, cell, dated)
            elif cell is not None:
                sheet.write_number(i, j, cell, form if i % 2 else None)
    book.close()


def _series(cells: list[Any]) -> pd.Series:
    if any(isinstance(c, str) for c in cells):
        return pd.Series(cells, dtype=object)
    if any(isinstance(c, datetime.date) for c in cells):
        # Of seconds pyreadstat makes 1970.
        return pd.to_datetime(pd.Series(cells)).astype("datetime64[us]")
    return pd.Series([math.nan if c is None else float(c) for c in cells])


def load(content: bytes, suffix: str, dialect: Dialect) -> Columns:
    """Read a file as others do: cells that tell every difference."""
    if suffix == ".csv":
        text = io.StringIO(content.decode(dialect.encoding), newline="")
        names, *rows = csv.reader(text, delimiter=dialect.delimiter)
        return {name: [row[j] for row in rows] for j, name in enumerate(names)}
    if suffix == ".parquet":
        table = pq.read_table(io.BytesIO(content))
        return {name: table[name].to_pylist() for name in table.column_names}
    if suffix == ".xlsx":
        sheet = openpyxl.load_workbook(io.BytesIO(content)).active
        head, *body = sheet.iter_rows()
        return {
            str(name.value): [(row[j].value, row[j].number_format) for row in body]
            for j, name in enumerate(head)
        }
    readers: dict[str, Callable[..., Any]] = {
        ".sav": pyreadstat.read_sav,
        ".dta": pyreadstat.read_dta,
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"a{suffix}"
        path.write_bytes(content)
        frame, _ = readers[suffix](path)
    # Of dates that are all missing pandas makes no dates.
    return {name: [None if pd.isna(x) else x for x in frame[name]] for name in frame}


def plain(cell: Any) -> Any:
    """Return the value of a cell, without its number format."""
    return cell[0] if isinstance(cell, tuple) else cell
