"""Local search over a whole partition: pairs of groups, dissolving, dealing anew.

Orders are part of the definition, so that a slow twin can follow: groups by number,
records by number, neighbours by nearness, the first of equals.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.core.typing import Booleans, Integers, Values
from engine.kernels._jit import kernel
from engine.kernels.coded import centre_apart, pair_apart, set_centre
from engine.kernels.search.regroup import (
    Groups,
    Union,
    adopt,
    gather,
    join_rest,
    keep,
    settle,
    start_part,
)

WAITING, CLOCK, MEASURED = 0, 1, 2
"""Places in ``counts``: groups in the queue, changes, and distances measured so far."""


PATIENCE = 0.5
"""Share of a group's SSE that dissolving it may cost before records are passed on."""

HOPS = 250
"""Records passed on at most after one group was dissolved; some 15 are common."""


class Search(NamedTuple):
    """What the local search knows beside the groups.

    Attributes
    ----------
    centre : ndarray of float64, shape (capacity, n_numbers + n_directions + 1)
    fixed : ndarray of float64, shape (capacity,)
        Centroid of each group, as :func:`engine.kernels.coded.centre_apart` has it.
    own : ndarray of float64, shape (n_records,)
        Squared distance of each record from its group's centroid.
    queue : ndarray of int64, shape (capacity + 1,)
        Groups to look at, as a ring; the last entry is the place of the first.
    queued : ndarray of bool, shape (capacity,)
    changed : ndarray of int64, shape (capacity,)
        When each group last changed, in numbers of changes.
    seen : ndarray of int64, shape (n_records,)
        When each record's surroundings were last dealt anew.
    listed : ndarray of int64, shape (capacity,)
        Scratch: the group whose list of neighbours names this group.
    around : ndarray of int64, shape (length * (2k - 1),)
        Scratch: neighbouring groups.
    record, left, joined : ndarray of int64, shape (HOPS + 2k - 1,)
        Scratch: moves made on trial, each a record, its old group and its new one.
    waiting : ndarray of int64, shape (2 * HOPS + 4k,)
        Scratch: groups that may have a record to pass on.
    there, back : ndarray of float64, shape (2k - 1,)
        Scratch: squared distances from one group's records to another's centroid.
    counts : ndarray of int64, shape (3,)
        See :data:`WAITING`.
    """

    centre: Values
    fixed: Values
    own: Values
    queue: Integers
    queued: Booleans
    changed: Integers
    seen: Integers
    listed: Integers
    around: Integers
    record: Integers
    left: Integers
    joined: Integers
    waiting: Integers
    there: Values
    back: Values
    counts: Integers


def make_search(groups: Groups, k: int) -> Search:
    """Return the state of a search in which all groups wait in order."""
    capacity = groups.size.shape[0]
    n, width = groups.X.shape
    if groups.codes.shape[1]:
        width += groups.squares.size
    search = Search(
        centre=np.zeros((capacity, width)),
        fixed=np.zeros(capacity),
        own=np.zeros(n),
        queue=np.zeros(capacity + 1, dtype=np.int64),
        queued=np.zeros(capacity, dtype=np.bool_),
        changed=np.zeros(capacity, dtype=np.int64),
        seen=np.full(n, -1, dtype=np.int64),
        listed=np.full(capacity, -1, dtype=np.int64),
        around=np.zeros(groups.near.shape[1] * (2 * k - 1), dtype=np.int64),
        record=np.zeros(HOPS + 2 * k - 1, dtype=np.int64),
        left=np.zeros(HOPS + 2 * k - 1, dtype=np.int64),
        joined=np.zeros(HOPS + 2 * k - 1, dtype=np.int64),
        waiting=np.zeros(2 * HOPS + 4 * k, dtype=np.int64),
        there=np.zeros(2 * k - 1),
        back=np.zeros(2 * k - 1),
        counts=np.zeros(3, dtype=np.int64),
    )
    begin(groups, search)
    return search


@kernel
def begin(groups: Groups, search: Search) -> None:
    """Measure all groups and put them into the queue."""
    for g in range(groups.size.shape[0]):
        if groups.size[g] > 0:
            _measure(groups, search, g)
            _enqueue(search, g)


