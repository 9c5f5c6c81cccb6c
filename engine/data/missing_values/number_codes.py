"""Where among a column's numbers codes for missing values stand, such as -9 and 99."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.core.typing import Values
from engine.hierarchy import leaf_text_of

MAX_DISTINCT_CODES = 5
"""Codes of one sort that a column has, at most."""

MIN_RECORDS = 2
"""Records of a code, at least."""

_MIN_GAPS = 10.0
"""Largest gaps among the other values by which a code is away from them."""

_MIN_RATIO, _MIN_DENSE_RATIO = 1.2, 1.5
"""How many times as large as few, or many, others a code is: 99 is a year beside 92 and
95, and may be 99 hours or more beside 80.
"""

MIN_SCALE_VALUES = 10
"""Other values from which a column is no scale of which -1 may be a step."""


def count_far_codes(values: Values, times: Values) -> int:
    """Return how many of the largest values are codes far above all others.

    That is by more than all others lie apart, or many times as far as any two
    neighbours among these; and repeated.
    """
    end = values.size
    while end and is_repeated_nine(values[end - 1], "9876") and values[end - 1] > 9:
        end -= 1
    if end < 2 or not 0 < values.size - end <= MAX_DISTINCT_CODES:
        return 0
    gap, spread = values[end] - values[end - 1], values[end - 1] - values[0]
    far = (gap > spread and values[end] >= _MIN_RATIO * values[end - 1]) or (
        values[end] >= _MIN_DENSE_RATIO * values[end - 1]
        and _is_beyond_neighbours(values, end)
    )
    return values.size - end if far and times[end:].max() >= MIN_RECORDS else 0


def _is_beyond_neighbours(values: Values, end: int) -> bool:
    """Return whether a value is many times as far off as any two before it are."""
    if end <= MIN_SCALE_VALUES:
        return False
    widest = np.diff(values[:end]).max()
    return bool(values[end] - values[end - 1] >= _MIN_GAPS * widest)


def low_code_places(values: Values) -> Sequence[int]:
    """Return the places of -9, -99 and so on, where nothing else is below zero."""
    below = np.flatnonzero(values < 0)
    if not below.size or below.size > MAX_DISTINCT_CODES or below.size == values.size:
        return ()
    codes = [
        int(j) for j in below if is_repeated_nine(-values[j], "9876") or values[j] == -1
    ]
    return codes if len(codes) == below.size else ()


def high_code_places(values: Values, times: Values) -> tuple[Sequence[int], bool]:
    """Return the places of 99, 999 and so on at the top, and whether they stand apart.

    A single one beside amounts nearly as large may be the last of them, for all that
    is more; several, such as 98 and 99, are not.
    """
    end = values.size
    while (end and is_repeated_nine(values[end - 1], "9")) or (
        end
        and end < values.size
        and is_repeated_nine(values[end - 1], "9876")
        and len(leaf_text_of(float(values[end - 1])))
        == len(leaf_text_of(float(values[end])))
        and values[end] - values[end - 1] < 3
    ):
        end -= 1
    if end in (0, values.size) or values.size - end > MAX_DISTINCT_CODES:
        return (), False
    largest, first = values[end - 1], values[end]
    usual = np.median(times[:end])
    often = times[end:].min() >= max(3, 5 * usual)
    is_apart = first >= 2 * max(largest, 1) if first > 9 else first - largest >= 2
    if first <= 9 and (end > 8 or (values != np.floor(values)).any()):
        return (), False
    noticed = is_apart or often or _is_beyond_neighbours(values, end)
    places = range(end, values.size) if noticed else ()
    return places, bool(is_apart or len(places) > 1)


def is_repeated_nine(value: float, digits: str) -> bool:
    """Return whether a number repeats a digit, or is nines and another, as 88 or 98."""
    if value <= 0:
        return False
    text = leaf_text_of(float(value))
    if value != np.floor(value):  # 99.9 and 999.99
        return len(text) > 3 and set(text) == {"9", "."}
    return (text[-1] in digits and len(set(text)) == 1) or (
        len(text) > 1 and set(text[:-1]) == {"9"} and text[-1] in digits
    )
