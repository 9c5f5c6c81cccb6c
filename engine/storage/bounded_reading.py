"""Read files of untrusted processes within limits, and validate them.

A process that reads what somebody has brought may have been taken over by it. So what
it leaves is a plain file of limited size, JSON of a known shape, or numbers and columns
that take no more memory than their file: nothing here waits, follows a link, runs what
is stored, or grows with what a file says of itself.
"""

from __future__ import annotations

import json
import mmap
import os
import re
import stat
import struct
import sys
import threading
from pathlib import Path
from typing import Any, BinaryIO, TypeVar
from weakref import WeakSet

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError

from engine.core.errors import InputError

T = TypeVar("T")

MAX_JSON_BYTES = 2**27
"""Bytes of JSON: four times what the choices and figures of a project may have."""

_NUMPY_MAGIC = b"\x93NUMPY\x01\x00"
_ARROW_MAGIC = b"ARROW1\0\0"
_BATCH, _DICTIONARY = 3, 2
"""Kinds of messages in Arrow's Message.fbs."""

_MAX_BATCHES = 10_000
_MAX_EMPTY_CELLS = 10**7
"""Cells of columns that hold nothing, and take no byte in their file."""

_DTYPE_PATTERN = re.compile(
    r"u?int\d{1,2}|float\d{1,2}|U?Int\d{1,2}|Float\d{1,2}|bool|boolean|str|string"
    r"|object|empty|(datetime64|timedelta64)\[(s|ms|us|ns)(, ?[\w/+:-]+)?\]"
)
"""Types that pandas is asked to make of a column."""


class DamagedFileError(InputError):
    """Error that a stored file is not regular, too large, or of unexpected content."""

    def __init__(self) -> None:
        super().__init__(
            "What another process has left is damaged: do again what it was done for."
        )


def open_bounded(path: Path, max_bytes: int | None = None) -> BinaryIO:
    """Return a regular file, opened; raise for links, pipes, and more than `max_bytes`.

    Parameters
    ----------
    path : Path
    max_bytes : int, optional
        Bytes that it may have.

    Raises
    ------
    DamagedFileError
        If it is something else, or longer.
    OSError
        If it cannot be opened.
    """
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    flags |= getattr(os, "O_BINARY", 0)
    file = os.fdopen(os.open(path, flags), "rb")
    status = os.fstat(file.fileno())
    if not stat.S_ISREG(status.st_mode) or (
        max_bytes is not None and status.st_size > max_bytes
    ):
        file.close()
        raise DamagedFileError()
    return file


def read_bounded_bytes(path: Path, max_bytes: int | None = None) -> bytes:
    """Return the bytes of a regular file; errors as in :func:`open_bounded`."""
    with open_bounded(path, max_bytes) as file:
        return file.read()


def read_bounded_json(path: Path, max_bytes: int = MAX_JSON_BYTES) -> Any:
    """Return parsed JSON of a regular file; errors as in :func:`open_bounded`."""
    try:
        return json.loads(read_bounded_bytes(path, max_bytes))
    except (RecursionError, ValueError):
        raise DamagedFileError() from None


def read_validated_json(
    path: Path, adapter: TypeAdapter[T], max_bytes: int = MAX_JSON_BYTES
) -> T:
    """Return validated JSON of a regular file; errors as in :func:`open_bounded`."""
    try:
        return adapter.validate_json(read_bounded_bytes(path, max_bytes), strict=True)
    except ValidationError:
        raise DamagedFileError() from None


