"""MD loop: groups around the two remaining records that are farthest apart."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import kernel
from engine.kernels.index.blocks import BlockIndex, remove_from_blocks, should_go_on
from engine.kernels.index.queries import farthest_record, write_nearest
from engine.kernels.records.distance import sq_dist
from engine.kernels.records.equals import previous_equal_record


class FarthestPartnerBounds(NamedTuple):
    """Upper bounds on squared distances to each record's farthest remaining partner.

    Attributes
    ----------
    bound : ndarray of float64, shape (n_records,)
        Never below the squared distance to that partner; equal to it while the record
        in `partner` remains.
    partner : ndarray of int64, shape (n_records,)
        The partner found last, -1 before the first look.
    radius : ndarray of float64, shape (n_records,)
        Distance to one fixed point.
    lower : ndarray of int64, shape (n_records,)
        From :func:`~engine.kernels.records.equals.previous_equal_record`. Of equal
        records only the lowest is looked at: it is the one that a tie would choose.
    """

    bound: Values
    partner: Integers
    radius: Values
    lower: Integers


ROUNDING_MARGIN = 1.0 + 1e-9
"""Widens a bound that goes through square roots by far more than rounding can cost."""


def make_farthest_partner_bounds(X: Values) -> FarthestPartnerBounds:
    """Return the bounds on each record's farthest partner, before any search.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    """
    n = X.shape[0]
    return FarthestPartnerBounds(
        bound=np.full(n, np.inf),
        partner=np.full(n, -1, dtype=np.int64),
        radius=np.sqrt(np.square(X - X.mean(axis=0)).sum(axis=1)),
        lower=previous_equal_record(X),
    )


@kernel
def _lower_bounds(blocks: BlockIndex, partners: FarthestPartnerBounds) -> None:
    """Lower the bounds to what the records that left allow.

    |x_i - x_j| is at most the sum of both distances to the fixed point.
    """
    bound, partner, lower = partners.bound, partners.partner, partners.lower
    largest = 0.0
    # The largest radius of what remains.
    for b in range(blocks.count[2]):
        for place in range(blocks.live[b]):
            largest = max(largest, partners.radius[blocks.records[b, place]])
    # |x_i - x_j| <= |x_i - o| + |x_j - o|, for the fixed point o.
    for b in range(blocks.count[2]):
        for place in range(blocks.live[b]):
            i = blocks.records[b, place]
            reach = partners.radius[i] + largest
            bound[i] = min(bound[i], reach * reach * ROUNDING_MARGIN)
            # The equal record that stood for i is gone: i stands for the next one, or
            # for itself.
            while lower[i] >= 0 and blocks.slot[lower[i]] < 0:
                gone = lower[i]  # its bound and partner are those of i
                lower[i] = lower[gone]
                if bound[gone] < bound[i] and partner[gone] != i:
                    bound[i], partner[i] = bound[gone], partner[gone]


@kernel
def _is_exact(slot: Integers, mate: int) -> bool:
    """Return whether the partner found last remains."""
    return mate >= 0 and slot[mate] >= 0


@kernel
def _look(blocks: BlockIndex, partners: FarthestPartnerBounds, i: int) -> float:
    """Find the farthest remaining partner of record i; return its squared distance."""
    X = blocks.X
    mate = farthest_record(blocks, X[i])
    if mate == i:  # all that remain are equal: the lowest other record
        mate = 0
        while blocks.slot[mate] < 0 or mate == i:
            mate += 1
    partners.partner[i] = mate
    partners.bound[i] = sq_dist(X[i], X[mate])
    return float(partners.bound[i])


