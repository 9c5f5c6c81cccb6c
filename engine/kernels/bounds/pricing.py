"""Pricing search of bound LB2: groups of largest gain at given record prices.

Every record i has a price; a group G of s records is worth

    gain(G) = sum of its prices - (1/s) sum of d2 over its pairs - prices of its cuts,

that is minus its reduced cost. A cut is a set of records with a divisor and a price; a
group pays the price as often as the divisor goes into the number of them that it holds,
where a record may count several times, less often than the divisor says.
Each group is found from its anchor, the member that comes first in the order of falling
prices.

Branch and bound: members are added one by one. Of what the records still to be added
can bring, each is credited with its own price less its share of d2 to the members
chosen so far, less half of its share of d2 to the nearest records that may still come,
because every pair of them is paid from both sides. Half sums over all candidates of an
anchor come first, and sums over those of a branch once they are few. Cuts of divisor 2
of which an odd number is chosen charge half of their price to each that may come next;
the one that does come pays the other half. Other cuts are paid in full by the record
that completes a multiple of the divisor; until then, what the best records yet to come
are credited is lowered by the price, or by what it takes to exchange so many of them
for records that the cut does not hold, or for any others where some of its records
count several times. Cuts that do not show in this way are left out, which only raises
the bound.
"""

from __future__ import annotations

from engine.core.typing import Integers
from engine.kernels.bounds.branches import list_branch_candidates, max_gain_bound
from engine.kernels.bounds.candidates import clear_root_candidates, list_root_candidates
from engine.kernels.bounds.charges import (
    apply_pair_cuts,
    clear_pair_cuts,
    sum_completed_cut_costs,
    update_cut_counts,
)
from engine.kernels.bounds.prices import (
    DistancesAndNeighbours,
    KernelPrices,
    LargestGainGroups,
    PricingScratch,
)
from engine.kernels.compilation._jit import kernel

BRANCHES_PER_CALL = 50_000
"""Branches after which a call ends with its anchor, so that cancelling is quick."""


@kernel
def _slot_for_group(groups: LargestGainGroups, start: int, stop: int, keep: int) -> int:
    """Return where to write a group: a free slot, or that of the worst of `keep`."""
    if stop < start + keep:
        return stop
    worst = start
    for q in range(start + 1, stop):
        if groups.gains[q] < groups.gains[worst]:
            worst = q
    return worst


@kernel
def _min_gain_to_keep(
    groups: LargestGainGroups, start: int, stop: int, keep: int, floor: float
) -> float:
    """Return what a group must gain to be kept."""
    if stop < start + keep:
        return floor
    min_gain = groups.gains[start]
    for q in range(start + 1, stop):
        min_gain = min(min_gain, groups.gains[q])
    return float(min_gain)


@kernel
def _complete_groups(
    lists: DistancesAndNeighbours,
    prices: KernelPrices,
    scratch: PricingScratch,
    anchor: int,
    depth: int,
    s: int,
    floor: float,
    groups: LargestGainGroups,
    start: int,
    stop: int,
    keep: int,
) -> int:
    """Complete groups by the next candidate and, unless s is 2, one more after it.

    Returns
    -------
    int
        Groups received in all, or -1 where there was no room.
    """
    candidate, gain, branch = scratch.candidate, scratch.gain[depth], scratch.branch
    x = branch[depth, scratch.next[depth]]
    scratch.next[depth] += 1
    record = candidate[x]
    value = (
        scratch.value[depth]
        + gain[x]
        - sum_completed_cut_costs(prices, scratch, record)
    )
    first, last = scratch.next[depth], scratch.size[depth]
    if s == 2:  # the pair is complete: one turn without another record
        first, last = 0, 1
    else:
        apply_pair_cuts(prices, scratch, record)
        update_cut_counts(prices, scratch, record, 1)
    row = lists.squared[record]
    worth = _min_gain_to_keep(groups, start, stop, keep, floor)
    # Every record that can complete the group, against the worst group kept.
    for q in range(first, last):
        y = branch[depth, q]
        total = value
        if s > 2:
            total += gain[y] + scratch.change[y] - row[candidate[y]] / s
            if total > worth:
                total -= sum_completed_cut_costs(prices, scratch, candidate[y])
        if not total > worth:
            continue
        at = _slot_for_group(groups, start, stop, keep)
        if at == groups.gains.shape[0]:
            stop = -1
            break
        stop = max(stop, at + 1)
        groups.gains[at] = total
        groups.groups[at, 0] = anchor
        for t in range(depth):
            groups.groups[at, t + 1] = candidate[scratch.chosen[t]]
        groups.groups[at, depth + 1] = record
        if s > 2:
            groups.groups[at, s - 1] = candidate[y]
        worth = _min_gain_to_keep(groups, start, stop, keep, floor)
    if s > 2:
        update_cut_counts(prices, scratch, record, -1)
        clear_pair_cuts(prices, scratch, record)
    return stop


