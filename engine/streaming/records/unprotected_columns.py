"""Unprotected columns: pass them through unchanged, verified by digests.

Neither all records that came in nor all that leave fit into memory, and they come in
another order. So the records of each leaf that were written together have a digest of
what they hold in these columns: one as they are read from the input, and one as they
are read from the parts as written.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray
from pyarrow import ipc

from engine.core.errors import InputError, ParameterError
from engine.core.typing import Integers
from engine.streaming.records.columns import decode_dictionaries, encode_dictionary

Bytes = NDArray[np.uint8]

ROWS_PER_DIGEST_CALL = 4096
"""Records whose cells are bytes in memory at a time."""


class LeafDigests:
    """Digest of the records in each leaf of the split tree, however batched."""

    def __init__(self) -> None:
        self._found = defaultdict[int, Any](partial(hashlib.blake2b, digest_size=16))

    def add_batch(self, batch: Any, leaves: Integers) -> None:
        """Add a batch of records to the digests of their leaves.

        Parameters
        ----------
        batch : pyarrow.RecordBatch or Table
            Columns that nobody protects.
        leaves : ndarray of int64, shape (n_records,)
        """
        if not batch.num_columns:
            return
        for first in range(0, batch.num_rows, ROWS_PER_DIGEST_CALL):
            some = batch.slice(first, ROWS_PER_DIGEST_CALL)
            rows = np.hstack([cells_to_byte_matrix(column) for column in some.columns])
            its = leaves[first : first + ROWS_PER_DIGEST_CALL]
            for leaf in np.unique(its).tolist():
                self._found[leaf].update(rows[its == leaf].tobytes())

    def digest(self, leaf: int) -> bytes:
        """Return the digest of a leaf."""
        found: bytes = self._found[leaf].digest()
        return found


def cells_to_byte_matrix(column: Any) -> Bytes:
    """Return a column's cells as bytes of one width, shape (n_records, width).

    Equal cells have equal bytes, however records are split into arrays; numbers that
    are equal but not the same, such as 0 and -0, have others. Text is a hash.

    Returns
    -------
    ndarray of uint8, shape (n_records, width)
    """
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if isinstance(column, pa.ChunkedArray):  # of types that cannot be joined
        return np.vstack([cells_to_byte_matrix(chunk) for chunk in column.chunks])
    if isinstance(column, pa.ExtensionArray):
        column = column.storage
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    valid = np.asarray(column.is_valid()).astype(np.uint8)[:, None]
    return np.hstack([valid, _value_bytes(column) * valid])


def _value_bytes(column: Any) -> Bytes:
    kind, n = column.type, len(column)
    if pa.types.is_null(kind):
        return np.zeros((n, 0), dtype=np.uint8)
    if pa.types.is_boolean(kind):
        column = column.cast(pa.uint8())
    if pa.types.is_struct(kind):
        return np.hstack(
            [np.zeros((n, 0), np.uint8), *map(cells_to_byte_matrix, column.flatten())]
        )
    if pa.types.is_map(kind):
        column = column.cast(pa.list_(pa.struct([kind.key_field, kind.item_field])))
    if pa.types.is_nested(kind):
        return _list_bytes(column)
    try:
        width = column.type.bit_width // 8
    except ValueError:  # of no fixed width
        return _text_bytes(column)
    if column.buffers()[1] is None:
        return np.zeros((n, width), dtype=np.uint8)
    whole = np.frombuffer(column.buffers()[1], dtype=np.uint8)
    start = column.offset * width
    return whole[start : start + n * width].reshape(n, width)


def _text_bytes(column: Any) -> Bytes:
    some = column.fill_null(b"" if "binary" in str(column.type) else "")
    values = some.to_numpy(zero_copy_only=False)
    hashes = pd.util.hash_array(np.asarray(values, dtype=object), categorize=False)
    return hashes.view(np.uint8).reshape(-1, 8)


def _list_bytes(column: Any) -> Bytes:
    lengths = pc.list_value_length(column).fill_null(0).to_numpy(zero_copy_only=False)
    inside = cells_to_byte_matrix(column.flatten())
    ends = np.cumsum(lengths, dtype=np.int64)
    digests = [
        hashlib.blake2b(inside[end - length : end].tobytes(), digest_size=16).digest()
        for length, end in zip(lengths, ends, strict=True)
    ]
    return np.frombuffer(b"".join(digests), dtype=np.uint8).reshape(-1, 16)


def is_bitwise_equal(first_column: Any, second_column: Any) -> bool:
    """Return whether columns have one type and the same bits, text by its hash."""
    if first_column.type != second_column.type or len(first_column) != len(
        second_column
    ):
        return False
    return all(
        np.array_equal(
            cells_to_byte_matrix(first_column.slice(first, ROWS_PER_DIGEST_CALL)),
            cells_to_byte_matrix(second_column.slice(first, ROWS_PER_DIGEST_CALL)),
        )
        for first in range(0, len(first_column), ROWS_PER_DIGEST_CALL)
    )


def columns_in_input_types(
    table: Any, fields: Iterable[Any], categories: Mapping[str, Any]
) -> list[Any]:
    """Return a block's unprotected columns with the types of the input.

    Parameters
    ----------
    table : pyarrow.Table
        Categories are plain values.
    fields : iterable of pyarrow.Field
        The columns wanted.
    categories : mapping of str to pyarrow.Array or None
        See :func:`engine.streaming.records.columns.column_dictionaries`.
    """
    columns = []
    for field in fields:
        column = table.column(field.name).combine_chunks()
        if field.name in categories:
            column = encode_dictionary(column, field.type, categories[field.name])
        columns.append(column)
    return columns


def check_columns_survive_parquet(
    batch: Any, names: Sequence[str], categories: Mapping[str, Any]
) -> None:
    """Raise if columns of a batch do not come back unchanged from Arrow and Parquet.

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
    if not names or _survives_round_trip(batch.select(names), categories):
        return
    for name in names:
        if not _survives_round_trip(batch.select([name]), categories):
            raise InputError(
                "Column {column!r} is {kind}, which out of core does not leave exactly "
                "as it came: leave it out with --identifiers, or protect the table in "
                "memory.",
                column=name,
                kind=batch.schema.field(name).type,
            )


