"""Each record's nearest others, exactly: near branches of the tree first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import kernel
from engine.kernels.heap import replace_first
from engine.kernels.leaves import WIDE, Leaves, bound_boxes, measure_leaf

Values = NDArray[np.float64]
Integers = NDArray[np.int64]

BUCKETS = 32
"""Steps of distance by which branches are visited, near ones first."""


@kernel
def _scan_branch(
    values: Values,
    low: Values,
    high: Values,
    X: Values,
    i: int,
    branch: int,
    limit: float,
    near: Integers,
    squared: Values,
    bound: Values,
    apart: Values,
) -> tuple[float, int]:
    """Let record i know the records of a branch that are nearer than the limit.

    Returns
    -------
    limit : float
        Lowered to the squared distance of the farthest listed, if that is less.
    measured : int
        Distances.
    """
    measured = 0
    bound_boxes(low, high, branch, X, i, bound)
    for place in range(WIDE):
        if not bound[place] < limit:
            continue
        leaf = branch * WIDE + place
        measure_leaf(values, leaf, X, i, apart)
        measured += WIDE
        hits = 0
        for other in range(WIDE):
            hits += apart[other] < limit
        if hits == 0:
            continue
        for other in range(WIDE):
            d, j = apart[other], leaf * WIDE + other
            if d < limit and j != i:
                replace_first(near, squared, j, d)
                limit = min(limit, squared[0])
    return limit, measured


@kernel
def find_nearest(
    leaves: Leaves,
    first: int,
    last: int,
    near: Integers,
    squared: Values,
    branches: Integers,
    bounds: Values,
) -> int:
    """Find the nearest others of the records in some leaves.

    Parameters
    ----------
    leaves : Leaves
    first, last : int
        Leaves whose records ask.
    near : ndarray of int64, shape (n_asking, length)
        Receives their places in the tree, as a heap: the farthest of them first.
    squared : ndarray of float64, shape (n_asking, length)
        Receives their squared distances.
    branches : ndarray of int64, shape (2, n_branches)
        Scratch.
    bounds : ndarray of float64, shape (2, n_branches)
        Scratch.

    Returns
    -------
    int
        Distances measured.
    """
    total = int(np.int64(0))
    X, values, low, high = leaves.X, leaves.values, leaves.low[0], leaves.high[0]
    bound, apart = np.empty(WIDE), np.empty(WIDE)
    for i in range(first * WIDE, min(last * WIDE, X.shape[0])):
        row = i - first * WIDE
        limit = np.inf if i % WIDE == 0 else _seed(X, i, near[row - 1])
        found, distances = near[row], squared[row]
        found[:], distances[:] = -1, np.inf
        own = i // (WIDE * WIDE)
        limit, measured = _scan_branch(
            values, low, high, X, i, own, limit, found, distances, bound, apart
        )
        total += measured
        count = _branches_within(leaves, i, own, limit, branches, bounds, bound)
        for turn in range(count):
            if not bounds[1, turn] < limit:
                continue
            branch = branches[1, turn]
            limit, measured = _scan_branch(
                values, low, high, X, i, branch, limit, found, distances, bound, apart
            )
            total += measured
    return total


@kernel
def _seed(X: Values, i: int, known: Integers) -> float:
    """Return a number above the squared distances of enough records from record i.

    They are the nearest of the record before it, and that record itself.
    """
    most = 0.0
    for other in known:
        if other == i:
            other = i - 1
        total = 0.0
        for j in range(X.shape[1]):
            difference = X[other, j] - X[i, j]
            total += difference * difference
        most = max(most, total)
    # Added in another order than elsewhere, hence not only the next number.
    return float(most * (1.0 + 1e-12) + 1e-300)


@kernel
def _branches_within(
    leaves: Leaves,
    i: int,
    own: int,
    limit: float,
    branches: Integers,
    bounds: Values,
    bound: Values,
) -> int:
    """List the branches nearer to record i than a limit, but its own; near ones first.

    Returns
    -------
    int
        How many there are, in the second rows of `branches` and `bounds`.
    """
    X, found = leaves.X, 0
    low, high = leaves.low, leaves.high
    inner = np.empty(WIDE)
    sizes = np.zeros(BUCKETS + 1, dtype=np.int64)
    unit = BUCKETS / limit if limit > 0.0 else 0.0
    for group in range(leaves.low[2].shape[0]):
        bound_boxes(low[2], high[2], group, X, i, bound)
        for place in range(WIDE):
            if not bound[place] < limit:
                continue
            limb = group * WIDE + place
            bound_boxes(low[1], high[1], limb, X, i, inner)
            for other in range(WIDE):
                branch = limb * WIDE + other
                if inner[other] < limit and branch != own:
                    branches[0, found], bounds[0, found] = branch, inner[other]
                    sizes[min(BUCKETS - 1, int(inner[other] * unit)) + 1] += 1
                    found += 1
    for bucket in range(BUCKETS):
        sizes[bucket + 1] += sizes[bucket]
    for t in range(found):
        bucket = min(BUCKETS - 1, int(bounds[0, t] * unit))
        branches[1, sizes[bucket]] = branches[0, t]
        bounds[1, sizes[bucket]] = bounds[0, t]
        sizes[bucket] += 1
    return found
