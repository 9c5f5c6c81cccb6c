"""SAS tables and transport files, read only."""

from __future__ import annotations

from typing import Any

import pandas as pd

from engine.files.base import FormatInfo, formats
from engine.files.input.options import ReadOptions
from engine.files.input.source import InputBytes
from engine.files.read_only import ReadOnlyFormat
from engine.files.stat_packages.statistical import (
    column_metadata,
    typed_frame_and_restore_info,
)
from engine.files.stat_packages.statistical_format import (
    StatisticalFormat,
    read_by_pyreadstat,
)


@formats.register(
    FormatInfo(
        id="sas",
        title="SAS",
        suffixes=(".sas7bdat", ".xpt"),
        options=("encoding",),
        writable=False,
    )
)
class SasFormat(ReadOnlyFormat, StatisticalFormat):
    """SAS tables and transport files; special missing values are read as missing."""

    title, instead = "SAS", ".csv, .sav or .dta"

    def read(
        self, source: InputBytes, options: ReadOptions
    ) -> tuple[pd.DataFrame, dict[str, Any]]:
        """Read a SAS file; see :meth:`Format.read`."""
        import pyreadstat

        transport = source.suffix == ".xpt"
        reader = pyreadstat.read_xport if transport else pyreadstat.read_sas7bdat
        frame, meta = read_by_pyreadstat(
            reader, source, self.title, encoding=options.encoding
        )
        frame, _ = typed_frame_and_restore_info(frame, {})
        return frame, {**column_metadata(frame, meta), "encoding": options.encoding}
