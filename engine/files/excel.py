"""Excel workbooks: read by calamine with each cell's type, written by xlsxwriter."""

from __future__ import annotations

import datetime
import io
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pandas as pd

from engine.core.errors import InputError
from engine.core.message import Message
from engine.core.temporary import no_room, temporary_folder
from engine.files import workbook
from engine.files.base import (
    Format,
    FormatInfo,
    ReadOptions,
    Source,
    column_names,
    formats,
    names_read_back,
    names_to_write,
    other_names,
    refuse_no_records,
)
from engine.files.cut import layout_of, names_of
from engine.files.held import (
    AS_TEXT,
    EXACT,
    KEEPS_DIGITS,
    Held,
    Unfit,
    as_text,
    exceeds,
    finer_than,
    is_date,
    is_duration,
    is_text,
    plain,
    without_blank,
)
from engine.files.layout import FOOT, Layout, table_likeness
from engine.files.locale import Locale
from engine.files.missing_words import MISSING_WORDS
from engine.files.reading import Reading, told_of_text
from engine.files.sheet_cells import Cell, cells_of, counts_from_1904
from engine.files.sheet_write import (
    DAY,
    MOMENT,
    cells_to_write,
    exact_worksheet,
    forms_in,
    write_cell,
)

MOST_ROWS, MOST_COLUMNS = 1_048_576, 16_384
LONGEST_TEXT = 32_767
_HEAD = 500
_SHOWN = 100
"""Records whose number formats tell that of their column."""

_FIRST_DATE = pd.Timestamp(1900, 3, 1)


