"""Spool: records on disk, sorted by leaf, until their blocks are protected.

A run is as many records as memory allows, sorted by leaf. It is one file of Arrow
streams, one stream per leaf, so that a block is read with one short read from each run,
and files stay few however many blocks there are.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import ipc

from engine.core.errors import InputError
from engine.core.platform.files import move_and_replace
from engine.core.typing import Integers

INDEX_FILE = "index.npy"


class LeafSpool:
    """Folder of files of records, each sorted by leaf.

    Parameters
    ----------
    folder : Path
        Holds nothing else.
    n_leaves : int
    """

    def __init__(self, folder: Path, n_leaves: int) -> None:
        self._folder, self._n_leaves = folder, n_leaves
        self._waiting: list[Any] = []
        self._leaves: list[Integers] = []
        self._bytes = 0
        self._runs = 0
        self._index: list[tuple[int, ...]] = []
        self._found: Integers | None = None

    def add_batch(self, batch: Any, leaves: Integers, most_bytes: int) -> None:
        """Add records to the buffer; write a file once it reaches `most_bytes`.

        Parameters
        ----------
        batch : pyarrow.RecordBatch
        leaves : ndarray of int64, shape (n_records,)
        most_bytes : int
            Of records that wait.
        """
        if not batch.num_rows:
            return
        self._waiting.append(batch)
        self._leaves.append(leaves)
        self._bytes += batch.nbytes
        if self._bytes >= most_bytes:
            self._write_run()

    def finish(self) -> None:
        """Write the buffered records and then the index, which marks completion."""
        self._write_run()
        for run in range(self._runs):
            with self._path(run).open("rb+") as stream:
                os.fsync(stream.fileno())
        index = np.array(self._index, dtype=np.int64).reshape(-1, 7)
        part = self._folder / f".{INDEX_FILE}.part"
        with part.open("wb") as stream:
            np.save(stream, index, allow_pickle=False)
            stream.flush()
            os.fsync(stream.fileno())
        move_and_replace(part, self._folder / INDEX_FILE)

    @property
    def is_complete(self) -> bool:
        """Whether the folder holds a finished spool."""
        return (self._folder / INDEX_FILE).exists()

    def leaf_sizes(self) -> Integers:
        """Return the number of records in each leaf, shape (n_leaves,)."""
        return self._sums(4)

    def leaf_nbytes(self) -> Integers:
        """Return the memory size of each leaf in bytes, shape (n_leaves,)."""
        return self._sums(5)

    def _sums(self, column: int) -> Integers:
        found = np.zeros(self._n_leaves, dtype=np.int64)
        index = self._read_index()
        np.add.at(found, index[:, 0], index[:, column])
        return found

    def read_leaves(self, leaves: Sequence[int]) -> list[bytes]:
        """Return the records of the given leaves as Arrow streams, leaf by leaf.

        Returns
        -------
        list of bytes
            Arrow streams, for :func:`drain_streams_into_table`.
        """
        index = self._read_index()
        found = []
        for leaf in leaves:
            for _, run, start, length, _, _, crc in index[_leaf_rows(index, leaf)]:
                with self._path(int(run)).open("rb") as stream:
                    stream.seek(int(start))
                    found.append(stream.read(int(length)))
                if zlib.crc32(found[-1]) != crc:
                    raise self._damaged()
        return found

    def _read_index(self) -> Integers:
        if self._found is None:
            try:
                found = np.load(self._folder / INDEX_FILE, allow_pickle=False)
            except (ValueError, EOFError):
                raise self._damaged() from None
            self._found = found[np.argsort(found[:, 0], kind="stable")]
        return self._found

    def _damaged(self) -> InputError:
        """Have the records sent to their leaves again by the next run."""
        (self._folder / INDEX_FILE).unlink(missing_ok=True)
        return InputError(
            "Records on their way to blocks, in {folder}, are not what was written "
            "there: check the disk, and repeat the run to have them written again.",
            folder=self._folder,
        )

    def _path(self, run: int) -> Path:
        return self._folder / f"run-{run:05}.arrows"

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
        with self._path(self._runs).open("w+b") as stream:
            for leaf in np.flatnonzero(np.diff(borders)):
                first, after = borders[leaf], borders[leaf + 1]
                some = table.slice(first, after - first)
                start = stream.tell()
                with ipc.new_stream(stream, some.schema, options=options) as out:
                    out.write_table(some)
                length = stream.tell() - start
                stream.seek(start)
                crc = zlib.crc32(stream.read(length))
                size = some.num_rows, some.nbytes
                entry = (leaf, self._runs, start, length, *size, crc)
                self._index.append(tuple(map(int, entry)))
        self._runs += 1


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
