"""Locate the table in a worksheet, and read its columns."""

from __future__ import annotations

import datetime
import io
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from engine.core.errors import InputError
from engine.files.base import refuse_empty_table
from engine.files.cells.locale import DecimalAndDateOrder
from engine.files.cells.missing_words import MISSING_WORDS
from engine.files.input.names import (
    fill_in_and_list_blank_names,
    label_options,
    make_column_names_unique,
    map_changed_names,
)
from engine.files.input.options import ReadOptions
from engine.files.input.reading import TextColumnConverter
from engine.files.input.source import InputBytes
from engine.files.layout import FOOT_ROWS, Layout, table_likeness
from engine.files.layout.header import label_cells
from engine.files.stored_columns import MAX_EXACT_INT
from engine.files.text.record_range import names_from_header_rows, resolve_layout
from engine.files.workbooks import workbook

SHEET_OPTIONS = (
    "header",
    "sheet",
    "header_row",
    "first_row",
    "footer_rows",
    "forms",
    "number_names",
)
"""Fields of :class:`ReadOptions` that mean something for a sheet."""

HEAD_ROWS = 500
"""Rows from the top that are looked at."""


@dataclass(frozen=True)
class SheetCells:
    """Cells of a worksheet by row, its layout and name, and all worksheets' names.

    Its corner is row and column, from 0, of the first cell.
    """

    rows: list[list[Any]]
    layout: Layout
    name: str
    all: list[str]
    corner: tuple[int, int]


@dataclass(frozen=True)
class SheetTable:
    """The table in a sheet: cells by column name, and where names and records stand.

    Attributes
    ----------
    sheet : SheetCells
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
    labels : dict
        As of :func:`engine.files.input.names.label_options`.
    """

    sheet: SheetCells
    header: bool
    nameless: list[int]
    there: list[Any]
    columns: dict[str, tuple[Any, ...]]
    empty: list[int]
    places: list[int]
    labels: dict[str, dict[str, str]]

    def columns_at(
        self, names: Sequence[str], wanted_names: Collection[str]
    ) -> dict[int, str]:
        """Return the names of wanted columns by their positions in the sheet, from 0.

        Parameters
        ----------
        names : sequence of str
            Names of all columns.
        wanted_names : collection of str
            Names of the columns that are wanted.
        """
        _, left_column = self.sheet.corner
        stays = [j for j in range(len(self.sheet.rows[0])) if j not in self.empty]
        return {
            left_column + place: name
            for place, name in zip(stays, names, strict=True)
            if name in wanted_names
        }

    def used_options(
        self,
        names: Sequence[str],
        options: ReadOptions,
        reading: TextColumnConverter,
        **of_format: Any,
    ) -> dict[str, Any]:
        """Return how the table was read, with what the file format adds.

        Parameters
        ----------
        names : sequence of str
            Names of all columns.
        options : ReadOptions
        reading : TextColumnConverter
            Converter that read the columns.
        """
        return {
            "header": self.header,
            "number_names": options.number_names,
            "sheet": self.sheet.name,
            "sheets": self.sheet.all,
            "nameless": self.nameless,
            "names": map_changed_names(names, self.there),
            "empty": self.empty,
            **of_format,
            "inexact": reading.inexact,
            "decimals": reading.decimals,
            "whole_decimals": reading.whole_decimals,
            **self.labels,
            **self.sheet.layout.to_options(),
            **reading.effective_options(),
        }


