"""Fit the boxes of a block index to its records, and keep the records' sum."""

from __future__ import annotations

import numpy as np

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import kernel
from engine.kernels.index.boxes import BLOCKS_PER_BUNDLE


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
    min_value, max_value = np.inf, -np.inf
    for place in range(live[block]):
        min_value = min(min_value, values[block, values_row, place])
        max_value = max(max_value, values[block, values_row, place])
    _write_box_range(live, low, high, block, attribute, min_value, max_value)


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
        min_value, max_value = np.inf, -np.inf
        for place in range(live[block]):
            value = corners[at + step * count + codes[block, column, place] - start]
            min_value = min(min_value, value)
            max_value = max(max_value, value)
        _write_box_range(live, low, high, block, first + step, min_value, max_value)


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
