"""Workbooks of Excel 97 to 2003: read only, by calamine."""

from __future__ import annotations

from engine.files.base import FormatInfo, formats
from engine.files.workbooks.ods import OpenDocumentFormat
from engine.files.workbooks.sheet import SHEET_OPTIONS


@formats.register(
    FormatInfo(
        id="xls",
        title="Excel 97",
        suffixes=(".xls",),
        options=SHEET_OPTIONS,
        writable=False,
        media_type="application/vnd.ms-excel",
    )
)
class OldExcelFormat(OpenDocumentFormat):
    """File format of Excel before 2007 (.xls), read only; one sheet is one table."""

    title = "Excel"
