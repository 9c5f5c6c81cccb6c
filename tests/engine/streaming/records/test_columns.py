"""Columns become numbers, and numbers such columns again, in types known beforehand."""

from datetime import UTC, date, datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from engine.core.errors import InputError
from engine.data.conversion.attributes import AttributeInfo
from engine.data.kinds import Kind
from engine.streaming.records.columns import (
    check_quasi_identifier_type,
    column_dictionaries,
    column_to_floats,
    decode_dictionaries,
    encode_dictionary,
    raise_if_unusable_numbers,
    released_arrow_type,
    to_arrow_column,
)

NOON = datetime(1970, 1, 2, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (pa.array([1, None, 3], pa.int8()), [1, np.nan, 3]),
        (pa.array([1.5, np.nan, None]), [1.5, np.nan, np.nan]),
        (pa.array([1.5], pa.float32()), [1.5]),
        (pa.array([True, False]), [1, 0]),
        (pa.array([2**63], pa.uint64()), [2.0**63]),
        (pa.array([date(1970, 1, 3), None]), [2, np.nan]),
        (pa.array([NOON], pa.timestamp("s", "Europe/Berlin")), [1.5]),
        (pa.array([NOON.replace(tzinfo=None)], pa.timestamp("ns")), [1.5]),
        (pa.array(["1.25", "3"]).cast(pa.decimal128(5, 2)), [1.25, 3]),
    ],
    ids=lambda value: str(getattr(value, "type", "")),
)
def test_columns_are_numbers(column: Any, expected: list[float]) -> None:
    np.testing.assert_array_equal(column_to_floats(column), expected)
    np.testing.assert_array_equal(
        column_to_floats(pa.chunked_array([column])), expected
    )
    check_quasi_identifier_type(pa.field("a", column.type), Kind.CONTINUOUS)
    check_quasi_identifier_type(pa.field("a", column.type), Kind.NOMINAL)


@pytest.mark.parametrize(
    "kind",
    [pa.string(), pa.dictionary(pa.int8(), pa.int64()), pa.time64("us"), pa.binary()],
    ids=str,
)
def test_what_has_no_mean_is_refused(kind: Any) -> None:
    with pytest.raises(InputError, match="'a'"):
        check_quasi_identifier_type(pa.field("a", kind), Kind.CONTINUOUS)


def test_words_can_be_categories_and_bytes_and_times_cannot() -> None:
    for kind in (pa.string(), pa.dictionary(pa.int8(), pa.large_string())):
        check_quasi_identifier_type(pa.field("a", kind), Kind.NOMINAL)
        check_quasi_identifier_type(pa.field("a", kind), Kind.ORDINAL)
    for kind in (pa.binary(), pa.time64("us"), pa.list_(pa.int8())):
        with pytest.raises(InputError, match="'a'"):
            check_quasi_identifier_type(pa.field("a", kind), Kind.NOMINAL)


@pytest.mark.parametrize(
    ("kind", "attribute", "decimals", "expected"),
    [
        (pa.int16(), AttributeInfo("a", whole=True), 0, pa.int16()),
        (pa.int16(), AttributeInfo("a", whole=True), -1, pa.float64()),
        (pa.float32(), AttributeInfo("a"), -1, pa.float32()),
        (pa.bool_(), AttributeInfo("a", whole=True), 0, pa.float64()),
        (pa.date32(), AttributeInfo("a", dates=True, whole=True), 0, pa.date32()),
        (
            pa.date32(),
            AttributeInfo("a", dates=True, whole=True),
            -1,
            pa.timestamp("us"),
        ),
        (
            pa.timestamp("ms", "UTC"),
            AttributeInfo("a", dates=True, zone="UTC"),
            -1,
            pa.timestamp("us", "UTC"),
        ),
        (
            pa.timestamp("ms"),
            AttributeInfo("a", dates=True, seconds=True),
            -1,
            pa.timestamp("ms"),
        ),
        (pa.timestamp("ns"), AttributeInfo("a", dates=True), -1, pa.timestamp("ns")),
    ],
    ids=str,
)
def test_released_numbers_fit_the_type_that_was_said(
    kind: Any, attribute: AttributeInfo, decimals: int, expected: Any
) -> None:
    arrow_type = released_arrow_type(pa.field("a", kind), attribute, decimals)
    assert arrow_type == expected
    values = np.array([3.0, 5.0]) if decimals == 0 else np.array([3.0, 5.25])
    column = to_arrow_column(values, attribute, arrow_type)
    assert column.type == arrow_type
    np.testing.assert_array_equal(column_to_floats(column), values)


def test_numbers_that_rules_drive_out_of_a_type_are_refused() -> None:
    with pytest.raises(InputError, match="'a' is int8"):
        to_arrow_column(np.array([300.0]), AttributeInfo("a", whole=True), pa.int8())


@pytest.mark.parametrize(("bad", "says"), [(np.inf, "infinite"), (1e200, "too large")])
def test_numbers_that_cannot_be_computed_with_name_their_record(
    bad: float, says: str
) -> None:
    values = np.array([[1.0, np.nan], [2.0, bad]])
    with pytest.raises(InputError, match=rf"'b' has .*{says}.* record 1,002:"):
        raise_if_unusable_numbers(values, ("a", "b"), 1000)
    raise_if_unusable_numbers(values[:1], ("a", "b"), 0)


@pytest.mark.parametrize("ordered", [True, False])
def test_categories_come_back(ordered: bool) -> None:
    values = pa.array(["low", None, "high", "low"])
    order = pa.array(["high", "never", "low"])
    column = pa.DictionaryArray.from_arrays(
        pa.array([2, None, 0, 2], pa.int8()), order, ordered=ordered
    )
    batch = pa.RecordBatch.from_arrays([column], names=["a"])
    dictionaries = column_dictionaries(batch)
    flat = decode_dictionaries(batch, dictionaries)
    assert flat.column("a").equals(values)
    back = encode_dictionary(flat.column("a"), column.type, dictionaries["a"])
    assert back.type == column.type
    assert back.cast(pa.string()).equals(values)
    if ordered:
        assert back.dictionary.equals(order)


def test_categories_in_another_order_are_refused() -> None:
    def batch(order: list[str]) -> Any:
        column = pa.DictionaryArray.from_arrays(
            pa.array([0], pa.int8()), pa.array(order), ordered=True
        )
        return pa.RecordBatch.from_arrays([column], names=["a"])

    with pytest.raises(InputError, match="'a' has its categories in another order"):
        decode_dictionaries(batch(["b", "a"]), column_dictionaries(batch(["a", "b"])))