@formats.register(
    FormatInfo(
        id="excel",
        title="Excel",
        suffixes=(".xlsx",),
        options=("header", "sheet", "header_row", "first_row", "footer_rows", "forms"),
        media_type="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    )
)
class Excel(Format):
    """Workbooks of Excel 2007 and later; one sheet is one table."""

    def read(
        self, source: Source, options: ReadOptions
    ) -> tuple[pd.DataFrame, dict[str, Any]]:
        """Read one sheet, the one most like a table unless named."""
        content = source.read()
        found = _body(content, options, source.name)
        names = list(found.columns)
        series: dict[str, pd.Series] = {}
        reading = Reading(names, replace(options, missing=None))
        for name in names:
            cells = found.columns.pop(name)
            words = _missing_words(cells)
            if words:
                reading.lacking(name, words)
            series[name] = _to_series(cells, words)
            if isinstance(series[name].dtype, pd.StringDtype):
                series[name] = _of_text(series[name], name, reading, options)
        effective = {
            "header": found.header,
            "sheet": found.sheet.name,
            "sheets": found.sheet.all,
            "nameless": found.nameless,
            "names": other_names(names, found.there),
            "empty": found.empty,
            "date_1904": counts_from_1904(content),
            "number_formats": _number_formats(content, found, series, source.name),
            "inexact": reading.inexact,
            **found.sheet.layout.options(),
            **reading.effective(),
        }
        return pd.DataFrame(series, copy=False), effective

    def carried(
        self, source: Source, options: Mapping[str, Any], names: Sequence[str]
    ) -> Mapping[str, pd.Series]:
        """Return cells with type and number format; see :meth:`Format.carried`."""
        content = source.read()
        body = _body(content, ReadOptions.of(options), source.name)
        columns = body.among(list(body.columns), names)
        top, _ = body.sheet.corner
        records = {top + row: number for number, row in enumerate(body.places)}
        found: dict[str, list[Cell | None]] = {
            name: [None] * len(records) for name in names
        }
        for i, j, cell in cells_of(content, body.sheet.name, columns, source.name):
            if i in records:
                found[columns[j]][records[i]] = cell
        return {name: pd.Series(cells, dtype=object) for name, cells in found.items()}

    def told(
        self, column: pd.Series, carried: pd.Series, options: Mapping[str, Any]
    ) -> Held:
        """Return numbers and dates whose cells are all text as that text.

        See :meth:`Format.told`.
        """
        texts = carried.map(_said, "ignore").astype("str")
        if not is_text(column) and all(cell.kind == "s" for cell in carried.dropna()):
            return Held(texts, KEEPS_DIGITS)
        return told_of_text(column, texts, options)

    def read_back(
        self, source: Source, options: Mapping[str, Any], written: pd.DataFrame
    ) -> tuple[pd.DataFrame, dict[str, Any]]:
        """Read the sheet as it was written; see :meth:`Format.read_back`."""
        import python_calamine as calamine

        content = source.read()
        workbook.refuse_unsafe(content, source.name)
        try:
            book = calamine.load_workbook(io.BytesIO(content))
            sheet = book.get_sheet_by_name(options.get("sheet") or book.sheet_names[0])
            rows = sheet.to_python(skip_empty_area=False)
        except (calamine.CalamineError, ValueError, OverflowError):
            raise workbook.broken(source.name) from None
        width = len(rows[0]) if rows else 0
        names = [*map(str, written.columns)]
        if options.get("header", True):
            names = names_read_back(
                [_as_name(cell) for cell in rows.pop(0)] if rows else [],
                written,
                options,
            )
        # Neither blank rows at the end nor blank columns are in a workbook.
        rows += [[""] * width] * (len(written) - len(rows))
        lacking = written.shape[1] - width
        if lacking > 0 and written.iloc[:, width:].isna().all(axis=None):
            rows = [[*row, *[""] * lacking] for row in rows]
            names = [*names[:width], *map(str, written.columns[width:])]
        cells = dict(zip(names, zip(*rows, strict=True), strict=False))
        return pd.DataFrame({n: _to_series(each) for n, each in cells.items()}), {}

    def held(self, column: pd.Series) -> Held:
        """Return a column as cells hold it; see the base class.

        Numbers that Excel would round, dates before March 1900, which it counts
        wrongly, and finer ones than it reads are text.
        """
        column = plain(column)
        if pd.api.types.is_float_dtype(column.dtype):
            numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
            if np.isinf(numbers).any():
                raise Unfit(Message("infinite values"))
        elif exceeds(column, EXACT) or is_duration(column):
            return Held(as_text(column), AS_TEXT)
        elif is_date(column):
            if (
                column.dt.tz is not None
                or (column < _FIRST_DATE).any()
                or finer_than(column, "ms")
            ):
                return Held(as_text(column), AS_TEXT)
        elif is_text(column):
            if (column.str.len() > LONGEST_TEXT).any():
                raise Unfit(
                    Message("text of more than {most:,} letters", most=LONGEST_TEXT)
                )
            return without_blank(column, column.str.strip() == "")
        return Held(column)

    def check_names(self, names: Sequence[str]) -> None:
        """Refuse names that no cell holds; see :meth:`Format.check_names`."""
        super().check_names(names)
        for name in names:
            if len(name) > LONGEST_TEXT:
                raise InputError(
                    "The name of column {column!r} has more than {most:,} letters, "
                    "which Excel files cannot keep: rename the column.",
                    column=f"{name[:20]}...",
                    most=LONGEST_TEXT,
                )

    def write(
        self, frame: pd.DataFrame, stream: BinaryIO, options: Mapping[str, Any]
    ) -> None:
        """Write one sheet; see :meth:`Format.write`."""
        import xlsxwriter

        header = options.get("header", True)
        if len(frame) + header > MOST_ROWS or frame.shape[1] > MOST_COLUMNS:
            raise InputError(
                "An Excel sheet holds at most {most_rows:,} rows and "
                "{most_columns:,} columns: write CSV or Parquet.",
                most_rows=MOST_ROWS,
                most_columns=MOST_COLUMNS,
            )
        try:
            with temporary_folder() as folder:
                _write_sheet(frame, stream, options, folder)
        except xlsxwriter.exceptions.FileCreateError as error:
            raise no_room(getattr(error.args[0], "strerror", str(error))) from None


def _write_sheet(
    frame: pd.DataFrame, stream: BinaryIO, options: Mapping[str, Any], folder: Path
) -> None:
    """Write a workbook of one sheet, whose rows wait in a folder."""
    import xlsxwriter

    columns = [list(cells_to_write(frame.iloc[:, j])) for j in range(frame.shape[1])]
    how = {
        "constant_memory": True,
        "tmpdir": str(folder),
        "date_1904": bool(options.get("date_1904")),
    }
    book = xlsxwriter.Workbook(stream, how)
    # The same records give the same bytes, whenever they are written.
    book.set_properties({"created": datetime.datetime(2000, 1, 1)})
    sheet = book.add_worksheet(options.get("sheet"), exact_worksheet())
    own = options.get("number_formats", {})
    shown = [own.get(str(name), 0) for name in frame]
    forms = {
        form: book.add_format({"num_format": form})
        for form in dict.fromkeys([DAY, MOMENT, *shown, *forms_in(columns)])
        if form != 0
    }
    first = 0
    if options.get("header", True):
        first = 1
        for j, name in enumerate(names_to_write(frame, options)):
            if name != "":
                write_cell(sheet, 0, j, name, forms)
    for i, record in enumerate(zip(*columns, strict=True), start=first):
        for j, cell in enumerate(record):
            if cell is not None:
                write_cell(sheet, i, j, cell, forms, shown[j])
    book.close()


@dataclass(frozen=True)
class _Sheet:
    """A sheet's cells by row, what they are, its name and those of all sheets.

    Its corner is row and column, from 0, of the first cell.
    """

    rows: list[list[Any]]
    layout: Layout
    name: str
    all: list[str]
    corner: tuple[int, int]


@dataclass(frozen=True)
class _Body:
    """The table in a sheet.

    Attributes
    ----------
    sheet : _Sheet
    header : bool
    nameless : list of int
        Places among the sheet's columns, from 1.
    there : list
        What columns are called in the sheet.
    columns : dict of str to tuple
        Cells by name.
    empty : list of int
        Places, from 0, of columns that have neither name nor value.
    places : list of int
        Rows of the records among those of the sheet, from 0.
    """

    sheet: _Sheet
    header: bool
    nameless: list[int]
    there: list[Any]
    columns: dict[str, tuple[Any, ...]]
    empty: list[int]
    places: list[int]

    def among(self, there: Sequence[str], names: Collection[str]) -> dict[int, str]:
        """Return some columns by their places in the sheet, from 0.

        Parameters
        ----------
        there : sequence of str
            Names of all columns.
        names : collection of str
            Of those that are wanted.
        """
        _, left = self.sheet.corner
        stays = [j for j in range(len(self.sheet.rows[0])) if j not in self.empty]
        return {
            left + place: name
            for place, name in zip(stays, there, strict=True)
            if name in names
        }


def _number_formats(
    content: bytes, body: _Body, series: Mapping[str, pd.Series], name: str
) -> dict[str, int | str]:
    """Return how columns of numbers and dates are shown: as most first records are.

    Columns in the format that cells have anyway are left out.
    """
    wanted = {
        one
        for one, column in series.items()
        if is_date(column) or pd.api.types.is_numeric_dtype(column.dtype)
    }
    columns = body.among(list(series), wanted)
    top, _ = body.sheet.corner
    places = {top + row for row in body.places[:_SHOWN]}
    forms: dict[str, Counter[int | str]] = {one: Counter() for one in wanted}
    last = max(places, default=-1)
    for i, j, cell in cells_of(content, body.sheet.name, columns, name):
        if i > last:
            break
        if i in places and cell.kind in "nd":
            forms[columns[j]][cell.form] += 1
    usual = {one: form.most_common(1)[0][0] for one, form in forms.items() if form}
    return {one: usual[one] for one in series if usual.get(one)}


def _body(content: bytes, options: ReadOptions, name: str) -> _Body:
    """Return the table in a workbook.

    Raises
    ------
    InputError
    """
    workbook.refuse_unsafe(content, name)
    found = _sheet(content, options, name)
    rows, layout = found.rows, found.layout
    head = [rows[i - 1] for i in layout.header]
    first = names_of([[_as_text(cell) for cell in row] for row in head])
    places = list(range(layout.first - 1, len(rows) - layout.foot))
    if first is not None:
        names, nameless = column_names(first)
        there: list[Any] = list(first)
        if len(head) == 1:
            there = [_as_name(cell) for cell in head[0]]
        again = head[-1]
        places = [i for i in places if rows[i][0] != again[0] or rows[i] != again]
        refuse_no_records(len(places), name)
    else:
        names = there = [f"column {j}" for j in range(1, len(rows[0]) + 1)]
        nameless = []
    cells = list(zip(*(rows[i] for i in places), strict=True))
    empty = [j - 1 for j in nameless if not any(map(_filled, cells[j - 1]))]
    stays = [j for j in range(len(names)) if j not in empty]
    return _Body(
        found,
        first is not None,
        [j for j in nameless if j - 1 not in empty],
        [there[j] for j in stays],
        {names[j]: cells[j] for j in stays},
        empty,
        places,
    )


def _sheet(content: bytes, options: ReadOptions, name: str) -> _Sheet:
    """Return the sheet that is named, else the one that is most like a table."""
    import python_calamine as calamine

    wanted = options.sheet
    try:
        book = calamine.load_workbook(io.BytesIO(content))
        sheets = [
            sheet.name
            for sheet in book.sheets_metadata
            if sheet.typ == calamine.SheetTypeEnum.WorkSheet
        ]
        if wanted is not None and wanted not in sheets:
            raise InputError(
                "File {file!r} has no sheet called {sheet!r}: choose one of {known!r}.",
                file=name,
                sheet=wanted,
                known=sheets,
            )
        best, most = None, -1.0
        for sheet in [wanted] if wanted is not None else sheets:
            one = book.get_sheet_by_name(sheet)
            rows, corner = one.to_python(), one.start or (0, 0)
            while rows and not any(map(_filled, rows[-1])):
                rows.pop()
            if not rows:
                continue
            texts = [*map(_row_of_text, rows[:_HEAD])]
            tail = texts if len(rows) <= _HEAD else [*map(_row_of_text, rows[-FOOT:])]
            layout = layout_of(texts, tail, len(rows), options)
            likeness = table_likeness(texts, len(rows), layout)
            if likeness > most:
                best, most = _Sheet(rows, layout, sheet, sheets, corner), likeness
        if best is not None:
            return best
    except InputError:
        raise
    except (calamine.CalamineError, ValueError, OverflowError):
        raise workbook.broken(name) from None
    if wanted is None:
        raise InputError(
            "File {file!r} is empty (every sheet): choose a file or sheet with data.",
            file=name,
        )
    raise InputError(
        "File {file!r} is empty (sheet {sheet!r}): choose a file or sheet with data.",
        file=name,
        sheet=wanted,
    )


def head_rows(
    content: bytes, options: ReadOptions, name: str
) -> tuple[list[list[str]], Layout, list[str]]:
    """Return a sheet's first rows as text, where the table is, and all sheets.

    Raises
    ------
    InputError
        If the bytes are no workbook.
    """
    workbook.refuse_unsafe(content, name)
    found = _sheet(content, options, name)
    rows = [list(_row_of_text(row)) for row in found.rows[:_HEAD]]
    return rows, replace(found.layout, sheet=found.name), found.all


def _row_of_text(row: Sequence[Any]) -> Sequence[str]:
    """Return a row's cells as text; nothing of a blank row."""
    return [_as_text(cell) for cell in row] if any(map(_filled, row)) else ()


def _filled(cell: Any) -> bool:
    return not (isinstance(cell, str) and not cell.strip())


def _of_text(
    column: pd.Series, name: str, reading: Reading, options: ReadOptions
) -> pd.Series:
    """Return numbers and dates that were typed as text, and other text as it is."""
    import pyarrow as pa

    codes = (options.missing or {}).get(name, ())
    column = column.mask(column.str.strip().isin(codes))
    text = pa.chunked_array([pa.array(column, pa.string(), from_pandas=True)])
    found = reading.column(name, text, Locale(options.decimal or "."))
    if isinstance(found.dtype, pd.StringDtype) or found.isna().all():
        return column
    return found


def _missing_words(cells: Sequence[Any]) -> Mapping[str, int]:
    """Return the words that are missing values among numbers, and how often."""
    kinds = set(map(type, cells))
    if not (str in kinds and kinds <= {str, float, int} and len(kinds) > 1):
        return {}
    words = Counter(cell.strip() for cell in cells if type(cell) is str)
    del words[""]
    return words if words.keys() <= {*MISSING_WORDS} else {}


def _to_series(cells: Sequence[Any], missing_words: Collection[str] = ()) -> pd.Series:
    """Convert one column by the types of its cells, losing nothing.

    Parameters
    ----------
    cells : sequence
    missing_words : collection of str
        Of cells that say no more than empty ones.
    """
    kinds = set(map(type, cells))
    if str in kinds:
        words = {cell for cell in cells if type(cell) is str}
        blank = {word for word in words if word.strip() in ("", *missing_words)}
        if words == blank:
            kinds.discard(str)
        cells = [None if type(c) is str and c in blank else c for c in cells]
    missing = None in cells
    if not kinds:
        return pd.Series(np.full(len(cells), np.nan))
    if kinds <= {float, int}:
        values = pd.Series(np.array(cells, dtype=np.float64))
        known = values.dropna()
        if (known == np.floor(known)).all() and (known.abs() <= EXACT).all():
            return values.astype("Int64" if missing else "int64")
        return values
    if kinds == {bool}:
        return pd.Series(cells, dtype="boolean" if missing else "bool")
    if kinds <= {datetime.date, datetime.datetime}:
        return pd.Series(
            [None if cell is None else pd.Timestamp(cell) for cell in cells],
            dtype="datetime64[us]",
        )
    return pd.Series(
        [None if cell is None else _as_text(cell) for cell in cells], dtype="str"
    )


def _as_text(cell: Any) -> str:
    if isinstance(cell, float) and cell.is_integer() and abs(cell) <= EXACT:
        return str(int(cell))
    if isinstance(cell, datetime.date | datetime.time):
        return cell.isoformat()
    return str(cell)


def _said(cell: Cell) -> str:
    """Return a carried cell as text that says as much as its column's."""
    return _as_text(float(cell.text)) if cell.kind == "n" else cell.text


def _as_name(cell: Any) -> Any:
    """Return a cell as the name of a column can be repeated: text or a number."""
    if isinstance(cell, float):
        return int(cell) if cell.is_integer() and abs(cell) <= EXACT else cell
    return _as_text(cell)
