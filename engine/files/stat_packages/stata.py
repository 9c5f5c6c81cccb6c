"""Stata files, with variable and value labels, extended missing values and formats."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, BinaryIO

import numpy as np
import pandas as pd

from engine.core.message import Message
from engine.files.base import STATA_VERSIONS, FormatInfo, formats
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
from engine.files.stored_columns import StoredColumn, UnstorableError, is_text_column

MAX_NUMBER = float.fromhex("0x1.fffffffffffffp+1022")
"""Greater numbers are Stata's missing values."""

LONG_RANGE = (-2_147_483_647, 2_147_483_620)
"""Smallest and largest whole number of Stata's type long; others are double."""

MAX_INLINE_TEXT_BYTES = 2_045
"""Bytes of text that are held in the record itself."""

_LONG_TEXT = 32_768
_TYPE_BYTES = {_LONG_TEXT: 8, 65526: 8, 65527: 4, 65528: 4, 65529: 2, 65530: 1}
"""Width of a type in a record, where it is not the type's own number."""

_OWNER_BITS = {b"117": 32, b"118": 16, b"119": 24}
"""By release of the format: bits that name the variable to which a text belongs."""


@formats.register(
    FormatInfo(id="stata", title="Stata", suffixes=(".dta",), options=("encoding",))
)
class StataFormat(WritableStatisticalFormat):
    """Stata .dta files; extended missing values .a to .z are read as missing."""

    title, kind = "Stata", "dta"

    def read(
        self, source: InputBytes, options: ReadOptions
    ) -> tuple[pd.DataFrame, dict[str, Any]]:
        """Read a Stata file; see :meth:`Format.read`."""
        frame, meta = self.records(source, options.encoding)
        letters = {name: set(codes) for name, codes in meta.missing_user_values.items()}
        frame, memory = typed_frame_and_restore_info(
            frame, {name: codes.__contains__ for name, codes in letters.items()}
        )
        return frame, {
            **column_metadata(frame, meta),
            "encoding": options.encoding,
            "letters": {name: sorted(codes) for name, codes in letters.items()},
            "whole": {
                name: kind
                for name, kind in meta.readstat_variable_types.items()
                if kind.startswith("int")
            },
            **memory,
        }

    def records(
        self, source: InputBytes, encoding: str | None, dates: bool = True
    ) -> tuple[pd.DataFrame, Any]:
        """Return a file's frame and metadata; see the base class.

        A long text is held once, however many records have it.
        """
        size = 0
        with suppress(struct.error, ValueError, LookupError):  # the reader says it
            size = _count_long_text_bytes(source.read_bytes())
        source.refuse_bomb(size)
        return super().records(source, encoding, dates)

    def held(self, column: pd.Series) -> StoredColumn:
        """Return a column as Stata stores it; see the base class."""
        stored_column = convert_for_spss_and_stata(column)
        if pd.api.types.is_float_dtype(stored_column.column.dtype):
            numbers = stored_column.column.to_numpy(dtype=np.float64, na_value=np.nan)
            if (np.abs(numbers) > MAX_NUMBER).any():
                raise UnstorableError(Message("numbers above 8.9e307"))
        elif (
            is_text_column(stored_column.column)
            and stored_column.column.isna().any()
            and any(
                len(cell.encode()) > MAX_INLINE_TEXT_BYTES
                for cell in stored_column.column.dropna()
            )
        ):
            # pyreadstat loses the references of the cells that have none.
            raise UnstorableError(
                Message(
                    "text of more than {most:,} bytes and missing values",
                    most=MAX_INLINE_TEXT_BYTES,
                )
            )
        return stored_column

    @staticmethod
    def fixed_time_stamp(content: bytearray) -> tuple[int, bytes]:
        """Return position and bytes of a fixed time stamp; see the base class."""
        label = content.index(b"<label>") + len(b"<label>")
        length = int.from_bytes(content[label : label + 2], "little")
        place = label + 2 + length + len(b"</label><timestamp>") + 1
        return place, b"01 Jan 1970 00:00"

    def write(
        self, frame: pd.DataFrame, stream: BinaryIO, options: Mapping[str, Any]
    ) -> None:
        """Write a Stata file; see :meth:`Format.write`."""
        metadata = ApplicableMetadata(frame, options)
        self.write_by_pyreadstat(
            _as_held(restore_for_pyreadstat(frame, options), metadata("whole")),
            stream,
            version=options.get("stata_version", STATA_VERSIONS[-1]),
            missing_user_values=metadata("letters") or None,
            **metadata.writer_arguments(),
        )


def _as_held(frame: pd.DataFrame, whole: Mapping[str, str]) -> pd.DataFrame:
    """Return whole numbers of a file in a type that is written as whole, if they fit.

    pyreadstat writes numbers of 64 bits as double.
    """
    fits = {
        name: "int32"
        for name in whole
        if frame[name].dtype == "int64" and frame[name].between(*LONG_RANGE).all()
    }
    return frame.astype(fits)


def _count_long_text_bytes(content: bytes) -> int:
    """Return the bytes of all long texts (strL), each as often as records name it."""
    release = content[28:31]
    if not content.startswith(b"<stata_dta>") or release not in _OWNER_BITS:
        return 0
    order = "<" if b"<byteorder>LSF" in content[:80] else ">"
    places = struct.unpack_from(f"{order}14Q", content, content.index(b"<map>") + 5)
    kinds = np.frombuffer(
        content[places[2] + 16 : places[3] - 17], dtype=f"{order}u2"
    ).astype(np.int64)
    widths = np.array([_TYPE_BYTES.get(kind, kind) for kind in kinds.tolist()])
    ends = widths.cumsum()
    lengths, at = {}, places[10] + 7
    shift, owner = _OWNER_BITS[release], "IIBI" if release == b"117" else "IQBI"
    while content[at : at + 3] == b"GSO":
        variable, record, _, length = struct.unpack_from(order + owner, content, at + 3)
        at += 3 + struct.calcsize(order + owner) + length
        reference = variable | record << shift
        if order == ">":
            reference = variable << 64 - shift | record
        lengths[reference] = length
    if not lengths:
        return 0
    records = np.frombuffer(content[places[9] + 6 : places[10] - 7], dtype=np.uint8)
    records = records.reshape(-1, ends[-1])
    keys = np.array(sorted(lengths), dtype=np.uint64)
    sizes = np.array([lengths[int(key)] for key in keys])
    total = 0
    for end in ends[kinds == _LONG_TEXT]:
        named = records[:, end - 8 : end].copy().view(f"{order}u8").ravel()
        place = np.searchsorted(keys, named).clip(max=len(keys) - 1)
        total += int(sizes[place][keys[place] == named].sum())
    return total
