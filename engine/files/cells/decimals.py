"""Count and pad decimals of numbers written as text."""

from __future__ import annotations

from typing import Any

import numpy as np

MAX_DECIMALS = 9
"""Numbers with more decimals are taken for computed ones."""

_HEAD_CELLS = 8
"""First cells of a column, which mostly tell that nothing need be padded."""

# pyarrow has no types: its arrays are Any here.
Text = Any
Values = Any


def min_decimals(column: Text, values: Values, decimal: str) -> tuple[int, int]:
    """Return the fewest decimals of a column's whole numbers, and of those with any.

    Each is that of the other where the column has no such number, and 1 above
    :data:`MAX_DECIMALS`. Numbers with an exponent, written out, have as few as can be.

    Parameters
    ----------
    column : pyarrow.ChunkedArray of string
    values : array of shape (n_records,)
        What the column was read as; the answer is (0, 0) if not float64.
    decimal : {".", ","}
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if values.dtype != np.float64:
        return 0, 0
    numbers = np.asarray(values)
    for count in (_HEAD_CELLS, len(numbers)):
        is_finite = np.isfinite(numbers[:count])
        cells = pc.utf8_trim_whitespace(
            column.slice(0, count).filter(pa.array(is_finite))
        )
        values_of_cells = numbers[:count][is_finite]
        is_whole = values_of_cells == np.floor(values_of_cells)
        place = pc.find_substring(cells, decimal).to_numpy()
        length = pc.binary_length(cells).to_numpy()
        behind = np.where(place < 0, 0, length - place - 1)
        has_exponent = pc.match_substring_regex(cells, "[eE]").to_numpy()
        behind = np.where(has_exponent, ~is_whole, behind)
        fewest = behind[behind > 0].min(initial=MAX_DECIMALS + 1)
        fewest_of_whole = behind[is_whole].min() if is_whole.any() else fewest
        if (fewest_of_whole, fewest) == (0, 1):
            break
    if not (behind > 0).any():
        fewest = fewest_of_whole = 0
    return _plain_decimals(fewest_of_whole), _plain_decimals(fewest)


def _plain_decimals(count: int) -> int:
    """Return a number of decimals; 1 above :data:`MAX_DECIMALS`."""
    return int(count) if count <= MAX_DECIMALS else 1


def pad_decimals(texts: Text, whole_decimals: int, decimals: int) -> Text:
    """Return texts of numbers padded with zeros to so many decimals at least.

    Parameters
    ----------
    texts : pyarrow.Array of large_string
        Numbers with a decimal point; those with an exponent stay as they are.
    whole_decimals, decimals : int
        Of whole numbers, which have no point, and of all others.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    place = pc.find_substring(texts, ".")
    whole = pc.less(place, 0)
    has = pc.subtract(pc.subtract(pc.binary_length(texts), place), 1)
    lacking = pc.if_else(whole, whole_decimals, pc.subtract(decimals, has))
    lacking = pc.cast(pc.max_element_wise(lacking, 0), pa.int64())
    plain = pc.match_substring_regex(texts, "^-?[0-9.]+$")
    zeros = pc.binary_repeat(pa.scalar("0", texts.type), lacking)
    none = pa.scalar("", texts.type)
    pointed = pc.and_(whole, pc.greater(lacking, 0))
    point = pc.if_else(pointed, pa.scalar(".", texts.type), none)
    longer = pc.binary_join_element_wise(texts, point, zeros, none)
    return pc.if_else(plain, longer, texts)
