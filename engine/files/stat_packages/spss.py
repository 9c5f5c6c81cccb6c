"""SPSS files, with variable and value labels, missing values and formats."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, BinaryIO

import numpy as np
import pandas as pd

from engine.core.errors import InputError
from engine.core.message import NO_MESSAGE, Message, join_with_and
from engine.files.base import FormatInfo, formats
from engine.files.input.options import ReadOptions
from engine.files.input.source import InputBytes
from engine.files.stat_packages.statistical import (
    ApplicableMetadata,
    column_metadata,
    convert_for_spss_and_stata,
    restore_for_pyreadstat,
    typed_frame_and_restore_info,
)
from engine.files.stat_packages.statistical_format import WritableStatisticalFormat
from engine.files.stored_columns import (
    EMPTY_IS_MISSING_MESSAGE,
    StoredColumn,
    UnstorableError,
    is_text_column,
    to_stored_with_blanks_missing,
)

SYSTEM_MISSING = -np.finfo(np.float64).max
"""The number that stands for a missing value in files for SPSS."""


@formats.register(
    FormatInfo(
        id="spss", title="SPSS", suffixes=(".sav", ".zsav"), options=("encoding",)
    )
)
class SpssFormat(WritableStatisticalFormat):
    """SPSS .sav and .zsav files; values declared as missing are read as missing."""

    title, kind = "SPSS", "sav"

    def read(
        self, source: InputBytes, options: ReadOptions
    ) -> tuple[pd.DataFrame, dict[str, Any]]:
        """Read an SPSS file; see :meth:`Format.read`."""
        frame, meta = self.records(source, options.encoding)
        ranges = dict(meta.missing_ranges)
        frame, memory = typed_frame_and_restore_info(
            frame, {name: _is_within(limits) for name, limits in ranges.items()}
        )
        return frame, {
            **column_metadata(frame, meta),
            "encoding": options.encoding,
            "compressed": source.suffix == ".zsav",
            "notes": list(meta.notes),
            "missing_ranges": ranges,
            "measures": dict(meta.variable_measure),
            "widths": dict(meta.variable_display_width),
            **memory,
        }

    def held(self, column: pd.Series) -> StoredColumn:
        """Return a column as SPSS stores it; see the base class."""
        stored_column = convert_for_spss_and_stata(column)
        if _has_system_missing(stored_column.column):
            raise UnstorableError(Message("the number that stands for a missing value"))
        if not is_text_column(stored_column.column):
            return stored_column
        text = stored_column.column.str.rstrip(" ")
        if (text == stored_column.column)[text.notna()].all() and (text != "").all():
            return stored_column
        is_said = stored_column.how == EMPTY_IS_MISSING_MESSAGE and (text == "").any()
        hows = [stored_column.how] if stored_column.how and not is_said else []
        if (text != stored_column.column)[text.notna() & (text != "")].any():
            hows.append(Message("without blanks at the end of text"))
        how = join_with_and(hows) if hows else NO_MESSAGE
        return to_stored_with_blanks_missing(text, text == "", how)

    def check_names(self, names: Sequence[str]) -> None:
        """Raise for names that are the same in SPSS; see :meth:`Format.check_names`."""
        super().check_names(names)
        name_by_casefold: dict[str, str] = {}
        for name in names:
            other = name_by_casefold.setdefault(name.casefold(), name)
            if other != name:
                raise InputError(
                    "Columns {column!r} and {other!r} have one name for {format}, "
                    "which does not tell capital letters from small ones: rename one "
                    "of them, or write CSV, Excel or Parquet.",
                    column=other,
                    other=name,
                    format=self.title,
                )

    @staticmethod
    def fixed_time_stamp(content: bytearray) -> tuple[int, bytes]:
        """Return position and bytes of a fixed time stamp for the header."""
        return 92, b"01 Jan 7000:00:00"

    def write(
        self, frame: pd.DataFrame, stream: BinaryIO, options: Mapping[str, Any]
    ) -> None:
        """Write an SPSS file; see :meth:`Format.write`."""
        metadata = ApplicableMetadata(frame, options)
        compressed = bool(options.get("compressed"))
        self.write_by_pyreadstat(
            restore_for_pyreadstat(frame, options),
            stream,
            ".zsav" if compressed else ".sav",
            note=options.get("notes") or None,
            compress=compressed,
            missing_ranges=metadata("missing_ranges"),
            variable_display_width=metadata("widths"),
            variable_measure=metadata("measures"),
            **metadata.writer_arguments(),
        )


def _has_system_missing(column: pd.Series) -> bool:
    """Return whether a number would be read as no value; its negative is, too."""
    if not pd.api.types.is_float_dtype(column.dtype):
        return False
    numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return bool((np.abs(numbers) == -SYSTEM_MISSING).any())


def _is_within(limits: list[dict[str, Any]]) -> Callable[[Any], bool]:
    return lambda cell: any(each["lo"] <= cell <= each["hi"] for each in limits)
