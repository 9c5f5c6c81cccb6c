"""R data frames: read only, from .rds and .RData."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import struct
import warnings
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from engine.core.errors import InputError
from engine.core.platform.temporary import open_temporary_folder
from engine.files.base import FormatInfo, formats, refuse_empty_table
from engine.files.input.names import fill_in_and_list_blank_names
from engine.files.input.options import ReadOptions
from engine.files.input.source import InputBytes
from engine.files.read_only import ReadOnlyFormat
from engine.files.stat_packages.statistical import typed_frame_and_restore_info

ROW_NAMES_COLUMN = "row names"
"""Column of the names of a data frame's rows, where they are no numbers."""

_DECOMPRESSORS: Mapping[bytes, Callable[..., Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZ": bz2.open,
    b"\xfd7": lzma.open,
}
_SEQUENCE = re.compile(
    rb".{3}\x0e\0\0\0\x03(.{8}).{8}[\x3f\xbf]\xf0\0{6}\0\0\0\xfe", re.DOTALL
)
"""What R writes of 1:n: how many, from where, in steps of 1 or -1."""

_DAMAGE_ERRORS = (OSError, EOFError, zlib.error, lzma.LZMAError, ValueError)


@formats.register(
    FormatInfo(
        id="r",
        title="R",
        suffixes=(".rds", ".rdata", ".rda"),
        options=("encoding", "sheet"),
        writable=False,
    )
)
class RFormat(ReadOnlyFormat):
    """Data frames saved by R; if there are several, the named or the largest one."""

    title, instead = "R", ".csv, .parquet or .dta"

    def read(
        self, source: InputBytes, options: ReadOptions
    ) -> tuple[pd.DataFrame, dict[str, Any]]:
        """Read a data frame; see :meth:`Format.read`."""
        frames = _read_frames(source, options.encoding)
        frame_name = options.sheet
        if frame_name is not None and frame_name not in frames:
            raise InputError(
                "File {file!r} has no data frame called {sheet!r}: choose one of "
                "{known!r}.",
                file=source.name,
                sheet=frame_name,
                known=list(frames),
            )
        if frame_name is None:
            frame_name = max(frames, key=lambda name: frames[name].size)
        _refuse_repeated_levels(frames[frame_name], source)
        frame = _with_row_names(frames[frame_name])
        refuse_empty_table(len(frame), source.name)
        names, nameless = fill_in_and_list_blank_names(
            [str(name) for name in frame.columns]
        )
        frame.columns = pd.Index(names)
        frame, _ = typed_frame_and_restore_info(frame, {})
        return frame, {
            "encoding": options.encoding,
            "sheet": frame_name,
            "sheets": list(frames),
            "nameless": nameless,
        }


def _read_frames(source: InputBytes, encoding: str | None) -> dict[str, pd.DataFrame]:
    """Return all data frames of a file by name, the only one of .rds by its own.

    Raises InputError if the reader is not there, or the bytes are no such file.
    """
    try:
        import pyreadr
    except ImportError:
        raise InputError(
            "To read R files, install the package pyreadr: pip install 'coterie[r]'; "
            "or save the table from R as .csv or .parquet."
        ) from None
    content = _decompress(source)
    counts = [struct.unpack(">d", each)[0] for each in _SEQUENCE.findall(content)]
    source.refuse_bomb(sum(8 * int(n) for n in counts if 0 < n < float("inf")))
    try:
        with open_temporary_folder() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of objects that are no data frames
            path = folder / f"table{source.suffix}"
            path.write_bytes(content)
            r_objects = pyreadr.read_r(str(path), encoding=encoding)
    except (
        pyreadr.LibrdataError,
        pyreadr.PyreadrError,
        ValueError,
        OverflowError,
        LookupError,
    ):
        raise _damaged_error(source) from None
    frames = {
        Path(source.name).stem if name is None else str(name): frame
        for name, frame in r_objects.items()
        if isinstance(frame, pd.DataFrame) and frame.shape[1]
    }
    if not frames:
        raise InputError(
            "File {file!r} holds no data frame: save one with saveRDS() or save().",
            file=source.name,
        )
    return frames


def _decompress(source: InputBytes) -> bytes:
    """Return what is in a compressed file, as far as that is safe.

    Raises InputError if it is broken, or would unpack to more than can be meant.
    """
    content = source.read_bytes()
    opener = next(
        (_DECOMPRESSORS[head] for head in _DECOMPRESSORS if content.startswith(head)),
        None,
    )
    if opener is None:
        return content
    try:
        with opener(io.BytesIO(content)) as stream:
            return source.read_unpacked(stream)
    except InputError:
        raise
    except _DAMAGE_ERRORS:
        raise _damaged_error(source) from None


def _damaged_error(source: InputBytes) -> InputError:
    return InputError(
        "File {file!r} is not a whole R file of data frames, or is in another "
        "encoding than it says: save it anew with saveRDS() or save().",
        file=source.name,
    )


def _refuse_repeated_levels(frame: pd.DataFrame, source: InputBytes) -> None:
    """Raise if levels that factors hold once are too long for all their cells."""
    size = 0
    for _, column in frame.select_dtypes("category").items():
        lengths = column.cat.categories.astype(str).str.len().to_numpy()
        size += int(lengths[column.cat.codes[column.notna()]].sum())
    source.refuse_bomb(size)


def _with_row_names(frame: pd.DataFrame) -> pd.DataFrame:
    """Return plain columns; names of rows are a column, unless they are numbers."""
    columns = {}
    if not frame.index.astype(str).str.fullmatch(r"\d+").all():
        columns[ROW_NAMES_COLUMN] = pd.Series(frame.index.astype(str))
    for place, name in enumerate(map(str, frame.columns)):
        column = frame.iloc[:, place].reset_index(drop=True)
        if isinstance(column.dtype, pd.CategoricalDtype):
            column = column.astype("str")
        elif column.dtype == object and column.dropna().isin([True, False]).all():
            column = column.astype("boolean")
        elif _are_dates(column):
            column = pd.to_datetime(column, format="ISO8601")
        columns[f"{name}'" if name in columns else name] = column
    return pd.DataFrame(columns)


def _are_dates(column: pd.Series) -> bool:
    """Return whether text is what the reader makes of R's dates and times."""
    if not isinstance(column.dtype, pd.StringDtype) or column.isna().all():
        return False
    form = r"\d{4}-\d\d-\d\d(?: \d\d:\d\d:\d\d(?:\.\d+)?)?"
    if not column.dropna().str.fullmatch(form).all():
        return False
    try:
        pd.to_datetime(column, format="ISO8601")
    except ValueError:
        return False
    return True
