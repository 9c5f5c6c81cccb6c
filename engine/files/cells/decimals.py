"""Count and pad decimals of numbers written as text."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.files.cells.casting import has_sign

MAX_DECIMALS = 9
"""Numbers with more decimals are taken for computed ones."""

_HEAD_CELLS = 8
"""First cells of a column, which mostly tell that the decimals differ."""

# pyarrow has no types: its arrays are Any here.
Text = Any
Values = Any


def shared_decimals_or_zero(column: Text, values: Values, decimal: str) -> int:
    """Return the number of decimals that a column's numbers all share, up to 9; else 0.

    0 as well above :data:`MAX_DECIMALS`, or where a number has an exponent.

    Parameters
    ----------
    column : pyarrow.ChunkedArray of string
    values : array of shape (n_records,)
        What the column was read as.
    decimal : {".", ","}
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if values.dtype != np.float64:
        return 0
    for count in (_HEAD_CELLS, len(values)):
        known = ~np.isnan(np.asarray(values[:count]))
        cells = column.slice(0, count).filter(pa.array(known))
        place = pc.find_substring(cells, decimal)
        behind = pc.min_max(pc.subtract(pc.binary_length(cells), place)).as_py()
        if behind["min"] != behind["max"] or pc.any(pc.less(place, 0)).as_py():
            return 0
    computed = has_sign(cells, "e") or has_sign(cells, "E")
    found = (behind["max"] or 1) - 1
    return found if found <= MAX_DECIMALS and not computed else 0


def pad_decimals(texts: Text, min_decimals: int) -> Text:
    """Return texts of numbers padded with zeros to at least `min_decimals` decimals.

    Parameters
    ----------
    texts : pyarrow.Array of large_string
        Numbers with a decimal point; those with an exponent stay as they are.
    min_decimals : int
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    place = pc.find_substring(texts, ".")
    whole = pc.less(place, 0)
    has = pc.subtract(pc.subtract(pc.binary_length(texts), place), 1)
    lacking = pc.subtract(min_decimals, pc.if_else(whole, 0, has))
    lacking = pc.cast(pc.max_element_wise(lacking, 0), pa.int64())
    plain = pc.match_substring_regex(texts, "^-?[0-9.]+$")
    zeros = pc.binary_repeat(pa.scalar("0", texts.type), lacking)
    none = pa.scalar("", texts.type)
    point = pc.if_else(whole, pa.scalar(".", texts.type), none)
    longer = pc.binary_join_element_wise(texts, point, zeros, none)
    return pc.if_else(plain, longer, texts)
