"""Farthest and nearest queries on a block index."""

from __future__ import annotations

import numpy as np

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import array_free_kernel, kernel
from engine.kernels.index.blocks import BlockIndex
from engine.kernels.index.boxes import (
    BLOCKS_PER_BUNDLE,
    ROUNDING_MARGIN,
    UNDERFLOW_MARGIN,
    write_box_lower_bounds,
    write_sq_dists_of_box,
)
from engine.kernels.index.shared import (
    sq_dist_to_point,
    summation_rounding,
    write_code_sq_dists,
)
from engine.kernels.records.bounded_heap import replace_farthest


@array_free_kernel
def write_nearest(
    blocks: BlockIndex, point: Values, nearest: Integers, sq_dists: Values
) -> None:
    """Write the remaining records nearest to a point as a heap, farthest first.

    Parameters
    ----------
    point : ndarray of float64, shape (n_attributes,)
    nearest : ndarray of int64, shape (m,)
        Receives the m nearest records, as a heap: the farthest of them first.
    sq_dists : ndarray of float64, shape (m,)
        Receives their squared distances.
    """
    X, values, records, live = blocks.X, blocks.values, blocks.records, blocks.live
    uncoded, codes, code_sq_dists = blocks.uncoded, blocks.codes, blocks.code_sq_dists
    low, high, bound = blocks.low, blocks.high, blocks.bound
    block_sq_dists, no_record = blocks.block_sq_dists, X.shape[0]
    for place in range(nearest.size):
        nearest[place], sq_dists[place] = no_record, np.inf
    m, n_boxes, measured, opened = live.shape[0], low.shape[1], 0, 0
    coded = codes.shape[1] > 0
    wider = 1.0
    if coded:
        write_code_sq_dists(blocks.spans, blocks.corners, point, code_sq_dists)
        wider = summation_rounding(X.shape[1])
    write_box_lower_bounds(bound[0], low, high, m, n_boxes, point)
    while True:
        # Open the bundle with the lowest bound, until none can hold a nearer record.
        bundle, lowest_bound = m, sq_dists[0]
        for box in range(m, n_boxes):
            if bound[0, box] <= lowest_bound:
                bundle, lowest_bound = box, bound[0, box]
        if not bound[0, bundle] <= sq_dists[0]:
            break
        bound[0, bundle] = np.nan
        opened += 1
        first = (bundle - m) * BLOCKS_PER_BUNDLE
        last = min(first + BLOCKS_PER_BUNDLE, m)
        write_box_lower_bounds(bound[0], low, high, first, last, point)
        b = first
        for box in range(first, last):
            if bound[0, box] < bound[0, b]:
                b = box
        # The most promising block first: what it holds rules out most of the others.
        following = first
        while True:
            if bound[0, b] <= sq_dists[0]:
                measured += live[b]
                write_sq_dists_of_box(
                    values, uncoded, codes, code_sq_dists, b, point, block_sq_dists
                )
                # Counting runs in vector registers, and mostly finds nothing.
                worst, hits = sq_dists[0] * wider, 0
                for place in range(live[b]):
                    hits += block_sq_dists[place] <= worst
                if hits > 0:
                    for place in range(live[b]):
                        d = block_sq_dists[place]
                        if d > worst:
                            continue
                        i = records[b, place]
                        if coded:
                            d = sq_dist_to_point(X, i, point)
                        # Of equally near records, the lowest number.
                        if d < sq_dists[0] or (d == sq_dists[0] and i < nearest[0]):
                            replace_farthest(nearest, sq_dists, i, d)
                            worst = sq_dists[0] * wider
                bound[0, b] = np.nan
            if following == last:
                break
            b = following
            following += 1
    _count_work(blocks, measured, opened)


