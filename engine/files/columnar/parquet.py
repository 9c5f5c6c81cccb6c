"""Parquet files, read and written by Arrow with types and metadata unchanged."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO

import pandas as pd

from engine.core.errors import InputError
from engine.files.base import Format, FormatInfo, formats, refuse_empty_table
from engine.files.columnar.arrow import (
    MAX_CELLS,
    arrow_backed_columns,
    arrow_to_frame,
    cast_if_lossless,
    to_stored_arrow,
)
from engine.files.held import StoredColumn
from engine.files.input.names import names_to_write
from engine.files.input.options import ReadOptions
from engine.files.input.source import FileSource
from engine.pipeline.planning.limits import MAX_COLUMNS


@formats.register(
    FormatInfo(
        id="parquet",
        title="Parquet",
        suffixes=(".parquet", ".pq"),
        media_type="application/vnd.apache.parquet",
    )
)
class ParquetFormat(Format):
    """Apache Parquet; an index stored by pandas is read as a column."""

    def read(
        self, source: FileSource, options: ReadOptions
    ) -> tuple[pd.DataFrame, dict[str, Any]]:
        """Read a Parquet file; see :meth:`Format.read`."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            file = pq.ParquetFile(pa.BufferReader(source.read_bytes()))
            n_columns = file.metadata.num_columns
            if n_columns > MAX_COLUMNS:  # before minutes go by
                raise InputError(
                    "File {file!r} has {count:,} columns, more than the {limit:,} "
                    "that a plan can name: keep those that are needed.",
                    file=source.name,
                    count=n_columns,
                    limit=MAX_COLUMNS,
                )
            cells = file.metadata.num_rows * n_columns
            if cells > MAX_CELLS:
                raise InputError(
                    "File {file!r} has {cells:,} cells, more than the "
                    "{most_cells:,} that are read at once: split it.",
                    file=source.name,
                    cells=cells,
                    most_cells=MAX_CELLS,
                )
            refuse_empty_table(file.metadata.num_rows, source.name)
            # In this thread alone, as all that is read from memory: one of Arrow's
            # that lets go of it when the interpreter ends would abort the process
            # (apache/arrow#34314). It is as quick.
            table = file.read(use_threads=False)
            table.validate(full=True)
        except (InputError, MemoryError):
            raise
        except (pa.ArrowException, OSError, ValueError):
            raise InputError(
                "File {file!r} is not a whole Parquet file: it may have been "
                "cut short or be in another format, so get it again.",
                file=source.name,
            ) from None
        return arrow_to_frame(table)

    def carried(
        self, source: FileSource, options: Mapping[str, Any], names: Sequence[str]
    ) -> Mapping[str, pd.Series]:
        """Return columns with their Arrow types; see :meth:`Format.carried`."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        file = pq.ParquetFile(pa.BufferReader(source.read_bytes()))
        return arrow_backed_columns(file.read(use_threads=False), names)

    def adapt_carried(
        self, column: pd.Series, carried: pd.Series, options: Mapping[str, Any]
    ) -> StoredColumn:
        """Return decimals beyond float64, and opaque types, as text.

        See :meth:`Format.adapt_carried`.
        """
        return to_stored_arrow(column, carried, options)

    def write(
        self, frame: pd.DataFrame, stream: BinaryIO, options: Mapping[str, Any]
    ) -> None:
        """Write a Parquet file; see :meth:`Format.write`."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        before = _stored_schema(options)
        arrays, fields = [], []
        for j, name in enumerate(map(str, names_to_write(frame, options))):
            array = _to_array(frame.iloc[:, j])
            field = pa.field(name, array.type)
            if before is not None and len(before.get_all_field_indices(name)) == 1:
                old = before.field(name)
                array = cast_if_lossless(array, old.type)
                nullable = old.nullable or array.null_count > 0
                field = old.with_type(array.type).with_nullable(nullable)
            arrays.append(array)
            fields.append(field)
        metadata = dict(before.metadata or {}) if before is not None else {}
        # It describes the frame that was read, down to its index.
        metadata.pop(b"pandas", None)
        schema = pa.schema(fields, metadata=metadata or None)
        pq.write_table(pa.Table.from_arrays(arrays, schema=schema), stream)


def _to_array(column: pd.Series) -> Any:
    import pyarrow as pa

    try:
        array = pa.array(column, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        # A column of mixed objects: text is what all of them can be.
        array = pa.array(
            [None if pd.isna(cell) else str(cell) for cell in column], pa.string()
        )
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def _stored_schema(options: Mapping[str, Any]) -> Any | None:
    import pyarrow as pa

    if "arrow_schema" not in options:
        return None
    stored = base64.b64decode(options["arrow_schema"])
    return pa.ipc.read_schema(pa.py_buffer(stored))
