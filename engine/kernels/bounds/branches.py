"""Branches of the pricing search, and upper bounds on their gain.

The search is :mod:`engine.kernels.bounds.pricing`.
"""

from __future__ import annotations

from engine.kernels.bounds.candidates import replace_least_of_largest, sort_by_gain
from engine.kernels.bounds.charges import cut_cost_bound, sum_completed_cut_costs
from engine.kernels.bounds.prices import (
    MAX_LARGE_CUTS,
    NO_GAIN,
    DistancesAndNeighbours,
    KernelPrices,
    PricingScratch,
)
from engine.kernels.compilation._jit import kernel

MAX_EXACT_HALF_SUMS = 16
"""Most candidates of a branch at which half sums are worked out anew."""


@kernel
def _few_half_sums(
    lists: DistancesAndNeighbours,
    scratch: PricingScratch,
    depth: int,
    size: int,
    picks: int,
    share: float,
) -> None:
    """Credit each of few candidates with half sums over these candidates alone."""
    branch, candidate = scratch.branch[depth], scratch.candidate
    nearest, top = scratch.nearest, scratch.top
    top[:picks] = NO_GAIN
    # The picks - 1 nearest within the branch, by insertion.
    for a in range(size):
        x = branch[a]
        row = lists.squared[candidate[x]]
        n_nearest = 0
        for b in range(size):
            if b == a:
                continue
            d = row[candidate[branch[b]]]
            if n_nearest < picks - 1:
                q = n_nearest
                n_nearest += 1
            elif d < nearest[n_nearest - 1]:
                q = n_nearest - 1
            else:
                continue
            while q > 0 and nearest[q - 1] > d:
                nearest[q] = nearest[q - 1]
                q -= 1
            nearest[q] = d
        total = 0.0
        for q in range(n_nearest):
            total += nearest[q]
        worth = scratch.gain[depth, x] - 0.5 * share * total
        scratch.worth[depth, x] = worth
        if worth > top[0]:
            replace_least_of_largest(top, picks, worth)


@kernel
def _filter(
    scratch: PricingScratch,
    depth: int,
    size: int,
    picks: int,
    value: float,
    floor: float,
) -> int:
    """Keep the candidates that a good enough group may hold; `top` is known.

    Returns
    -------
    int
        How many there are; 0 where no group is good enough.
    """
    branch, worth, top = scratch.branch[depth], scratch.worth[depth], scratch.top
    for q in range(picks):
        value += top[q]
    if not value > floor:
        return 0
    # As in `_candidates`: each with the best of the others.
    value -= top[0]
    n_kept = 0
    for q in range(size):
        x = branch[q]
        if worth[x] + value > floor:
            branch[n_kept] = x
            n_kept += 1
    return n_kept if n_kept >= picks else 0


@kernel
def list_branch_candidates(
    lists: DistancesAndNeighbours,
    prices: KernelPrices,
    scratch: PricingScratch,
    depth: int,
    candidate: int,
    picks: int,
    share: float,
    min_gain: float,
) -> int:
    """List in `scratch` candidates left by one more choice, best first; return count.

    Returns
    -------
    int
        Number of candidates; 0 where no group of the branch gains over `min_gain`.
    """
    below = depth + 1
    before, after = scratch.gain[depth], scratch.gain[below]
    worth, branch, top = scratch.worth[below], scratch.branch[below], scratch.top
    row = lists.squared[scratch.candidate[candidate]]
    size = 0
    top[:picks] = NO_GAIN
    # Credits after choosing x: less its share of d2, with the cuts that it touches.
    for q in range(scratch.next[depth], scratch.size[depth]):
        y = scratch.branch[depth, q]
        gain = before[y] - share * row[scratch.candidate[y]] + scratch.change[y]
        after[y] = gain
        gain -= scratch.halves[y, picks - 1]
        worth[y] = gain
        branch[size] = y
        size += 1
        if gain > top[0]:
            replace_least_of_largest(top, picks, gain)
    # The group's worth so far, x and the second halves that it owes included.
    value = scratch.value[depth] + before[candidate]
    value -= sum_completed_cut_costs(prices, scratch, scratch.candidate[candidate])
    scratch.value[below] = value
    size = _filter(scratch, below, size, picks, value, min_gain)
    # A sharper bound, worked out for few candidates only.
    if 0 < size <= MAX_EXACT_HALF_SUMS and picks > 2:
        _few_half_sums(lists, scratch, below, size, picks, share)
        size = _filter(scratch, below, size, picks, value, min_gain)
    sort_by_gain(branch, size, worth)
    scratch.size[below] = size
    scratch.next[below] = 0
    return size


@kernel
def max_gain_bound(
    prices: KernelPrices,
    scratch: PricingScratch,
    depth: int,
    picks: int,
    min_gain: float,
) -> float:
    """Return an upper bound on the gain of the best groups in the rest of a branch.

    A bound of `min_gain` or less is not tightened further.
    """
    value = scratch.value[depth]
    start = scratch.next[depth]
    # Candidates are sorted by credit: the next ones are the best.
    for q in range(start, start + picks):
        value += scratch.worth[depth, scratch.branch[depth, q]]
    if not value > min_gain:
        return float(value)
    bound = value
    for bit in range(scratch.large[MAX_LARGE_CUTS]):
        lowered = value - cut_cost_bound(prices, scratch, depth, picks, bit)
        bound = min(bound, lowered)
        if not bound > min_gain:
            break
    return float(bound)
