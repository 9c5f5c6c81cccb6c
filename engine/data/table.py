"""Tables: records, schema, origin and a digest of the values."""

from __future__ import annotations

import hashlib
import json
import weakref
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, islice
from typing import Any

import numpy as np
import pandas as pd

from engine.core.arguments import check_arguments
from engine.core.errors import InputError
from engine.core.message import Message
from engine.core.typing import Integers
from engine.data.kinds import Kind, Role
from engine.data.schema import Schema
from engine.data.source_file import SourceFile
from engine.hierarchy import Hierarchy


@dataclass(frozen=True)
class Origin:
    """Format, read options and name of the file that a table was read from.

    Attributes
    ----------
    format : str
        Identifier in :data:`engine.files.formats`; empty for a frame from Python.
    options : mapping
        How it was read: delimiter, decimal, encoding, header, sheet and so on.
    name : str
        File name without folders, for suggestions only.
    """

    format: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""


@check_arguments
@dataclass(frozen=True, eq=False)
class Table:
    """Records with their schema, origin and a digest of their values.

    Make one with :func:`engine.read_table` or :meth:`from_frame`. The frame is
    never changed by the engine, and must not be changed by others.

    Attributes
    ----------
    frame : pandas.DataFrame, n_records rows
    schema : Schema
    fingerprint : str
        SHA-256 of column names, types and values; equal tables have equal ones.
    origin : Origin
    carried : SourceFile or None
        The file that the records came in. Its columns leave as they are there, to the
        last letter, where they are not protected; those of a frame as in the frame.
    """

    frame: pd.DataFrame
    schema: Schema
    fingerprint: str
    origin: Origin = Origin()
    carried: SourceFile | None = None

    @property
    def n_records(self) -> int:
        """Number of rows, those of nothing too."""
        return len(self.frame)

    @cached_property
    def record_rows(self) -> Integers:
        """Row numbers of the records, rising: of all rows but those of nothing."""
        return row_numbers_of_records(self.frame)

    @property
    def records(self) -> pd.DataFrame:
        """Records of the frame, without rows of nothing."""
        if self.record_rows.size == self.n_records:
            return self.frame
        return self.frame.iloc[self.record_rows]

    def without_empty_rows(self) -> Table:
        """Return a table of the records alone; this one if no row is of nothing."""
        if self.record_rows.size == self.n_records:
            return self
        frame = self.records.reset_index(drop=True)
        return Table.from_frame(frame, self.schema, self.origin)

    @check_arguments
    def n_distinct(self, name: str) -> int:
        """Return the number of distinct values of a column."""
        self.schema[name]
        known = facts_of_frame(self.frame).n_distinct
        if name not in known:
            known[name] = int(self.frame[name].nunique())
        return known[name]

    def check_fingerprint(self, fingerprint: str) -> None:
        """Raise if the records are not those of a fingerprint.

        Raises
        ------
        InputError
        """
        if self.fingerprint != fingerprint:
            raise InputError(
                "The table has other columns or values than the one that was "
                "prepared or protected: give that table."
            )

    @classmethod
    @check_arguments
    def from_frame(
        cls,
        frame: pd.DataFrame,
        schema: Schema,
        origin: Origin | None = None,
        carried: SourceFile | None = None,
    ) -> Table:
        """Return a table of a frame and a schema; raise if they do not fit.

        Dates, moments and dictionaries of Arrow become those of pandas, and Python's
        decimals those of Arrow, which are numbers.

        Raises
        ------
        InputError
            If there are no columns or records, two columns share a name, or the schema
            is that of other columns.
        """
        if frame.shape[1] == 0:
            raise InputError("The table has no columns: choose another file.")
        names = [str(name) for name in frame.columns]
        repeated = sorted(name for name, n in Counter(names).items() if n > 1)
        if repeated:
            raise InputError(
                "Two columns are called {column!r}: give every column a name "
                "of its own.",
                column=repeated[0],
            )
        if len(frame) == 0:
            raise InputError(
                "The table has a header but no records: choose a file with data."
            )
        frame = _replace_unusual_types(frame.set_axis(names, axis="columns"))
        refuse_unsupported_cells(frame)
        if schema.names != tuple(names):
            raise InputError(
                "The schema's columns are not those of the table: {difference}.",
                difference=_first_difference(schema.names, tuple(names)),
            )
        return cls(frame, schema, frame_fingerprint(frame), origin or Origin(), carried)

    @check_arguments
    def assign(
        self,
        roles: Mapping[str, Role | str] | None = None,
        kinds: Mapping[str, Kind | str] | None = None,
        hierarchies: Mapping[str, Hierarchy | None] | None = None,
    ) -> Table:
        """Return the same records with some roles, kinds and hierarchies replaced."""
        return replace(self, schema=self.schema.assign(roles, kinds, hierarchies))


