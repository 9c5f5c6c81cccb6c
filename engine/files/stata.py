"""Stata files: variable and value labels, extended missing values and formats stay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, BinaryIO

import pandas as pd

from engine.files.base import Format, FormatInfo, ReadOptions, Source, formats
from engine.files.statistical import (
    Kept,
    described,
    plain_columns,
    read_with,
    to_file_columns,
    written_by,
)


@formats.register(
    FormatInfo(id="stata", title="Stata", suffixes=(".dta",), options=("encoding",))
)
class Stata(Format):
    """Stata's .dta; the extended missing values .a to .z are missing values here."""

    def read(
        self, source: Source, options: ReadOptions
    ) -> tuple[pd.DataFrame, dict[str, Any]]:
        """Read a Stata file; see :meth:`Format.read`."""
        import pyreadstat

        frame, meta = read_with(
            pyreadstat.read_dta,
            source,
            "Stata",
            user_missing=True,
            encoding=options.encoding,
        )
        letters = {name: set(known) for name, known in meta.missing_user_values.items()}
        frame, memory = plain_columns(
            frame, {name: known.__contains__ for name, known in letters.items()}
        )
        return frame, {
            **described(frame, meta),
            "encoding": options.encoding,
            "letters": {name: sorted(known) for name, known in letters.items()},
            **memory,
        }

    def write(
        self, frame: pd.DataFrame, stream: BinaryIO, options: Mapping[str, Any]
    ) -> None:
        """Write a Stata file; see :meth:`Format.write`."""
        import pyreadstat

        kept = Kept(frame, options)
        written_by(
            pyreadstat.write_dta,
            to_file_columns(frame, options, "Stata"),
            stream,
            ".dta",
            "Stata",
            missing_user_values=kept("letters") or None,
            **kept.writing(),
        )
