"""Compare unprotected columns of input file and released file, cell by cell.

Columns that nobody protects are compared from file to file. What the rest of the engine
made of either is not asked: a value that it lost in reading would not be missed.
"""

from __future__ import annotations

import io
import itertools
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from engine.core.platform.temporary import open_temporary_folder
from engine.core.text.csv_rows import iterate_csv_rows
from engine.data.table import Origin, Table
from engine.files.columnar import sql
from engine.files.input.source import InputBytes
from engine.files.text.fixed_width_layout import parse_fixed_width_layout
from engine.release.meaning import InputCellFormat, have_same_meaning

_AT_ONCE = 65_536

_SEPARATOR_LINE = re.compile(r"\ufeff?sep=[\t;|,](\r\n|\r|\n)")
"""A first line by which spreadsheets say what parts fields."""

Columns = Mapping[int, Any]
"""Cells of columns by their place in the file: pyarrow.ChunkedArray or list."""


def find_differing_columns(
    input_file: tuple[bytes, Origin],
    released_file: tuple[bytes, Origin],
    positions: Mapping[str, tuple[int, int]],
    rows: NDArray[np.int64],
) -> list[str]:
    """Return unprotected columns with cells that differ between input and release.

    Cells of files of one format have to be equal in every letter and bit; those of
    different formats have to say the same number, date or text.

    Parameters
    ----------
    input_file, released_file : tuple of bytes and Origin
    positions : mapping of str to tuple of int
        Places, from 0, of a column in the file that came and in the one that leaves,
        by what it is called in the table.
    rows : ndarray of int64, shape (n_records,)
        Which record of the file that came each of the other's is.
    """
    if not positions:
        return []
    alike = input_file[1].format == released_file[1].format
    files = [
        _File(content, origin.options, alike, written)
        for (content, origin), written in ((input_file, False), (released_file, True))
    ]
    side_places = [list(side) for side in zip(*positions.values(), strict=True)]
    if alike and input_file[1].format == "csv":
        hashes = [
            _record_hashes(_read_delimited(file), side)
            for file, side in zip(files, side_places, strict=True)
        ]
        if hashes[1].size == rows.size and (hashes[0][rows] == hashes[1]).all():
            return []
    before, after = (
        _CELL_READERS[origin.format](file, sorted(set(side)))
        for (_, origin), file, side in zip(
            (input_file, released_file), files, side_places, strict=True
        )
    )
    differing_columns = []
    for name, (input_place, other) in positions.items():
        a, b = before[input_place], after[other]
        if released_file[1].format == "excel":
            b += [""] * (len(rows) - len(b))  # no blank rows are at a sheet's end
        if len(b) != len(rows) or (rows.size and rows.max() >= len(a)):
            differing_columns.append(name)
            continue
        a = [a[row] for row in rows] if isinstance(a, list) else a.take(pa.array(rows))
        same = (
            _is_identical(a, b) if alike else _is_equivalent(a, b, input_file[1], name)
        )
        if not same:
            differing_columns.append(name)
    return differing_columns


def column_positions(table: Table) -> Mapping[str, int]:
    """Return the position of each column in the input file, from 0."""
    empty = set(table.origin.options.get("empty", ()))
    places = (j for j in itertools.count() if j not in empty)
    return dict(zip(table.schema.names, places, strict=False))


@dataclass(frozen=True)
class _File:
    """One of two files whose columns are compared.

    Attributes
    ----------
    content : bytes
    options : mapping
        How it was read, or written.
    alike : bool
        Whether the other one has the same format.
    written : bool
        Whether we wrote it: then names and records are all that is there.
    """

    content: bytes
    options: Mapping[str, Any]
    alike: bool
    written: bool


def _read_delimited(file: _File) -> Iterator[list[str]]:
    """Read the records of delimited text with Python's csv module."""
    options = file.options
    text = io.TextIOWrapper(
        io.BytesIO(file.content), encoding=options.get("encoding", "utf-8"), newline=""
    )
    if file.written or not _SEPARATOR_LINE.fullmatch(text.readline()):
        text.seek(0)
    rows = iterate_csv_rows(text, options.get("delimiter", ","))
    if file.written:
        return itertools.islice(rows, int(options.get("header", True)), None)
    return _drop_blank_lines(_body_rows(rows, options))