@dataclass(frozen=True, eq=False)
class FrameFacts:
    """What has been found out about a frame so far.

    Attributes
    ----------
    n_distinct : dict of str to int
        Distinct values of columns.
    values : dict of str to frozenset
        The distinct values of some columns that have few.
    order_breaches : dict of pair of str to float or None
        Records in which independent columns would break the order that a pair of
        columns keeps; None of a pair that keeps none.
    """

    n_distinct: dict[str, int] = field(default_factory=dict)
    values: dict[str, frozenset[object]] = field(default_factory=dict)
    order_breaches: dict[tuple[str, str], float | None] = field(default_factory=dict)


_FACTS_BY_ID: dict[int, tuple[weakref.ref[pd.DataFrame], FrameFacts]] = {}


def facts_of_frame(frame: pd.DataFrame) -> FrameFacts:
    """Return the facts about a frame, which are kept as long as the frame is."""
    key = id(frame)
    known = _FACTS_BY_ID.get(key)
    if known is None or known[0]() is not frame:
        weak = weakref.ref(frame, lambda _: _FACTS_BY_ID.pop(key, None))
        known = _FACTS_BY_ID[key] = weak, FrameFacts()
    return known[1]


def row_numbers_of_records(frame: pd.DataFrame) -> Integers:
    """Return the row numbers of rows with a value; of a single column, of all.

    A row without a value in any column separates records, or trails them. Of a single
    column it is a record that lacks its value.
    """
    if frame.shape[1] == 1:
        return np.arange(len(frame), dtype=np.int64)
    is_record = np.zeros(len(frame), dtype=np.bool_)
    for j in range(frame.shape[1]):
        rows = np.flatnonzero(~is_record)
        if not rows.size:
            break
        is_record[rows] = frame.iloc[rows, j].notna()
    return np.flatnonzero(is_record).astype(np.int64)


def drop_empty_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame without rows that have no value; a single column stays whole."""
    rows = row_numbers_of_records(frame)
    return frame if rows.size == len(frame) else frame.iloc[rows]


def refuse_unsupported_cells(frame: pd.DataFrame) -> None:
    """Raise if a column has complex numbers, or lists and the like.

    Raises
    ------
    InputError
    """
    for name, column in frame.items():
        types: set[type] = {complex} if column.dtype.kind == "c" else set()
        if column.dtype == object:
            types = {
                type(cell)
                for cell in column
                if cell.__hash__ is None
                or isinstance(cell, complex | np.complexfloating)
            }
        if types:
            raise InputError(
                "Column {column!r} has cells of type {type}: give it numbers, texts, "
                "dates or truth values.",
                column=str(name),
                type=min(each.__name__ for each in types),
            )


def _replace_unusual_types(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame whose dates, moments and dictionaries are those of pandas.

    pandas neither sorts dictionaries of Arrow, nor takes hours of its dates, means of
    its moments, or differences of those with a zone. Decimals of Python, as databases
    give them, become numbers of Arrow.
    """
    replaced = {
        str(name): _column_of_pandas(column)
        for name, column in frame.items()
        if isinstance(column.dtype, pd.ArrowDtype)
        and _is_replaced(column.dtype.pyarrow_dtype)
    } | {
        str(name): _decimals_of_arrow(column)
        for name, column in frame.items()
        if column.dtype == object
        and pd.api.types.infer_dtype(column, skipna=True) == "decimal"
    }
    return frame.assign(**replaced) if replaced else frame


def _decimals_of_arrow(column: pd.Series) -> pd.Series:
    """Return decimals of Python as those of Arrow; as they are if it has none such."""
    import pyarrow as pa

    try:
        decimals = pa.array(column, from_pandas=True)
    except (TypeError, ValueError):  # infinite ones, or of more than 76 digits
        return column
    return pd.Series(decimals, column.index, dtype=pd.ArrowDtype(decimals.type))