@kernel
def _measure(groups: Groups, search: Search, g: int) -> None:
    """Compute a group's centroid, distances and SSE from its members."""
    X, codes, members, own = groups.X, groups.codes, groups.members, search.own
    centre, fixed, size = search.centre, search.fixed, groups.size[g]
    set_centre(X, codes, groups.squares, members, size, centre, fixed, g)
    sse = 0.0
    for place in range(size):
        i = members[g, place]
        own[i] = centre_apart(X, codes, centre, fixed, i, g)
        sse += own[i]
    groups.sse[g] = sse
    search.counts[MEASURED] += size


@kernel
def _enqueue(search: Search, g: int) -> None:
    """Put a group at the end of the queue unless it waits already."""
    if search.queued[g]:
        return
    capacity = search.queued.shape[0]
    place = search.queue[capacity] + search.counts[WAITING]
    search.queue[place % capacity] = g
    search.queued[g] = True
    search.counts[WAITING] += 1


@kernel
def _changed(groups: Groups, search: Search, g: int) -> None:
    """Take note that a group has other members."""
    _measure(groups, search, g)
    search.counts[CLOCK] += 1
    search.changed[g] = search.counts[CLOCK]


@kernel
def _remove(groups: Groups, g: int, i: int) -> None:
    """Take record i out of group g."""
    members, size = groups.members, groups.size[g] - 1
    place = 0
    while members[g, place] != i:
        place += 1
    while place < size:
        members[g, place] = members[g, place + 1]
        place += 1
    groups.size[g] = size


@kernel
def _add(groups: Groups, g: int, i: int) -> None:
    """Put record i into group g, members rising."""
    members, place = groups.members, groups.size[g]
    while place > 0 and members[g, place - 1] > i:
        members[g, place] = members[g, place - 1]
        place -= 1
    members[g, place] = i
    groups.size[g] += 1
    groups.labels[i] = g


@kernel
def improve_pairs(
    groups: Groups, search: Search, k: int, noise: float, most: int
) -> None:
    """Move and swap records between neighbouring groups while the queue lasts.

    The first group in the queue is compared with the groups of its records' nearest
    records, nearest first; two groups exchange records, the best way first, until
    that lowers SSE no more. Groups that changed go to the end of the queue.

    Parameters
    ----------
    groups : Groups
        Changed in place.
    search : Search
    k : int
    noise : float
        What counts as no change.
    most : int
        Groups to take from the queue, so that the caller can report progress.
    """
    # One by one: taking an array out of a tuple costs an atomic count each time.
    X, codes, squares = groups.X, groups.codes, groups.squares
    near, labels = groups.near, groups.labels
    members, size = groups.members, groups.size
    centre, fixed, own = search.centre, search.fixed, search.own
    there, back = search.there, search.back
    listed, around, queue = search.listed, search.around, search.queue
    counts, capacity = search.counts, search.queued.shape[0]
    for _ in range(most):
        if counts[WAITING] == 0:
            break
        first = queue[capacity]
        a = int(queue[first])
        queue[capacity] = (first + 1) % capacity
        counts[WAITING] -= 1
        search.queued[a] = False
        before = search.changed[a]
        found = _look_around(near, labels, members, size, listed, around, a)
        for t in range(found):
            b = around[t]
            # Two groups exchange until nothing lowers their SSE.
            while True:
                leaves, enters = _best_exchange(
                    X,
                    codes,
                    squares,
                    members,
                    size,
                    centre,
                    fixed,
                    own,
                    there,
                    back,
                    counts,
                    a,
                    b,
                    k,
                    noise,
                )
                if leaves < 0 and enters < 0:
                    break
                _exchange(groups, search, a, b, leaves, enters)
                _enqueue(search, b)
        if search.changed[a] != before:
            _enqueue(search, a)


