"""Parquet files, read and written by Arrow; types are kept where no value is lost."""

from __future__ import annotations

import base64
import contextlib
import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, BinaryIO

import pandas as pd

from engine.core.errors import InputError
from engine.files.base import Format, FormatInfo, formats, refuse_empty_table
from engine.files.columnar.arrow import (
    adapt_column_read_from_arrow,
    arrow_backed_columns,
    arrow_to_frame_and_metadata,
    cast_if_lossless,
)
from engine.files.input.names import names_to_write
from engine.files.input.options import ReadOptions
from engine.files.input.source import MAX_UNCHECKED_BYTES, InputBytes
from engine.pipeline.planning.limits import MAX_COLUMNS

_VALUE_BYTES = {"BOOLEAN": 1, "INT96": 12}
"""Of a value in memory, where that is not 8."""

_COUNTED_ROWS = 65_536
"""Rows whose texts are counted at once."""


@formats.register(
    FormatInfo(
        id="parquet",
        title="Parquet",
        suffixes=(".parquet", ".pq"),
        media_type="application/vnd.apache.parquet",
    )
)
class ParquetFormat(Format):
    """Apache Parquet; an index that pandas stored as a column is read as a column."""

    def read(
        self, source: InputBytes, options: ReadOptions
    ) -> tuple[pd.DataFrame, dict[str, Any]]:
        """Read a Parquet file; see :meth:`Format.read`."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            source = replace(source, content=source.read_bytes())
            file = pq.ParquetFile(pa.BufferReader(source.content))
            n_columns = file.metadata.num_columns
            if n_columns > MAX_COLUMNS:  # before minutes go by
                raise InputError(
                    "File {file!r} has {count:,} columns, more than the {limit:,} "
                    "that a plan can name: keep those that are needed.",
                    file=source.name,
                    count=n_columns,
                    limit=MAX_COLUMNS,
                )
            refuse_parquet_bomb(file, source)
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
        return arrow_to_frame_and_metadata(table)

    def carried(
        self, source: InputBytes, options: Mapping[str, Any], names: Sequence[str]
    ) -> Mapping[str, pd.Series]:
        """Return columns with their Arrow types; see :meth:`Format.carried`."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        file = pq.ParquetFile(pa.BufferReader(source.read_bytes()))
        return arrow_backed_columns(file.read(use_threads=False), names)

    adapt_carried = staticmethod(adapt_column_read_from_arrow)

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


def refuse_parquet_bomb(file: Any, source: InputBytes) -> None:
    """Raise if a Parquet file's values would take too much memory for its size.

    Equal values may be held once, texts as numbers in a dictionary or by what they
    share with the one before: such texts are counted without making them whole.

    Parameters
    ----------
    file : pyarrow.parquet.ParquetFile
    source : InputBytes
        The same file.

    Raises
    ------
    InputError
        See :meth:`InputBytes.refuse_bomb`.
    """
    import pyarrow.parquet as pq

    metadata, size = file.metadata, 0
    _check_column_metadata(metadata, source.n_bytes)
    longest: dict[str, int] = {}  # bytes that a text may have
    sharing: set[str] = set()
    for group in map(metadata.row_group, range(metadata.num_row_groups)):
        for j in range(group.num_columns):
            chunk = group.column(j)
            width = file.schema.column(j).length
            width = width or _VALUE_BYTES.get(chunk.physical_type, 8)
            size += max(chunk.num_values * width, chunk.total_uncompressed_size)
            path, max_size = chunk.path_in_schema, chunk.total_uncompressed_size
            if max_size * chunk.num_values > MAX_UNCHECKED_BYTES and (
                chunk.has_dictionary_page or "DELTA_BYTE_ARRAY" in chunk.encodings
            ):
                longest[path] = max(longest.get(path, 1), max_size)
            if "DELTA_BYTE_ARRAY" in chunk.encodings:
                sharing.add(path)
    source.refuse_bomb(size)
    coded = [path for path in longest if path not in sharing]
    with (
        _open_source(source) as where,
        pq.ParquetFile(
            where, metadata=metadata, read_dictionary=coded, pre_buffer=False
        ) as reader,
    ):
        for path, max_size in longest.items():
            rows = MAX_UNCHECKED_BYTES // max_size if path in sharing else _COUNTED_ROWS
            for batch in reader.iter_batches(
                max(1, min(rows, _COUNTED_ROWS)), columns=[path], use_threads=False
            ):
                size += sum(map(_unfolded_bytes, batch.columns))
                source.refuse_bomb(size)


def _open_source(source: InputBytes) -> Any:
    import pyarrow as pa

    if source.path is not None and source.content is None:
        return source.path.open("rb")  # which addresses of stores can, too
    return pa.BufferReader(source.content)


class _DataReachedError(Exception):
    """The values of a Parquet file are asked for."""


class _SizedStub(io.RawIOBase):
    """A file's place and size, without its content."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self._size, self._place = size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._place = (0, self._place, self._size)[whence] + offset
        return self._place

    def tell(self) -> int:
        return self._place

    def read(self, size: int = -1) -> bytes:
        raise _DataReachedError


def _check_column_metadata(metadata: Any, size: int) -> None:
    """Raise as Arrow does if what a footer says of columns contradicts itself.

    Asked for one column's facts, Arrow ends the process where they are wrong. Before it
    reads values it looks at those of all columns, and raises.
    """
    import pyarrow.parquet as pq

    stub = pq.ParquetFile(_SizedStub(size), metadata=metadata, pre_buffer=True)
    with contextlib.suppress(_DataReachedError, StopIteration):
        next(stub.iter_batches(1, use_threads=False))


def _unfolded_bytes(array: Any) -> int:
    """Return the bytes of an Arrow array, with the texts of a dictionary repeated."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(array.type):
        lengths = pc.binary_length(array.dictionary).take(array.indices)
        return pc.sum(lengths).as_py() or 0
    if pa.types.is_struct(array.type):
        return sum(map(_unfolded_bytes, array.flatten()))
    if pa.types.is_nested(array.type):
        return _unfolded_bytes(array.flatten())
    return int(array.nbytes)


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
