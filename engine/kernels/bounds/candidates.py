"""Candidate records of a group with a given anchor, and bounds on their gain.

The search is :mod:`engine.kernels.bounds.pricing`.
"""

from __future__ import annotations

from engine.core.typing import Integers, Values
from engine.kernels.bounds.charges import (
    apply_pair_cuts,
    clear_pair_cuts,
    update_cut_counts,
    write_large_divisor_cuts,
)
from engine.kernels.bounds.prices import (
    NO_GAIN,
    DistancesAndNeighbours,
    KernelPrices,
    PricingScratch,
)
from engine.kernels.compilation._jit import kernel


@kernel
def replace_least_of_largest(top_values: Values, n_values: int, value: float) -> None:
    """Replace the least of `n_values` rising values by `value`, keeping their order."""
    # The least falls out at the front; smaller ones move up until the value fits.
    q = 0
    while q + 1 < n_values and top_values[q + 1] < value:
        top_values[q] = top_values[q + 1]
        q += 1
    top_values[q] = value


@kernel
def sort_by_gain(candidates: Integers, size: int, gains: Values) -> None:
    """Sort candidates in place by falling gain (Shell's sort)."""
    gap = size // 2
    while gap > 0:
        for a in range(gap, size):
            moving = candidates[a]
            q = a
            while q >= gap and gains[candidates[q - gap]] < gains[moving]:
                candidates[q] = candidates[q - gap]
                q -= gap
            candidates[q] = moving
        gap //= 2


@kernel
def _write_half_sums(
    lists: DistancesAndNeighbours,
    scratch: PricingScratch,
    x: int,
    picks: int,
    share: float,
) -> None:
    """Write half sums of d2 from candidate x to its nearest 0, 1, ... candidates."""
    i = scratch.candidate[x]
    row, order = lists.squared[i], lists.order[i]
    last = order.shape[0]
    total, n_neighbours = 0.0, 0
    scratch.halves[x, 0] = 0.0
    # Neighbours come nearest first; those that are no candidates are passed over.
    for q in range(last):
        if n_neighbours == picks:
            return
        if scratch.place[order[q]] >= 0:
            total += row[order[q]]
            n_neighbours += 1
            scratch.halves[x, n_neighbours] = 0.5 * share * total
    while n_neighbours < picks:  # all others are farther than the last one listed
        total += row[order[last - 1]]
        n_neighbours += 1
        scratch.halves[x, n_neighbours] = 0.5 * share * total


@kernel
def _list_candidates(
    lists: DistancesAndNeighbours,
    prices: KernelPrices,
    anchor: int,
    s: int,
    floor: float,
    scratch: PricingScratch,
) -> int:
    """Find the records that a group with this anchor may hold, best first.

    Returns
    -------
    int
        How many there are; too few for a group mean that there is none.
    """
    candidate, place, worth = scratch.candidate, scratch.place, scratch.worth[0]
    gain, top = scratch.gain[0], scratch.top
    share, picks = 1.0 / s, s - 1
    row = lists.squared[anchor]
    m = 0
    top[:picks] = NO_GAIN
    # Candidates come after the anchor in the order of falling prices. Credit: price
    # less share of d2 to the anchor, less half sums over all records.
    for j in range(row.shape[0]):
        if prices.rank[j] > prices.rank[anchor]:
            candidate[m] = j
            gain[m] = prices.price[j] - share * row[j]
            worth[m] = gain[m] - prices.half[j]
            if worth[m] > top[0]:
                replace_least_of_largest(top, picks, worth[m])
            m += 1
    is_last_round = False
    # Bound: the anchor's price and the s - 1 largest credits. Whoever cannot reach the
    # floor even with the best of the others goes; then half sums over those that are
    # left lower the credits, until little changes.
    while m >= picks:
        bound = prices.price[anchor]
        for q in range(picks):
            bound += top[q]
        if not bound > floor:
            return 0
        # Instead of the least of the best, the candidate itself.
        bound -= top[0]
        n_kept = 0
        for x in range(m):
            if worth[x] + bound > floor:
                candidate[n_kept] = candidate[x]
                gain[n_kept] = gain[x]
                worth[n_kept] = worth[x]
                if is_last_round:
                    scratch.halves[n_kept, :picks] = scratch.halves[x, :picks]
                n_kept += 1
        if is_last_round or n_kept < picks:
            m = n_kept
            break
        # Fewer than one in ten went: this round is the last.
        is_last_round = 10 * n_kept > 9 * m
        m = n_kept
        for x in range(m):
            place[candidate[x]] = x
        top[:picks] = NO_GAIN
        for x in range(m):
            _write_half_sums(lists, scratch, x, picks - 1, share)
            worth[x] = gain[x] - scratch.halves[x, picks - 1]
            if worth[x] > top[0]:
                replace_least_of_largest(top, picks, worth[x])
        for x in range(m):
            place[candidate[x]] = -1
    return m


@kernel
def list_root_candidates(
    lists: DistancesAndNeighbours,
    prices: KernelPrices,
    anchor: int,
    group_size: int,
    min_gain: float,
    scratch: PricingScratch,
) -> int:
    """List records that may be in an anchor's groups above `min_gain`; return count."""
    m = _list_candidates(lists, prices, anchor, group_size, min_gain, scratch)
    if m < group_size - 1:
        return 0
    for x in range(m):
        scratch.place[scratch.candidate[x]] = x
        scratch.branch[0, x] = x
    # Cuts of the anchor change the credits of the records that may complete them.
    apply_pair_cuts(prices, scratch, anchor)
    for x in range(m):
        scratch.gain[0, x] += scratch.change[x]
        scratch.worth[0, x] += scratch.change[x]
    clear_pair_cuts(prices, scratch, anchor)
    write_large_divisor_cuts(prices, scratch, anchor, m, group_size)
    update_cut_counts(prices, scratch, anchor, 1)
    sort_by_gain(scratch.branch[0], m, scratch.worth[0])
    scratch.size[0] = m
    scratch.next[0] = 0
    scratch.value[0] = prices.price[anchor]
    return m


@kernel
def clear_root_candidates(
    prices: KernelPrices, anchor: int, n_candidates: int, scratch: PricingScratch
) -> None:
    """Reset the places and cut counts that :func:`list_root_candidates` wrote."""
    update_cut_counts(prices, scratch, anchor, -1)
    for x in range(n_candidates):
        scratch.place[scratch.candidate[x]] = -1
