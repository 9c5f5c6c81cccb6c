"""SAS files: read only; SAS alone writes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO

import pandas as pd

from engine.core.errors import InputError
from engine.files.base import FormatInfo, ReadOptions, Source, formats
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
class Sas(StatisticalFormat):
    """SAS tables and transport files; special missing values are missing values."""

    title = "SAS"

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

    def carried(
        self, source: Source, options: Mapping[str, Any], names: Sequence[str]
    ) -> Mapping[str, pd.Series]:
        """Return columns as they are read: nothing writes others."""
        frame, _ = self.read(source, ReadOptions.of(options))
        return {name: frame[name] for name in names}

    def write(
        self, frame: pd.DataFrame, stream: BinaryIO, options: Mapping[str, Any]
    ) -> None:
        """Refuse; see :meth:`Format.write`."""
        raise InputError(
            "SAS files can be read but not written: write another format, such as "
            ".csv, .sav or .dta, all of which SAS reads."
        )
