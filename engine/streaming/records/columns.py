"""Arrow columns: checks of types, conversion to numbers and back, dictionaries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from engine.aggregate import aggregations
from engine.core.errors import InputError
from engine.core.message import Message
from engine.core.typing import Values
from engine.data.conversion.attributes import AttributeInfo
from engine.data.conversion.numeric import (
    MAX_EXACT_INT,
    MAX_MAGNITUDE,
    days_since_epoch,
)
from engine.data.kinds import Kind, kind_in_words
from engine.files.cells.digits import are_decimals_exact, arrow_decimals_to_float64
from engine.pipeline.planning.resolve_plan import ResolvedPlan


class ValueEncoder(Protocol):
    """Interface of encoders that turn a category column's values into numbers."""

    def encode_column(self, column: Any, first: int = 0) -> Values:
        """Return the number of each record's value; NaN where missing."""


def check_quasi_identifier_type(field: Any, kind: Kind) -> None:
    """Raise if a column's type does not suit a quasi-identifier of the given kind.

    Parameters
    ----------
    field : pyarrow.Field
    kind : Kind
        That the plan gives it.

    Raises
    ------
    InputError
    """
    fits = is_float_convertible_type if kind is Kind.CONTINUOUS else can_hold_categories
    if not fits(field.type):
        raise InputError(
            "Column {column!r} holds {type} and is {kind}. Out of core, only numbers "
            "and dates can be continuous, only these and ordered categories ordinal, "
            "and only these and text nominal: give the column another kind or role, or "
            "protect the table in memory.",
            column=field.name,
            type=field.type,
            kind=kind_in_words(kind),
        )


def encoded_columns(plan: ResolvedPlan, schema: Any) -> tuple[str, ...]:
    """Return the quasi-identifiers that are encoded as leaves or ranks.

    Parameters
    ----------
    schema : pyarrow.Schema
        Of the input.
    """
    return tuple(
        name
        for name in plan.quasi_identifiers
        if plan.kinds[name] is Kind.NOMINAL
        or not is_float_convertible_type(schema.field(name).type)
    )


def is_float_convertible_type(arrow_type: Any) -> bool:
    """Return whether an Arrow type is numeric, boolean, a date or a timestamp."""
    numbers = pa.types.is_integer(arrow_type) or pa.types.is_floating(arrow_type)
    numbers = (
        numbers or pa.types.is_decimal(arrow_type) or pa.types.is_boolean(arrow_type)
    )
    return bool(numbers or is_date_type(arrow_type))


def can_hold_categories(arrow_type: Any) -> bool:
    """Return whether an Arrow type can hold categories."""
    if pa.types.is_dictionary(arrow_type):
        return can_hold_categories(arrow_type.value_type)
    text = pa.types.is_string(arrow_type) or pa.types.is_large_string(arrow_type)
    return bool(text or is_float_convertible_type(arrow_type))


def batch_to_float_matrix(
    batch: Any,
    names: Sequence[str],
    encoders: Mapping[str, ValueEncoder],
    first_record: int = 0,
) -> Values:
    """Return columns of a batch as numbers, shape (n_records, n_columns).

    Parameters
    ----------
    batch : pyarrow.RecordBatch or Table
    names : sequence of str
    encoders : mapping of str to ValueEncoder
        Of the columns that are encoded as leaves or ranks; the others are numbers.
    first_record : int
        Number of the first record, from 0.
    """
    return np.column_stack(
        [
            encoders[name].encode_column(batch.column(name), first_record)
            if name in encoders
            else column_to_floats(batch.column(name))
            for name in names
        ]
    )


def is_date_type(arrow_type: Any) -> bool:
    """Return whether an Arrow type is a date or timestamp."""
    return bool(pa.types.is_date(arrow_type) or pa.types.is_timestamp(arrow_type))


def column_to_floats(column: Any) -> Values:
    """Return a column as float64: dates as days since 1970, missing values as NaN."""
    if is_date_type(column.type):
        return days_since_epoch(dates_to_series(column))
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.uint8())
    if pa.types.is_decimal(column.type):
        column = arrow_decimals_to_float64(column)
    if column.type != pa.float64():
        column = column.cast(pa.float64(), safe=False)
    return np.array(column.to_numpy(zero_copy_only=False), dtype=np.float64)


def are_floats_exact(column: Any) -> bool:
    """Return whether float64 holds every digit of an Arrow array, if of numbers."""
    if pa.types.is_decimal(column.type):
        return are_decimals_exact(pa.chunked_array([column]))
    if not pa.types.is_integer(column.type):
        return True
    ends = pc.min_max(column).as_py().values()
    return all(end is None or abs(end) <= MAX_EXACT_INT for end in ends)


def dates_to_series(column: Any) -> pd.Series:
    """Return a column of dates as a pandas series."""
    if pa.types.is_date(column.type):
        column = column.cast(pa.timestamp("s"))
    return pd.Series(column.to_pandas())


def raise_if_unusable_numbers(
    values: Values, names: Sequence[str], first_record: int
) -> None:
    """Raise if numbers are infinite or too large.

    Parameters
    ----------
    values : ndarray of float64, shape (n_records, n_attributes)
    names : sequence of str
    first_record : int
        Number of the first record, from 0.

    Raises
    ------
    InputError
        If one is infinite or huge; missing ones are none of these.
    """
    with np.errstate(invalid="ignore"):
        bad = np.abs(values) > MAX_MAGNITUDE
    if not bad.any():
        return
    row, j = (int(each) for each in np.argwhere(bad)[0])
    what = Message("a number too large")
    if np.isinf(values[row, j]):
        what = Message("an infinite value")
    raise InputError(
        "Column {column!r} has {what} to compute with in record "
        "{record:,}: correct it, or express the column in a larger unit.",
        column=names[j],
        what=what,
        record=first_record + row + 1,
    )