def read_integer_array(path: Path) -> NDArray[np.int64]:
    """Return the array of integers in a NumPy file, shape (n,).

    Raises
    ------
    DamagedFileError
        If the file has anything else, or not as many as it says.
    OSError
        If it cannot be opened.
    """
    content = read_bounded_bytes(path)
    header = content[10:][: int.from_bytes(content[8:10], "little")]
    values = content[10 + len(header) :]
    expected = {"descr": "<i8", "fortran_order": False, "shape": (len(values) // 8,)}
    if (
        content[:8] != _NUMPY_MAGIC
        or len(values) % 8
        or header.decode("latin-1").strip() != f"{expected}".replace("}", ", }")
    ):
        raise DamagedFileError()
    return np.frombuffer(values, dtype="<i8").astype(np.int64)


def read_frame(path: Path) -> pd.DataFrame:
    """Return the frame in an Arrow file, memory-mapped unless on Windows.

    Raises
    ------
    DamagedFileError
        If it has columns of other types than tables have, is compressed, or says to
        have more than it has.
    OSError
        If it cannot be opened.
    """
    with open_bounded(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size <= len(_ARROW_MAGIC):
            raise DamagedFileError()
        if sys.platform == "win32":  # which removes no file that is mapped
            whole = pa.py_buffer(file.read())
        else:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            with _lock:
                _mapped_files.add(mapped)
            whole = pa.py_buffer(mapped)
    if whole.slice(0, len(_ARROW_MAGIC)).to_pybytes() != _ARROW_MAGIC:
        raise DamagedFileError()
    # One message after the other: what the end of the file says of them is not asked.
    stream = whole.slice(len(_ARROW_MAGIC))
    try:
        _check_messages(stream)
        with pa.ipc.open_stream(pa.BufferReader(stream)) as reader:
            for field in reader.schema:
                if not _is_plain(field.type):
                    raise DamagedFileError()
            _check_pandas(reader.schema)
            table = reader.read_all()
        empty = sum(pa.types.is_null(kind) for kind in table.schema.types)
        bits = 8 * size
        if (
            # Of each on its own: columns may say that they have the same bytes.
            sum(column.nbytes for column in table.columns) > size
            or (empty < table.num_columns and table.num_rows > bits)
            or empty * table.num_rows > bits + _MAX_EMPTY_CELLS
        ):
            raise DamagedFileError()
        table.validate(full=True)
        frame = table.to_pandas(split_blocks=True)
    except InputError:
        raise
    except (
        pa.ArrowException,
        struct.error,
        OSError,
        LookupError,
        TypeError,
        ValueError,
        AttributeError,
        OverflowError,
        RecursionError,
    ):
        raise DamagedFileError() from None
    assert isinstance(frame, pd.DataFrame)
    return frame


_mapped_files: WeakSet[mmap.mmap] = WeakSet()
_lock = threading.Lock()


def free_mapped_pages() -> None:
    """On Linux, drop mapped files from memory; they are read again when used.

    They are in files, from which the system reads again what somebody looks at.
    """
    if sys.platform == "linux":
        with _lock:
            all_mapped = list(_mapped_files)
        for mapped in all_mapped:
            mapped.madvise(mmap.MADV_DONTNEED)


def _is_plain(kind: pa.DataType) -> bool:
    """Return whether a column of a table can have this type."""
    if pa.types.is_dictionary(kind):
        return not pa.types.is_dictionary(kind.value_type) and _is_plain(
            kind.value_type
        )
    return bool(
        pa.types.is_null(kind)
        or pa.types.is_boolean(kind)
        or pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_decimal(kind)
        or (pa.types.is_temporal(kind) and not pa.types.is_interval(kind))
        or pa.types.is_string(kind)
        or pa.types.is_large_string(kind)
    )


def _check_pandas(schema: pa.Schema) -> None:
    """Raise unless pandas is told of columns what this program would tell it."""
    pandas_metadata = (schema.metadata or {}).get(b"pandas", b"{}")
    content = json.loads(pandas_metadata)
    names = [column["numpy_type"] for column in content.get("columns", ())]
    indices = content.get("index_columns", [])
    labels = content.get("column_indexes", [])
    if (
        len(names) > len(schema) + 1
        or not all(_DTYPE_PATTERN.fullmatch(name) for name in names)
        or not all(
            isinstance(entry, str) or entry["kind"] == "range" for entry in indices
        )
        or len(labels) > 1
        or any(entry["numpy_type"] not in ("str", "object") for entry in labels)
    ):
        raise DamagedFileError()


def _check_messages(stream: pa.Buffer) -> None:
    """Raise if there are very many batches, or one that is compressed."""
    batches = 0
    for message in pa.ipc.MessageReader.open_stream(pa.BufferReader(stream)):
        data = message.metadata.to_pybytes()
        root = struct.unpack_from("<I", data, 0)[0]
        kind = _field_offset(data, root, 1)
        number = data[kind] if kind else 0
        if number not in (_BATCH, _DICTIONARY):
            continue
        batches += 1
        header = _nested_table_offset(data, root, 2)
        if number == _DICTIONARY:
            header = _nested_table_offset(data, header, 1)
        if batches > _MAX_BATCHES or _field_offset(
            data, header, 3
        ):  # of RecordBatch: compression
            raise DamagedFileError()


def _field_offset(data: bytes, table: int, field: int) -> int:
    """Return where a table of a flatbuffer has a field; 0 where it has none."""
    layout = table - struct.unpack_from("<i", data, table)[0]
    if layout < 0 or 4 + 2 * field >= struct.unpack_from("<H", data, layout)[0]:
        return 0
    place = struct.unpack_from("<H", data, layout + 4 + 2 * field)[0]
    return table + int(place) if place else 0


def _nested_table_offset(data: bytes, table: int, field: int) -> int:
    """Return where the table is that a field of another one leads to."""
    place = _field_offset(data, table, field)
    if not place:
        raise DamagedFileError()
    return place + int(struct.unpack_from("<I", data, place)[0])
