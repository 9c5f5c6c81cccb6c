"""Excel workbooks: read by calamine with each cell's type, written by xlsxwriter."""

from __future__ import annotations

import datetime
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pandas as pd

from engine.core.errors import InputError
from engine.core.message import NO_MESSAGE, Message
from engine.core.platform.temporary import disk_full_error, open_temporary_folder
from engine.files.base import Format, FormatInfo, formats
from engine.files.input.names import names_to_write, table_names_of_written_columns
from engine.files.input.options import ReadOptions
from engine.files.input.reading import to_stored_text
from engine.files.input.source import InputBytes
from engine.files.stored_columns import (
    AS_TEXT_MESSAGE,
    KEEPS_DIGITS_MESSAGE,
    MAX_EXACT_INT,
    StoredColumn,
    UnstorableError,
    has_integers_beyond,
    has_times_finer_than,
    is_date_column,
    is_duration_column,
    is_text_column,
    to_plain_column,
    to_stored_with_blanks_missing,
    to_text_column,
)
from engine.files.workbooks import workbook
from engine.files.workbooks.sheet import (
    SHEET_OPTIONS,
    SheetTable,
    cell_to_text,
    cells_to_series,
    header_cell_to_text_or_number,
    locate_sheet_table,
    pop_sheet_columns_and_converter,
)
from engine.files.workbooks.sheet_cells import (
    StoredCell,
    iterate_stored_cells,
    uses_1904_dates,
)
from engine.files.workbooks.sheet_write import (
    DAY,
    MOMENT,
    iterate_cells_to_write,
    make_exact_worksheet_class,
    number_formats_in,
    write_cell,
)

MAX_SHEET_ROWS, MAX_SHEET_COLUMNS = 1_048_576, 16_384
MAX_TEXT_CHARS = 32_767
_FORMAT_SAMPLE_RECORDS = 100
"""Records whose number formats tell that of their column."""

_FIRST_DATE = pd.Timestamp(1900, 3, 1)
_CONTROL = r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]"
_ESCAPE = r"_x[0-9A-Fa-f]{4}_"
"""What Excel reads as another character, and other readers as it stands."""


