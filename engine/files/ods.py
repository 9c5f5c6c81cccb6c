"""OpenDocument spreadsheets: read by calamine with each cell's type, not written."""

from __future__ import annotations

from typing import Any

import pandas as pd

from engine.files.base import FormatInfo, formats
from engine.files.names import other_names
from engine.files.options import ReadOptions
from engine.files.read_only import ReadOnly
from engine.files.sheet import body_of, columns_of
from engine.files.source import Source

OPTIONS = (
    "header",
    "sheet",
    "header_row",
    "first_row",
    "footer_rows",
    "forms",
    "number_names",
)
"""How a sheet may be read, as far as somebody says."""


@formats.register(
    FormatInfo(
        id="ods",
        title="OpenDocument",
        suffixes=(".ods",),
        options=OPTIONS,
        writable=False,
        media_type="application/vnd.oasis.opendocument.spreadsheet",
    )
)
class OpenDocument(ReadOnly):
    """Spreadsheets of LibreOffice; one sheet is one table."""

    title, instead = "LibreOffice", ".csv or .xlsx"

    def read(
        self, source: Source, options: ReadOptions
    ) -> tuple[pd.DataFrame, dict[str, Any]]:
        """Read one sheet, the one most like a table unless named."""
        found = body_of(source.read(), options, source.name)
        series, reading = columns_of(found, options)
        return pd.DataFrame(series, copy=False), {
            "header": found.header,
            "number_names": options.number_names,
            "sheet": found.sheet.name,
            "sheets": found.sheet.all,
            "nameless": found.nameless,
            "names": other_names(list(series), found.there),
            "empty": found.empty,
            "inexact": reading.inexact,
            **found.sheet.layout.options(),
            **reading.effective(),
        }