def _body_rows(
    rows: Iterator[list[Any]], options: Mapping[str, Any]
) -> Iterator[list[Any]]:
    """Drop lines above and below the records, and repeated headers."""
    above = options.get("first_row", 2 if options.get("header", True) else 1) - 1
    head = list(itertools.islice(rows, above))
    foot = options.get("footer_rows", 0)
    if foot:
        some = list(rows)
        while some and not any(str(cell).strip() for cell in some[-1]):
            some.pop()
        rows = iter(some[:-foot])
    at = [int(row) for row in str(options.get("header_row", above)).split(",")]
    names = head[at[0] - 1] if len(at) == 1 and at[0] else []
    titles = {j: name for j, name in enumerate(names) if str(name).strip()}
    if len(titles) < 2:
        yield from rows
        return
    place, name = next(iter(titles.items()))
    for row in rows:
        if (
            row
            and row[place] == name
            and all(row[j] == title for j, title in titles.items())
        ):
            continue
        yield row


def _record_hashes(
    records: Iterator[list[str]], places: Sequence[int]
) -> NDArray[np.int64]:
    """Return hashes of delimited records over some columns.

    All that memory holds of a file is a number for each record.
    """
    cells = operator.itemgetter(*places)
    return np.fromiter((hash(cells(record)) for record in records), dtype=np.int64)


def _read_delimited_cells(file: _File, places: Sequence[int]) -> Columns:
    """Return the text of cells."""
    records = _read_delimited(file)
    chunks: dict[int, list[Any]] = {place: [] for place in places}
    while some := list(itertools.islice(records, _AT_ONCE)):
        for place in places:
            cells = [record[place] for record in some]
            chunks[place].append(pa.array(cells, pa.large_string()))
    kind = pa.large_string()
    return {place: pa.chunked_array(arrays, kind) for place, arrays in chunks.items()}


def _drop_blank_lines(records: Iterator[list[str]]) -> Iterator[list[str]]:
    """Drop blank lines; in a single-column file they are missing values."""
    width, waiting = 0, 0
    for record in records:
        if not record:
            waiting += width == 1
            continue
        width = width or len(record)
        for _ in range(waiting):
            yield [""]
        waiting = 0
        yield record


def _read_parquet_cells(file: _File, places: Sequence[int]) -> Columns:
    import pyarrow.parquet as pq

    table = pq.ParquetFile(pa.BufferReader(file.content)).read(use_threads=False)
    return {place: table.column(place) for place in places}


def _read_excel_cells(file: _File, places: Sequence[int]) -> Columns:
    import python_calamine as calamine

    book = calamine.load_workbook(io.BytesIO(file.content))
    name = file.options.get("sheet") or book.sheet_names[0]
    sheet = book.get_sheet_by_name(name)
    if file.written:
        rows = sheet.to_python(skip_empty_area=False)[
            file.options.get("header", True) :
        ]
    else:
        rows = sheet.to_python()
        while rows and all(isinstance(c, str) and not c.strip() for c in rows[-1]):
            rows.pop()
        rows = list(_body_rows(iter(rows), file.options))
    return {
        place: [row[place] if place < len(row) else "" for row in rows]
        for place in places
    }


def _read_statistical_cells(file: _File, places: Sequence[int]) -> Columns:
    import pyreadstat

    head = file.content[:80]
    suffix = ".sav"
    reader: Callable[..., Any] = pyreadstat.read_sav
    how = {"user_missing": file.alike}
    if (
        head.startswith(b"<stata_dta>")
        or head[:1] in b"\x66\x67\x68\x69\x6c\x71\x72\x73"
    ):
        suffix, reader = ".dta", pyreadstat.read_dta
    transport = head.startswith(b"HEADER RECORD")
    if transport or b"SAS" in head or head[:1] == b"\0":
        suffix = ".xpt" if transport else ".sas7bdat"
        reader = pyreadstat.read_xport if transport else pyreadstat.read_sas7bdat
        how = {}
    if file.content.startswith(b"$FL3"):
        suffix = ".zsav"
    with open_temporary_folder() as folder:
        path = folder / f"table{suffix}"
        path.write_bytes(file.content)
        frame, _ = reader(
            path,
            disable_datetime_conversion=file.alike,
            encoding=file.options.get("encoding"),
            **how,
        )
    return {place: frame.iloc[:, place].tolist() for place in places}