@kernel
def _look_around(
    near: Integers,
    labels: Integers,
    members: Integers,
    size: Integers,
    listed: Integers,
    around: Integers,
    a: int,
) -> int:
    """List the groups of the records nearest to a group's records; return how many."""
    found = 0
    # Nearest first over all members: the most promising groups are tried first.
    for rank in range(near.shape[1]):
        for place in range(size[a]):
            b = labels[near[members[a, place], rank]]
            if b != a and listed[b] != a:
                listed[b] = a
                around[found] = b
                found += 1
    for t in range(found):
        listed[around[t]] = -1
    return found


@kernel
def _best_exchange(
    X: Values,
    codes: Integers,
    squares: Values,
    members: Integers,
    size: Integers,
    centre: Values,
    fixed: Values,
    own: Values,
    there: Values,
    back: Values,
    counts: Integers,
    a: int,
    b: int,
    k: int,
    noise: float,
) -> tuple[int, int]:
    """Return the best move or swap of two groups' records.

    Returns
    -------
    tuple of int
        Places in a and in b of the records that change sides; -1 for none. In the
        order of the definition: moves from a to b, from b to a, swaps.
    """
    na, nb = size[a], size[b]
    measured = na + nb
    # Distances from either group's records to the other's centroid.
    for s in range(na):
        there[s] = centre_apart(X, codes, centre, fixed, members[a, s], b)
    for t in range(nb):
        back[t] = centre_apart(X, codes, centre, fixed, members[b, t], a)
    best, leaves, enters = 0.0, -1, -1
    # Move a to b: adding costs nb / (nb + 1) d2, removing saves na / (na - 1) d2.
    if na > k and nb < 2 * k - 1:
        for s in range(na):
            change = nb * there[s] / (nb + 1) - na * own[members[a, s]] / (na - 1)
            if change < best - noise:
                best, leaves, enters = change, s, -1
    # Move b to a, by the same formula.
    if nb > k and na < 2 * k - 1:
        for t in range(nb):
            change = na * back[t] / (na + 1) - nb * own[members[b, t]] / (nb - 1)
            if change < best - noise:
                best, leaves, enters = change, -1, t
    share = 1.0 / na + 1.0 / nb
    # Swap i and j: change of d2 to the centroids - (1 / na + 1 / nb) |i - j|^2.
    for s in range(na):
        i = members[a, s]
        for t in range(nb):
            other = members[b, t]
            change = (there[s] - own[i]) + (back[t] - own[other])
            # Two records are no farther apart than by way of either centroid.
            most = 2.0 * share * min(own[i] + back[t], own[other] + there[s])
            if change - most < best - noise:
                measured += 1
                change -= share * pair_apart(X, codes, squares, i, other)
                if change < best - noise:
                    best, leaves, enters = change, s, t
    counts[MEASURED] += measured
    return leaves, enters


@kernel
def _exchange(
    groups: Groups, search: Search, a: int, b: int, leaves: int, enters: int
) -> None:
    """Let records in these places of groups a and b change sides."""
    i = groups.members[a, max(leaves, 0)]
    other = groups.members[b, max(enters, 0)]
    if leaves >= 0:
        _remove(groups, a, i)
    if enters >= 0:
        _remove(groups, b, other)
        _add(groups, a, other)
    if leaves >= 0:
        _add(groups, b, i)
    _changed(groups, search, a)
    _changed(groups, search, b)


