"""Arrays of the pricing search: neighbours, dual prices, best groups, scratch space.

The search is :mod:`engine.kernels.bounds.pricing`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.core.typing import Integers, Values

NO_GAIN = -1e300
"""Less than any gain."""

MAX_LARGE_CUTS = 62
"""Most cuts of divisors above 2 that an anchor's bound heeds: bits of an int64."""


class DistancesAndNeighbours(NamedTuple):
    """Squared distances rounded down, and each record's nearest others, nearest first.

    Attributes
    ----------
    squared : ndarray of float64, shape (n_records, n_records)
        Squared distances, never above the true ones.
    order : ndarray of int64, shape (n_records, n_near)
        Nearest other records of each, nearest first.
    """

    squared: Values
    order: Integers


class KernelPrices(NamedTuple):
    """Dual prices of records and of cuts, and the records of each cut, as arrays.

    Attributes
    ----------
    price : ndarray of float64, shape (n_records,)
    rank : ndarray of int64, shape (n_records,)
        Place of each record in the order of falling prices.
    half : ndarray of float64, shape (n_records,)
        Half of the share of d2 to the s - 2 nearest of all records.
    cut : ndarray of int64, shape (n_members,)
        Records of all cuts, one cut after the other; some come several times, but only
        in cuts of divisors above 2.
    start : ndarray of int64, shape (n_cuts + 1,)
        Records of cut c: ``cut[start[c]:start[c + 1]]``.
    divisor : ndarray of int64, shape (n_cuts,)
        At least 2.
    cut_price : ndarray of float64, shape (n_cuts,)
        At least 0.
    heaviest : ndarray of int64, shape (n_cuts,)
        How often a record of the cut comes at most.
    first, at : ndarray of int64, shapes (n_records + 1,) and (n_members,)
        Cuts of record i: ``at[first[i]:first[i + 1]]``, each as often as it comes.
    """

    price: Values
    rank: Integers
    half: Values
    cut: Integers
    start: Integers
    divisor: Integers
    cut_price: Values
    heaviest: Integers
    first: Integers
    at: Integers


class LargestGainGroups(NamedTuple):
    """Groups found by a search, gains, bounds by anchor, and counts of branches.

    Attributes
    ----------
    groups : ndarray of int64, shape (capacity, s)
        The groups, each with its anchor first.
    gains : ndarray of float64, shape (capacity,)
        Their gains.
    highest : ndarray of float64, shape (n_records,)
        For each anchor a number that the gain of none of its groups exceeds.
    nodes : ndarray of int64, shape (2,)
        Branches looked at in the last call, and anchors that reached `max_branches`.
    """

    groups: Integers
    gains: Values
    highest: Values
    nodes: Integers


class PricingScratch(NamedTuple):
    """Scratch space of one pricing search; see :func:`make_pricing_scratch`."""

    candidate: Integers
    place: Integers
    halves: Values
    gain: Values
    worth: Values
    branch: Integers
    chosen: Integers
    size: Integers
    next: Integers
    value: Values
    top: Values
    nearest: Values
    change: Values
    held: Integers
    large: Integers
    inside: Integers


def make_pricing_scratch(
    n_records: int, n_cuts: int, group_size: int
) -> PricingScratch:
    """Return scratch space for a pricing search of groups of `group_size`."""
    n = n_records
    return PricingScratch(
        candidate=np.zeros(n, dtype=np.int64),
        place=np.full(n, -1, dtype=np.int64),
        halves=np.zeros((n, group_size + 1)),
        gain=np.zeros((group_size + 1, n)),
        worth=np.zeros((group_size + 1, n)),
        branch=np.zeros((group_size + 1, n), dtype=np.int64),
        chosen=np.zeros(group_size + 1, dtype=np.int64),
        size=np.zeros(group_size + 1, dtype=np.int64),
        next=np.zeros(group_size + 1, dtype=np.int64),
        value=np.zeros(group_size + 1),
        top=np.zeros(group_size + 1),
        nearest=np.zeros(group_size + 1),
        change=np.zeros(n),
        held=np.zeros(max(n_cuts, 1), dtype=np.int64),
        large=np.zeros(MAX_LARGE_CUTS + 1, dtype=np.int64),
        inside=np.zeros(n, dtype=np.int64),
    )
