"""Costs of cutting planes in a group's gain, updated as records join one by one.

The search is :mod:`engine.kernels.bounds.pricing`.
"""

from __future__ import annotations

from engine.kernels.bounds.prices import MAX_LARGE_CUTS, KernelPrices, PricingScratch
from engine.kernels.compilation._jit import kernel


@kernel
def apply_pair_cuts(prices: KernelPrices, scratch: PricingScratch, record: int) -> None:
    """Add to `scratch.change` what cuts of divisor 2 charge a record's partners.

    An odd member of such a cut charges each of the others half of its price; the even
    one that follows pays the other half, see :func:`sum_completed_cut_costs`, and lets
    the others off.
    """
    for q in range(prices.first[record], prices.first[record + 1]):
        c = prices.at[q]
        start, stop = prices.start[c], prices.start[c + 1]
        # Of the last one there are no others.
        if prices.divisor[c] > 2 or scratch.held[c] + 1 >= stop - start:
            continue
        half = 0.5 * prices.cut_price[c]
        if scratch.held[c] % 2 == 0:
            half = -half
        for t in range(start, stop):
            place = scratch.place[prices.cut[t]]
            if place >= 0:
                scratch.change[place] += half


@kernel
def sum_completed_cut_costs(
    prices: KernelPrices, scratch: PricingScratch, record: int
) -> float:
    """Return what a record pays for cuts it completes; half a price at divisor 2."""
    total = 0.0
    times = 0
    for q in range(prices.first[record], prices.first[record + 1]):
        c = prices.at[q]
        # Those of one cut follow each other: the record counts once more each time.
        times = times + 1 if q > prices.first[record] and prices.at[q - 1] == c else 1
        if (scratch.held[c] + times) % prices.divisor[c] == 0:
            # The other half has been charged already.
            part = 0.5 if prices.divisor[c] == 2 else 1.0
            total += part * prices.cut_price[c]
    return total


@kernel
def clear_pair_cuts(prices: KernelPrices, scratch: PricingScratch, record: int) -> None:
    """Reset the changes of gain that :func:`apply_pair_cuts` wrote for a record."""
    for q in range(prices.first[record], prices.first[record + 1]):
        c = prices.at[q]
        if prices.divisor[c] == 2:
            for t in range(prices.start[c], prices.start[c + 1]):
                place = scratch.place[prices.cut[t]]
                if place >= 0:
                    scratch.change[place] = 0.0


@kernel
def update_cut_counts(
    prices: KernelPrices, scratch: PricingScratch, record: int, step: int
) -> None:
    """Add `step` (1 or -1) to cuts' counts, as often as each cut holds the record."""
    for q in range(prices.first[record], prices.first[record + 1]):
        scratch.held[prices.at[q]] += step


@kernel
def write_large_divisor_cuts(
    prices: KernelPrices,
    scratch: PricingScratch,
    anchor: int,
    n_candidates: int,
    group_size: int,
) -> None:
    """Write up to 62 cuts of divisor above 2 that groups of an anchor may pay."""
    count = 0
    inside, large = scratch.inside, scratch.large
    for x in range(n_candidates):
        inside[x] = 0
    for c in range(prices.divisor.shape[0]):
        if (
            prices.divisor[c] == 2
            or prices.divisor[c] > group_size * prices.heaviest[c]
        ):
            continue
        n_members = 0
        for t in range(prices.start[c], prices.start[c + 1]):
            i = prices.cut[t]
            if i == anchor or scratch.place[i] >= 0:
                n_members += 1
        if n_members < prices.divisor[c] or count == MAX_LARGE_CUTS:
            continue
        for t in range(prices.start[c], prices.start[c + 1]):
            place = scratch.place[prices.cut[t]]
            if place >= 0:
                inside[place] |= 1 << count
        large[count] = c
        count += 1
    large[MAX_LARGE_CUTS] = count


@kernel
def _multiplicity_in_cut(
    prices: KernelPrices, record: int, cut: int, heaviest: int
) -> int:
    """Return how often a record comes in a cut that holds it."""
    if heaviest == 1:
        return 1
    times = 0
    for q in range(prices.first[record], prices.first[record + 1]):
        if prices.at[q] == cut:
            times += 1
    return times


@kernel
def cut_cost_bound(
    prices: KernelPrices, scratch: PricingScratch, depth: int, picks: int, bit: int
) -> float:
    """Return by how much one cut lowers the gain bound of the next candidates.

    They pay its price, or some are exchanged for the best ones that it does not hold.
    """
    c = scratch.large[bit]
    branch, inside, worth = scratch.branch[depth], scratch.inside, scratch.worth[depth]
    start, size, price = scratch.next[depth], scratch.size[depth], prices.cut_price[c]
    divisor, heaviest = prices.divisor[c], prices.heaviest[c]
    surplus = scratch.held[c] % divisor + 1 - divisor
    for q in range(start, start + picks):
        if (inside[branch[q]] >> bit) & 1:
            surplus += _multiplicity_in_cut(
                prices, scratch.candidate[branch[q]], c, heaviest
            )
    if surplus <= 0:
        return 0.0
    # Each exchange takes off that much at most.
    surplus = -(-surplus // heaviest)
    paid, out, into = 0.0, start + picks - 1, start + picks
    for _ in range(surplus):
        # The worst of those inside, and the best outside of those that are left, or the
        # best of all where those inside differ.
        while (inside[branch[out]] >> bit) & 1 == 0:
            out -= 1
        while heaviest == 1 and into < size and (inside[branch[into]] >> bit) & 1 == 1:
            into += 1
        if into == size:
            return float(price)
        paid += worth[branch[out]] - worth[branch[into]]
        if paid >= price:
            return float(price)
        out -= 1
        into += 1
    return float(paid)
