"""Writing of worksheet cells by xlsxwriter: text, numbers, dates, and stored cells."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

import pandas as pd

from engine.files.workbooks.sheet_cells import StoredCell

DAY, MOMENT = "yyyy-mm-dd", "yyyy-mm-dd hh:mm:ss.000"
"""Number formats of dates whose column has none of its own."""


def iterate_cells_to_write(column: pd.Series) -> Iterator[Any]:
    """Yield a column's cells in the form of :func:`write_cell`, None for empty ones."""
    for cell, missing in zip(column.tolist(), column.isna(), strict=True):
        if missing:
            yield None
        elif isinstance(cell, pd.Timestamp):
            yield cell.to_pydatetime()
        else:
            yield cell


def number_formats_in(columns: Sequence[Sequence[Any]]) -> list[int | str]:
    """Return the distinct number formats of the stored cells in columns."""
    return list(
        {
            cell.form: None
            for column in columns
            for cell in column
            if isinstance(cell, StoredCell)
        }
    )


def write_cell(
    sheet: Any,
    row: int,
    column: int,
    cell: Any,
    formats_by_code: Mapping[int | str, Any],
    column_code: int | str = 0,
) -> None:
    """Write a value or stored cell to a sheet, with its own format or its column's.

    Numbers and dates have the format in which their column is shown, unless that has
    no place for a time of day.
    """
    if isinstance(cell, str):
        # The library takes text between <r> and </r> for markup.
        cell = StoredCell("s", sheet._escape_control_characters(cell))
    if isinstance(cell, StoredCell):
        sheet.write_number(row, column, _Repeated(cell), formats_by_code.get(cell.form))
    elif isinstance(cell, bool):
        sheet.write_boolean(row, column, cell)
    elif isinstance(cell, datetime.datetime):
        midnight = cell.time() == datetime.time()
        usual = DAY if midnight else MOMENT
        form = (
            column_code
            if column_code and (midnight or _has_hours(column_code))
            else usual
        )
        sheet.write_datetime(row, column, cell, formats_by_code[form])
    else:
        sheet.write_number(row, column, cell, formats_by_code.get(column_code))


def _has_hours(form: int | str) -> bool:
    """Return whether a format shows the time of day; 22 is Excel's own that does."""
    return form == 22 or (isinstance(form, str) and "h" in form.lower())


class _Repeated(float):
    """A cell in the guise of a number, which is what the library passes on."""

    def __new__(cls, cell: StoredCell) -> _Repeated:
        instance = super().__new__(cls, 0.0)
        instance.cell = cell
        return instance

    cell: StoredCell


def make_exact_worksheet_class() -> type:
    """Return an xlsxwriter worksheet class that writes all digits, and stored cells.

    The library writes 16 digits; a float64 needs up to 17.
    """
    from xlsxwriter.worksheet import Worksheet

    class ExactWorksheet(Worksheet):  # type: ignore[misc]
        """Worksheet that writes all digits of numbers, and carried cells unchanged.

        Whole numbers have no decimals, as in Excel's own files.
        """

        def _xml_number_element(
            self, number: float, attributes: Sequence[tuple[str, Any]] = ()
        ) -> None:
            written = "".join(f' {key}="{value}"' for key, value in attributes)
            if not isinstance(number, _Repeated):
                text = repr(number).removesuffix(".0")
                self.fh.write(f"<c{written}><v>{text}</v></c>")
                return
            kind, text = number.cell.kind, escape(number.cell.text, quote=False)
            if kind == "s":
                inner = f'<is><t xml:space="preserve">{text}</t></is>'
                kind = "inlineStr"
            else:
                inner = f"<v>{text}</v>"
            self.fh.write(f'<c{written} t="{kind}">{inner}</c>')

    return ExactWorksheet
