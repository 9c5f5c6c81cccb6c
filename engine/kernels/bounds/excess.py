"""Find pairs of records whose prices add up to more than their squared distance."""

from __future__ import annotations

import numpy as np

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import kernel
from engine.kernels.index.leaves import (
    FANOUT,
    LeafTree,
    copy_coarse_values_and_bound_error,
    double_precision_sq_dist,
    write_coarse_box_lower_bounds,
    write_leaf_sq_dists,
)


@kernel
def write_max_price_in_boxes(
    price: Values, leaf: Values, branch: Values, limb: Values
) -> None:
    """Write the highest price in each box; 0 for boxes without records.

    Parameters
    ----------
    price : ndarray of float64, shape (n_records,)
        At least 0, in the order of the tree.
    leaf, branch, limb : ndarray of float64, shape (n_boxes / FANOUT, FANOUT)
        Receive the highest prices in leaves, branches and limbs.
    """
    leaf[:], branch[:], limb[:] = 0.0, 0.0, 0.0
    for i in range(price.shape[0]):
        a = i // FANOUT
        b = a // FANOUT
        c = b // FANOUT
        leaf[b, a % FANOUT] = max(leaf[b, a % FANOUT], price[i])
        branch[c, b % FANOUT] = max(branch[c, b % FANOUT], price[i])
        limb[c // FANOUT, c % FANOUT] = max(limb[c // FANOUT, c % FANOUT], price[i])


@kernel
def list_overpriced_pairs_until_full(
    leaves: LeafTree,
    price: Values,
    leaf: Values,
    branch: Values,
    limb: Values,
    slack: float,
    relative: float,
    first_place: int,
    last_place: int,
    pairs: Integers,
    counts: Integers,
) -> int:
    """List record pairs priced above squared distance less slack; return next place.

    Parameters
    ----------
    price : ndarray of float64, shape (n_records,)
        u >= 0, in the order of the tree.
    leaf, branch, limb : ndarray of float64
        From :func:`write_max_price_in_boxes`.
    slack, relative : float
        As in :class:`engine.bounds.base.CentredRecords`; distances are lowered by them.
    first_place, last_place : int
        Places in the tree of the records whose pairs are sought: with records of lower
        price, and of equal price in later places.
    pairs : ndarray of int64, shape (capacity, 2)
        Receives the pairs, as places in the tree.
    counts : ndarray of int64, shape (2,)
        Gains the pairs listed, and the sets of FANOUT boxes or records measured.

    Returns
    -------
    int
        First place whose pairs had no room; `last_place` where all are listed.
    """
    X, values, low, high = leaves.X, leaves.values, leaves.low, leaves.high
    outer, middle = np.empty(FANOUT, np.float32), np.empty(FANOUT, np.float32)
    inner, leaf_sq_dists = np.empty(FANOUT, np.float32), np.empty(FANOUT, np.float32)
    coarse_values = np.empty(values.shape[1], np.float32)
    stretch = leaves.scale * leaves.room
    for i in range(first_place, last_place):
        own_price, n_pairs, work = price[i], counts[0], 0
        error = copy_coarse_values_and_bound_error(
            leaves, i, coarse_values
        ) + slack * stretch * (1.0 + 1e-6)
        # By the inequality of means (sqrt(x) s + b)^2 is at most (1 + t) s^2 x plus
        # (1 + 1/t) b^2 for any t > 0, and not much less for t = b / (sqrt(x) s + b).
        share = error / (np.sqrt(2.0 * own_price) * stretch + error)
        wider, error_term = (1.0 + share) * stretch**2, (1.0 + 1.0 / share) * error**2
        for g in range(limb.shape[0]):
            write_coarse_box_lower_bounds(low[2], high[2], g, coarse_values, outer)
            work += 1
            for s in range(FANOUT):
                reach = (own_price + min(own_price, limb[g, s])) * wider + error_term
                if outer[s] > reach:
                    continue
                b = g * FANOUT + s
                write_coarse_box_lower_bounds(low[1], high[1], b, coarse_values, middle)
                work += 1
                for t in range(FANOUT):
                    reach = (
                        own_price + min(own_price, branch[b, t])
                    ) * wider + error_term
                    if middle[t] > reach:
                        continue
                    c = b * FANOUT + t
                    write_coarse_box_lower_bounds(
                        low[0], high[0], c, coarse_values, inner
                    )
                    work += 1
                    for u in range(FANOUT):
                        reach = np.float32(
                            (own_price + min(own_price, leaf[c, u])) * wider
                            + error_term
                        )
                        if inner[u] > reach:
                            continue
                        a = c * FANOUT + u
                        write_leaf_sq_dists(values, a, coarse_values, leaf_sq_dists)
                        work += 1
                        hits = 0
                        for v in range(FANOUT):
                            hits += leaf_sq_dists[v] <= reach
                        if hits == 0:
                            continue
                        for v in range(FANOUT):
                            j = a * FANOUT + v
                            if leaf_sq_dists[v] > reach or price[j] > own_price:
                                continue
                            if price[j] == own_price and j <= i:
                                continue
                            d = np.sqrt(double_precision_sq_dist(X, i, j))
                            d = max(0.0, d - slack)
                            if own_price + price[j] > d * d * (1.0 - relative):
                                if n_pairs < pairs.shape[0]:
                                    pairs[n_pairs, 0], pairs[n_pairs, 1] = i, j
                                n_pairs += 1
        counts[1] += work
        if n_pairs > pairs.shape[0]:
            return i
        counts[0] = n_pairs
    return last_place
