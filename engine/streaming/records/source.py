"""Read input records from one Parquet file or a folder of files, in batches."""

from __future__ import annotations

import hashlib
import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from engine.core.context import SILENT, RunContext
from engine.core.errors import InputError
from engine.core.message import Message
from engine.core.platform.files import raise_if_file_changed
from engine.data.propose import suggest_schema
from engine.data.reading import reading_messages
from engine.data.table import Origin, Table
from engine.files import read_table
from engine.files.text.detect import refuse_too_many_or_long_names
from engine.storage.addresses import Place
from engine.streaming.records.input_files import (
    check_same_columns,
    describe_parquet_file,
    list_input_files,
    open_parquet_file,
    unreadable_file_error,
)
from engine.streaming.workers.tasks import Workers, map_in_order

PARQUET_SUFFIXES = (".parquet", ".pq")

HEAD_RECORDS = 10_000
"""Records by which kinds and roles are proposed, as for a table in memory."""

BATCH_BYTES = 8 * 2**20
"""Memory that the values of one batch take, about."""

MAX_BATCH_RECORDS, MIN_BATCH_RECORDS = 65_536, 512

PART_BYTES = 2**26
"""Memory that the values of a part take, at least, where its file has as many."""

PIECE_BYTES = 2**26
"""Bytes of a file that have a digest of their own."""

DIGEST_READ_BYTES = 2**20
"""Bytes that are read at once for a digest."""


@dataclass(frozen=True)
class InputPart:
    """Row groups of one file, which one task reads.

    Which they are depends on the input alone.

    Attributes
    ----------
    path : Path or Address
        Absolute.
    row_groups : tuple of int
        That follow each other.
    first : int
        Number of the first record, from 0.
    n_records : int
    batch_records : int
        Most records of a batch.
    """

    path: Place
    row_groups: tuple[int, ...]
    first: int
    n_records: int
    batch_records: int

    def batches(
        self, columns: Sequence[str], ctx: RunContext
    ) -> Iterator[tuple[int, Any]]:
        """Yield each batch with the number of its first record, from 0.

        Parameters
        ----------
        columns : sequence of str
            In the order of the schema.
        ctx : RunContext
            May stop the run.

        Raises
        ------
        InputError
            If a file cannot be read to its end.
        """
        first, names = self.first, list(columns)
        with open_parquet_file(self.path) as file:
            # One thread: several would keep memory that nobody could count.
            for batch in file.iter_batches(
                self.batch_records, self.row_groups, columns=names, use_threads=False
            ):
                ctx.tick(first - self.first, self.n_records, "")
                yield first, batch.select(names)
                first += batch.num_rows


@dataclass(frozen=True)
class InputOrigin:
    """Files of text of which the Parquet files are a copy.

    Attributes
    ----------
    paths : tuple of Path or Address
        In the order of their records.
    versions : tuple of (int, int)
        Size and time of each file when it was opened.
    written : mapping
        How the text is written, as in the options of a file.
    """

    paths: tuple[Place, ...]
    versions: tuple[tuple[int, int], ...]
    written: Mapping[str, Any] = field(default_factory=dict)

    @property
    def inexact_columns(self) -> Sequence[str]:
        """Columns of numbers that have fewer digits than their text."""
        return tuple(self.written.get("inexact", ()))

    def refuse_changed_files(self) -> None:
        """Raise if a file was written to, replaced or removed since it was opened.

        Raises
        ------
        InputError
        """
        for path, version in zip(self.paths, self.versions, strict=True):
            raise_if_file_changed(path, version)


