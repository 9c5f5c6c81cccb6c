"""Convert columns of Arrow to pandas, and back to the types of their file."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from engine.core.errors import InputError
from engine.core.message import NO_MESSAGE
from engine.files.cells.casting import arrow_text_to_series
from engine.files.cells.digits import are_decimals_exact, arrow_decimals_to_float64
from engine.files.input.names import fill_in_and_list_blank_names, map_changed_names
from engine.files.stored_columns import (
    AS_TEXT_MESSAGE,
    KEEPS_DIGITS_MESSAGE,
    StoredColumn,
)


def inexact_decimal_columns(table: Any) -> list[str]:
    """Return the names of a table's decimal columns that lose digits in float64."""
    import pyarrow as pa

    return [
        name
        for name in table.column_names
        if pa.types.is_decimal(table.column(name).type)
        and not are_decimals_exact(table.column(name))
    ]


def arrow_to_frame_and_metadata(table: Any) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return an Arrow table as a frame, with its metadata; see :meth:`Format.read`.

    Raises
    ------
    InputError
        As :func:`refuse_unknown_time_zones` does.
    """
    import pyarrow.compute as pc

    schema = table.schema
    refuse_unknown_time_zones(schema)
    names, nameless = fill_in_and_list_blank_names(table.column_names)
    table = table.rename_columns(names)
    frame = pd.DataFrame(
        {name: arrow_to_series(table.column(name)) for name in names}, copy=False
    )
    inexact = inexact_decimal_columns(table)
    return frame, {
        "arrow_schema": base64.b64encode(schema.serialize().to_pybytes()).decode(),
        "nameless": nameless,
        "names": map_changed_names(names, schema.names),
        "inexact": inexact,
        "told_apart": [
            name
            for name in inexact
            if pc.count_distinct(table.column(name)).as_py() == frame[name].nunique()
        ],
    }


def refuse_unknown_time_zones(schema: Any) -> None:
    """Raise if a column has times of a zone that this machine does not know.

    Any text may stand there; and Windows, like small containers, has no list of zones
    without the package tzdata.

    Raises
    ------
    InputError
    """
    import pyarrow as pa

    for field in schema:
        for zone in _time_zones(field.type):
            try:
                pa.scalar(0, pa.timestamp("s", zone)).as_py()
            except (pa.ArrowException, ValueError, OSError):
                raise InputError(
                    "Column {column!r} has times of the zone {zone!r}, which this "
                    "machine does not know: install the package tzdata, or save the "
                    "times without a zone.",
                    column=field.name,
                    zone=zone,
                ) from None


def _time_zones(kind: Any) -> Iterator[str]:
    """Yield the time zones of a type and of those within it."""
    import pyarrow as pa

    if pa.types.is_nested(kind):
        for place in range(kind.num_fields):
            yield from _time_zones(kind.field(place).type)
    elif getattr(kind, "tz", None) is not None:
        yield kind.tz


def arrow_backed_columns(table: Any, names: Sequence[str]) -> Mapping[str, pd.Series]:
    """Return named columns of an Arrow table as series with Arrow types, by name."""
    column_names, _ = fill_in_and_list_blank_names(table.column_names)
    table = table.rename_columns(column_names)
    return {
        name: pd.Series(pd.arrays.ArrowExtensionArray(table.column(name)))
        for name in names
    }


def adapt_column_read_from_arrow(
    column: pd.Series, carried: pd.Series, options: Mapping[str, Any]
) -> StoredColumn:
    """Return a column read from Arrow for other formats: text if float64 loses digits.

    See :meth:`Format.adapt_carried`.
    """
    import pyarrow as pa

    if column.name in options.get("inexact", ()):
        text = arrow_text_to_series(pa.array(carried))
        return StoredColumn(text.set_axis(column.index), KEEPS_DIGITS_MESSAGE)
    return StoredColumn(
        column,
        AS_TEXT_MESSAGE if is_opaque_arrow_type(pa.array(carried).type) else NO_MESSAGE,
    )


def is_opaque_arrow_type(arrow_type: Any) -> bool:
    """Return whether an Arrow type is nested, binary or an extension type."""
    import pyarrow as pa

    return (
        pa.types.is_nested(arrow_type)
        or _is_bytes(arrow_type)
        or isinstance(arrow_type, pa.BaseExtensionType)
    )


def _is_bytes(kind: Any) -> bool:
    import pyarrow as pa

    return any(
        is_kind(kind)
        for is_kind in (
            pa.types.is_binary,
            pa.types.is_large_binary,
            pa.types.is_fixed_size_binary,
            pa.types.is_binary_view,
        )
    )


def cast_if_lossless(array: Any, arrow_type: Any) -> Any:
    """Return an Arrow array cast to a type; unchanged if that fails or loses values.

    Parameters
    ----------
    array : pyarrow.Array
        Of text, where the type is opaque: see :func:`is_opaque_arrow_type`.
    arrow_type : pyarrow.DataType
    """
    import pyarrow as pa

    if array.type == arrow_type:
        return array
    try:
        if _is_bytes(arrow_type) and not _is_bytes(array.type):
            cells = array.to_pylist()
            read = [None if cell is None else bytes.fromhex(cell) for cell in cells]
            cast = pa.array(read, arrow_type)
            same = [None if cell is None else cell.hex() for cell in read] == cells
        else:
            cast = array.cast(arrow_type)
            same = pa.types.is_dictionary(arrow_type) or cast.cast(array.type).equals(
                array
            )
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, ValueError):
        return array
    return cast if same else array


def _opaque_as_text(column: Any) -> pd.Series:
    """Return what tells values apart that are no numbers, text or dates.

    Bytes as hexadecimal digits, and lists and structures as Python writes them.
    """
    return pd.Series(
        [
            cell
            if cell is None
            else cell.hex()
            if isinstance(cell, bytes)
            else str(cell)
            for cell in column.to_pylist()
        ],
        dtype="str",
    )


def arrow_to_series(column: Any) -> pd.Series:
    """Return an Arrow column as a series: decimals as float64, opaque types as text."""
    import pyarrow as pa

    kind = column.type
    if is_opaque_arrow_type(kind):
        return _opaque_as_text(column)
    if pa.types.is_null(kind):
        return pd.Series([float("nan")] * len(column), dtype="float64")
    if pa.types.is_decimal(kind):
        column = arrow_decimals_to_float64(column)
    if pa.types.is_time(kind) and kind.unit == "ns":  # finer than Python's times
        return arrow_text_to_series(column)
    series: pd.Series = column.to_pandas(
        types_mapper=_nullable_types().get if column.null_count else None,
        date_as_object=False,
    )
    if pd.api.types.is_datetime64_dtype(series.dtype) and pa.types.is_date(kind):
        series = series.astype("datetime64[us]")
    return series


def _nullable_types() -> dict[Any, Any]:
    """Return pandas types for integers and booleans that may be missing."""
    import pyarrow as pa

    return {
        pa.int8(): pd.Int8Dtype(),
        pa.int16(): pd.Int16Dtype(),
        pa.int32(): pd.Int32Dtype(),
        pa.int64(): pd.Int64Dtype(),
        pa.uint8(): pd.UInt8Dtype(),
        pa.uint16(): pd.UInt16Dtype(),
        pa.uint32(): pd.UInt32Dtype(),
        pa.uint64(): pd.UInt64Dtype(),
        pa.bool_(): pd.BooleanDtype(),
    }