def _read_r_cells(file: _File, places: Sequence[int]) -> Columns:
    import pyreadr

    with open_temporary_folder() as folder:
        path = folder / "table.RData"
        path.write_bytes(file.content)
        frames = pyreadr.read_r(str(path), encoding=file.options.get("encoding"))
    frame = frames[None] if None in frames else frames[file.options["sheet"]]
    columns = [frame.iloc[:, place] for place in range(frame.shape[1])]
    if not frame.index.astype(str).str.fullmatch(r"\d+").all():
        columns.insert(0, frame.index.astype(str).to_series())
    return {place: columns[place].astype(object).tolist() for place in places}


def _read_database_cells(file: _File, places: Sequence[int]) -> Columns:
    table = sql.read_duckdb_source_as_arrow(
        InputBytes("table", content=file.content), file.options
    )
    return {place: table.column(place) for place in places}


def _read_fixed_width_cells(file: _File, places: Sequence[int]) -> Columns:
    """Return the text of cells, cut out of each line."""
    layout = parse_fixed_width_layout(file.options["layout"])
    lines = file.content.decode(file.options["encoding"]).rstrip().split("\n")
    spans = {
        place: slice(layout[place].start - 1, layout[place].end) for place in places
    }
    return {
        place: [line[span].strip() for line in lines] for place, span in spans.items()
    }


_CELL_READERS: Mapping[str, Callable[..., Columns]] = {
    "csv": _read_delimited_cells,
    "parquet": _read_parquet_cells,
    "excel": _read_excel_cells,
    "spss": _read_statistical_cells,
    "stata": _read_statistical_cells,
    "sas": _read_statistical_cells,
    "r": _read_r_cells,
    "ods": _read_excel_cells,
    "xls": _read_excel_cells,
    "fixed-width": _read_fixed_width_cells,
    "duckdb": _read_database_cells,
}


def _is_identical(a: Any, b: Any) -> bool:
    """Return whether columns of two files of one format hold the same bits."""
    if isinstance(a, list):
        return list(map(repr, a)) == list(map(repr, b))
    if a.type != b.type:
        return False
    if pa.types.is_dictionary(a.type):
        a, b = (each.cast(each.type.value_type) for each in (a, b))
    if pa.types.is_floating(a.type):
        if not pc.is_valid(a).equals(pc.is_valid(b)):
            return False
        bits = {16: pa.int16(), 32: pa.int32(), 64: pa.int64()}[a.type.bit_width]
        a, b = (each.drop_null().combine_chunks().view(bits) for each in (a, b))
    return bool(a.equals(b)) or _is_equal_by_repr(a, b)


def _is_equal_by_repr(a: Any, b: Any) -> bool:
    """Compare what Arrow cannot: numbers in lists that are none equal themselves."""
    if not pa.types.is_nested(a.type):
        return False
    return list(map(repr, a.to_pylist())) == list(map(repr, b.to_pylist()))


def _is_equivalent(a: Any, b: Any, came: Origin, name: str) -> bool:
    """Return whether columns of files of two formats have the same meaning."""
    single = not isinstance(a, list) and a.type == pa.float32()
    a, b = (each if isinstance(each, list) else _to_python(each) for each in (a, b))
    return have_same_meaning(a, b, InputCellFormat.from_origin(came, name, single))


def _to_python(column: Any) -> list[Any]:
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_timestamp(column.type) or pa.types.is_duration(column.type):
        return list(column.to_pandas())
    if pa.types.is_time(column.type) and column.type.unit == "ns":
        column = column.cast(pa.string())
    cells: list[Any] = column.to_pylist()
    return cells
