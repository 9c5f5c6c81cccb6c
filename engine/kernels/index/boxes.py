"""Distances from a point to records, and lower bounds from boxes around blocks.

A distance is the sum of squares in float64 in the order of the attributes. The bound
from a box adds the same terms in the same order with each moved the safe way. Rounding
never turns the order of two numbers round, so the bound holds for the computed
distances, not only for the true ones.
"""

from __future__ import annotations

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import kernel

BOX_WIDTH = 128
"""Records measured together: a constant, so that the compiler unrolls the loop."""

BLOCKS_PER_BUNDLE = 16
"""Adjacent blocks that share one more bounding box, that of their bundle."""

ROUNDING_MARGIN = 1.0 + 1e-12
"""Covers the rounding of a bound that goes through square roots."""

UNDERFLOW_MARGIN = 1e-150
"""Covers the underflow of squares in such a bound."""


@kernel
def write_sq_dists_to_columns(values: Values, point: Values, sq_dists: Values) -> None:
    """Write squared distances from a point to a box's records, held one per column.

    Parameters
    ----------
    values : ndarray of float64, shape (n_attributes, BOX_WIDTH)
        One record per column.
    point : ndarray of float64, shape (n_attributes,)
    sq_dists : ndarray of float64, shape (BOX_WIDTH,)
        Receives the squared distances.
    """
    for place in range(BOX_WIDTH):
        sq_dists[place] = 0.0
    for j in range(point.shape[0]):
        value, row = point[j], values[j]
        for place in range(BOX_WIDTH):
            difference = row[place] - value
            sq_dists[place] += difference * difference


@kernel
def write_sq_dists_of_box(
    values: Values,
    uncoded: Integers,
    codes: Integers,
    code_sq_dists: Values,
    box: int,
    point: Values,
    sq_dists: Values,
) -> None:
    """Write the squared distances of one box's records from a point, using codes.

    With codes they are right but for rounding, as what a code stands for is added at
    once: :func:`engine.kernels.index.shared.summation_rounding` bounds the difference.

    Parameters
    ----------
    values : ndarray of float64, shape (n_boxes, n_uncoded, BOX_WIDTH)
    uncoded : ndarray of int64, shape (n_uncoded,)
        Attribute of each row of values.
    codes : ndarray of int64, shape (n_boxes, n_coded, BOX_WIDTH)
        Places in `code_sq_dists`.
    code_sq_dists : ndarray of float64
        From :func:`engine.kernels.index.shared.write_code_sq_dists`, for this point.
    box : int
    point, sq_dists
        As in :func:`write_sq_dists_to_columns`.
    """
    for place in range(BOX_WIDTH):
        sq_dists[place] = 0.0
    for j in range(values.shape[1]):
        value = point[uncoded[j]]
        for place in range(BOX_WIDTH):
            difference = values[box, j, place] - value
            sq_dists[place] += difference * difference
    for c in range(codes.shape[1]):
        for place in range(BOX_WIDTH):
            sq_dists[place] += code_sq_dists[codes[box, c, place]]


@kernel
def write_box_lower_bounds(
    bound: Values,
    low: Values,
    high: Values,
    first_box: int,
    last_box: int,
    point: Values,
) -> None:
    """Write lower bounds of the squared distance from a point to each of some boxes.

    Parameters
    ----------
    bound : ndarray of float64, shape (n_boxes,)
        Receives the bounds of boxes `first_box` to ``last_box - 1``.
    low, high : ndarray of float64, shape (n_attributes, n_boxes)
        Smallest and largest values in each box.
    first_box, last_box : int
    point : ndarray of float64, shape (n_attributes,)
    """
    for b in range(first_box, last_box):
        bound[b] = 0.0
    for j in range(point.shape[0]):
        value = point[j]
        for b in range(first_box, last_box):
            difference = max(max(low[j, b] - value, value - high[j, b]), 0.0)
            bound[b] += difference * difference
