"""Exact nearest neighbours by a k-d tree, nearest branches first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import kernel
from engine.kernels.index.leaves import (
    FANOUT,
    LeafTree,
    coarse_sq_dist_limit,
    copy_coarse_values_and_bound_error,
    double_precision_sq_dist,
    write_coarse_box_lower_bounds,
    write_leaf_sq_dists,
)
from engine.kernels.records.bounded_heap import replace_farthest

Coarse = NDArray[np.float32]

DISTANCE_BUCKETS = 32
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
    nearest: Integers,
    sq_dists: Values,
    bound: Coarse,
    apart: Coarse,
) -> tuple[float, int]:
    """Update the nearest of record i with records of branches within the limit.

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
    reach = np.float32(coarse_sq_dist_limit(limit, stretch, error))
    for turn in range(count):
        # The limit has fallen since the branch was listed.
        if not bounds[turn] < reach:
            continue
        branch = branches[turn]
        write_coarse_box_lower_bounds(low, high, branch, here, bound)
        for place in range(FANOUT):
            if not bound[place] < reach:
                continue
            leaf = branch * FANOUT + place
            write_leaf_sq_dists(values, leaf, here, apart)
            measured += FANOUT
            # Counting runs in vector registers, and mostly ends here.
            hits = 0
            for other in range(FANOUT):
                hits += apart[other] < reach
            if hits == 0:
                continue
            for other in range(FANOUT):
                j = leaf * FANOUT + other
                if not apart[other] < reach or j == i:
                    continue
                # Coarse distances only rule out: what is left is measured exactly.
                d = double_precision_sq_dist(X, i, j)
                if d < limit:
                    replace_farthest(nearest, sq_dists, j, d)
                    limit = min(limit, sq_dists[0])
            reach = np.float32(coarse_sq_dist_limit(limit, stretch, error))
    return limit, measured


@kernel
def write_nearest_in_tree(
    leaves: LeafTree,
    first_leaf: int,
    last_leaf: int,
    nearest: Integers,
    sq_dists: Values,
    branches: Integers,
    bounds: Coarse,
) -> int:
    """Write nearest neighbours of records in some leaves; return distances measured.

    Parameters
    ----------
    first_leaf, last_leaf : int
        Leaves from `first_leaf` to ``last_leaf - 1``.
    nearest : ndarray of int64, shape (n_leaf_records, length)
        Receives neighbours as places in the tree, as a heap: the farthest first.
    sq_dists : ndarray of float64, shape (n_leaf_records, length)
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
    coarse_values = np.empty(values.shape[1], np.float32)
    bound, inner = np.empty(FANOUT, np.float32), np.empty(FANOUT, np.float32)
    for i in range(first_leaf * FANOUT, min(last_leaf * FANOUT, X.shape[0])):
        row = i - first_leaf * FANOUT
        # The record before it lies close by: what it found bounds this search from the
        # start.
        limit = np.inf if i % FANOUT == 0 else _seed(X, i, nearest[row - 1])
        neighbours, distances = nearest[row], sq_dists[row]
        neighbours[:], distances[:] = -1, np.inf
        error = copy_coarse_values_and_bound_error(leaves, i, coarse_values)
        own_branch = i // (FANOUT * FANOUT)
        branches[1, 0], bounds[1, 0] = own_branch, 0.0
        count = 1
        # First the own branch, which lowers the limit, then the others within it.
        for others in range(2):
            if others:
                reach = coarse_sq_dist_limit(limit, stretch, error)
                count = _list_branches_within(
                    low,
                    high,
                    coarse_values,
                    own_branch,
                    reach,
                    branches,
                    bounds,
                    bound,
                    inner,
                )
            limit, measured = _scan_branches(
                values,
                low[0],
                high[0],
                stretch,
                error,
                X,
                i,
                coarse_values,
                branches[1],
                bounds[1],
                count,
                limit,
                neighbours,
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
    max_sq_dist = 0.0
    for other in known:
        if other == i:
            other = i - 1
        max_sq_dist = max(max_sq_dist, double_precision_sq_dist(X, i, other))
    return float(np.nextafter(max_sq_dist, np.inf))


@kernel
def _list_branches_within(
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
    n_branches = 0
    sizes = np.zeros(DISTANCE_BUCKETS + 1, dtype=np.int64)
    unit = DISTANCE_BUCKETS / reach
    # Boxes in boxes: groups of limbs, then branches of a limb.
    for group in range(low[2].shape[0]):
        write_coarse_box_lower_bounds(low[2], high[2], group, here, outer)
        for place in range(FANOUT):
            if not outer[place] < reach:
                continue
            limb = group * FANOUT + place
            write_coarse_box_lower_bounds(low[1], high[1], limb, here, inner)
            for other in range(FANOUT):
                branch = limb * FANOUT + other
                if inner[other] < reach and branch != own:
                    branches[0, n_branches], bounds[0, n_branches] = (
                        branch,
                        inner[other],
                    )
                    sizes[min(DISTANCE_BUCKETS - 1, int(inner[other] * unit)) + 1] += 1
                    n_branches += 1
    # Counting sort by distance: near enough to sorted, without comparisons.
    for bucket in range(DISTANCE_BUCKETS):
        sizes[bucket + 1] += sizes[bucket]
    for t in range(n_branches):
        bucket = min(DISTANCE_BUCKETS - 1, int(bounds[0, t] * unit))
        branches[1, sizes[bucket]] = branches[0, t]
        bounds[1, sizes[bucket]] = bounds[0, t]
        sizes[bucket] += 1
    return n_branches
