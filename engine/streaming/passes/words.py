"""Encode category columns as numbers: distinct values, counts, leaves, ranks.

The different values of such a column fit into memory, and only they are held: records
are numbers, first places in the order of appearance, then leaves of the hierarchy.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import ipc

from engine.core.errors import InputError
from engine.core.typing import Integers, Values
from engine.data.conversion.attributes import AttributeInfo
from engine.data.conversion.read_attribute import read_attribute_and_numbers
from engine.data.kinds import Kind
from engine.data.schema import Column, Schema
from engine.data.table import Table
from engine.files.cells.digits import arrow_decimals_to_float64
from engine.hierarchy import Hierarchy, leaf_text_of
from engine.hierarchy.tree import uncovered_value_error
from engine.points.branches import MAX_CATEGORIES


class ValueCounter:
    """Counter of one column's distinct values over batches.

    Parameters
    ----------
    name : str
        The column's, for the message.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._places: dict[Any, int] = {}
        self._first: list[int] = []
        self._type: Any = None
        self._counts = np.zeros(0, dtype=np.int64)
        self._weights = np.zeros(0)

    def encode_column(self, column: Any, first: int = 0) -> Values:
        """Return the index of each record's value; NaN where missing.

        Parameters
        ----------
        column : pyarrow.Array or ChunkedArray
        first : int
            Number of the first record, from 0.

        Raises
        ------
        InputError
            If there are more than :data:`engine.points.branches.MAX_CATEGORIES` values.
        """
        values = decode_and_normalise_column(column)
        self._type = values.type
        codes, distinct = encode_and_list_distinct_values(values)
        records = np.empty(len(distinct) + 1, dtype=np.int64)
        records[codes[::-1]] = np.arange(codes.size)[::-1]
        new = np.empty(len(distinct), dtype=np.int64)
        for number, value in enumerate(distinct.to_pylist()):
            place = self._places.setdefault(value, len(self._places))
            if place == len(self._first):
                self._first.append(first + int(records[number]))
            new[number] = place
        self._refuse_too_many()
        return np.append(new.astype(np.float64), np.nan)[codes]

    def add_counts(self, places: Values, weights: Values | None) -> None:
        """Add released records to the counts of their values.

        Parameters
        ----------
        places : ndarray of float64, shape (n_records,)
            Of their values, none missing.
        weights : ndarray of float64, shape (n_records,), optional
        """
        some, size = places.astype(np.int64), len(self._places)
        mass = np.bincount(some, weights, minlength=size).astype(np.float64)
        self._add(np.bincount(some, minlength=size), mass)

    def join(self, later: ValueCounter) -> Values:
        """Add the values and counts of later records; return its values' places here.

        Raises
        ------
        InputError
            As :meth:`encode_column`.
        """
        self._type = self._type or later._type
        new = np.empty(len(later._places), dtype=np.int64)
        for number, value in enumerate(later._places):
            new[number] = place = self._places.setdefault(value, len(self._places))
            if place == len(self._first):
                self._first.append(later._first[number])
        self._refuse_too_many()
        own, size = new[: later._counts.size], len(self._places)
        counts, weights = np.zeros(size, dtype=np.int64), np.zeros(size)
        counts[own], weights[own] = later._counts, later._weights
        self._add(counts, weights)
        return new.astype(np.float64)

    @property
    def n_released(self) -> int:
        """Number of distinct values of released records."""
        return int(np.count_nonzero(self._counts))

    def _add(self, counts: Integers, weights: Values) -> None:
        grown = np.zeros(counts.size, dtype=np.int64), np.zeros(counts.size)
        grown[0][: self._counts.size] = self._counts
        grown[1][: self._weights.size] = self._weights
        self._counts, self._weights = grown[0] + counts, grown[1] + weights

    def _refuse_too_many(self) -> None:
        if len(self._places) > MAX_CATEGORIES:
            raise InputError(
                "Column {column!r} has more than {most:,} categories, which is more "
                "than can be grouped: make them coarser before, as in the first "
                "digits of a code, declare the column a number, or give it another "
                "role.",
                column=self._name,
                most=MAX_CATEGORIES,
            )

    def result(self) -> CountedValues:
        """Return the distinct values and their counts."""
        return CountedValues(
            pa.array(list(self._places), self._type),
            self._counts,
            self._weights,
            np.array(self._first, dtype=np.int64),
        )


