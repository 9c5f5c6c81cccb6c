"""The loops behind :mod:`engine.kernels.index.blocks`: farthest, nearest and remove.

Arrays are named as in :class:`engine.kernels.index.blocks.Blocks`. They come one by
one: taking an array out of a tuple costs an atomic count, and handing the tuple on
copies it, which together took longer than the loops.
"""

from __future__ import annotations

import numpy as np

from engine.core.typing import Integers, Values
from engine.kernels._jit import kernel
from engine.kernels.bounded_heap import replace_first
from engine.kernels.index.boxes import (
    BUNDLE,
    SAFE,
    TINY,
    WIDTH,
    bound_from_below,
    measure_box,
)


@kernel
def remove_record(
    X: Values,
    values: Values,
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
    for j in range(X.shape[1]):
        value = values[b, j, place]
        values[b, j, place] = values[b, j, last]
        # Only a record on the rim of its box can make it smaller.
        if value == low[j, b] or value == high[j, b]:
            fit_boxes(values, live, low, high, b, j)


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
def fit_boxes(
    values: Values, live: Integers, low: Values, high: Values, b: int, j: int
) -> None:
    """Fit the boxes of block b and of its bundle to the live values of attribute j."""
    least, most = np.inf, -np.inf
    for place in range(live[b]):
        least = min(least, values[b, j, place])
        most = max(most, values[b, j, place])
    low[j, b], high[j, b] = least, most
    # The bundle's box is that around the boxes of its blocks.
    bundle, m = b // BUNDLE, live.shape[0]
    for other in range(bundle * BUNDLE, min((bundle + 1) * BUNDLE, m)):
        least = min(least, low[j, other])
        most = max(most, high[j, other])
    low[j, m + bundle], high[j, m + bundle] = least, most


@kernel
def find_nearest(
    values: Values,
    records: Integers,
    live: Integers,
    count: Integers,
    low: Values,
    high: Values,
    bound: Values,
    apart: Values,
    point: Values,
    none: int,
    found: Integers,
    squared: Values,
) -> None:
    """Find the remaining records nearest to a point; there must be enough of them.

    Parameters
    ----------
    values, records, live, count, low, high, bound
    apart : ndarray of float64, shape (WIDTH,)
        ``blocks.squared``.
    point : ndarray of float64, shape (n_attributes,)
    none : int
        A number above that of every record.
    found, squared
        As in :func:`engine.kernels.index.blocks.nearest`.
    """
    for place in range(found.size):
        found[place], squared[place] = none, np.inf
    m, n_boxes, measured = live.shape[0], low.shape[1], 0
    bound_from_below(bound[0], low, high, m, n_boxes, point)
    while True:
        # Open the bundle with the lowest bound, until none can hold a nearer record.
        bundle, least = m, squared[0]
        for box in range(m, n_boxes):
            if bound[0, box] <= least:
                bundle, least = box, bound[0, box]
        if not bound[0, bundle] <= squared[0]:
            break
        bound[0, bundle] = np.nan
        first = (bundle - m) * BUNDLE
        last = min(first + BUNDLE, m)
        bound_from_below(bound[0], low, high, first, last, point)
        b = first
        for box in range(first, last):
            if bound[0, box] < bound[0, b]:
                b = box
        # The most promising block first: what it holds rules out most of the others.
        following = first
        while True:
            if bound[0, b] <= squared[0]:
                measured += live[b]
                measure_box(values, b, point, apart)
                # Counting runs in vector registers, and mostly finds nothing.
                worst, hits = squared[0], 0
                for place in range(live[b]):
                    hits += apart[place] <= worst
                if hits > 0:
                    for place in range(live[b]):
                        d = apart[place]
                        if d <= squared[0]:
                            i = records[b, place]
                            # Of equally near records, the lowest number.
                            if d < squared[0] or i < found[0]:
                                replace_first(found, squared, i, d)
                bound[0, b] = np.nan
            if following == last:
                break
            b = following
            following += 1
    count[3] += measured


@kernel
def find_farthest(
    values: Values,
    records: Integers,
    live: Integers,
    count: Integers,
    low: Values,
    high: Values,
    origin: Values,
    reach: Values,
    bound: Values,
    apart: Values,
    point: Values,
    none: int,
    follow: bool,
) -> int:
    """Return the remaining record farthest from a point.

    Parameters
    ----------
    values, records, live, count, low, high, origin, reach, bound
    apart, point, none
        As in :func:`find_nearest`.
    follow : bool
        As in :func:`engine.kernels.index.blocks.farthest`.
    """
    best, record = -1.0, none
    m, n_boxes, measured = live.shape[0], reach.shape[0], 0
    bound_from_above(bound, low, high, origin, reach, m, n_boxes, point)
    while True:
        # Open the bundle with the highest bound, until none can hold a farther record.
        bundle, most = m, best
        for box in range(m, n_boxes):
            if bound[0, box] >= most:
                bundle, most = box, bound[0, box]
        if not bound[0, bundle] >= best:
            break
        bound[0, bundle] = np.nan
        first = (bundle - m) * BUNDLE
        last = min(first + BUNDLE, m)
        bound_from_above(bound, low, high, origin, reach, first, last, point)
        promising = first
        for box in range(first, last):
            if bound[0, box] > bound[0, promising]:
                promising = box
        most = 0.0
        # The most promising block first, then the others in order.
        for turn in range(first - 1, last):
            b = promising if turn < first else turn
            if turn == promising:
                continue
            if bound[0, b] >= best:
                measured += live[b]
                measure_box(values, b, point, apart)
                hits = 0
                for place in range(live[b]):
                    hits += apart[place] >= best
                if hits > 0:
                    for place in range(live[b]):
                        d = apart[place]
                        if d >= best:
                            i = records[b, place]
                            # Of equally far records, the lowest number.
                            if d > best or i < record:
                                best, record = d, i
                if follow:
                    # The exact reach from here: by the triangle inequality it bounds
                    # the next query.
                    farthest = 0.0
                    for place in range(live[b]):
                        farthest = max(farthest, apart[place])
                    bound[0, b] = farthest
                    _set_reach(origin, reach, b, point, farthest)
            most = max(most, bound[0, b])
        if follow:
            _set_reach(origin, reach, bundle, point, most)
    count[3] += measured
    return record


@kernel
def _set_reach(
    origin: Values, reach: Values, b: int, point: Values, squared: float
) -> None:
    """Note that no record in box b is farther from a point than that."""
    reach[b] = np.sqrt(squared)
    for j in range(point.shape[0]):
        origin[j, b] = point[j]


@kernel
def bound_from_above(
    bound: Values,
    low: Values,
    high: Values,
    origin: Values,
    reach: Values,
    first: int,
    last: int,
    point: Values,
) -> None:
    """Bound from above the squared distance of a point from the records in each box.

    No record is farther than the farthest corner, and none farther than the reach of
    the box from its origin and the way from there to the point.

    Parameters
    ----------
    bound : ndarray of float64, shape (2, n_boxes)
        Its first row receives the bounds of boxes `first` to `last`; the second is
        scratch.
    low, high, origin, reach
    first, last : int
    point : ndarray of float64, shape (n_attributes,)
    """
    for b in range(first, last):
        bound[0, b] = bound[1, b] = 0.0
    for j in range(point.shape[0]):
        value = point[j]
        for b in range(first, last):
            # The farthest corner, attribute by attribute.
            corner = max(max(value - low[j, b], high[j, b] - value), 0.0)
            moved = origin[j, b] - value
            bound[0, b] += corner * corner
            bound[1, b] += moved * moved
    for b in range(first, last):
        # Triangle inequality: |x - point| <= |x - origin| + |origin - point|.
        distance = (reach[b] + np.sqrt(bound[1, b])) * SAFE + TINY
        bound[0, b] = min(bound[0, b], distance * distance)