@dataclass(frozen=True)
class ParquetSource:
    """Parquet files of one table, with records numbered across all files.

    Attributes
    ----------
    path : Path or Address
        The file or folder, as it was named.
    paths : tuple of Path or Address
        The files that have records, in the order of their names.
    schema : pyarrow.Schema
        What every file holds; without what pandas says of its index.
    row_groups : tuple of tuple of int
        Records of each row group of each file.
    versions : tuple of (int, int)
        Size and time of each file when it was opened.
    bytes_per_record : float
        Of the values in memory, judged by the first records and by what the files say
        of themselves.
    open_bytes : int
        That a file takes while it is read, beside a batch: of every column a page, and
        what unpacks it.
    origin : InputOrigin, optional
        Of a copy, the files that were named.
    """

    path: Place
    paths: tuple[Place, ...]
    schema: Any
    row_groups: tuple[tuple[int, ...], ...]
    versions: tuple[tuple[int, int], ...]
    bytes_per_record: float
    open_bytes: int
    origin: InputOrigin | None = None

    @property
    def named_files(self) -> InputOrigin:
        """Files that were named as the input."""
        return self.origin or InputOrigin(self.paths, self.versions)

    @property
    def n_records(self) -> int:
        """Number of records."""
        return sum(map(sum, self.row_groups))

    @property
    def n_bytes(self) -> int:
        """Approximate bytes of all values in memory."""
        return int(self.n_records * self.bytes_per_record)

    def batch_records(self) -> int:
        """Return the number of records in a batch of all columns."""
        fitting = int(BATCH_BYTES / max(self.bytes_per_record, 1.0))
        return min(MAX_BATCH_RECORDS, max(MIN_BATCH_RECORDS, fitting))

    @cached_property
    def parts(self) -> tuple[InputPart, ...]:
        """Parts of the input, in the order of the records."""
        least, size = PART_BYTES / max(self.bytes_per_record, 1.0), self.batch_records()
        found, first = [], 0
        for path, counts in zip(self.paths, self.row_groups, strict=True):
            groups, n_records = [], 0
            for group, count in enumerate(counts):
                groups.append(group)
                n_records += count
                if n_records >= least or group == len(counts) - 1:
                    where = path.absolute()
                    part = InputPart(where, tuple(groups), first, n_records, size)
                    found.append(part)
                    first, groups, n_records = first + n_records, [], 0
        return tuple(found)

    def fingerprint(self, workers: Workers, ctx: RunContext = SILENT) -> str:
        """Return a SHA-256 over the SHA-256 of each piece of each file, in order.

        Names and places of the files do not count.

        Parameters
        ----------
        workers : Workers
            Who reads the pieces.
        ctx : RunContext
        """
        files = self.named_files
        pieces = [
            (path.absolute(), start)
            for path, (size, _) in zip(files.paths, files.versions, strict=True)
            for start in range(0, max(size, 1), PIECE_BYTES)
        ]
        digest = hashlib.sha256()
        stage = Message("Reading the input's fingerprint")
        for own in map_in_order(workers, digest_piece, pieces, ctx, stage):
            digest.update(own)
        return digest.hexdigest()

    def refuse_changed_files(self) -> None:
        """Raise if a file that was named has changed; see :class:`InputOrigin`."""
        self.named_files.refuse_changed_files()

    def messages(self) -> tuple[Message, ...]:
        """Return messages on how text was read."""
        return reading_messages(Origin("csv", dict(self.named_files.written)))

    def first_batch(self) -> Any:
        """Return the first batch unchanged, with all columns."""
        with open_parquet_file(self.paths[0]) as file:
            return next(file.iter_batches(self.batch_records(), use_threads=False))

    def head(self) -> Table:
        """Return the first records as a table with a proposed schema.

        Raises
        ------
        InputError
            If a column holds what no table of records can have.
        """
        some = self.first_batch().slice(0, HEAD_RECORDS)
        stream = io.BytesIO()
        table = pa.Table.from_batches([some]).replace_schema_metadata(None)
        pq.write_table(table, stream)
        head = read_table(stream.getvalue(), name=self.paths[0].name)
        labels = self.named_files.written.get("labels")
        if not labels:
            return head
        return replace(head, schema=suggest_schema(head.frame, labels))


def digest_piece(piece: tuple[Place, int], ctx: RunContext) -> bytes:
    """Return the SHA-256 of a piece of a file: its path and where the piece begins.

    Raises
    ------
    InputError
        If the file cannot be read.
    """
    path, start = piece
    digest, left = hashlib.sha256(), PIECE_BYTES
    try:
        with path.open("rb") as stream:
            stream.seek(start)
            while left and (some := stream.read(min(left, DIGEST_READ_BYTES))):
                ctx.tick(PIECE_BYTES - left, PIECE_BYTES, "")
                digest.update(some)
                left -= len(some)
    except OSError as error:
        raise unreadable_file_error(path, error) from None
    return digest.digest()


def open_parquet_source(path: Place) -> ParquetSource:
    """Return the source of records in a Parquet file or in a folder of such files.

    Raises
    ------
    InputError
        If there is none, or files differ in their columns.
    """
    paths = list_input_files(path, PARQUET_SUFFIXES)
    described_files = [describe_parquet_file(each) for each in paths]
    schema = described_files[0].schema
    for other in described_files[1:]:
        check_same_columns(schema, other.schema, other.path.name)
    refuse_too_many_or_long_names(schema.names, paths[0].name)
    times = Counter(schema.names)
    for position, name in enumerate(schema.names, start=1):
        if times[name] > 1:
            raise InputError(
                "Two columns are called {name!r}: give every column a name of its own.",
                name=name,
            )
        if not name.strip() or name != name.strip():
            raise InputError(
                "Column {column} has no name, or one that begins or ends with a "
                "space: rename it.",
                column=position,
            )
    filled = [each for each in described_files if each.n_records]
    if not filled:
        raise InputError(
            "{path} has columns but no records: choose a file with data.",
            path=str(path),
        )
    metadata = {
        key: value
        for key, value in (schema.metadata or {}).items()
        if key != b"pandas"  # it describes a frame, down to its index
    }
    source = ParquetSource(
        path,
        tuple(each.path for each in filled),
        schema.with_metadata(metadata or None),
        tuple(each.row_groups for each in filled),
        tuple(each.version for each in filled),
        sum(each.n_bytes for each in filled) / sum(each.n_records for each in filled),
        max(each.open_bytes for each in filled),
    )
    with open_parquet_file(source.paths[0]) as file:
        some = next(file.iter_batches(1024, use_threads=False))
    # Repeated values are short in a file, and long in memory.
    wide = max(source.bytes_per_record, some.nbytes / some.num_rows)
    return replace(source, bytes_per_record=wide)
