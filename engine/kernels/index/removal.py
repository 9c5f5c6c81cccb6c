"""Remove a record from the arrays of a block index, and shrink its boxes.

Arrays are named as in :class:`engine.kernels.index.blocks.BlockIndex`, and come one by
one as in :mod:`engine.kernels.index.queries`.
"""

from __future__ import annotations

import numpy as np

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import kernel
from engine.kernels.index.boxes import BLOCKS_PER_BUNDLE, BOX_WIDTH


@kernel
def remove_record_from_arrays(
    X: Values,
    values: Values,
    uncoded: Integers,
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
    """Remove record i from the arrays of a block index, in place."""
    b, place = slot[i] // BOX_WIDTH, slot[i] % BOX_WIDTH
    # The last live record takes its place.
    last = live[b] - 1
    moved = records[b, last]
    records[b, place] = moved
    slot[moved] = b * BOX_WIDTH + place
    live[b] = last
    count[0] -= 1
    # -1 for the first record that was removed, -2 for the next.
    slot[i] = count[0] - slot.shape[0]
    add_to_compensated_sum(total, X, i, -1.0)
    for row in range(values.shape[1]):
        j, value = uncoded[row], values[b, row, place]
        values[b, row, place] = values[b, row, last]
        # Only a record on the rim of its box can make it smaller.
        if value == low[j, b] or value == high[j, b]:
            fit_attribute_boxes(values, live, low, high, b, row, j)
    for c in range(codes.shape[1]):
        code, others = codes[b, c, place], 0
        codes[b, c, place] = codes[b, c, last]
        for other in range(last):
            others += codes[b, c, other] == code
        # Only the last record of its code can.
        if others == 0:
            fit_coded_boxes(codes, spans, corners, live, low, high, b, c)


@kernel
def add_to_compensated_sum(
    compensated_total: Values, X: Values, i: int, sign: float
) -> None:
    """Add or subtract record i to or from a compensated total (Knuth's TwoSum)."""
    for j in range(X.shape[1]):
        a = compensated_total[0, j]
        x = sign * X[i, j]
        s = a + x
        t = s - a
        compensated_total[0, j] = s
        compensated_total[1, j] += (a - (s - t)) + (x - t)


@kernel
def fit_attribute_boxes(
    values: Values,
    live: Integers,
    low: Values,
    high: Values,
    block: int,
    values_row: int,
    attribute: int,
) -> None:
    """Fit a block's box to live values of an attribute, and its bundle's box anew."""
    least, most = np.inf, -np.inf
    for place in range(live[block]):
        least = min(least, values[block, values_row, place])
        most = max(most, values[block, values_row, place])
    _write_box_range(live, low, high, block, attribute, least, most)


@kernel
def fit_coded_boxes(
    codes: Integers,
    spans: Integers,
    corners: Values,
    live: Integers,
    low: Values,
    high: Values,
    block: int,
    column: int,
) -> None:
    """Fit a block's box to live codes of a column, and its bundle's box anew."""
    first, width, start, count, at = spans[column]
    for step in range(width):
        least, most = np.inf, -np.inf
        for place in range(live[block]):
            value = corners[at + step * count + codes[block, column, place] - start]
            least = min(least, value)
            most = max(most, value)
        _write_box_range(live, low, high, block, first + step, least, most)


@kernel
def _write_box_range(
    live: Integers,
    low: Values,
    high: Values,
    b: int,
    j: int,
    low_value: float,
    high_value: float,
) -> None:
    """Set the range of a block in an attribute, and recompute its bundle's."""
    low[j, b], high[j, b] = low_value, high_value
    # The bundle's box is that around the boxes of its blocks.
    bundle, m = b // BLOCKS_PER_BUNDLE, live.shape[0]
    for other in range(
        bundle * BLOCKS_PER_BUNDLE, min((bundle + 1) * BLOCKS_PER_BUNDLE, m)
    ):
        low_value = min(low_value, low[j, other])
        high_value = max(high_value, high[j, other])
    low[j, m + bundle], high[j, m + bundle] = low_value, high_value
