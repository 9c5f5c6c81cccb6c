"""Records in small leaves of a tree, and the boxes around leaves.

Records that lie together share a leaf of :data:`WIDE`, as many leaves a branch, as many
branches a limb. Leaf, branch and limb know a box around their records, and the boxes of
one branch or limb lie side by side, so that a query tests them all at once.

Attributes are filled up to a multiple of :data:`STEP` with zeros, so that the sums run
in vector registers. Bounds from boxes add the same terms in the same order as distances
with each moved the safe way: rounding never turns the order of two numbers round, so
they hold for the computed distances, not only for the true ones.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import kernel
from engine.kernels.halving import split_in_halves

Values = NDArray[np.float64]
Integers = NDArray[np.int64]

WIDE = 16
"""Records per leaf, leaves per branch, branches per limb: unrolled by the compiler."""

STEP = 5
"""Attributes whose squares are added before they join the sum."""


class Leaves(NamedTuple):
    """Records in the order of the tree, and the boxes around them.

    Attributes
    ----------
    order : ndarray of int64, shape (n_records,)
        Number of the record in each place of the tree.
    X : ndarray of float64, shape (n_records, n_columns)
        Values in that order, with columns of zeros up to a multiple of STEP.
    values : ndarray of float64, shape (n_leaves, n_columns, WIDE)
        The same leaf by leaf; infinite in places without a record.
    low, high : tuple of ndarray of float64, shape (n_boxes / WIDE, n_columns, WIDE)
        Smallest and largest values of the leaves, the branches and the limbs;
        ``low > high`` in places without records.
    """

    order: Integers
    X: Values
    values: Values
    low: tuple[Values, Values, Values]
    high: tuple[Values, Values, Values]


def make_leaves(X: Values) -> Leaves:
    """Arrange records in leaves.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
        C-contiguous and finite, at least one record.
    """
    n, p = X.shape[0], -(-X.shape[1] // STEP) * STEP
    order = np.arange(n, dtype=np.int64)
    stack = np.empty((64, 2), dtype=np.int64)
    split_in_halves(X, order, n, WIDE, WIDE * WIDE, stack)
    filled = np.zeros((n, p))
    filled[:, : X.shape[1]] = X[order]
    counts = [-(-n // WIDE)]
    for _ in range(3):
        counts.append(-(-counts[-1] // WIDE))
    values = np.full((counts[1] * WIDE, p, WIDE), np.inf)
    one, two, three = ((count, p, WIDE) for count in counts[1:])
    low = (np.full(one, np.inf), np.full(two, np.inf), np.full(three, np.inf))
    high = (np.full(one, -np.inf), np.full(two, -np.inf), np.full(three, -np.inf))
    leaves = Leaves(order, filled, values, low, high)
    _draw(leaves)
    return leaves


@kernel
def _draw(leaves: Leaves) -> None:
    """Write values into the leaves, and the boxes around them."""
    n, p = leaves.X.shape
    for i in range(n):
        leaf = i // WIDE
        branch = leaf // WIDE
        limb = branch // WIDE
        places = (leaf % WIDE, branch % WIDE, limb % WIDE)
        groups = (branch, limb, limb // WIDE)
        for j in range(p):
            value = leaves.X[i, j]
            leaves.values[leaf, j, i % WIDE] = value
            for level in range(3):
                group, place = groups[level], places[level]
                low, high = leaves.low[level], leaves.high[level]
                low[group, j, place] = min(low[group, j, place], value)
                high[group, j, place] = max(high[group, j, place], value)


@kernel
def measure_leaf(values: Values, leaf: int, X: Values, i: int, squared: Values) -> None:
    """Write the squared distances of record i from the records of one leaf.

    Parameters
    ----------
    values : ndarray of float64, shape (n_leaves, n_columns, WIDE)
    leaf : int
    X : ndarray of float64, shape (n_records, n_columns)
    i : int
    squared : ndarray of float64, shape (WIDE,)
    """
    for place in range(WIDE):
        squared[place] = 0.0
    for j in range(0, X.shape[1], STEP):
        v, w, x, y, z = X[i, j], X[i, j + 1], X[i, j + 2], X[i, j + 3], X[i, j + 4]
        for place in range(WIDE):
            a = values[leaf, j, place] - v
            b = values[leaf, j + 1, place] - w
            c = values[leaf, j + 2, place] - x
            d = values[leaf, j + 3, place] - y
            e = values[leaf, j + 4, place] - z
            squared[place] += a * a + b * b + c * c + d * d + e * e


@kernel
def bound_boxes(
    low: Values, high: Values, group: int, X: Values, i: int, bound: Values
) -> None:
    """Bound from below the squared distances of record i from the records of boxes.

    Parameters
    ----------
    low, high : ndarray of float64, shape (n_groups, n_columns, WIDE)
    group : int
    X : ndarray of float64, shape (n_records, n_columns)
    i : int
    bound : ndarray of float64, shape (WIDE,)
        Receives the bounds; infinite for boxes without records.
    """
    for place in range(WIDE):
        bound[place] = 0.0
    for j in range(0, X.shape[1], STEP):
        v, w, x, y, z = X[i, j], X[i, j + 1], X[i, j + 2], X[i, j + 3], X[i, j + 4]
        for place in range(WIDE):
            a = max(max(low[group, j, place] - v, v - high[group, j, place]), 0.0)
            b = max(
                max(low[group, j + 1, place] - w, w - high[group, j + 1, place]), 0.0
            )
            c = max(
                max(low[group, j + 2, place] - x, x - high[group, j + 2, place]), 0.0
            )
            d = max(
                max(low[group, j + 3, place] - y, y - high[group, j + 3, place]), 0.0
            )
            e = max(
                max(low[group, j + 4, place] - z, z - high[group, j + 4, place]), 0.0
            )
            bound[place] += a * a + b * b + c * c + d * d + e * e
