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
"""Blocks per bundle."""

ROUNDING_MARGIN = 1.0 + 1e-12
"""Covers the rounding of a bound that goes through square roots."""

UNDERFLOW_MARGIN = 1e-150
"""Covers the underflow of squares in such a bound."""


@kernel
def write_sq_dists_to_columns(values: Values, point: Values, sq_dists: Values) -> None:
    """Write the squared distances of a box's records, one per column, from a point.

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
    own: Integers,
    codes: Integers,
    table: Values,
    b: int,
    point: Values,
    sq_dists: Values,
) -> None:
    """Write the squared distances of box b's records from a point, using codes.

    Where records have codes they are right but for rounding, as what a code stands for
    is added at once: :func:`engine.kernels.index.shared.summation_slack` covers that.

    Parameters
    ----------
    values : ndarray of float64, shape (n_boxes, n_own, BOX_WIDTH)
    own : ndarray of int64, shape (n_own,)
        Attribute of each row of values.
    codes : ndarray of int64, shape (n_boxes, n_coded, BOX_WIDTH)
        Places in the table.
    table : ndarray of float64
        From :func:`engine.kernels.index.shared.write_sq_dist_table`, for this point.
    b : int
    point, sq_dists
        As in :func:`write_sq_dists_to_columns`.
    """
    for place in range(BOX_WIDTH):
        sq_dists[place] = 0.0
    for j in range(values.shape[1]):
        value = point[own[j]]
        for place in range(BOX_WIDTH):
            difference = values[b, j, place] - value
            sq_dists[place] += difference * difference
    for c in range(codes.shape[1]):
        for place in range(BOX_WIDTH):
            sq_dists[place] += table[codes[b, c, place]]


@kernel
def write_box_lower_bounds(
    bound: Values,
    low: Values,
    high: Values,
    first_box: int,
    last_box: int,
    point: Values,
) -> None:
    """Write lower bounds of the squared distance between a point and each box.

    Parameters
    ----------
    bound : ndarray of float64, shape (n_boxes,)
        Receives the bounds of boxes `first_box` to `last_box`.
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