def locate_sheet_table(source: InputBytes, options: ReadOptions) -> SheetTable:
    """Return the table in the named worksheet, or in the one most like a table.

    Raises
    ------
    InputError
    """
    name = source.name
    sheet = _choose_sheet(source, options)
    rows, layout = sheet.rows, sheet.layout
    head = [rows[i - 1] for i in layout.header]
    first = names_from_header_rows(
        [[cell_to_text(cell) for cell in row] for row in head]
    )
    places = list(range(layout.first - 1, len(rows) - layout.foot))
    below = [*map(_row_of_text, rows[: layout.first - 1])]
    if first is not None:
        header_cells: list[Any] = list(first)
        if len(head) == 1:
            header_cells = [header_cell_to_text_or_number(cell) for cell in head[0]]
        if options.number_names:
            numbered = make_column_names_unique(first)
            pairs = zip(header_cells, first, numbered, strict=True)
            header_cells = [
                header_cell if a.strip() == b else b for header_cell, a, b in pairs
            ]
            first = numbered
        names, nameless = fill_in_and_list_blank_names(first)
        header_row = head[-1]
        places = [
            i for i in places if rows[i][0] != header_row[0] or rows[i] != header_row
        ]
        refuse_empty_table(len(places), name)
    else:
        names = header_cells = [f"column {j}" for j in range(1, len(rows[0]) + 1)]
        nameless = []
    cells = list(zip(*(rows[i] for i in places), strict=True))
    empty = [j - 1 for j in nameless if not any(map(_is_filled, cells[j - 1]))]
    stays = [j for j in range(len(names)) if j not in empty]
    return SheetTable(
        sheet,
        first is not None,
        [j for j in nameless if j - 1 not in empty],
        [header_cells[j] for j in stays],
        {names[j]: cells[j] for j in stays},
        empty,
        places,
        label_options(names, label_cells(below, layout.left_out)),
    )


def _choose_sheet(source: InputBytes, options: ReadOptions) -> SheetCells:
    """Return the sheet that is named, else the one that is most like a table."""
    import python_calamine as calamine

    workbook.refuse_unsafe_workbook(source)
    sheet_name, name = options.sheet, source.name
    try:
        book = calamine.load_workbook(io.BytesIO(source.read_bytes()))
        sheets = [
            sheet.name
            for sheet in book.sheets_metadata
            if sheet.typ == calamine.SheetTypeEnum.WorkSheet
        ]
        if sheet_name is not None and sheet_name not in sheets:
            raise InputError(
                "File {file!r} has no sheet called {sheet!r}: choose one of {known!r}.",
                file=name,
                sheet=sheet_name,
                known=sheets,
            )
        best, best_likeness = None, -1.0
        for sheet in [sheet_name] if sheet_name is not None else sheets:
            worksheet = book.get_sheet_by_name(sheet)
            rows, corner = worksheet.to_python(), worksheet.start or (0, 0)
            while rows and not any(map(_is_filled, rows[-1])):
                rows.pop()
            if not rows:
                continue
            texts = [*map(_row_of_text, rows[:HEAD_ROWS])]
            tail = (
                texts
                if len(rows) <= HEAD_ROWS
                else [*map(_row_of_text, rows[-FOOT_ROWS:])]
            )
            layout = resolve_layout(texts, tail, len(rows), options)
            likeness = table_likeness(texts, len(rows), layout)
            if likeness > best_likeness:
                best, best_likeness = (
                    SheetCells(rows, layout, sheet, sheets, corner),
                    likeness,
                )
        if best is not None:
            return best
    except InputError:
        raise
    except (calamine.CalamineError, ValueError, OverflowError):
        raise workbook.damaged_workbook_error(name) from None
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # of no class that can be named
            raise
        raise workbook.damaged_workbook_error(name) from None
    if sheet_name is None:
        raise InputError(
            "File {file!r} is empty (every sheet): choose a file or sheet with data.",
            file=name,
        )
    raise InputError(
        "File {file!r} is empty (sheet {sheet!r}): choose a file or sheet with data.",
        file=name,
        sheet=sheet_name,
    )


def sheet_head_layout_and_names(
    source: InputBytes, options: ReadOptions
) -> tuple[list[list[str]], Layout, list[str]]:
    """Return a worksheet's first rows as text, its layout, and all worksheets' names.

    Raises
    ------
    InputError
        If the bytes are no workbook, or there is no such sheet or no filled cell.
    """
    sheet = _choose_sheet(source, options)
    rows = [list(_row_of_text(row)) for row in sheet.rows[:HEAD_ROWS]]
    return rows, replace(sheet.layout, sheet=sheet.name), sheet.all