@kernel
def dissolve_groups(
    groups: Groups, search: Search, k: int, noise: float, first: int, last: int
) -> int:
    """Dissolve groups where SSE falls in the end, if not at once.

    A group's records in their order each join, among the groups of their nearest
    records that have room and got none of them yet, the one whose SSE grows least.
    Where that raises SSE by less than :data:`PATIENCE` times the group's own, groups
    with more than k records then pass their surplus on as long as that pays: a spare
    record is a gap that wanders to where it is useful. If SSE has not fallen by then,
    all is undone.

    Parameters
    ----------
    groups, search, k, noise
        As in :func:`improve_pairs`.
    first, last : int
        Numbers of the groups to try.

    Returns
    -------
    int
        Groups dissolved.
    """
    size, sse, members = groups.size, groups.sse, groups.members
    record, left, joined = search.record, search.left, search.joined
    capacity, dissolved = size.shape[0], 0
    for a in range(first, last):
        if size[a] == 0 or sse[a] <= noise:
            continue
        # Where would each member go, and at what cost?
        change = _place_members(groups, search, a, k, noise)
        if not change < PATIENCE * sse[a]:
            continue
        # Every move is written down, so that all can be undone.
        moves = size[a]
        for t in range(moves):
            record[t], left[t] = members[a, t], a
        for t in range(moves):
            _add(groups, joined[t], record[t])
            _measure(groups, search, joined[t])
        size[a] = 0
        moves, passed = _pass_on(groups, search, moves, k, noise)
        if change + passed < -noise:
            dissolved += 1
            sse[a] = 0.0
            groups.unused[groups.unused[capacity]] = a
            groups.unused[capacity] += 1
            for t in range(moves):
                for g in (left[t], joined[t]):
                    if g != a:
                        _changed(groups, search, g)
                        _enqueue(search, g)
            continue
        # Undo, the last move first.
        for t in range(moves - 1, -1, -1):
            _remove(groups, joined[t], record[t])
            _add(groups, left[t], record[t])
        _measure(groups, search, a)
        for t in range(moves):
            _measure(groups, search, joined[t])
    return dissolved


@kernel
def _place_members(
    groups: Groups, search: Search, a: int, k: int, noise: float
) -> float:
    """Find a group for each member of group a, in ``search.joined``.

    Returns
    -------
    float
        Change of SSE if they went there; infinite if it is too much or one finds none.
    """
    X, codes, near, labels = groups.X, groups.codes, groups.near, groups.labels
    members, size = groups.members, groups.size
    centre, fixed = search.centre, search.fixed
    joined, listed, counts = search.joined, search.listed, search.counts
    change, placed = -groups.sse[a], 0
    limit = PATIENCE * groups.sse[a]
    while placed < size[a] and change < limit:
        i = members[a, placed]
        best, least = -1, np.inf
        for rank in range(near.shape[1]):
            b = labels[near[i, rank]]
            if b == a or size[b] >= 2 * k - 1 or listed[b] == a:
                continue
            counts[MEASURED] += 1
            # Adding costs s / (s + 1) d2; a group that got one already is left out, as
            # its centroid has moved.
            grown = size[b] * centre_apart(X, codes, centre, fixed, i, b)
            grown /= size[b] + 1
            if grown < least - noise:
                best, least = b, grown
        if best < 0:
            break
        joined[placed] = best
        listed[best] = a
        placed += 1
        change += least
    for t in range(placed):
        listed[joined[t]] = -1
    return change if placed == size[a] else np.inf


@kernel
def _pass_on(
    groups: Groups, search: Search, moves: int, k: int, noise: float
) -> tuple[int, float]:
    """Let groups that grew pass records on to neighbours while that lowers SSE.

    The groups stand in a queue; the first one makes the best move of one of its
    records to a neighbouring group with room, and both go to the end.

    Returns
    -------
    tuple of int and float
        Moves made in all, listed in `search`, and the change of SSE.
    """
    X, codes, near, labels = groups.X, groups.codes, groups.near, groups.labels
    members, size = groups.members, groups.size
    centre, fixed, own = search.centre, search.fixed, search.own
    listed, around, waiting = search.listed, search.around, search.waiting
    record, left, joined = search.record, search.left, search.joined
    counts = search.counts
    head, tail = 0, moves
    for t in range(moves):
        waiting[t] = joined[t]
    change = 0.0
    while head < tail and moves < record.shape[0]:
        b = waiting[head]
        head += 1
        nb = size[b]
        if nb <= k:
            continue
        best, leaves, to = 0.0, -1, -1
        for t in range(_look_around(near, labels, members, size, listed, around, b)):
            c = around[t]
            nc = size[c]
            if nc == 2 * k - 1:
                continue
            counts[MEASURED] += nb
            for s in range(nb):
                i = members[b, s]
                # Adding to c costs, removing from b saves.
                grown = nc * centre_apart(X, codes, centre, fixed, i, c) / (nc + 1)
                grown -= nb * own[i] / (nb - 1)
                if grown < best - noise:
                    best, leaves, to = grown, i, c
        if to < 0:
            continue
        _remove(groups, b, leaves)
        _add(groups, to, leaves)
        _measure(groups, search, b)
        _measure(groups, search, to)
        record[moves], left[moves], joined[moves] = leaves, b, to
        moves += 1
        change += best
        waiting[tail], waiting[tail + 1] = b, to
        tail += 2
    return moves, change


