"""Search for the groups worth most at given prices: the inner problem of LB2.

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

from typing import NamedTuple

import numpy as np

from engine.core.typing import Integers, Values
from engine.kernels._jit import kernel

FEW = 16
"""Candidates of a branch for which half sums are worked out anew."""

ENOUGH = 50_000
"""Branches a call, but for the last anchor's; keeps the cancel answer quick."""

NOTHING = -1e300
"""Less than any gain."""

LARGE = 62
"""Cuts of divisors above 2 that one anchor looks at ahead: bits of a number."""


class Near(NamedTuple):
    """Records and their neighbours.

    Attributes
    ----------
    squared : ndarray of float64, shape (n_records, n_records)
        Squared distances, never above the true ones.
    order : ndarray of int64, shape (n_records, n_near)
        Nearest other records of each, nearest first.
    """

    squared: Values
    order: Integers


class Prices(NamedTuple):
    """Prices of records and of cuts.

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


class Found(NamedTuple):
    """What a search found.

    Attributes
    ----------
    groups : ndarray of int64, shape (capacity, s)
        The groups, each with its anchor first.
    gains : ndarray of float64, shape (capacity,)
        Their gains.
    highest : ndarray of float64, shape (n_records,)
        For each anchor a number that the gain of none of its groups exceeds.
    nodes : ndarray of int64, shape (2,)
        Branches looked at, a search ends with the anchor that exceeds
        :data:`ENOUGH`; and anchors whose branches were too many.
    """

    groups: Integers
    gains: Values
    highest: Values
    nodes: Integers


class Scratch(NamedTuple):
    """Working space of one search; see :func:`make_scratch`."""

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


def make_scratch(n_records: int, n_cuts: int, s: int) -> Scratch:
    """Return working space for groups of `s` records."""
    n = n_records
    return Scratch(
        candidate=np.zeros(n, dtype=np.int64),
        place=np.full(n, -1, dtype=np.int64),
        halves=np.zeros((n, s + 1)),
        gain=np.zeros((s + 1, n)),
        worth=np.zeros((s + 1, n)),
        branch=np.zeros((s + 1, n), dtype=np.int64),
        chosen=np.zeros(s + 1, dtype=np.int64),
        size=np.zeros(s + 1, dtype=np.int64),
        next=np.zeros(s + 1, dtype=np.int64),
        value=np.zeros(s + 1),
        top=np.zeros(s + 1),
        nearest=np.zeros(s + 1),
        change=np.zeros(n),
        held=np.zeros(max(n_cuts, 1), dtype=np.int64),
        large=np.zeros(LARGE + 1, dtype=np.int64),
        inside=np.zeros(n, dtype=np.int64),
    )


@kernel
def _insert(top: Values, size: int, value: float) -> None:
    """Put a value among the `size` largest, which are kept with the least first."""
    # The least falls out at the front; smaller ones move up until the value fits.
    q = 0
    while q + 1 < size and top[q + 1] < value:
        top[q] = top[q + 1]
        q += 1
    top[q] = value


@kernel
def _sort(branch: Integers, size: int, worth: Values) -> None:
    """Order candidates by falling worth (Shell's sort)."""
    gap = size // 2
    while gap > 0:
        for a in range(gap, size):
            moving = branch[a]
            q = a
            while q >= gap and worth[branch[q - gap]] < worth[moving]:
                branch[q] = branch[q - gap]
                q -= gap
            branch[q] = moving
        gap //= 2


@kernel
def _touch(prices: Prices, scratch: Scratch, record: int) -> None:
    """Write what choosing a record changes in the gains of its partners in cuts of 2.

    An odd member of such a cut charges each of the others half of its price; the even
    one that follows pays the other half, see :func:`_due`, and lets the others off.
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
def _due(prices: Prices, scratch: Scratch, record: int) -> float:
    """Return what a record pays that completes multiples of its cuts' divisors."""
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
def _clear(prices: Prices, scratch: Scratch, record: int) -> None:
    """Undo :func:`_touch`, without a trace of rounding."""
    for q in range(prices.first[record], prices.first[record + 1]):
        c = prices.at[q]
        if prices.divisor[c] == 2:
            for t in range(prices.start[c], prices.start[c + 1]):
                place = scratch.place[prices.cut[t]]
                if place >= 0:
                    scratch.change[place] = 0.0


@kernel
def _count(prices: Prices, scratch: Scratch, record: int, step: int) -> None:
    """Enter a record into its cuts, or take it out."""
    for q in range(prices.first[record], prices.first[record + 1]):
        scratch.held[prices.at[q]] += step


@kernel
def _half_sums(near: Near, scratch: Scratch, x: int, picks: int, share: float) -> None:
    """Write half sums of d2 from candidate x to its nearest 0, 1, ... candidates."""
    i = scratch.candidate[x]
    row, order = near.squared[i], near.order[i]
    last = order.shape[0]
    total, found = 0.0, 0
    scratch.halves[x, 0] = 0.0
    # Neighbours come nearest first; those that are no candidates are passed over.
    for q in range(last):
        if found == picks:
            return
        if scratch.place[order[q]] >= 0:
            total += row[order[q]]
            found += 1
            scratch.halves[x, found] = 0.5 * share * total
    while found < picks:  # all others are farther than the last one listed
        total += row[order[last - 1]]
        found += 1
        scratch.halves[x, found] = 0.5 * share * total


@kernel
def _candidates(
    near: Near, prices: Prices, anchor: int, s: int, floor: float, scratch: Scratch
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
    row = near.squared[anchor]
    m = 0
    top[:picks] = NOTHING
    # Candidates come after the anchor in the order of falling prices. Credit: price
    # less share of d2 to the anchor, less half sums over all records.
    for j in range(row.shape[0]):
        if prices.rank[j] > prices.rank[anchor]:
            candidate[m] = j
            gain[m] = prices.price[j] - share * row[j]
            worth[m] = gain[m] - prices.half[j]
            if worth[m] > top[0]:
                _insert(top, picks, worth[m])
            m += 1
    settled = False
    # Bound: the anchor's price and the s - 1 largest credits. Whoever cannot reach the
    # floor even with the best of the others goes; then half sums over those that are
    # left lower the credits, until little changes.
    while m >= picks:
        least = prices.price[anchor]
        for q in range(picks):
            least += top[q]
        if not least > floor:
            return 0
        # Instead of the least of the best, the candidate itself.
        least -= top[0]
        kept = 0
        for x in range(m):
            if worth[x] + least > floor:
                candidate[kept] = candidate[x]
                gain[kept] = gain[x]
                worth[kept] = worth[x]
                if settled:
                    scratch.halves[kept, :picks] = scratch.halves[x, :picks]
                kept += 1
        if settled or kept < picks:
            m = kept
            break
        # Fewer than one in ten went: this round is the last.
        settled = 10 * kept > 9 * m
        m = kept
        for x in range(m):
            place[candidate[x]] = x
        top[:picks] = NOTHING
        for x in range(m):
            _half_sums(near, scratch, x, picks - 1, share)
            worth[x] = gain[x] - scratch.halves[x, picks - 1]
            if worth[x] > top[0]:
                _insert(top, picks, worth[x])
        for x in range(m):
            place[candidate[x]] = -1
    return m


@kernel
def _find_large(prices: Prices, scratch: Scratch, anchor: int, m: int, s: int) -> None:
    """Note cuts of divisors above 2 that groups of the anchor can have to pay."""
    count = 0
    inside, large = scratch.inside, scratch.large
    for x in range(m):
        inside[x] = 0
    for c in range(prices.divisor.shape[0]):
        if prices.divisor[c] == 2 or prices.divisor[c] > s * prices.heaviest[c]:
            continue
        held = 0
        for t in range(prices.start[c], prices.start[c + 1]):
            i = prices.cut[t]
            if i == anchor or scratch.place[i] >= 0:
                held += 1
        if held < prices.divisor[c] or count == LARGE:
            continue
        for t in range(prices.start[c], prices.start[c + 1]):
            place = scratch.place[prices.cut[t]]
            if place >= 0:
                inside[place] |= 1 << count
        large[count] = c
        count += 1
    large[LARGE] = count


@kernel
def _open_root(
    near: Near, prices: Prices, anchor: int, s: int, floor: float, scratch: Scratch
) -> int:
    """Lay out the candidates of an anchor; return how many there are."""
    m = _candidates(near, prices, anchor, s, floor, scratch)
    if m < s - 1:
        return 0
    for x in range(m):
        scratch.place[scratch.candidate[x]] = x
        scratch.branch[0, x] = x
    # Cuts of the anchor change the credits of the records that may complete them.
    _touch(prices, scratch, anchor)
    for x in range(m):
        scratch.gain[0, x] += scratch.change[x]
        scratch.worth[0, x] += scratch.change[x]
    _clear(prices, scratch, anchor)
    _find_large(prices, scratch, anchor, m, s)
    _count(prices, scratch, anchor, 1)
    _sort(scratch.branch[0], m, scratch.worth[0])
    scratch.size[0] = m
    scratch.next[0] = 0
    scratch.value[0] = prices.price[anchor]
    return m


@kernel
def _leave_root(prices: Prices, anchor: int, m: int, scratch: Scratch) -> None:
    _count(prices, scratch, anchor, -1)
    for x in range(m):
        scratch.place[scratch.candidate[x]] = -1


@kernel
def _few_half_sums(
    near: Near,
    scratch: Scratch,
    depth: int,
    size: int,
    picks: int,
    share: float,
) -> None:
    """Credit each of few candidates with half sums over these candidates alone."""
    branch, candidate = scratch.branch[depth], scratch.candidate
    nearest, top = scratch.nearest, scratch.top
    top[:picks] = NOTHING
    # The picks - 1 nearest within the branch, by insertion.
    for a in range(size):
        x = branch[a]
        row = near.squared[candidate[x]]
        found = 0
        for b in range(size):
            if b == a:
                continue
            d = row[candidate[branch[b]]]
            if found < picks - 1:
                q = found
                found += 1
            elif d < nearest[found - 1]:
                q = found - 1
            else:
                continue
            while q > 0 and nearest[q - 1] > d:
                nearest[q] = nearest[q - 1]
                q -= 1
            nearest[q] = d
        total = 0.0
        for q in range(found):
            total += nearest[q]
        worth = scratch.gain[depth, x] - 0.5 * share * total
        scratch.worth[depth, x] = worth
        if worth > top[0]:
            _insert(top, picks, worth)


@kernel
def _filter(
    scratch: Scratch, depth: int, size: int, picks: int, value: float, floor: float
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
    kept = 0
    for q in range(size):
        x = branch[q]
        if worth[x] + value > floor:
            branch[kept] = x
            kept += 1
    return kept if kept >= picks else 0


@kernel
def _branch(
    near: Near,
    prices: Prices,
    scratch: Scratch,
    depth: int,
    x: int,
    picks: int,
    share: float,
    floor: float,
) -> int:
    """Lay out what may follow candidate x, with `picks` records still to be added.

    Returns
    -------
    int
        Number of candidates; 0 where the branch cannot reach the floor.
    """
    below = depth + 1
    before, after = scratch.gain[depth], scratch.gain[below]
    worth, branch, top = scratch.worth[below], scratch.branch[below], scratch.top
    row = near.squared[scratch.candidate[x]]
    size = 0
    top[:picks] = NOTHING
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
            _insert(top, picks, gain)
    # The group's worth so far, x and the second halves that it owes included.
    value = scratch.value[depth] + before[x]
    value -= _due(prices, scratch, scratch.candidate[x])
    scratch.value[below] = value
    size = _filter(scratch, below, size, picks, value, floor)
    # A sharper bound, worked out for few candidates only.
    if 0 < size <= FEW and picks > 2:
        _few_half_sums(near, scratch, below, size, picks, share)
        size = _filter(scratch, below, size, picks, value, floor)
    _sort(branch, size, worth)
    scratch.size[below] = size
    scratch.next[below] = 0
    return size


@kernel
def _promise(
    prices: Prices, scratch: Scratch, depth: int, picks: int, worth: float
) -> float:
    """Return what the best groups of the rest of a branch can be worth at most.

    Where that is not more than `worth`, it need not be the least such number.
    """
    value = scratch.value[depth]
    start = scratch.next[depth]
    # Candidates are sorted by credit: the next ones are the best.
    for q in range(start, start + picks):
        value += scratch.worth[depth, scratch.branch[depth, q]]
    if not value > worth:
        return float(value)
    least = value
    for bit in range(scratch.large[LARGE]):
        lowered = value - _toll(prices, scratch, depth, picks, bit)
        least = min(least, lowered)
        if not least > worth:
            break
    return float(least)


@kernel
def _times(prices: Prices, record: int, cut: int, heaviest: int) -> int:
    """Return how often a record comes in a cut that holds it."""
    if heaviest == 1:
        return 1
    times = 0
    for q in range(prices.first[record], prices.first[record + 1]):
        if prices.at[q] == cut:
            times += 1
    return times


@kernel
def _toll(prices: Prices, scratch: Scratch, depth: int, picks: int, bit: int) -> float:
    """Return how much the next candidates promise too much, on account of one cut.

    They pay its price, or some are exchanged for the best ones that it does not hold.
    """
    c = scratch.large[bit]
    branch, inside, worth = scratch.branch[depth], scratch.inside, scratch.worth[depth]
    start, size, price = scratch.next[depth], scratch.size[depth], prices.cut_price[c]
    divisor, heaviest = prices.divisor[c], prices.heaviest[c]
    surplus = scratch.held[c] % divisor + 1 - divisor
    for q in range(start, start + picks):
        if (inside[branch[q]] >> bit) & 1:
            surplus += _times(prices, scratch.candidate[branch[q]], c, heaviest)
    if surplus <= 0:
        return 0.0
    # Each exchange takes off that much at most.
    surplus = -(-surplus // heaviest)
    toll, out, into = 0.0, start + picks - 1, start + picks
    for _ in range(surplus):
        # The worst of those inside, and the best outside of those that are left, or the
        # best of all where those inside differ.
        while (inside[branch[out]] >> bit) & 1 == 0:
            out -= 1
        while heaviest == 1 and into < size and (inside[branch[into]] >> bit) & 1 == 1:
            into += 1
        if into == size:
            return float(price)
        toll += worth[branch[out]] - worth[branch[into]]
        if toll >= price:
            return float(price)
        out -= 1
        into += 1
    return float(toll)


@kernel
def _keep(found: Found, start: int, stop: int, keep: int) -> int:
    """Return where to put a group: a free place, or that of the worst of `keep`."""
    if stop < start + keep:
        return stop
    worst = start
    for q in range(start + 1, stop):
        if found.gains[q] < found.gains[worst]:
            worst = q
    return worst


@kernel
def _worth(found: Found, start: int, stop: int, keep: int, floor: float) -> float:
    """Return what a group must gain to be kept."""
    if stop < start + keep:
        return floor
    least = found.gains[start]
    for q in range(start + 1, stop):
        least = min(least, found.gains[q])
    return float(least)


@kernel
def _finish(
    near: Near,
    prices: Prices,
    scratch: Scratch,
    anchor: int,
    depth: int,
    s: int,
    floor: float,
    found: Found,
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
    value = scratch.value[depth] + gain[x] - _due(prices, scratch, record)
    first, last = scratch.next[depth], scratch.size[depth]
    if s == 2:  # the pair is complete: one turn without another record
        first, last = 0, 1
    else:
        _touch(prices, scratch, record)
        _count(prices, scratch, record, 1)
    row = near.squared[record]
    worth = _worth(found, start, stop, keep, floor)
    # Every record that can complete the group, against the worst group kept.
    for q in range(first, last):
        y = branch[depth, q]
        total = value
        if s > 2:
            total += gain[y] + scratch.change[y] - row[candidate[y]] / s
            if total > worth:
                total -= _due(prices, scratch, candidate[y])
        if not total > worth:
            continue
        at = _keep(found, start, stop, keep)
        if at == found.gains.shape[0]:
            stop = -1
            break
        stop = max(stop, at + 1)
        found.gains[at] = total
        found.groups[at, 0] = anchor
        for t in range(depth):
            found.groups[at, t + 1] = candidate[scratch.chosen[t]]
        found.groups[at, depth + 1] = record
        if s > 2:
            found.groups[at, s - 1] = candidate[y]
        worth = _worth(found, start, stop, keep, floor)
    if s > 2:
        _count(prices, scratch, record, -1)
        _clear(prices, scratch, record)
    return stop


@kernel
def _descend(
    near: Near,
    prices: Prices,
    scratch: Scratch,
    depth: int,
    picks: int,
    s: int,
    worth: float,
) -> int:
    """Choose the next candidate if its branch is good enough; return the step down."""
    x = scratch.branch[depth, scratch.next[depth]]
    scratch.next[depth] += 1
    record = scratch.candidate[x]
    _touch(prices, scratch, record)
    size = _branch(near, prices, scratch, depth, x, picks, 1.0 / s, worth)
    _clear(prices, scratch, record)
    if size == 0:
        return 0
    scratch.chosen[depth] = x
    _count(prices, scratch, record, 1)
    return 1


@kernel
def find_groups(
    near: Near,
    prices: Prices,
    anchors: Integers,
    s: int,
    floor: float,
    keep: int,
    limit: int,
    scratch: Scratch,
    found: Found,
    first: int,
) -> tuple[int, int]:
    """Find the best groups of `s` records for each of some anchors.

    Parameters
    ----------
    near : Near
    prices : Prices
    anchors : ndarray of int64
    s : int
        Group size, at least 2.
    floor : float
        Groups that gain no more are of no interest.
    keep : int
        Groups to keep for each anchor.
    limit : int
        Branches looked at for each anchor; what is left then stays open.
    scratch : Scratch
    found : Found
        Receives the groups.
    first : int
        Anchor to begin with.

    Returns
    -------
    following : int
        Anchor to go on with.
    count : int
        Number of groups, or -1 where there was no room for them.
    """
    picks, stop = s - 1, 0
    found.nodes[:] = 0
    for a in range(first, anchors.shape[0]):
        anchor = anchors[a]
        start, seen, open_worth = stop, 0, floor
        m = _open_root(near, prices, anchor, s, floor, scratch)
        depth = 0 if m > 0 else -1
        while depth >= 0:
            left = picks - depth
            worth = _worth(found, start, stop, keep, floor)
            if (
                scratch.size[depth] - scratch.next[depth] < left
                or not _promise(prices, scratch, depth, left, worth) > worth
            ):
                # Bound: nothing left here can be kept; back to the branch above.
                depth -= 1
                if depth >= 0:
                    _count(
                        prices, scratch, scratch.candidate[scratch.chosen[depth]], -1
                    )
            elif seen >= limit:
                # Too many branches: what is left stays open, at its bound.
                promise = _promise(prices, scratch, depth, left, open_worth)
                open_worth = max(open_worth, promise)
                scratch.next[depth] = scratch.size[depth]
            elif left <= 2:
                # The last two records (the last, if s is 2) are tried at once.
                seen += 1
                stop = _finish(
                    near,
                    prices,
                    scratch,
                    anchor,
                    depth,
                    s,
                    floor,
                    found,
                    start,
                    stop,
                    keep,
                )
                if stop < 0:
                    return a, -1
            else:
                # Branch: choose the next candidate.
                seen += 1
                depth += _descend(near, prices, scratch, depth, left - 1, s, worth)
        if m > 0:
            _leave_root(prices, anchor, m, scratch)
        if seen >= limit:
            found.nodes[1] += 1
        # No group of the anchor gains more than the best found or the best left open.
        found.highest[anchor] = open_worth
        for q in range(start, stop):
            found.highest[anchor] = max(found.highest[anchor], found.gains[q])
        found.nodes[0] += seen
        if found.nodes[0] > ENOUGH:
            return a + 1, stop
    return anchors.shape[0], stop
