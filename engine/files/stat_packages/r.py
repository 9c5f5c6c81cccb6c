"""R data frames: read only, from .rds and .RData."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import warnings
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from engine.core.errors import InputError
from engine.core.platform.temporary import temporary_folder
from engine.files.base import FormatInfo, formats, refuse_empty_table
from engine.files.input.names import name_nameless_columns
from engine.files.input.options import ReadOptions
from engine.files.input.source import FileSource
from engine.files.read_only import ReadOnlyFormat
from engine.files.stat_packages.statistical import convert_statistical_columns
from engine.files.workbooks.workbook import MAX_UNPACKED_BYTES

ROW_NAMES_COLUMN = "row names"
"""Column of the names of a data frame's rows, where they are no numbers."""

_DECOMPRESSORS: Mapping[bytes, Callable[..., Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZ": bz2.open,
    b"\xfd7": lzma.open,
}
_DAMAGE_ERRORS = (OSError, EOFError, zlib.error, lzma.LZMAError, ValueError)
_PIECE_BYTES = 1 << 20


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
        self, source: FileSource, options: ReadOptions
    ) -> tuple[pd.DataFrame, dict[str, Any]]:
        """Read a data frame; see :meth:`Format.read`."""
        found = _read_frames(source, options.encoding)
        wanted = options.sheet
        if wanted is not None and wanted not in found:
            raise InputError(
                "File {file!r} has no data frame called {sheet!r}: choose one of "
                "{known!r}.",
                file=source.name,
                sheet=wanted,
                known=list(found),
            )
        if wanted is None:
            wanted = max(found, key=lambda name: found[name].size)
        frame = _with_row_names(found[wanted])
        refuse_empty_table(len(frame), source.name)
        names, nameless = name_nameless_columns([str(name) for name in frame.columns])
        frame.columns = pd.Index(names)
        frame, _ = convert_statistical_columns(frame, {})
        return frame, {
            "encoding": options.encoding,
            "sheet": wanted,
            "sheets": list(found),
            "nameless": nameless,
        }


def _read_frames(source: FileSource, encoding: str | None) -> dict[str, pd.DataFrame]:
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
    try:
        with temporary_folder() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of objects that are no data frames
            path = folder / f"table{source.suffix}"
            path.write_bytes(content)
            found = pyreadr.read_r(str(path), encoding=encoding)
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
        for name, frame in found.items()
        if isinstance(frame, pd.DataFrame) and frame.shape[1]
    }
    if not frames:
        raise InputError(
            "File {file!r} holds no data frame: save one with saveRDS() or save().",
            file=source.name,
        )
    return frames


def _decompress(source: FileSource) -> bytes:
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
    pieces, size = [], 0
    try:
        with opener(io.BytesIO(content)) as stream:
            while piece := stream.read(_PIECE_BYTES):
                size += len(piece)
                if size > MAX_UNPACKED_BYTES:
                    raise InputError(
                        "File {file!r} would unpack to more than {most:,.0f} MB, which "
                        "is not safe to open: save the table as Parquet and choose "
                        "that file.",
                        file=source.name,
                        most=MAX_UNPACKED_BYTES / 1e6,
                    )
                pieces.append(piece)
    except InputError:
        raise
    except _DAMAGE_ERRORS:
        raise _damaged_error(source) from None
    return b"".join(pieces)


def _damaged_error(source: FileSource) -> InputError:
    return InputError(
        "File {file!r} is not a whole R file of data frames, or is in another "
        "encoding than it says: save it anew with saveRDS() or save().",
        file=source.name,
    )


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
