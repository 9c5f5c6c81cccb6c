"""Records in small leaves of a tree: each one's nearest, and pairs within reach.

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
from engine.kernels.heap import replace_first

Values = NDArray[np.float64]
Integers = NDArray[np.int64]

WIDE = 16
"""Records per leaf, leaves per branch, branches per limb: unrolled by the compiler."""

STEP = 5
"""Attributes whose squares are added before they join the sum."""

BUCKETS = 32
"""Steps of distance by which branches are visited, near ones first."""


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


@kernel
def highest_in_boxes(price: Values, leaf: Values, branch: Values, limb: Values) -> None:
    """Write the highest price in each box; 0 where there are no records.

    Parameters
    ----------
    price : ndarray of float64, shape (n_records,)
        At least 0, in the order of the tree.
    leaf, branch, limb : ndarray of float64, shape (n_boxes / WIDE, WIDE)
        Receive those of leaves, branches and limbs.
    """
    leaf[:], branch[:], limb[:] = 0.0, 0.0, 0.0
    for i in range(price.shape[0]):
        a = i // WIDE
        b = a // WIDE
        c = b // WIDE
        leaf[b, a % WIDE] = max(leaf[b, a % WIDE], price[i])
        branch[c, b % WIDE] = max(branch[c, b % WIDE], price[i])
        limb[c // WIDE, c % WIDE] = max(limb[c // WIDE, c % WIDE], price[i])


@kernel
def find_excess(
    leaves: Leaves,
    price: Values,
    leaf: Values,
    branch: Values,
    limb: Values,
    slack: float,
    relative: float,
    first: int,
    last: int,
    pairs: Integers,
    counts: Integers,
) -> int:
    """List the pairs of records whose prices together exceed their squared distance.

    Parameters
    ----------
    leaves : Leaves
    price : ndarray of float64, shape (n_records,)
        u >= 0, in the order of the tree.
    leaf, branch, limb : ndarray of float64
        From :func:`highest_in_boxes`.
    slack, relative : float
        As in :class:`engine.bounds.base.Records`; distances are lowered by them.
    first, last : int
        Records, as places in the tree, whose pairs are looked for with those of lower
        price and, of equal price, those in later places.
    pairs : ndarray of int64, shape (capacity, 2)
        Receives the pairs.
    counts : ndarray of int64, shape (2,)
        Gains the pairs listed, and the boxes and leaves measured.

    Returns
    -------
    int
        The first record whose pairs are not listed, as they have no room any more.
    """
    X, values, low, high = leaves.X, leaves.values, leaves.low, leaves.high
    outer, middle = np.empty(WIDE), np.empty(WIDE)
    inner, apart = np.empty(WIDE), np.empty(WIDE)
    # By the inequality of means (sqrt(x) + slack)^2 is below the limit for x.
    wider, least = 1.0 + 2e-6, 2e6 * slack * slack
    for i in range(first, last):
        mine, found, work = price[i], counts[0], 0
        for g in range(limb.shape[0]):
            bound_boxes(low[2], high[2], g, X, i, outer)
            work += 1
            for s in range(WIDE):
                if outer[s] > (mine + min(mine, limb[g, s])) * wider + least:
                    continue
                b = g * WIDE + s
                bound_boxes(low[1], high[1], b, X, i, middle)
                work += 1
                for t in range(WIDE):
                    if middle[t] > (mine + min(mine, branch[b, t])) * wider + least:
                        continue
                    c = b * WIDE + t
                    bound_boxes(low[0], high[0], c, X, i, inner)
                    work += 1
                    for u in range(WIDE):
                        reach = (mine + min(mine, leaf[c, u])) * wider + least
                        if inner[u] > reach:
                            continue
                        a = c * WIDE + u
                        measure_leaf(values, a, X, i, apart)
                        work += 1
                        hits = 0
                        for v in range(WIDE):
                            hits += apart[v] <= reach
                        if hits == 0:
                            continue
                        for v in range(WIDE):
                            j = a * WIDE + v
                            if apart[v] > reach or price[j] > mine:
                                continue
                            if price[j] == mine and j <= i:
                                continue
                            d = max(0.0, np.sqrt(apart[v]) - slack)
                            if mine + price[j] > d * d * (1.0 - relative):
                                if found < pairs.shape[0]:
                                    pairs[found, 0], pairs[found, 1] = i, j
                                found += 1
        counts[1] += work
        if found > pairs.shape[0]:
            return i
        counts[0] = found
    return last