def released_arrow_type(
    field: Any, attribute: AttributeInfo, decimals: int, aggregation: str = "mean"
) -> Any:
    """Return the Arrow type of a protected column, equal in all parts.

    Intervals and general categories are text. Other words keep their type. A column of
    whole numbers that are rounded to such keeps its type, and so do floating-point
    numbers and dates that stay whole. Otherwise, and where nothing is rounded, means
    are double numbers, or moments to the microsecond.

    Parameters
    ----------
    field : pyarrow.Field
    decimals : int
        To which values are rounded; -1 where they are not.
    aggregation : str
        Identifier in :data:`engine.aggregate.aggregations`.
    """
    kind = field.type
    if can_generalise(attribute, aggregation):
        return pa.string()
    if attribute.words is not None:
        return kind
    if pa.types.is_date(kind):
        return kind if decimals == 0 else pa.timestamp("us")
    if pa.types.is_timestamp(kind):
        fine = kind.unit in ("us", "ns") or (attribute.seconds and not attribute.exact)
        return kind if fine else pa.timestamp("us", kind.tz)
    whole = pa.types.is_integer(kind) and decimals == 0
    same = pa.types.is_floating(kind) and not attribute.exact
    return kind if whole or same else pa.float64()


def can_generalise(attribute: AttributeInfo, aggregation: str) -> bool:
    """Return whether an aggregation may release intervals or new categories."""
    info = aggregations.info(aggregation)
    if info.common.numeric:
        return False
    if info.id != "ancestor":
        return True
    return attribute.tree is not None and attribute.tree.height > 1


def to_arrow_column(values: Values, attribute: AttributeInfo, arrow_type: Any) -> Any:
    """Return released numbers as an Arrow column.

    Parameters
    ----------
    values : ndarray of float64, shape (n_records,)
    arrow_type : pyarrow.DataType
        What :func:`released_arrow_type` gave.

    Raises
    ------
    InputError
        If the type cannot hold them, as rules may ask for.
    """
    try:
        if attribute.dates:
            return _dates_to_arrow(values, attribute, arrow_type)
        if pa.types.is_integer(arrow_type):
            return pa.array(values, pa.float64()).cast(arrow_type)
        return pa.array(values.astype(arrow_type.to_pandas_dtype()), arrow_type)
    except pa.ArrowInvalid:
        raise InputError(
            "Column {column!r} is {kind}, which cannot hold what the rules "
            "ask for: give it a wider type, or leave it out of the rules.",
            column=attribute.name,
            kind=arrow_type,
        ) from None


def _dates_to_arrow(values: Values, attribute: AttributeInfo, kind: Any) -> Any:
    zone = getattr(kind, "tz", None)
    model = pd.Series(pd.to_datetime(np.zeros(values.size), unit="us", utc=True))
    model = model.dt.tz_localize(None) if zone is None else model.dt.tz_convert(zone)
    typed = attribute.to_typed(values, model, np.zeros(values.size, dtype=np.bool_))
    return pa.array(typed).cast(kind)


def decode_dictionaries(batch: Any, categories: Mapping[str, Any]) -> Any:
    """Return a batch with its dictionary columns decoded.

    Parameters
    ----------
    batch : pyarrow.RecordBatch
    categories : mapping of str to pyarrow.Array or None
        What :func:`column_dictionaries` gave.

    Raises
    ------
    InputError
        If ordered categories come in another order than in the first records.
    """
    columns = list(batch.columns)
    for j, name in enumerate(batch.schema.names):
        if name not in categories:
            continue
        order = categories[name]
        if order is not None and not columns[j].dictionary.equals(order):
            raise InputError(
                "Column {column!r} has its categories in another order in a later part "
                "of the input than in the first: write it with one order.",
                column=name,
            )
        columns[j] = columns[j].cast(batch.schema.field(j).type.value_type)
    names = batch.schema.names
    return pa.RecordBatch.from_arrays(columns, names=names)


def column_dictionaries(batch: Any) -> dict[str, Any]:
    """Return a dict of a batch's dictionary columns: categories if ordered, else None.

    Parameters
    ----------
    batch : pyarrow.RecordBatch
        The first one.
    """
    return {
        field.name: column.dictionary if field.type.ordered else None
        for field, column in zip(batch.schema, batch.columns, strict=True)
        if pa.types.is_dictionary(field.type)
    }


def encode_dictionary(column: Any, arrow_type: Any, order: Any | None) -> Any:
    """Return values encoded as a dictionary column of a given type.

    Parameters
    ----------
    column : pyarrow.Array
    arrow_type : pyarrow.DictionaryType
    order : pyarrow.Array or None
        The categories in their order; None numbers them as they appear.
    """
    if order is None:
        encoded = pc.dictionary_encode(column)
        codes, order = encoded.indices, encoded.dictionary
    else:
        codes = pc.index_in(column, value_set=order)
    return pa.DictionaryArray.from_arrays(
        codes.cast(arrow_type.index_type), order, ordered=arrow_type.ordered
    )