@array_free_kernel
def farthest_record(
    blocks: BlockIndex, point: Values, keep_bounds: bool = False
) -> int:
    """Return the remaining record farthest from a point.

    Parameters
    ----------
    point : ndarray of float64, shape (n_attributes,)
    keep_bounds : bool
        True where the next point with True will lie close by, as a slowly moving
        centroid does: what is learnt about the boxes is kept for it.
    """
    X, values, records, live = blocks.X, blocks.values, blocks.records, blocks.live
    uncoded, codes, code_sq_dists = blocks.uncoded, blocks.codes, blocks.code_sq_dists
    low, high, origin = blocks.low, blocks.high, blocks.origin
    reach, bound, block_sq_dists = blocks.reach, blocks.bound, blocks.block_sq_dists
    best, record = -1.0, int(X.shape[0])
    m, n_boxes, measured, opened = live.shape[0], reach.shape[0], 0, 0
    coded = codes.shape[1] > 0
    wider = 1.0
    if coded:
        write_code_sq_dists(blocks.spans, blocks.corners, point, code_sq_dists)
        wider = summation_rounding(X.shape[1])
    write_box_upper_bounds(bound, low, high, origin, reach, m, n_boxes, point)
    while True:
        # Open the bundle with the highest bound, until none can hold a farther record.
        bundle, highest_bound = m, best
        for box in range(m, n_boxes):
            if bound[0, box] >= highest_bound:
                bundle, highest_bound = box, bound[0, box]
        if not bound[0, bundle] >= best:
            break
        bound[0, bundle] = np.nan
        opened += 1
        first = (bundle - m) * BLOCKS_PER_BUNDLE
        last = min(first + BLOCKS_PER_BUNDLE, m)
        write_box_upper_bounds(bound, low, high, origin, reach, first, last, point)
        promising = first
        for box in range(first, last):
            if bound[0, box] > bound[0, promising]:
                promising = box
        highest_bound = 0.0
        # The most promising block first, then the others in order.
        for turn in range(first - 1, last):
            b = promising if turn < first else turn
            if turn == promising:
                continue
            if bound[0, b] >= best:
                measured += live[b]
                write_sq_dists_of_box(
                    values, uncoded, codes, code_sq_dists, b, point, block_sq_dists
                )
                worst, hits = best / wider, 0
                for place in range(live[b]):
                    hits += block_sq_dists[place] >= worst
                if hits > 0:
                    for place in range(live[b]):
                        d = block_sq_dists[place]
                        if d < worst:
                            continue
                        i = records[b, place]
                        if coded:
                            d = sq_dist_to_point(X, i, point)
                        # Of equally far records, the lowest number.
                        if d > best or (d == best and i < record):
                            best, record = d, i
                            worst = best / wider
                if keep_bounds:
                    # The exact reach from here: by the triangle inequality it bounds
                    # the next query.
                    farthest = 0.0
                    for place in range(live[b]):
                        farthest = max(farthest, block_sq_dists[place])
                    farthest *= wider
                    bound[0, b] = farthest
                    _set_reach(origin, reach, b, point, farthest)
            highest_bound = max(highest_bound, bound[0, b])
        if keep_bounds:
            _set_reach(origin, reach, bundle, point, highest_bound)
    _count_work(blocks, measured, opened)
    return record


@array_free_kernel
def _count_work(blocks: BlockIndex, measured: int, opened: int) -> None:
    """Count the distances that a query has measured, and the values that it has read.

    It has bounds of all bundles, and compares them anew before it opens another one.
    """
    p = blocks.X.shape[1]
    bundles = blocks.low.shape[1] - blocks.live.shape[0]
    read = (measured + bundles + opened * BLOCKS_PER_BUNDLE) * p
    blocks.count[3] += measured
    blocks.count[4] += read + bundles * (opened + 1) + blocks.code_sq_dists.shape[0]


@kernel
def _set_reach(
    origin: Values, reach: Values, b: int, point: Values, sq_dist: float
) -> None:
    """Write that no record in box b is farther from a point than a squared distance."""
    reach[b] = np.sqrt(sq_dist)
    for j in range(point.shape[0]):
        origin[j, b] = point[j]


@kernel
def write_box_upper_bounds(
    bound: Values,
    low: Values,
    high: Values,
    origin: Values,
    reach: Values,
    first_box: int,
    last_box: int,
    point: Values,
) -> None:
    """Write upper bounds of squared distances from a point to records of some boxes.

    No record is farther than the farthest corner, and none farther than the reach of
    the box from its origin and the way from there to the point.

    Parameters
    ----------
    bound : ndarray of float64, shape (2, n_boxes)
        Its first row receives the bounds of boxes `first_box` to ``last_box - 1``; the
        second is scratch.
    low, high, origin, reach
    first_box, last_box : int
    point : ndarray of float64, shape (n_attributes,)
    """
    for b in range(first_box, last_box):
        bound[0, b] = bound[1, b] = 0.0
    for j in range(point.shape[0]):
        value = point[j]
        for b in range(first_box, last_box):
            # The farthest corner, attribute by attribute.
            corner = max(max(value - low[j, b], high[j, b] - value), 0.0)
            moved = origin[j, b] - value
            bound[0, b] += corner * corner
            bound[1, b] += moved * moved
    for b in range(first_box, last_box):
        # Triangle inequality: |x - point| <= |x - origin| + |origin - point|.
        distance = (
            reach[b] + np.sqrt(bound[1, b])
        ) * ROUNDING_MARGIN + UNDERFLOW_MARGIN
        bound[0, b] = min(bound[0, b], distance * distance)
