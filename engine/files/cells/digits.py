"""Exactness of float64 for numbers written in decimal; Arrow decimals as float64."""

from __future__ import annotations

from decimal import Context, Decimal, InvalidOperation
from typing import Any

import numpy as np

MAX_SAFE_DIGITS = 15
"""Digits that float64 always holds; it may lose those after them."""

_DECIMAL_CONTEXT = Context(prec=400)


def do_all_floats_keep_text_digits(texts: Any, numbers: Any) -> bool:
    """Return whether float64 numbers read from texts keep every digit that is written.

    So 0.1 is held, and so is 0.30000000000000004, but 1000000000000000000.5 and 1e400
    are not.

    Parameters
    ----------
    texts : pyarrow.Array of string
        Decimal point; no blanks around.
    numbers : pyarrow.Array of double
        What was read of it; null where the text is missing.
    """
    import pyarrow.compute as pc

    length = pc.binary_length(texts)
    # Neither many digits nor numbers that are too large or too small.
    open_ = pc.or_(
        pc.greater(length, MAX_SAFE_DIGITS),
        pc.or_(
            pc.is_inf(numbers),
            pc.and_(pc.equal(numbers, 0.0), pc.greater(length, len("1e-99"))),
        ),
    )
    open_ = pc.fill_null(pc.and_(open_, pc.is_valid(numbers)), False)
    if not pc.any(open_).as_py():
        return True
    texts, numbers = texts.filter(open_), numbers.filter(open_)
    # Python writes numbers with as few digits as tell them apart; many do as well.
    differs = pc.not_equal(texts, numbers.cast(texts.type))
    if not pc.any(differs).as_py():
        return True
    cells = zip(
        texts.filter(differs).to_pylist(),
        numbers.filter(differs).to_pylist(),
        strict=True,
    )
    return all(_is_held(text, number) for text, number in cells)


def _is_held(text: str, number: float) -> bool:
    if not np.isfinite(number):
        return text.strip("+-").lower().startswith("inf")
    try:
        written = _DECIMAL_CONTEXT.create_decimal(text)
    except InvalidOperation:
        return False
    return (
        Context(prec=max(1, len(written.as_tuple().digits))).create_decimal(
            Decimal(number)
        )
        == written
    )


def arrow_decimals_to_float64(decimals: Any) -> Any:
    """Return an Arrow column of decimals as the nearest float64 values.

    Through text, as Arrow's own cast may be off by the last bit.
    """
    import pyarrow as pa

    return decimals.cast(pa.string()).cast(pa.float64())


def are_decimals_exact(column: Any) -> bool:
    """Return whether float64 keeps all digits of an Arrow column of decimals."""
    import pyarrow as pa

    if column.type.precision <= MAX_SAFE_DIGITS:
        return True
    texts = [some.cast(pa.string()) for some in column.chunks]
    return all(
        do_all_floats_keep_text_digits(text, text.cast(pa.float64())) for text in texts
    )
