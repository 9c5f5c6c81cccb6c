"""k-d tree with small leaves and single-precision boxes around them.

Records that lie together share a leaf of :data:`FANOUT`, as many leaves a branch, as
many branches a limb. Leaf, branch and limb know a box around their records, and the
boxes of one branch or limb lie side by side, so that a query tests them all at once.

Leaves and boxes are coarse: numbers of single precision, which take half the time and
memory, in tables of many records along principal axes, where boxes are narrow. They
only rule records out; what is left is measured as it was given, by
:func:`double_precision_sq_dist`. Rounding to single precision moves a record by at most
u times its distance from the origin, u = 2^-24. A record at distance d from record x is
at most |x| + d from the origin, so the two come to be at most d + u (2 |x| + d) apart,
and no box around the other is farther from x. Squaring and adding make at most
1 + (p + 4) u of that. :func:`coarse_sq_dist_limit` allows for twice as much, hence for
what turning the records to the axes costs as well, which is done in double precision.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.core.context import Look, look_at_nothing, steps_per_look
from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import kernel
from engine.kernels.index.halving import kd_leaf_order

Coarse = NDArray[np.float32]

FANOUT = 16
"""Records per leaf, leaves per branch, branches per limb: unrolled by the compiler."""

ATTRIBUTES_PER_STEP = 5
"""Attributes whose squares are added before they join the sum."""

EPS = float(np.finfo(np.float32).eps)
"""Distance from 1 to the next float32, twice what rounding may cost."""

FLOAT32_UNDERFLOW = 1e-18
"""More than rounding costs where numbers are small; even its square is a float32."""

MIN_ROTATED_RECORDS = 20_000
"""Records above which it pays to turn them to principal axes."""

MAX_ROTATED_ATTRIBUTES = 64
"""Attributes up to which turning records to principal axes costs little."""


class LeafTree(NamedTuple):
    """Records in k-d tree order, with the boxes around leaves, branches and limbs.

    Attributes
    ----------
    order : ndarray of int64, shape (n_records,)
        Number of the record in each place of the tree.
    X : ndarray of float64, shape (n_records, n_attributes)
        Values in that order.
    values : ndarray of float32, shape (n_leaves, n_columns, FANOUT)
        The same, turned and times `scale`, leaf by leaf, with columns of zeros up to a
        multiple of ATTRIBUTES_PER_STEP; infinite in places without a record.
    low, high : tuple of ndarray of float32, shape (n_boxes / FANOUT, n_columns, FANOUT)
        Smallest and largest values of the leaves, the branches and the limbs;
        ``low > high`` in places without records.
    scale : float
        A power of two by which the largest value comes to between 1 and 2.
    room : float
        Factor above 1 that covers how rounding may stretch coarse distances.
    """

    order: Integers
    X: Values
    values: Coarse
    low: tuple[Coarse, Coarse, Coarse]
    high: tuple[Coarse, Coarse, Coarse]
    scale: float
    room: float


def make_leaf_order(X: Values, look: Look = look_at_nothing) -> Integers:
    """Return all records in the order of the leaves of their tree."""
    return kd_leaf_order(X, FANOUT, FANOUT * FANOUT, look)


def make_leaf_tree(X: Values, look: Look = look_at_nothing) -> LeafTree:
    """Return records in k-d tree order, with boxes around leaves, branches and limbs.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
        C-contiguous and finite, at least one record.
    look : callable
        Called between steps.
    """
    n, p = X.shape[0], -(-X.shape[1] // ATTRIBUTES_PER_STEP) * ATTRIBUTES_PER_STEP
    turned = X
    # Along principal axes boxes are narrow, so that fewer are opened.
    if n > MIN_ROTATED_RECORDS and 1 < X.shape[1] <= MAX_ROTATED_ATTRIBUTES:
        turned = np.einsum("ij,jk->ik", X, _principal_axes(X))
    order = make_leaf_order(turned, look)
    counts = [-(-n // FANOUT)]
    for _ in range(3):
        counts.append(-(-counts[-1] // FANOUT))
    values = np.full((counts[1] * FANOUT, p, FANOUT), np.inf, dtype=np.float32)
    shapes = [(count, p, FANOUT) for count in counts[1:]]
    leaf_low, branch_low, limb_low = (
        np.full(shape, np.inf, dtype=np.float32) for shape in shapes
    )
    low, high = (leaf_low, branch_low, limb_low), (-leaf_low, -branch_low, -limb_low)
    largest = float(np.abs(turned).max())
    exponent = int(np.frexp(largest)[1]) if largest > 0.0 else 1
    scale = float(np.ldexp(1.0, min(1 - exponent, 1000)))
    room = 1.0 + 1e-6 + p * EPS
    leaves = LeafTree(
        order, np.ascontiguousarray(X[order]), values, low, high, scale, room
    )
    step = steps_per_look(8 * p)  # three boxes of two sides for each value
    for first in range(0, n, step):
        look()
        _draw(leaves, turned, first, min(first + step, n))
    return leaves


def _principal_axes(X: Values) -> Values:
    """Return the principal axes of some of the records, one per column."""
    some = X[:: -(-X.shape[0] // MIN_ROTATED_RECORDS)]
    some = some / max(float(np.abs(some).max()), 1e-300)  # no square overflows
    return np.linalg.eigh(np.einsum("ij,ik->jk", some, some))[1][:, ::-1]


@kernel
def _draw(leaves: LeafTree, turned: Values, first: int, last: int) -> None:
    """Write some turned values into the leaves, and the boxes around them."""
    values, p = leaves.values, turned.shape[1]
    # Each record widens the boxes of its leaf, its branch and its limb.
    for i in range(first, last):
        record = leaves.order[i]
        leaf = i // FANOUT
        branch = leaf // FANOUT
        limb = branch // FANOUT
        places = (leaf % FANOUT, branch % FANOUT, limb % FANOUT)
        groups = (branch, limb, limb // FANOUT)
        for j in range(values.shape[1]):
            value = np.float32(turned[record, j] * leaves.scale if j < p else 0.0)
            values[leaf, j, i % FANOUT] = value
            for level in range(3):
                group, place = groups[level], places[level]
                low, high = leaves.low[level], leaves.high[level]
                low[group, j, place] = min(low[group, j, place], value)
                high[group, j, place] = max(high[group, j, place], value)


@kernel
def copy_coarse_values_and_bound_error(
    leaves: LeafTree, i: int, coarse_values: Coarse
) -> float:
    """Copy a record's float32 values; return a bound on the error of its distances.

    Parameters
    ----------
    i : int
        Place of the record in the tree.
    coarse_values : ndarray of float32, shape (n_columns,)

    Returns
    -------
    float
        By how much coarse distances from here may exceed the true ones times `scale`.
    """
    total = 0.0
    for j in range(coarse_values.shape[0]):
        coarse_values[j] = leaves.values[i // FANOUT, j, i % FANOUT]
        total += coarse_values[j] * np.float64(coarse_values[j])
    return float((2.0 * EPS * np.sqrt(total) + FLOAT32_UNDERFLOW) * leaves.room)


@kernel
def coarse_sq_dist_limit(limit: float, coarse_units: float, error: float) -> float:
    """Return a coarse squared distance that no record within `limit` exceeds.

    Parameters
    ----------
    limit : float
        Squared distance.
    coarse_units : float
        ``scale * room`` of :class:`LeafTree`.
    error : float
        From :func:`copy_coarse_values_and_bound_error`.
    """
    reach = np.sqrt(limit) * coarse_units + error
    return float(reach * reach)


@kernel
def double_precision_sq_dist(X: Values, i: int, j: int) -> float:
    """Return the squared distance of two records in double precision."""
    total = 0.0
    for column in range(X.shape[1]):
        difference = X[i, column] - X[j, column]
        total += difference * difference
    return total


@kernel
def write_leaf_sq_dists(
    leaf_values: Coarse, leaf: int, record_values: Coarse, sq_dists: Coarse
) -> None:
    """Write a record's float32 squared distances to all records of one leaf.

    Parameters
    ----------
    leaf_values : ndarray of float32, shape (n_leaves, n_columns, FANOUT)
    leaf : int
    record_values : ndarray of float32, shape (n_columns,)
        The record, from :func:`copy_coarse_values_and_bound_error`.
    sq_dists : ndarray of float32, shape (FANOUT,)
    """
    for place in range(FANOUT):
        sq_dists[place] = 0
    # ATTRIBUTES_PER_STEP at a time: the sums of all places stay in registers.
    for j in range(0, record_values.shape[0], ATTRIBUTES_PER_STEP):
        v, w, x, y, z = (
            record_values[j],
            record_values[j + 1],
            record_values[j + 2],
            record_values[j + 3],
            record_values[j + 4],
        )
        for place in range(FANOUT):
            a = leaf_values[leaf, j, place] - v
            b = leaf_values[leaf, j + 1, place] - w
            c = leaf_values[leaf, j + 2, place] - x
            d = leaf_values[leaf, j + 3, place] - y
            e = leaf_values[leaf, j + 4, place] - z
            sq_dists[place] += a * a + b * b + c * c + d * d + e * e


@kernel
def write_coarse_box_lower_bounds(
    low: Coarse, high: Coarse, group: int, coarse_values: Coarse, bound: Coarse
) -> None:
    """Write lower bounds of a record's coarse squared distances from a group of boxes.

    Parameters
    ----------
    low, high : ndarray of float32, shape (n_groups, n_columns, FANOUT)
    group : int
    coarse_values : ndarray of float32, shape (n_columns,)
        The record, from :func:`copy_coarse_values_and_bound_error`.
    bound : ndarray of float32, shape (FANOUT,)
        Receives the bounds; infinite for boxes without records.
    """
    zero = np.float32(0.0)
    for place in range(FANOUT):
        bound[place] = zero
    # As in `write_leaf_sq_dists`; inside a box an attribute adds nothing.
    for j in range(0, coarse_values.shape[0], ATTRIBUTES_PER_STEP):
        v, w, x, y, z = (
            coarse_values[j],
            coarse_values[j + 1],
            coarse_values[j + 2],
            coarse_values[j + 3],
            coarse_values[j + 4],
        )
        for place in range(FANOUT):
            a = max(max(low[group, j, place] - v, v - high[group, j, place]), zero)
            b = max(
                max(low[group, j + 1, place] - w, w - high[group, j + 1, place]), zero
            )
            c = max(
                max(low[group, j + 2, place] - x, x - high[group, j + 2, place]), zero
            )
            d = max(
                max(low[group, j + 3, place] - y, y - high[group, j + 3, place]), zero
            )
            e = max(
                max(low[group, j + 4, place] - z, z - high[group, j + 4, place]), zero
            )
            bound[place] += a * a + b * b + c * c + d * d + e * e
