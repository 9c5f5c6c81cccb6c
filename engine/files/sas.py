"""SAS files: read only; SAS alone writes them."""

from __future__ import annotations

from typing import Any

import pandas as pd

from engine.files.base import FormatInfo, formats
from engine.files.options import ReadOptions
from engine.files.read_only import ReadOnly
from engine.files.source import Source
from engine.files.statistical import described, plain_columns
from engine.files.statistical_format import StatisticalFormat, read_with


@formats.register(
    FormatInfo(
        id="sas",
        title="SAS",
        suffixes=(".sas7bdat", ".xpt"),
        options=("encoding",),
        writable=False,
    )
)
class Sas(ReadOnly, StatisticalFormat):
    """SAS tables and transport files; special missing values are missing values."""

    title, instead = "SAS", ".csv, .sav or .dta"

    def read(
        self, source: Source, options: ReadOptions
    ) -> tuple[pd.DataFrame, dict[str, Any]]:
        """Read a SAS file; see :meth:`Format.read`."""
        import pyreadstat

        transport = source.suffix == ".xpt"
        reader = pyreadstat.read_xport if transport else pyreadstat.read_sas7bdat
        frame, meta = read_with(reader, source, self.title, encoding=options.encoding)
        frame, _ = plain_columns(frame, {})
        return frame, {**described(frame, meta), "encoding": options.encoding}