@formats.register(
    FormatInfo(
        id="excel",
        title="Excel",
        suffixes=(".xlsx",),
        options=SHEET_OPTIONS,
        media_type="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    )
)
class ExcelFormat(Format):
    """Reader and writer of .xlsx workbooks, of which one sheet is the table."""

    def read(
        self, source: InputBytes, options: ReadOptions
    ) -> tuple[pd.DataFrame, dict[str, Any]]:
        """Read one sheet: the named one, or the one most like a table."""
        content = source.read_bytes()
        sheet_table = locate_sheet_table(source, options)
        series, reading = pop_sheet_columns_and_converter(sheet_table, options)
        used = sheet_table.used_options(
            list(series),
            options,
            reading,
            date_1904=uses_1904_dates(content, source.name),
            number_formats=_number_formats(content, sheet_table, series, source.name),
        )
        return pd.DataFrame(series, copy=False), used

    def carried(
        self, source: InputBytes, options: Mapping[str, Any], names: Sequence[str]
    ) -> Mapping[str, pd.Series]:
        """Return cells with type and number format; see :meth:`Format.carried`."""
        content = source.read_bytes()
        body = locate_sheet_table(source, ReadOptions.from_used_options(options))
        columns = body.columns_at(list(body.columns), names)
        top, _ = body.sheet.corner
        records = {top + row: number for number, row in enumerate(body.places)}
        cells_by_name: dict[str, list[StoredCell | None]] = {
            name: [None] * len(records) for name in names
        }
        for i, j, cell in iterate_stored_cells(
            content, body.sheet.name, columns, source.name
        ):
            if i in records:
                cells_by_name[columns[j]][records[i]] = cell
        return {
            name: pd.Series(cells, dtype=object)
            for name, cells in cells_by_name.items()
        }

    def adapt_carried(
        self, column: pd.Series, carried: pd.Series, options: Mapping[str, Any]
    ) -> StoredColumn:
        """Return numbers and dates as text if all their cells are stored as text.

        See :meth:`Format.adapt_carried`.
        """
        texts = carried.map(_cell_text, "ignore").astype("str")
        if not is_text_column(column) and all(
            cell.kind in ("s", "e") for cell in carried.dropna()
        ):
            return StoredColumn(texts, KEEPS_DIGITS_MESSAGE)
        return to_stored_text(column, texts, options)

    def read_back(
        self, source: InputBytes, options: Mapping[str, Any], written: pd.DataFrame
    ) -> tuple[pd.DataFrame, dict[str, Any]]:
        """Read the sheet with the options it was written with."""
        import python_calamine as calamine

        workbook.refuse_unsafe_workbook(source)
        try:
            book = calamine.load_workbook(io.BytesIO(source.read_bytes()))
            sheet = book.get_sheet_by_name(options.get("sheet") or book.sheet_names[0])
            rows = sheet.to_python(skip_empty_area=False)
        except (calamine.CalamineError, ValueError, OverflowError):
            raise workbook.damaged_workbook_error(source.name) from None
        width = len(rows[0]) if rows else 0
        names = [*map(str, written.columns)]
        if options.get("header", True):
            names = table_names_of_written_columns(
                [header_cell_to_text_or_number(cell) for cell in rows.pop(0)]
                if rows
                else [],
                written,
                options,
            )
        # Blank columns at the right are not in a workbook.
        lacking = written.shape[1] - width
        if lacking > 0 and written.iloc[:, width:].isna().all(axis=None):
            rows = [[*row, *[""] * lacking] for row in rows]
            names = [*names[:width], *map(str, written.columns[width:])]
        cells = dict(zip(names, zip(*rows, strict=True), strict=False))
        return pd.DataFrame({n: cells_to_series(each) for n, each in cells.items()}), {}

    def held(self, column: pd.Series) -> StoredColumn:
        """Return a column as Excel cells store it; see the base class.

        Numbers that Excel would round, dates before March 1900, which it counts
        wrongly, and finer ones than it reads are text.
        """
        column = to_plain_column(column)
        if pd.api.types.is_float_dtype(column.dtype):
            numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
            if np.isinf(numbers).any():
                raise UnstorableError(Message("infinite values"))
        elif has_integers_beyond(column, MAX_EXACT_INT):
            return StoredColumn(to_text_column(column), KEEPS_DIGITS_MESSAGE)
        elif is_duration_column(column) or isinstance(column.dtype, pd.PeriodDtype):
            return StoredColumn(to_text_column(column), AS_TEXT_MESSAGE)
        elif is_date_column(column):
            if (
                column.dt.tz is not None
                or (column < _FIRST_DATE).any()
                or has_times_finer_than(column, "ms")
            ):
                return StoredColumn(to_text_column(column), AS_TEXT_MESSAGE)
        elif is_text_column(column):
            if (column.str.len() > MAX_TEXT_CHARS).any():
                raise UnstorableError(
                    Message("text of more than {most:,} letters", most=MAX_TEXT_CHARS)
                )
            if column.str.contains(_CONTROL, na=False).any():
                raise UnstorableError(Message("control characters"))
            if column.str.contains(_ESCAPE, na=False).any():
                raise UnstorableError(Message("text such as _x0041_"))
            lines = column.str.replace("\r\n?", "\n", regex=True)
            fed = Message("with every line end as a line feed")
            how = NO_MESSAGE if lines.equals(column) else fed
            return to_stored_with_blanks_missing(lines, lines.str.strip() == "", how)
        return StoredColumn(column)

    def check_records(self, frame: pd.DataFrame) -> None:
        """Raise for trailing blank records, which readers skip; see the base class."""
        last = max((_last_filled(column) for _, column in frame.items()), default=-1)
        n_blank = len(frame) - 1 - last
        if n_blank:
            raise InputError(
                "Records at the end ({n}) hold no value in any column that leaves, and "
                "readers of Excel files would not find them: write CSV or Parquet, or "
                "leave these records out.",
                n=n_blank,
            )

    def check_names(self, names: Sequence[str]) -> None:
        """Raise for names that no cell can store; see :meth:`Format.check_names`."""
        super().check_names(names)
        if self._keeps_text(names):
            return
        name = next(name for name in names if not self._keeps_text([name]))
        raise InputError(
            "Column {column!r} has a name that Excel files cannot keep: rename the "
            "column, or write CSV or Parquet.",
            column=name if len(name) <= 40 else f"{name[:20]}...",
        )

    def _keeps_text(self, texts: Sequence[str]) -> bool:
        """Return whether cells of text read back as they are."""
        try:
            column = pd.Series([*texts], dtype="str")
            return bool((self.held(column).column == column).all())
        except (UnstorableError, UnicodeEncodeError):
            return False

    def write(
        self, frame: pd.DataFrame, stream: BinaryIO, options: Mapping[str, Any]
    ) -> None:
        """Write one sheet; see :meth:`Format.write`."""
        import xlsxwriter

        self.check_records(frame)
        header = options.get("header", True)
        if len(frame) + header > MAX_SHEET_ROWS or frame.shape[1] > MAX_SHEET_COLUMNS:
            raise InputError(
                "An Excel sheet holds at most {most_rows:,} rows and "
                "{most_columns:,} columns: write CSV or Parquet.",
                most_rows=MAX_SHEET_ROWS,
                most_columns=MAX_SHEET_COLUMNS,
            )
        try:
            with open_temporary_folder() as folder:
                _write_sheet(frame, stream, options, folder)
        except xlsxwriter.exceptions.FileCreateError as error:
            raise disk_full_error(
                getattr(error.args[0], "strerror", str(error))
            ) from None


def _write_sheet(
    frame: pd.DataFrame, stream: BinaryIO, options: Mapping[str, Any], folder: Path
) -> None:
    """Write a workbook of one sheet, whose rows wait in a folder."""
    import xlsxwriter

    columns = [
        list(iterate_cells_to_write(frame.iloc[:, j])) for j in range(frame.shape[1])
    ]
    how = {
        "constant_memory": True,
        "tmpdir": str(folder),
        "date_1904": bool(options.get("date_1904")),
    }
    book = xlsxwriter.Workbook(stream, how)
    # The same records give the same bytes, whenever they are written.
    book.set_properties({"created": datetime.datetime(2000, 1, 1)})
    sheet = book.add_worksheet(options.get("sheet"), make_exact_worksheet_class())
    number_formats = options.get("number_formats", {})
    column_formats = [number_formats.get(str(name), 0) for name in frame]
    forms = {
        form: book.add_format({"num_format": form})
        for form in dict.fromkeys(
            [DAY, MOMENT, *column_formats, *number_formats_in(columns)]
        )
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
                write_cell(sheet, i, j, cell, forms, column_formats[j])
    book.close()


def _number_formats(
    content: bytes, body: SheetTable, series: Mapping[str, pd.Series], name: str
) -> dict[str, int | str]:
    """Return how columns of numbers and dates are shown: as most first records are.

    Columns in the format that cells have anyway are left out.
    """
    typed_names = {
        column_name
        for column_name, column in series.items()
        if is_date_column(column) or pd.api.types.is_numeric_dtype(column.dtype)
    }
    columns = body.columns_at(list(series), typed_names)
    top, _ = body.sheet.corner
    places = {top + row for row in body.places[:_FORMAT_SAMPLE_RECORDS]}
    forms: dict[str, Counter[int | str]] = {
        column_name: Counter() for column_name in typed_names
    }
    last = max(places, default=-1)
    for i, j, cell in iterate_stored_cells(content, body.sheet.name, columns, name):
        if i > last:
            break
        if i in places and cell.kind in "nd":
            forms[columns[j]][cell.form] += 1
    usual = {
        column_name: form.most_common(1)[0][0]
        for column_name, form in forms.items()
        if form
    }
    return {
        column_name: usual[column_name]
        for column_name in series
        if usual.get(column_name)
    }


def _is_filled(cell: object) -> bool:
    """Return whether a cell as it came says anything."""
    return (
        not isinstance(cell, StoredCell) or cell.kind != "s" or cell.text.strip() != ""
    )


def _last_filled(column: pd.Series) -> int:
    """Return the place of the last cell that readers find; -1 if there is none."""
    filled = column.notna()
    if pd.api.types.is_object_dtype(column.dtype):  # cells as they came
        filled &= column.map(_is_filled)
    places = np.flatnonzero(filled.to_numpy(dtype=bool))
    return int(places[-1]) if places.size else -1


def _cell_text(cell: StoredCell) -> str:
    """Return a carried cell as text that says as much as its column's."""
    return cell_to_text(float(cell.text)) if cell.kind == "n" else cell.text