@kernel
def find_farthest_pair(
    blocks: BlockIndex, partners: FarthestPartnerBounds, limit: int
) -> tuple[int, int]:
    """Return the two farthest remaining records, or -1 twice at the limit of work.

    Searches only from records whose bound is at least the largest distance found so
    far, first from the one with the highest bound.

    Parameters
    ----------
    blocks : BlockIndex
        At least two records must remain.
    partners : FarthestPartnerBounds
        Kept between calls; :func:`make_farthest_partner_bounds` makes them.
    limit : int
        Of the values read that the blocks count. Where it is reached after the first
        search, -1 is returned twice, and the next call goes on from the partners found.
    """
    bound, partner, lower = partners.bound, partners.partner, partners.lower
    _lower_bounds(blocks, partners)
    blocks.count[4] += 8 * blocks.count[0]  # here and below, in scattered places
    best, top = -1.0, -1
    # The largest distance known for certain, and the most promising of the others.
    for b in range(blocks.count[2]):
        for place in range(blocks.live[b]):
            i = blocks.records[b, place]
            if lower[i] >= 0:
                continue
            if _is_exact(blocks.slot, partner[i]):
                best = max(best, bound[i])
            elif top < 0 or bound[i] > bound[top]:
                top = i
    # That one first: the higher the best distance, the fewer records are looked at.
    if top >= 0 and bound[top] >= best:
        best = max(best, _look(blocks, partners, top))
    # All others whose bound allows for more, or for a tie.
    for b in range(blocks.count[2]):
        for place in range(blocks.live[b]):
            i = blocks.records[b, place]
            if bound[i] < best or lower[i] >= 0 or _is_exact(blocks.slot, partner[i]):
                continue
            if blocks.count[4] >= limit:
                return -1, -1
            best = max(best, _look(blocks, partners, i))
    # Of pairs equally far apart, that with the lowest record.
    first = blocks.X.shape[0]
    for b in range(blocks.count[2]):
        for place in range(blocks.live[b]):
            i = blocks.records[b, place]
            if bound[i] == best and lower[i] < 0 and i < first:
                first = i
    return first, int(partner[first])


@kernel
def form_farthest_pair_groups(
    blocks: BlockIndex,
    min_remaining: int,
    max_values: int,
    next_group: int,
    labels: Integers,
    partners: FarthestPartnerBounds,
    nearest: Integers,
    sq_dists: Values,
) -> int:
    """Form groups around pairs of records farthest apart; return next group number.

    Parameters
    ----------
    min_remaining, max_values, next_group, labels
        As in :func:`engine.kernels.fixed_size.mdav.form_extreme_groups`, also in the
        midst of a search; `min_remaining` is at least 2k.
    partners : FarthestPartnerBounds
        As in :func:`find_farthest_pair`.
    nearest, sq_dists : ndarray of int64 and float64, shape (k - 1,)
        Scratch.
    """
    limit = blocks.count[4] + max_values
    while should_go_on(blocks, min_remaining, limit):
        # The two remaining records farthest apart.
        r, s = find_farthest_pair(blocks, partners, limit)
        if r < 0:
            break
        remove_from_blocks(blocks, r)
        remove_from_blocks(blocks, s)
        # A group of each and its k-1 nearest; s is not among those of r.
        for seed in (r, s):
            labels[seed] = next_group
            write_nearest(blocks, blocks.X[seed], nearest, sq_dists)
            for i in nearest:
                remove_from_blocks(blocks, i)
                labels[i] = next_group
            next_group += 1
    return next_group


@kernel
def form_grown_pair_groups(
    blocks: BlockIndex,
    min_remaining: int,
    max_values: int,
    next_group: int,
    labels: Integers,
    partners: FarthestPartnerBounds,
    size: int,
    middle: Values,
    nearest: Integers,
    sq_dists: Values,
) -> int:
    """Form groups grown from pairs of records farthest apart; return next number.

    Each record that joins is the nearest to the mean of those that have joined.

    Parameters
    ----------
    min_remaining, max_values, next_group, labels, partners
        As in :func:`form_farthest_pair_groups`.
    size : int
        Records of a group.
    middle : ndarray of float64, shape (2, n_attributes)
        Scratch.
    nearest, sq_dists : ndarray of int64 and float64, shape (1,)
        Scratch.
    """
    total, mean = middle
    limit = blocks.count[4] + max_values
    while should_go_on(blocks, min_remaining, limit):
        r, s = find_farthest_pair(blocks, partners, limit)
        if r < 0:
            break
        remove_from_blocks(blocks, r)
        remove_from_blocks(blocks, s)
        for seed in (r, s):
            labels[seed] = next_group
            total[:] = blocks.X[seed]
            for joined in range(1, size):
                mean[:] = total / joined
                write_nearest(blocks, mean, nearest, sq_dists)
                i = nearest[0]
                remove_from_blocks(blocks, i)
                labels[i] = next_group
                total += blocks.X[i]
            next_group += 1
    return next_group