def pop_sheet_columns_and_converter(
    table: SheetTable, options: ReadOptions
) -> tuple[dict[str, pd.Series], TextColumnConverter]:
    """Return columns as series, removed from the table, and the converter of its text.

    Parameters
    ----------
    table : SheetTable
        Its columns are taken out of it.
    options : ReadOptions
    """
    names = list(table.columns)
    series: dict[str, pd.Series] = {}
    reading = TextColumnConverter(names, replace(options, missing=None))
    for name in names:
        cells = table.columns.pop(name)
        words = _missing_words_in(cells)
        if words:
            reading.record_missing_words(name, words)
        series[name] = cells_to_series(cells, words)
        if isinstance(series[name].dtype, pd.StringDtype):
            text = _with_their_sign(series[name], cells)
            converted_column = _column_from_text(text, name, reading, options)
            if not isinstance(converted_column.dtype, pd.StringDtype):
                series[name] = converted_column
    return series, reading


def _row_of_text(row: Sequence[Any]) -> Sequence[str]:
    """Return a row's cells as text; nothing of a blank row."""
    return [cell_to_text(cell) for cell in row] if any(map(_is_filled, row)) else ()


def _is_filled(cell: Any) -> bool:
    return not (isinstance(cell, str) and not cell.strip())


_DECIMAL_COMMA, _DECIMAL_POINT = (re.compile(rf"\d{sign}\d+\D*") for sign in ",.")


def _with_their_sign(column: pd.Series, cells: Sequence[Any]) -> pd.Series:
    """Return a column as text whose numbers have the decimal sign of its words.

    Who types ``69,8`` where a point is expected gets a word among numbers.
    """
    words = [cell for cell in cells if type(cell) is str]
    if not any(map(_DECIMAL_COMMA.search, words)):
        return column
    if any(_DECIMAL_POINT.search(word) and "," not in word for word in words):
        return column
    numbers = pd.Series([type(cell) is float for cell in cells])
    return column.where(~numbers, column.str.replace(".", ",", regex=False))


def _column_from_text(
    column: pd.Series, name: str, reading: TextColumnConverter, options: ReadOptions
) -> pd.Series:
    """Return numbers and dates that were typed as text, and other text as it is."""
    import pyarrow as pa

    codes = (options.missing or {}).get(name, ())
    column = column.mask(column.str.strip().isin(codes))
    text = pa.chunked_array([pa.array(column, pa.string(), from_pandas=True)])
    converted_column = reading.read_column(
        name, text, DecimalAndDateOrder(options.decimal or ".")
    )
    if (
        isinstance(converted_column.dtype, pd.StringDtype)
        or converted_column.isna().all()
    ):
        return column
    return converted_column


def _missing_words_in(cells: Sequence[Any]) -> Mapping[str, int]:
    """Return the words that are missing values among numbers, and how often."""
    kinds = set(map(type, cells))
    if not (str in kinds and kinds <= {str, float, int} and len(kinds) > 1):
        return {}
    words = Counter(cell.strip() for cell in cells if type(cell) is str)
    del words[""]
    return words if words.keys() <= {*MISSING_WORDS} else {}


def cells_to_series(
    cells: Sequence[Any], missing_words: Collection[str] = ()
) -> pd.Series:
    """Return a column of cells as a series typed by its cells.

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
        numbers = values.dropna()
        if (numbers == np.floor(numbers)).all() and (
            numbers.abs() <= MAX_EXACT_INT
        ).all():
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
        [None if cell is None else cell_to_text(cell) for cell in cells], dtype="str"
    )


def cell_to_text(cell: Any) -> str:
    """Return a cell as text: whole numbers without decimals, dates in ISO 8601."""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) <= MAX_EXACT_INT:
        return str(int(cell))
    if isinstance(cell, datetime.date | datetime.time):
        return cell.isoformat()
    return str(cell)


def header_cell_to_text_or_number(cell: Any) -> Any:
    """Return a cell as a column name that can be written back: text or a number."""
    if isinstance(cell, float):
        return int(cell) if cell.is_integer() and abs(cell) <= MAX_EXACT_INT else cell
    return cell_to_text(cell)