@kernel
def _descend(
    lists: DistancesAndNeighbours,
    prices: KernelPrices,
    scratch: PricingScratch,
    depth: int,
    picks: int,
    s: int,
    worth: float,
) -> int:
    """Choose the next candidate if its branch is good enough; return the step down."""
    x = scratch.branch[depth, scratch.next[depth]]
    scratch.next[depth] += 1
    record = scratch.candidate[x]
    apply_pair_cuts(prices, scratch, record)
    size = list_branch_candidates(
        lists, prices, scratch, depth, x, picks, 1.0 / s, worth
    )
    clear_pair_cuts(prices, scratch, record)
    if size == 0:
        return 0
    scratch.chosen[depth] = x
    update_cut_counts(prices, scratch, record, 1)
    return 1


@kernel
def find_groups_of_largest_gain(
    lists: DistancesAndNeighbours,
    prices: KernelPrices,
    anchors: Integers,
    group_size: int,
    min_gain: float,
    keep_per_anchor: int,
    max_branches: int,
    scratch: PricingScratch,
    groups: LargestGainGroups,
    first_anchor: int,
) -> tuple[int, int]:
    """Write anchors' best groups found by gain; return next place and group count.

    Parameters
    ----------
    lists : DistancesAndNeighbours
    prices : KernelPrices
    anchors : ndarray of int64
    group_size : int
        At least 2.
    min_gain : float
        Groups that gain no more are of no interest.
    keep_per_anchor : int
        Groups to keep for each anchor.
    max_branches : int
        Branches looked at for each anchor; what is left then stays open.
    scratch : PricingScratch
    groups : LargestGainGroups
        Receives the groups.
    first_anchor : int
        Place in `anchors` to begin with.

    Returns
    -------
    following : int
        Place in `anchors` to go on with; of the anchor without room if `count` is -1.
    count : int
        Number of groups, or -1 where there was no room for them.
    """
    picks, stop = group_size - 1, 0
    groups.nodes[:] = 0
    for a in range(first_anchor, anchors.shape[0]):
        anchor = anchors[a]
        start, n_branches, open_worth = stop, 0, min_gain
        m = list_root_candidates(lists, prices, anchor, group_size, min_gain, scratch)
        depth = 0 if m > 0 else -1
        while depth >= 0:
            n_remaining = picks - depth
            worth = _min_gain_to_keep(groups, start, stop, keep_per_anchor, min_gain)
            if (
                scratch.size[depth] - scratch.next[depth] < n_remaining
                or not max_gain_bound(prices, scratch, depth, n_remaining, worth)
                > worth
            ):
                # Bound: nothing left here can be kept; back to the branch above.
                depth -= 1
                if depth >= 0:
                    update_cut_counts(
                        prices, scratch, scratch.candidate[scratch.chosen[depth]], -1
                    )
            elif n_branches >= max_branches:
                # Too many branches: what is left stays open, at its bound.
                promise = max_gain_bound(
                    prices, scratch, depth, n_remaining, open_worth
                )
                open_worth = max(open_worth, promise)
                scratch.next[depth] = scratch.size[depth]
            elif n_remaining <= 2:
                # The last two records (the last, if s is 2) are tried at once.
                n_branches += 1
                stop = _complete_groups(
                    lists,
                    prices,
                    scratch,
                    anchor,
                    depth,
                    group_size,
                    min_gain,
                    groups,
                    start,
                    stop,
                    keep_per_anchor,
                )
                if stop < 0:
                    return a, -1
            else:
                # Branch: choose the next candidate.
                n_branches += 1
                depth += _descend(
                    lists, prices, scratch, depth, n_remaining - 1, group_size, worth
                )
        if m > 0:
            clear_root_candidates(prices, anchor, m, scratch)
        if n_branches >= max_branches:
            groups.nodes[1] += 1
        # No group of the anchor gains more than the best found or the best left open.
        groups.highest[anchor] = open_worth
        for q in range(start, stop):
            groups.highest[anchor] = max(groups.highest[anchor], groups.gains[q])
        groups.nodes[0] += n_branches
        if groups.nodes[0] > BRANCHES_PER_CALL:
            return a + 1, stop
    return anchors.shape[0], stop
