"""Whether float64 holds numbers as they are written, to the last digit."""

from __future__ import annotations

from decimal import Context, Decimal, InvalidOperation
from typing import Any

import numpy as np

SURE = 15
"""Digits that float64 always holds; it may lose those after them."""

_PLACES = Context(prec=400)


def all_held(text: Any, numbers: Any) -> bool:
    """Return whether numbers, written with as many digits, are what the text says.

    So 0.1 is held, and so is 0.30000000000000004, but 1000000000000000000.5 and 1e400
    are not.

    Parameters
    ----------
    text : pyarrow.Array or ChunkedArray of string
        Decimal point; no blanks around.
    numbers : pyarrow.Array or ChunkedArray of double
        What was read of it; null where the text is missing.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    known = pc.and_(pc.is_valid(numbers), pc.is_valid(text))
    few = rf"^[+-]?0*([0-9]{{1,{SURE}}}|[0-9.]{{1,{SURE + 1}}})$"
    open_ = pc.and_(known, pc.invert(pc.match_substring_regex(text, few)))
    if not pc.any(open_).as_py():
        return True
    text, numbers = text.filter(open_), numbers.filter(open_)
    # Python writes numbers with as few digits as tell them apart; many do as well.
    shortest = numbers.cast(pa.string())
    differs = pc.not_equal(text, shortest.cast(text.type))
    if not pc.any(differs).as_py():
        return True
    cells = zip(
        text.filter(differs).to_pylist(),
        numbers.filter(differs).to_pylist(),
        strict=True,
    )
    return all(_is_held(one, number) for one, number in cells)


def _is_held(text: str, number: float) -> bool:
    if not np.isfinite(number):
        return text.strip("+-").lower().startswith("inf")
    try:
        written = _PLACES.create_decimal(text)
    except InvalidOperation:
        return False
    return (
        Context(prec=max(1, len(written.as_tuple().digits))).create_decimal(
            Decimal(number)
        )
        == written
    )


def decimals_held(column: Any) -> bool:
    """Return whether float64 holds an Arrow column of decimals.

    Parameters
    ----------
    column : pyarrow.Array or ChunkedArray of decimal
    """
    import pyarrow as pa

    if column.type.precision <= SURE:
        return True
    return all_held(column.cast(pa.string()), column.cast(pa.float64()))