@kernel
def deal_anew(
    groups: Groups,
    search: Search,
    union: Union,
    k: int,
    most: int,
    noise: float,
    first: int,
    last: int,
) -> int:
    """Deal out the groups around each record anew, beginning with that record.

    The record's group and those of its nearest records, up to `most`, make a union.
    The record and its k - 1 nearest begin the first part; each further part begins
    with the record farthest from the one before. The parts settle, and take the
    groups' place if SSE is lower. Where room allows, one more part is tried as well.

    Parameters
    ----------
    groups, search, k, noise
        As in :func:`improve_pairs`.
    union : Union
        Scratch, with room for `most` groups.
    most : int
    first, last : int
        Records to begin with; those around whom nothing has changed are passed over.

    Returns
    -------
    int
        Changes for the better.
    """
    X, codes, squares = groups.X, groups.codes, groups.squares
    near, labels = groups.near, groups.labels
    members, size, changed = groups.members, groups.size, search.changed
    taken, records = union.taken, union.records
    values, marks = union.values, union.marks
    part, parts_size, pairs, sums = union.part, union.size, union.pairs, union.sums
    apart, rest, inverse = union.apart, union.rest, union.inverse
    better = 0
    for i in range(first, last):
        m = _surroundings(near, labels, taken, i, most)
        latest = -1
        for t in range(m):
            latest = max(latest, changed[taken[t]])
        # Nothing around i has changed since it was dealt with last.
        if m < 2 or latest <= search.seen[i]:
            continue
        n = gather(
            X, codes, squares, members, size, taken, m, records, values, marks, apart
        )
        search.counts[MEASURED] += n * (n - 1) // 2
        seed = 0
        while records[seed] != i:
            seed += 1
        least, kept = 0.0, 0
        for t in range(m):
            least += groups.sse[taken[t]]
        # As many parts as groups; one more where there are records for it.
        for parts in range(m, min(m + 1, n // k) + 1):
            _start_parts(part, rest, apart, n, parts, seed, k)
            join_rest(part, parts_size, pairs, sums, apart, inverse, n, parts, k, noise)
            sse = settle(
                part, parts_size, pairs, sums, apart, inverse, n, parts, k, noise
            )
            if sse < least - noise:
                least, kept = sse, parts
                keep(union, n, parts)
        search.seen[i] = search.counts[CLOCK]
        if kept == 0:
            continue
        better += 1
        adopt(groups, union, n, m, kept)
        for t in range(kept):
            _changed(groups, search, taken[t])
            _enqueue(search, taken[t])
    return better


@kernel
def _surroundings(
    near: Integers, labels: Integers, taken: Integers, i: int, most: int
) -> int:
    """List the groups of a record and its nearest records; return how many."""
    taken[0] = labels[i]
    m = 1
    for rank in range(near.shape[1]):
        if m == most:
            break
        b = labels[near[i, rank]]
        new = True
        for t in range(m):
            if taken[t] == b:
                new = False
        if new:
            taken[m] = b
            m += 1
    return m


@kernel
def _start_parts(
    part: Integers,
    rest: Integers,
    apart: Values,
    n: int,
    parts: int,
    seed: int,
    k: int,
) -> None:
    """Begin the first part with `seed`, each other far from where the last began."""
    for i in range(n):
        part[i] = -1
        rest[i] = i
    left = start_part(part, rest, apart, n, 0, seed, k)
    # Each further part begins with the record farthest from the last one's seed.
    for g in range(1, parts):
        farthest, most = -1, -1.0
        for t in range(left):
            i = rest[t]
            if apart[seed, i] > most:
                farthest, most = i, apart[seed, i]
        seed = farthest
        left = start_part(part, rest, apart, left, g, seed, k)
