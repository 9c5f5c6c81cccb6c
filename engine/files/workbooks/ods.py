"""OpenDocument spreadsheets: read only, by calamine, with each cell's type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from engine.files.base import FormatInfo, formats
from engine.files.input.options import ReadOptions
from engine.files.input.reading import to_stored_text
from engine.files.input.source import InputBytes
from engine.files.read_only import ReadOnlyFormat
from engine.files.workbooks.sheet import (
    SHEET_OPTIONS,
    cell_to_text,
    locate_sheet_table,
    pop_sheet_columns_and_converter,
)


@formats.register(
    FormatInfo(
        id="ods",
        title="OpenDocument",
        suffixes=(".ods",),
        options=SHEET_OPTIONS,
        writable=False,
        media_type="application/vnd.oasis.opendocument.spreadsheet",
    )
)
class OpenDocumentFormat(ReadOnlyFormat):
    """Reader of OpenDocument spreadsheets (.ods); one sheet is read as the table."""

    title, instead = "LibreOffice", ".csv or .xlsx"

    def read(
        self, source: InputBytes, options: ReadOptions
    ) -> tuple[pd.DataFrame, dict[str, Any]]:
        """Read one sheet: the named one, or the one most like a table."""
        sheet_table = locate_sheet_table(source, options)
        series, reading = pop_sheet_columns_and_converter(sheet_table, options)
        used = sheet_table.used_options(list(series), options, reading)
        return pd.DataFrame(series, copy=False), used

    def carried(
        self, source: InputBytes, options: Mapping[str, Any], names: Sequence[str]
    ) -> Mapping[str, pd.Series]:
        """Return cells as text without loss; see :meth:`Format.carried`."""
        how = ReadOptions.from_used_options(options)
        columns = locate_sheet_table(source, how).columns
        return {
            name: pd.Series([cell_to_text(cell) for cell in columns[name]], dtype="str")
            for name in names
        }

    adapt_carried = staticmethod(to_stored_text)
