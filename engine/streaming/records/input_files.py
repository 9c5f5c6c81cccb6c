"""The Parquet files of a table: find them, open them, and say what is in each."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
import pyarrow.parquet as pq

from engine.core.errors import InputError
from engine.core.platform.files import file_size_and_mtime
from engine.core.platform.system_errors import reason_of_error
from engine.files.columnar.parquet import refuse_parquet_bomb
from engine.files.input.source import InputBytes
from engine.storage.addresses import Address, Place

READ_BUFFER_BYTES = 2**16
"""Bytes that are read at once of each column's part of a file."""

STORE_BUFFER_BYTES = 2**20
"""The same for a file in a store, where each read is a request."""

COLUMN_PAGE_BYTES = 2**20
"""Bytes of a page of a column, as most writers have it."""


def list_input_files(path: Place, suffixes: Sequence[str]) -> list[Place]:
    """Return the files of a format that a path names, in the order of their names.

    Parameters
    ----------
    path : Path or Address
        Of a file, or a folder of them.
    suffixes : sequence of str

    Raises
    ------
    InputError
        If there is none.
    """
    if not (os.path.exists(path) if isinstance(path, Path) else path.exists()):
        raise InputError(
            "There is no file or folder called {path!r}: check its name.",
            path=str(path),
        )
    if path.is_file():
        if path.suffix.lower() not in suffixes:
            raise InputError(
                "{file!r} is neither a Parquet file nor delimited text (CSV), and "
                "others are not read out of core: convert it, or protect it in memory.",
                file=path.name,
            )
        return [path]
    inside = [each for each in list_folder(path) if each.name[0] not in "._"]
    for each in inside:
        if each.is_dir():
            raise InputError(
                "{path!r} has a folder {folder!r} in it, and folders within "
                "folders are not read: put all files into one folder.",
                path=str(path),
                folder=each.name,
            )
    paths = [each for each in inside if each.suffix.lower() in suffixes]
    if not paths:
        raise InputError(
            "There is neither a Parquet file nor delimited text (CSV) in folder "
            "{path!r}: name another one.",
            path=str(path),
        )
    return paths


def list_folder(folder: Place) -> list[Place]:
    """Return what is in a folder, in the order of names.

    Raises
    ------
    InputError
        If it cannot be looked into.
    """
    try:
        entries: list[Place] = [*folder.iterdir()]
        return sorted(entries, key=lambda each: each.name)
    except OSError as error:
        raise InputError(
            "Folder {path!r} cannot be read ({reason}): check that you may read it.",
            path=str(folder),
            reason=reason_of_error(error),
        ) from None


@dataclass(frozen=True)
class DescribedFile:
    """What a Parquet file says of itself."""

    path: Place
    version: tuple[int, int]
    schema: Any
    row_groups: tuple[int, ...]
    n_bytes: int
    open_bytes: int

    @property
    def n_records(self) -> int:
        """Number of records."""
        return sum(self.row_groups)


def describe_parquet_file(path: Place) -> DescribedFile:
    """Return what a Parquet file says of itself.

    Raises
    ------
    InputError
        If it cannot be read, or would take too much memory.
    """
    with open_parquet_file(path) as file:
        version = file_size_and_mtime(path.stat())
        metadata = file.metadata
        refuse_parquet_bomb(file, InputBytes(path.name, path=cast(Path, path)))
        groups = [metadata.row_group(j) for j in range(metadata.num_row_groups)]
        size = sum(group.total_byte_size for group in groups)
        pages = [
            sum(
                min(group.column(j).total_uncompressed_size, COLUMN_PAGE_BYTES)
                for j in range(group.num_columns)
            )
            for group in groups
        ]
        open_bytes = 3 * max(pages, default=0)
        rows = tuple(group.num_rows for group in groups)
        return DescribedFile(path, version, file.schema_arrow, rows, size, open_bytes)


@contextmanager
def open_parquet_file(path: Place) -> Iterator[Any]:
    """Open a Parquet file so that little of it is in memory at any time."""
    source: Any = path
    buffer_size = READ_BUFFER_BYTES
    try:
        with ExitStack() as stack:
            if isinstance(path, Address):
                source = stack.enter_context(path.open())
                buffer_size = STORE_BUFFER_BYTES
            yield stack.enter_context(
                pq.ParquetFile(source, buffer_size=buffer_size, pre_buffer=False)
            )
    except (pa.ArrowException, OSError) as error:
        raise unreadable_file_error(path, error) from None


def unreadable_file_error(path: Place, error: Exception) -> InputError:
    """Return the error for a file that cannot be read, or not to its end."""
    if isinstance(error, pa.ArrowNotImplementedError):
        return InputError(
            "File {file!r} holds a type that cannot be read part by part "
            "({reason}): leave its column out of the file, or protect the table in "
            "memory.",
            file=path.name,
            reason=str(error).splitlines()[0],
        )
    if isinstance(error, OSError) and error.errno is not None:
        return InputError(
            "File {file!r} cannot be read ({reason}): repeat the run once that is put "
            "right.",
            file=path.name,
            reason=reason_of_error(error),
        )
    return InputError(
        "File {file!r} is not a whole Parquet file: it may have been cut short "
        "or be in another format, so get it again.",
        file=path.name,
    )


def other_columns_error(file_name: str) -> InputError:
    """Return the error for a file with other columns than the first one."""
    return InputError(
        "File {file!r} has other columns than the first file, or in another "
        "order: put files of one table into a folder of their own.",
        file=file_name,
    )


def check_same_columns(ours: Any, theirs: Any, name: str) -> None:
    """Raise InputError if a file has other columns or types than the first one."""
    if ours.names != theirs.names:
        raise other_columns_error(name)
    for first_field, its in zip(ours, theirs, strict=True):
        if first_field.type != its.type:
            raise InputError(
                "Column {column!r} is {type} in file {file!r} and {first_type} "
                "in the first file: write all files with the same types.",
                column=first_field.name,
                type=its.type,
                file=name,
                first_type=first_field.type,
            )
