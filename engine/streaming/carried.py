"""Columns that nobody protects: that they leave as they came in, without a look back.

Neither all records that came in nor all that leave fit into memory, and they come in
another order. So each leaf has a digest of what its records hold in these columns: one
as they are read from the input, and one as they are read from the parts as written.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray
from pyarrow import ipc

from engine.core.errors import InputError
from engine.core.typing import Integers
from engine.streaming.columns import as_categories, plain

Bytes = NDArray[np.uint8]

AT_ONCE = 4096
"""Records whose cells are bytes in memory at a time."""


class Digests:
    """A digest of the records of each leaf, which may come in any number of pieces.

    Parameters
    ----------
    n_leaves : int
    """

    def __init__(self, n_leaves: int) -> None:
        self._found = [hashlib.blake2b(digest_size=16) for _ in range(n_leaves)]

    def add(self, batch: Any, leaves: Integers) -> None:
        """Take in records.

        Parameters
        ----------
        batch : pyarrow.RecordBatch or Table
            Columns that nobody protects.
        leaves : ndarray of int64, shape (n_records,)
        """
        if not batch.num_columns:
            return
        for first in range(0, batch.num_rows, AT_ONCE):
            some = batch.slice(first, AT_ONCE)
            rows = np.hstack([cells(column) for column in some.columns])
            its = leaves[first : first + AT_ONCE]
            for leaf in np.unique(its):
                self._found[leaf].update(rows[its == leaf].tobytes())

    def result(self) -> list[str]:
        """Return the digest of each leaf."""
        return [each.hexdigest() for each in self._found]


def cells(column: Any) -> Bytes:
    """Return what stands in the cells of a column, as bytes of one width.

    Equal cells have equal bytes, however records are split into arrays; numbers that
    are equal but not the same, such as 0 and -0, have others. Text is a hash.

    Parameters
    ----------
    column : pyarrow.Array or ChunkedArray

    Returns
    -------
    ndarray of uint8, shape (n_records, width)
    """
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if isinstance(column, pa.ChunkedArray):  # of types that cannot be joined
        return np.vstack([cells(chunk) for chunk in column.chunks])
    if isinstance(column, pa.ExtensionArray):
        column = column.storage
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    valid = np.asarray(column.is_valid()).astype(np.uint8)[:, None]
    return np.hstack([valid, _values(column) * valid])


def _values(column: Any) -> Bytes:
    kind, n = column.type, len(column)
    if pa.types.is_null(kind):
        return np.zeros((n, 0), dtype=np.uint8)
    if pa.types.is_boolean(kind):
        column = column.cast(pa.uint8())
    if pa.types.is_struct(kind):
        return np.hstack([np.zeros((n, 0), np.uint8), *map(cells, column.flatten())])
    if pa.types.is_map(kind):
        column = column.cast(pa.list_(pa.struct([kind.key_field, kind.item_field])))
    if pa.types.is_nested(kind):
        return _lists(column)
    try:
        width = column.type.bit_width // 8
    except ValueError:  # of no fixed width
        return _texts(column)
    if column.buffers()[1] is None:
        return np.zeros((n, width), dtype=np.uint8)
    whole = np.frombuffer(column.buffers()[1], dtype=np.uint8)
    start = column.offset * width
    return whole[start : start + n * width].reshape(n, width)


def _texts(column: Any) -> Bytes:
    some = column.fill_null(b"" if "binary" in str(column.type) else "")
    values = some.to_numpy(zero_copy_only=False)
    found = pd.util.hash_array(np.asarray(values, dtype=object), categorize=False)
    return found.view(np.uint8).reshape(-1, 8)


def _lists(column: Any) -> Bytes:
    lengths = pc.list_value_length(column).fill_null(0).to_numpy(zero_copy_only=False)
    inside, ends = cells(column.flatten()), np.cumsum(lengths, dtype=np.int64)
    found = [
        hashlib.blake2b(inside[end - length : end].tobytes(), digest_size=16).digest()
        for length, end in zip(lengths, ends, strict=True)
    ]
    return np.frombuffer(b"".join(found), dtype=np.uint8).reshape(-1, 16)


def same(ours: Any, theirs: Any) -> bool:
    """Return whether two columns hold the same to the last bit.

    Parameters
    ----------
    ours, theirs : pyarrow.ChunkedArray or Array
    """
    if ours.type != theirs.type or len(ours) != len(theirs):
        return False
    return all(
        np.array_equal(
            cells(ours.slice(first, AT_ONCE)), cells(theirs.slice(first, AT_ONCE))
        )
        for first in range(0, len(ours), AT_ONCE)
    )


def restored(
    table: Any, schema: Iterable[Any], categories: Mapping[str, Any]
) -> list[Any]:
    """Return columns of a block as they came in.

    Parameters
    ----------
    table : pyarrow.Table
        Categories are plain values.
    schema : iterable of pyarrow.Field
        The columns wanted.
    categories : mapping of str to pyarrow.Array or None
        See :func:`engine.streaming.columns.categories_of`.
    """
    found = []
    for field in schema:
        column = table.column(field.name).combine_chunks()
        if field.name in categories:
            column = as_categories(column, field.type, categories[field.name])
        found.append(column)
    return found


def check_carried(
    batch: Any, names: Sequence[str], categories: Mapping[str, Any]
) -> None:
    """Refuse a type that cannot go to a block and into a part as it is.

    Parameters
    ----------
    batch : pyarrow.RecordBatch
        The first records.
    names : sequence of str
        Columns that nobody protects.
    categories : mapping of str to pyarrow.Array or None

    Raises
    ------
    InputError
    """
    if not names or _carries(batch.select(names), categories):
        return
    for name in names:
        if not _carries(batch.select([name]), categories):
            raise InputError(
                "Column {column!r} is {kind}, which out of core does not leave exactly "
                "as it came: leave it out with --identifiers, or protect the table in "
                "memory.",
                column=name,
                kind=batch.schema.field(name).type,
            )


def _carries(batch: Any, categories: Mapping[str, Any]) -> bool:
    """Send records the way of all: over a stream of Arrow into a Parquet file."""
    try:
        everything = np.arange(batch.num_rows)
        sent = plain(batch, categories).filter(pa.array(everything >= 0))
        stream = pa.BufferOutputStream()
        with ipc.new_stream(stream, sent.schema) as out:
            out.write_batch(sent)
        came = ipc.open_stream(stream.getvalue()).read_all().take(pa.array(everything))
        columns = restored(came, batch.schema, categories)
        leaves = pa.BufferOutputStream()
        pq.write_table(pa.Table.from_arrays(columns, schema=batch.schema), leaves)
        file = pq.ParquetFile(pa.BufferReader(leaves.getvalue()))
        back = file.read(use_threads=False)
        return back.schema.equals(batch.schema) and all(
            map(same, batch.columns, back.columns)
        )
    except (pa.ArrowException, TypeError, ValueError):
        return False