def refuse_lost_digits(inexact_columns: Sequence[str], names: Sequence[str]) -> None:
    """Raise if a column leaves whose numbers have fewer digits than their text.

    Parameters
    ----------
    inexact_columns : sequence of str
        See :attr:`engine.streaming.records.source.InputOrigin.inexact_columns`.
    names : sequence of str
        Columns that nobody protects.

    Raises
    ------
    ParameterError
    """
    lost = [name for name in names if name in inexact_columns]
    if lost:
        raise ParameterError(
            "Column {column!r} would leave with fewer digits than its numbers have: "
            "say that it is text (--written {column}=text), which keeps them, or leave "
            "it out with --identifiers.",
            column=lost[0],
        )


def _survives_round_trip(batch: Any, categories: Mapping[str, Any]) -> bool:
    """Send records through an Arrow stream and a Parquet file, and compare."""
    try:
        everything = np.arange(batch.num_rows)
        sent = decode_dictionaries(batch, categories).filter(pa.array(everything >= 0))
        stream = pa.BufferOutputStream()
        with ipc.new_stream(stream, sent.schema) as out:
            out.write_batch(sent)
        came = ipc.open_stream(stream.getvalue()).read_all().take(pa.array(everything))
        columns = columns_in_input_types(came, batch.schema, categories)
        leaves = pa.BufferOutputStream()
        pq.write_table(pa.Table.from_arrays(columns, schema=batch.schema), leaves)
        file = pq.ParquetFile(pa.BufferReader(leaves.getvalue()))
        back = file.read(use_threads=False)
        return back.schema.equals(batch.schema) and all(
            map(is_bitwise_equal, batch.columns, back.columns)
        )
    except (pa.ArrowException, TypeError, ValueError):
        return False
