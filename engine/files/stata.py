"""Stata files: variable and value labels, extended missing values and formats stay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO

import numpy as np
import pandas as pd

from engine.core.message import Message
from engine.files.base import Format, FormatInfo, ReadOptions, Source, formats
from engine.files.held import Held, Unfit, is_text
from engine.files.statistical import (
    Kept,
    check_names,
    described,
    held,
    plain_columns,
    read_with,
    to_file_columns,
    told,
    written_by,
)

LARGEST = float.fromhex("0x1.fffffffffffffp+1022")
"""Greater numbers are Stata's missing values."""

SHORT_TEXT = 2_045
"""Bytes of text that are held in the record itself."""


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

    def carried(
        self, source: Source, options: Mapping[str, Any], names: Sequence[str]
    ) -> Mapping[str, pd.Series]:
        """Return numbers and text as in the file; see :meth:`Format.carried`."""
        import pyreadstat

        frame, _ = read_with(
            pyreadstat.read_dta,
            source,
            "Stata",
            dates=False,
            user_missing=True,
            encoding=options.get("encoding"),
        )
        return {name: frame[name] for name in names}

    def told(
        self, column: pd.Series, carried: pd.Series, options: Mapping[str, Any]
    ) -> Held:
        """Say what others do not keep; see :meth:`Format.told`."""
        return told(column, carried, options)

    def held(self, column: pd.Series) -> Held:
        """Return a column as Stata holds it, whose largest numbers mean missing."""
        found = held(column)
        if pd.api.types.is_float_dtype(found.column.dtype):
            numbers = found.column.to_numpy(dtype=np.float64, na_value=np.nan)
            if (np.abs(numbers) > LARGEST).any():
                raise Unfit(Message("numbers above 8.9e307"))
        elif (
            is_text(found.column)
            and found.column.isna().any()
            and any(len(cell.encode()) > SHORT_TEXT for cell in found.column.dropna())
        ):
            # pyreadstat loses the references of the cells that have none.
            raise Unfit(
                Message(
                    "text of more than {most:,} bytes and missing values",
                    most=SHORT_TEXT,
                )
            )
        return found

    def check_names(self, names: Sequence[str]) -> None:
        """Ask for the names that Stata takes; see :meth:`Format.check_names`."""
        import pyreadstat

        check_names(pyreadstat.write_dta, names, ".dta", "Stata")

    def write(
        self, frame: pd.DataFrame, stream: BinaryIO, options: Mapping[str, Any]
    ) -> None:
        """Write a Stata file; see :meth:`Format.write`."""
        import pyreadstat

        kept = Kept(frame, options)
        written_by(
            pyreadstat.write_dta,
            to_file_columns(frame, options),
            stream,
            ".dta",
            "Stata",
            missing_user_values=kept("letters") or None,
            **kept.writing(),
        )