@dataclass(frozen=True, eq=False)
class CountedValues:
    """Distinct values of one column, with counts, weights and first records.

    Attributes
    ----------
    values : pyarrow.Array
        All different, in their order of appearance.
    counts : ndarray of int64, shape (n_values,)
        Records that are released, by value.
    weights : ndarray of float64, shape (n_values,)
        What these records weigh together; as `counts` where they have no weights.
    first : ndarray of int64, shape (n_values,)
        Number of the first record that has the value, from 0.
    """

    values: Any
    counts: Integers
    weights: Values
    first: Integers

    def to_json(self) -> dict[str, Any]:
        """Return the values and counts as plain values, ready for JSON."""
        stream = pa.BufferOutputStream()
        batch = pa.RecordBatch.from_arrays([self.values], ["values"])
        with ipc.new_stream(stream, batch.schema) as out:
            out.write_batch(batch)
        return {
            "values": base64.b64encode(stream.getvalue()).decode(),
            "counts": self.counts.tolist(),
            "weights": self.weights.tolist(),
            "first": self.first.tolist(),
        }

    @property
    def records_per_value(self) -> Values:
        """Number of records of each value, as float64 for sums."""
        return self.counts.astype(np.float64)

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> CountedValues:
        """Return the counts that :meth:`to_json` wrote."""
        table = ipc.open_stream(base64.b64decode(content["values"])).read_all()
        return cls(
            table.column(0).combine_chunks(),
            np.array(content["counts"], dtype=np.int64),
            np.array(content["weights"], dtype=np.float64),
            np.array(content["first"], dtype=np.int64),
        )

    def to_leaf_encoding(
        self, name: str, kind: Kind, tree: Hierarchy | None, order: Any | None
    ) -> LeafEncoding:
        """Return the encoding of the values as leaves or ranks.

        Parameters
        ----------
        name : str
        kind : Kind
        tree : Hierarchy or None
        order : pyarrow.Array or None
            The column's categories, where they have an order.

        Raises
        ------
        InputError
            If the hierarchy lacks a value, or nothing says the order of ordinal words.
        """
        used = np.flatnonzero(self.counts)
        some = self.values.take(pa.array(used))
        column = pd.Series(some.to_pandas())
        if order is not None:
            categories = pd.Index(order.to_pandas())
            column = pd.Series(pd.Categorical(column, categories, ordered=True))
        if tree is not None:
            lacking = tree.uncovered_values(column)
            if lacking:
                at = used[list(map(leaf_text_of, column)).index(lacking[0])]
                raise uncovered_value_error(name, lacking[0], int(self.first[at]))
        schema = Schema((Column(name, kind, hierarchy=tree),))
        table = Table(pd.DataFrame({name: column}), schema, "")
        attribute, codes = read_attribute_and_numbers(table, name)
        leaves = np.full(len(self.values), -1, dtype=np.int64)
        leaves[used] = codes.astype(np.int64)
        return LeafEncoding(attribute, self.values, leaves)


@dataclass(frozen=True, eq=False)
class LeafEncoding:
    """Encoding of a column's values as hierarchy leaves or ranks.

    Attributes
    ----------
    attribute : AttributeInfo
        As one of a table in memory, but for its range.
    values : pyarrow.Array
    leaves : ndarray of int64, shape (n_values,)
        -1 for values that no released record has.
    """

    attribute: AttributeInfo
    values: Any
    leaves: Integers

    def encode_column(self, column: Any, first: int = 0) -> Values:
        """Return each record's leaf or rank; NaN for missing or unreleased values."""
        values = decode_and_normalise_column(column)
        indices = pc.index_in(values, value_set=self.values, skip_nulls=True)
        places = np.asarray(indices.fill_null(-1).to_numpy(zero_copy_only=False))
        leaf_values = np.where(self.leaves >= 0, self.leaves, np.nan)
        return np.append(leaf_values, np.nan)[places.astype(np.int64)]

    @cached_property
    def values_by_leaf(self) -> Any:
        """The value of each leaf; where no record has it, its label, or null."""
        words = self.attribute.words
        assert words is not None
        place = np.full(len(words), -1, dtype=np.int64)
        has_leaf = self.leaves >= 0
        # Of two values of one text, the first.
        place[self.leaves[has_leaf][::-1]] = np.flatnonzero(has_leaf)[::-1]
        values = self.values.take(pa.array(place, mask=place < 0))
        texts = pa.types.is_string(values.type) or pa.types.is_large_string(values.type)
        if texts and values.null_count:
            labels = pa.array(list(map(str, words)), values.type)
            values = pc.coalesce(values, labels)
        return values

    def sum_by_leaf(self, counts: Values) -> Values:
        """Return the sums per leaf of a figure that is given per value."""
        words, has_leaf = self.attribute.words, self.leaves >= 0
        assert words is not None
        sums = np.bincount(
            self.leaves[has_leaf], counts[has_leaf], minlength=len(words)
        )
        return np.asarray(sums, dtype=np.float64)


def decode_and_normalise_column(column: Any) -> Any:
    """Return a column decoded, with NaN and blanks null and decimals as floats.

    Decimals become float64, and -0.0 becomes 0.0.
    """
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_decimal(column.type):
        column = arrow_decimals_to_float64(column)
    if pa.types.is_floating(column.type):
        none = pa.scalar(None, column.type)
        column = pc.if_else(pc.is_nan(column), none, column)
        column = pc.add(column, pa.scalar(0.0, column.type))
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        blank = pc.equal(pc.utf8_trim_whitespace(column), "")
        column = pc.if_else(blank, pa.scalar(None, column.type), column)
    return column


def encode_and_list_distinct_values(values: Any) -> tuple[Integers, Any]:
    """Return record indices into distinct values, -1 if missing, and the values."""
    encoded = pc.dictionary_encode(values)
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return np.asarray(codes, dtype=np.int64), encoded.dictionary
