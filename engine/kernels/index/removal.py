"""Taking a record out of its block: what remains moves up, and boxes shrink.

Arrays are named as in :class:`engine.kernels.index.blocks.Blocks`, and come one by one
as in :mod:`engine.kernels.index.queries`.
"""

from __future__ import annotations

import numpy as np

from engine.core.typing import Integers, Values
from engine.kernels._jit import kernel
from engine.kernels.index.boxes import BUNDLE, WIDTH


@kernel
def remove_record(
    X: Values,
    values: Values,
    own: Integers,
    codes: Integers,
    spans: Integers,
    corners: Values,
    records: Integers,
    slot: Integers,
    live: Integers,
    count: Integers,
    total: Values,
    low: Values,
    high: Values,
    i: int,
) -> None:
    """Take record i out: it remains no longer."""
    b, place = slot[i] // WIDTH, slot[i] % WIDTH
    # The last live record takes its place.
    last = live[b] - 1
    moved = records[b, last]
    records[b, place] = moved
    slot[moved] = b * WIDTH + place
    live[b] = last
    count[0] -= 1
    # -1 for the first record that was removed, -2 for the next.
    slot[i] = count[0] - slot.shape[0]
    add_to_total(total, X, i, -1.0)
    for row in range(values.shape[1]):
        j, value = own[row], values[b, row, place]
        values[b, row, place] = values[b, row, last]
        # Only a record on the rim of its box can make it smaller.
        if value == low[j, b] or value == high[j, b]:
            fit_own(values, live, low, high, b, row, j)
    for c in range(codes.shape[1]):
        code, others = codes[b, c, place], 0
        codes[b, c, place] = codes[b, c, last]
        for other in range(last):
            others += codes[b, c, other] == code
        # Only the last record of its code can.
        if others == 0:
            fit_coded(codes, spans, corners, live, low, high, b, c)


@kernel
def add_to_total(total: Values, X: Values, i: int, sign: float) -> None:
    """Add a record to the total or take it away, keeping the error (Knuth's TwoSum)."""
    for j in range(X.shape[1]):
        a = total[0, j]
        x = sign * X[i, j]
        s = a + x
        t = s - a
        total[0, j] = s
        total[1, j] += (a - (s - t)) + (x - t)


@kernel
def fit_own(
    values: Values,
    live: Integers,
    low: Values,
    high: Values,
    b: int,
    row: int,
    j: int,
) -> None:
    """Fit the boxes of block b and of its bundle to the live values of attribute j."""
    least, most = np.inf, -np.inf
    for place in range(live[b]):
        least = min(least, values[b, row, place])
        most = max(most, values[b, row, place])
    _fit_box(live, low, high, b, j, least, most)


@kernel
def fit_coded(
    codes: Integers,
    spans: Integers,
    corners: Values,
    live: Integers,
    low: Values,
    high: Values,
    b: int,
    c: int,
) -> None:
    """Fit the boxes of block b and of its bundle to what the live codes stand for."""
    first, width, start, count, at = spans[c]
    for step in range(width):
        least, most = np.inf, -np.inf
        for place in range(live[b]):
            value = corners[at + step * count + codes[b, c, place] - start]
            least = min(least, value)
            most = max(most, value)
        _fit_box(live, low, high, b, first + step, least, most)


@kernel
def _fit_box(
    live: Integers,
    low: Values,
    high: Values,
    b: int,
    j: int,
    least: float,
    most: float,
) -> None:
    """Note the rim of block b in attribute j, and with it that of its bundle."""
    low[j, b], high[j, b] = least, most
    # The bundle's box is that around the boxes of its blocks.
    bundle, m = b // BUNDLE, live.shape[0]
    for other in range(bundle * BUNDLE, min((bundle + 1) * BUNDLE, m)):
        least = min(least, low[j, other])
        most = max(most, high[j, other])
    low[j, m + bundle], high[j, m + bundle] = least, most