def _is_replaced(arrow_type: Any) -> bool:
    """Return whether a type of Arrow is one of dates, moments or dictionaries."""
    import pyarrow as pa

    kinds = (pa.types.is_dictionary, pa.types.is_date, pa.types.is_timestamp)
    return any(is_kind(arrow_type) for is_kind in kinds)


def _column_of_pandas(column: pd.Series) -> pd.Series:
    """Return dates, moments or a dictionary of Arrow as pandas has them."""
    import pyarrow as pa

    cells = pa.array(column.array).to_pandas(date_as_object=False)
    return pd.Series(pd.Series(cells).array, column.index)


def _first_difference(ours: tuple[str, ...], theirs: tuple[str, ...]) -> Message:
    missing = [name for name in ours if name not in theirs]
    if missing:
        return Message("the table has no column {column!r}", column=missing[0])
    extra = [name for name in theirs if name not in ours]
    if extra:
        return Message(
            "the schema says nothing about column {column!r}", column=extra[0]
        )
    return Message("they come in another order")


CELLS_PER_HASH_CALL = 1 << 20
"""Cells that are hashed together: many columns of few records, or one of many."""


def frame_fingerprint(frame: pd.DataFrame) -> str:
    """Return the SHA-256 of a frame's column names, types and values.

    The row index does not count: it says nothing about the records. Names, types and
    the number of records go first, and say how many bytes follow for each cell or
    where that stands, so that no other table has the same bytes.
    """
    columns_and_types = zip(frame.columns, frame.dtypes, strict=True)
    types = [(str(name), str(dtype)) for name, dtype in columns_and_types]
    digest = hashlib.sha256(_to_block([len(frame), types]))
    columns = (column for _, column in frame.items())
    width = max(1, CELLS_PER_HASH_CALL // max(1, len(frame)))
    while some := list(islice(columns, width)):
        texts = [c for c in some if isinstance(c.dtype, pd.StringDtype)]
        for block in chain(*map(_cell_blocks, some), _text_blocks(texts)):
            digest.update(block)
    return digest.hexdigest()


def _to_block(content: Any) -> bytes:
    """Return JSON as bytes, after their number."""
    block = json.dumps(content).encode()
    return len(block).to_bytes(8, "little") + block


def _cell_blocks(column: pd.Series) -> Iterator[bytes | memoryview]:
    """Yield the cells of a column as bytes, nothing of text."""
    dtype = column.dtype
    if isinstance(dtype, pd.StringDtype):
        return
    if isinstance(dtype, pd.CategoricalDtype):
        yield frame_fingerprint(dtype.categories.to_frame(index=False)).encode()
        yield bytes([bool(dtype.ordered)])
        yield column.cat.codes.to_numpy(np.int64).tobytes()
    elif isinstance(dtype, pd.DatetimeTZDtype):
        yield from _cell_blocks(column.dt.tz_convert(None))
    elif hasattr(dtype, "numpy_dtype"):  # numbers that may be missing
        yield column.isna().to_numpy().tobytes()
        yield column.to_numpy(dtype.numpy_dtype, na_value=0).tobytes()
    elif isinstance(dtype, np.dtype) and dtype.kind in "biufmM" and dtype.itemsize < 9:
        values = np.ascontiguousarray(column.to_numpy())
        yield values.view(np.uint8).data
    else:
        yield _to_block([f"{type(x).__name__}:{x!r}" for x in column.astype(object)])


def _text_blocks(columns: Sequence[pd.Series]) -> Iterator[bytes | memoryview]:
    """Yield the lengths of all cells in bytes, -1 of a missing one, then their text."""
    import pyarrow as pa
    import pyarrow.compute as pc

    parts = [pa.array(column.array, pa.large_string()) for column in columns]
    cells = pa.chunked_array(parts, pa.large_string())
    if len(columns) > 1:
        cells = pa.chunked_array([cells.combine_chunks()])
    yield pc.fill_null(pc.binary_length(cells), -1).to_numpy().tobytes()
    for part in pc.fill_null(cells, "").chunks:
        _, ends, text = part.buffers()
        if len(part) and text is not None:
            places = np.frombuffer(ends, np.int64)[part.offset :]
            yield memoryview(text)[places[0] : places[len(part)]]
