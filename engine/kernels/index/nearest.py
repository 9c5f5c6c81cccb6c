"""Each record's nearest others, exactly: near branches of the tree first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.core.typing import Integers, Values
from engine.kernels._jit import kernel
from engine.kernels.bounded_heap import replace_first
from engine.kernels.index.leaves import (
    WIDE,
    Leaves,
    bound_boxes,
    look_from,
    measure_leaf,
    squared_distance,
    widened,
)

Coarse = NDArray[np.float32]

BUCKETS = 32
"""Steps of distance by which branches are visited, near ones first."""


@kernel
def _scan_branches(
    values: Coarse,
    low: Coarse,
    high: Coarse,
    stretch: float,
    error: float,
    X: Values,
    i: int,
    here: Coarse,
    branches: Integers,
    bounds: Coarse,
    count: int,
    limit: float,
    near: Integers,
    squared: Values,
    bound: Coarse,
    apart: Coarse,
) -> tuple[float, int]:
    """Let record i know the records of branches that are nearer than the limit.

    Arrays are passed one by one and for all branches at once: each that a call takes,
    or takes out of a tuple, is counted atomically, which costs as much as measuring.

    Returns
    -------
    limit : float
        Lowered to the squared distance of the farthest listed, if that is less.
    measured : int
        Distances.
    """
    measured = 0
    reach = np.float32(widened(limit, stretch, error))
    for turn in range(count):
        # The limit has fallen since the branch was listed.
        if not bounds[turn] < reach:
            continue
        branch = branches[turn]
        bound_boxes(low, high, branch, here, bound)
        for place in range(WIDE):
            if not bound[place] < reach:
                continue
            leaf = branch * WIDE + place
            measure_leaf(values, leaf, here, apart)
            measured += WIDE
            # Counting runs in vector registers, and mostly ends here.
            hits = 0
            for other in range(WIDE):
                hits += apart[other] < reach
            if hits == 0:
                continue
            for other in range(WIDE):
                j = leaf * WIDE + other
                if not apart[other] < reach or j == i:
                    continue
                # Coarse distances only rule out: what is left is measured exactly.
                d = squared_distance(X, i, j)
                if d < limit:
                    replace_first(near, squared, j, d)
                    limit = min(limit, squared[0])
            reach = np.float32(widened(limit, stretch, error))
    return limit, measured


@kernel
def find_nearest(
    leaves: Leaves,
    first: int,
    last: int,
    near: Integers,
    squared: Values,
    branches: Integers,
    bounds: Coarse,
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
    bounds : ndarray of float32, shape (2, n_branches)
        Scratch.

    Returns
    -------
    int
        Distances measured.
    """
    total = int(np.int64(0))
    X, values, low, high = leaves.X, leaves.values, leaves.low, leaves.high
    stretch = leaves.scale * leaves.room
    here = np.empty(values.shape[1], np.float32)
    bound, inner = np.empty(WIDE, np.float32), np.empty(WIDE, np.float32)
    for i in range(first * WIDE, min(last * WIDE, X.shape[0])):
        row = i - first * WIDE
        # The record before it lies close by: what it found bounds this search from the
        # start.
        limit = np.inf if i % WIDE == 0 else _seed(X, i, near[row - 1])
        found, distances = near[row], squared[row]
        found[:], distances[:] = -1, np.inf
        error = look_from(leaves, i, here)
        own = i // (WIDE * WIDE)
        branches[1, 0], bounds[1, 0] = own, 0.0
        count = 1
        # First the own branch, which lowers the limit, then the others within it.
        for others in range(2):
            if others:
                reach = widened(limit, stretch, error)
                count = _branches_within(
                    low, high, here, own, reach, branches, bounds, bound, inner
                )
            limit, measured = _scan_branches(
                values,
                low[0],
                high[0],
                stretch,
                error,
                X,
                i,
                here,
                branches[1],
                bounds[1],
                count,
                limit,
                found,
                distances,
                bound,
                inner,
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
        most = max(most, squared_distance(X, i, other))
    return float(np.nextafter(most, np.inf))


@kernel
def _branches_within(
    low: tuple[Coarse, Coarse, Coarse],
    high: tuple[Coarse, Coarse, Coarse],
    here: Coarse,
    own: int,
    reach: float,
    branches: Integers,
    bounds: Coarse,
    outer: Coarse,
    inner: Coarse,
) -> int:
    """List the branches nearer to a record than `reach`, but its own; near ones first.

    Returns
    -------
    int
        How many there are, in the second rows of `branches` and `bounds`.
    """
    found = 0
    sizes = np.zeros(BUCKETS + 1, dtype=np.int64)
    unit = BUCKETS / reach
    # Boxes in boxes: groups of limbs, then branches of a limb.
    for group in range(low[2].shape[0]):
        bound_boxes(low[2], high[2], group, here, outer)
        for place in range(WIDE):
            if not outer[place] < reach:
                continue
            limb = group * WIDE + place
            bound_boxes(low[1], high[1], limb, here, inner)
            for other in range(WIDE):
                branch = limb * WIDE + other
                if inner[other] < reach and branch != own:
                    branches[0, found], bounds[0, found] = branch, inner[other]
                    sizes[min(BUCKETS - 1, int(inner[other] * unit)) + 1] += 1
                    found += 1
    # Counting sort by distance: near enough to sorted, without comparisons.
    for bucket in range(BUCKETS):
        sizes[bucket + 1] += sizes[bucket]
    for t in range(found):
        bucket = min(BUCKETS - 1, int(bounds[0, t] * unit))
        branches[1, sizes[bucket]] = branches[0, t]
        bounds[1, sizes[bucket]] = bounds[0, t]
        sizes[bucket] += 1
    return found
