"""Spool: records on disk, sorted by leaf, until their blocks are protected.

Each task writes a file of its own, and gives it its name once it is whole. In it are
runs, of as many records as memory allows, sorted by leaf: Arrow streams, one for each
leaf, so that a block is read with one short read from each run, and files stay few
however many blocks there are.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pyarrow as pa
from pyarrow import ipc

from engine.core.errors import InputError
from engine.core.platform.files import move_and_replace
from engine.core.platform.system_errors import name_file_in_errors
from engine.core.typing import Integers
from engine.streaming.records.unprotected_columns import LeafDigests

INDEX_FILE = "index.npy"

INDEX_COLUMNS = 9
"""Leaf, number of the file, where its stream begins, how long it is, its records, their
bytes in memory, its checksum, and the digest of its unprotected columns, as two."""


@dataclass(frozen=True, eq=False)
class SpoolFile:
    """File of records that a task has written.

    Attributes
    ----------
    name : str
        Empty if there was no record.
    index : ndarray of int64, shape (n_streams, INDEX_COLUMNS)
        Of each stream; the number of the file is not known yet.
    """

    name: str
    index: Integers


class SpoolWriter:
    """Writer of one file of records, each run of them sorted by leaf.

    Parameters
    ----------
    folder : Path
        Of the spool.
    n_leaves : int
    most_bytes : int
        Of records that wait for their run to be written.
    """

    def __init__(self, folder: Path, n_leaves: int, most_bytes: int) -> None:
        self._folder, self._n_leaves, self._most_bytes = folder, n_leaves, most_bytes
        self._name = f"{uuid4().hex}.arrows"  # another task may do the same work
        self._part = folder / f".{self._name}.part"
        self._waiting: list[Any] = []
        self._leaves: list[Integers] = []
        self._bytes = 0
        self._digests = LeafDigests()
        self._index: list[tuple[int, ...]] = []

    def add_batch(
        self, batch: Any, leaves: Integers, unprotected: Any | None = None
    ) -> None:
        """Add records to the buffer; write a run once there are enough.

        Parameters
        ----------
        batch : pyarrow.RecordBatch
        leaves : ndarray of int64, shape (n_records,)
        unprotected : pyarrow.RecordBatch, optional
            Columns of theirs that have a digest, as they came.
        """
        if not batch.num_rows:
            return
        if unprotected is not None:
            self._digests.add_batch(unprotected, leaves)
        self._waiting.append(batch)
        self._leaves.append(leaves)
        self._bytes += batch.nbytes
        if self._bytes >= self._most_bytes:
            self._write_run()

    def finish(self) -> SpoolFile:
        """Write what is buffered, name the file, and return what is in it."""
        self._write_run()
        index = np.array(self._index, dtype=np.int64).reshape(-1, INDEX_COLUMNS)
        if not index.size:
            return SpoolFile("", index)
        with name_file_in_errors(self._part), self._part.open("rb+") as stream:
            os.fsync(stream.fileno())
        move_and_replace(self._part, self._folder / self._name)
        return SpoolFile(self._name, index)

    def _write_run(self) -> None:
        if not self._waiting:
            return
        leaves = np.concatenate(self._leaves)
        table = pa.Table.from_batches(self._waiting).combine_chunks()
        self._waiting, self._leaves, self._bytes = [], [], 0
        order = np.argsort(leaves, kind="stable")
        table = table.take(pa.array(order))
        borders = np.searchsorted(leaves[order], np.arange(self._n_leaves + 1))
        options = ipc.IpcWriteOptions(compression="lz4", use_threads=False)
        with name_file_in_errors(self._part), self._part.open("ab+") as stream:
            for leaf in np.flatnonzero(np.diff(borders)).tolist():
                first, after = borders[leaf], borders[leaf + 1]
                some = table.slice(first, after - first)
                written = pa.BufferOutputStream()
                with ipc.new_stream(written, some.schema, options=options) as out:
                    out.write_table(some)
                content = written.getvalue()
                crc, start = zlib.crc32(content), stream.tell()
                stream.write(content)
                size = some.num_rows, some.nbytes
                entry = (leaf, 0, start, content.size, *size, crc)
                digest = np.frombuffer(self._digests.digest(leaf), dtype=np.int64)
                self._index.append(tuple(map(int, (*entry, *digest))))
        self._digests = LeafDigests()


class LeafSpool:
    """Folder of files of records, each sorted by leaf.

    Parameters
    ----------
    folder : Path
        Holds nothing else.
    n_leaves : int
    """

    def __init__(self, folder: Path, n_leaves: int) -> None:
        self.folder, self._n_leaves = folder, n_leaves
        self._files: list[Integers] = []
        self._found: Integers | None = None

    def add_file(self, file: SpoolFile) -> None:
        """Add a file that :class:`SpoolWriter` wrote here, after those before."""
        if not file.name:
            return
        number = len(self._files)
        move_and_replace(self.folder / file.name, _file_path(self.folder, number))
        file.index[:, 1] = number
        self._files.append(file.index)

    def finish(self) -> None:
        """Write the index, which marks completion."""
        index = np.concatenate([np.empty((0, INDEX_COLUMNS), np.int64), *self._files])
        part = self.folder / f".{INDEX_FILE}.part"
        with name_file_in_errors(part), part.open("wb") as stream:
            np.save(stream, index, allow_pickle=False)
            stream.flush()
            os.fsync(stream.fileno())
        move_and_replace(part, self.folder / INDEX_FILE)

    @property
    def is_complete(self) -> bool:
        """Whether the folder holds a finished spool."""
        return (self.folder / INDEX_FILE).exists()

    def leaf_sizes(self) -> Integers:
        """Return the number of records in each leaf, shape (n_leaves,)."""
        return self._sums(4)

    def leaf_nbytes(self) -> Integers:
        """Return the memory size of each leaf in bytes, shape (n_leaves,)."""
        return self._sums(5)

    def _sums(self, column: int) -> Integers:
        sums = np.zeros(self._n_leaves, dtype=np.int64)
        index = self._read_index()
        np.add.at(sums, index[:, 0], index[:, column])
        return sums

    def records_of(self, leaves: Sequence[int]) -> SpooledRecords:
        """Return where the records of the given leaves are, leaf by leaf."""
        index = self._read_index()
        rows = [index[:0], *(index[_leaf_rows(index, leaf)] for leaf in leaves)]
        return SpooledRecords(self.folder, np.concatenate(rows))

    def _read_index(self) -> Integers:
        if self._found is None:
            try:
                index = np.load(self.folder / INDEX_FILE, allow_pickle=False)
            except (ValueError, EOFError):
                raise _damaged_spool_error(self.folder) from None
            self._found = index[np.argsort(index[:, 0], kind="stable")]
        return self._found


@dataclass(frozen=True, eq=False)
class SpooledRecords:
    """Where the records of some leaves are; for whoever reaches their folder.

    Attributes
    ----------
    folder : Path
    index : ndarray of int64, shape (n_streams, INDEX_COLUMNS)
    """

    folder: Path
    index: Integers

    def read_streams(self) -> list[bytes]:
        """Return the records as Arrow streams, leaf by leaf.

        Returns
        -------
        list of bytes
            Arrow streams, for :func:`drain_streams_into_table`.
        """
        found = []
        for _, file, start, length, _, _, crc, *_ in self.index.tolist():
            path = _file_path(self.folder, file)
            with name_file_in_errors(path), path.open("rb") as stream:
                stream.seek(start)
                found.append(stream.read(length))
            if zlib.crc32(found[-1]) != crc:
                raise _damaged_spool_error(self.folder)
        return found

    def sizes_and_digests(self) -> list[tuple[int, bytes]]:
        """Return records and digest of unprotected columns of each stream."""
        digests = np.ascontiguousarray(self.index[:, 7:])
        sizes = self.index[:, 4].tolist()
        return [(n, digest.tobytes()) for n, digest in zip(sizes, digests, strict=True)]


def _file_path(folder: Path, number: int) -> Path:
    return folder / f"run-{number:05}.arrows"


def _damaged_spool_error(folder: Path) -> InputError:
    """Have the records sent to their leaves again by the next run."""
    (folder / INDEX_FILE).unlink(missing_ok=True)
    return InputError(
        "Records on their way to blocks, in {folder}, are not what was written "
        "there: check the disk, and repeat the run to have them written again.",
        folder=folder,
    )


def drain_streams_into_table(streams: list[bytes], columns: Sequence[str] = ()) -> Any:
    """Return the records of Arrow streams as one table; empty the list in place.

    Parameters
    ----------
    streams : list of bytes
    columns : sequence of str
        That are read; all where none is named.
    """
    streams.reverse()
    options = ipc.IpcReadOptions(use_threads=False)  # whose memory nobody could count
    if columns:
        names = ipc.open_stream(pa.py_buffer(streams[0])).schema.names
        options.included_fields = sorted(map(names.index, columns))
    tables = []
    while streams:  # so that what has been read is not there twice
        reader = ipc.open_stream(pa.py_buffer(streams.pop()), options=options)
        tables.append(reader.read_all())
    return pa.concat_tables(tables).combine_chunks()


def _leaf_rows(index: Integers, leaf: int) -> slice:
    """Return the rows of a leaf in an index sorted by leaves."""
    low, high = np.searchsorted(index[:, 0], [leaf, leaf + 1])
    return slice(int(low), int(high))
