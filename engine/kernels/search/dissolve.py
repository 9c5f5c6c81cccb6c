"""Local search that dissolves groups and moves records along chains of groups.

Orders are part of the definition, so that a slow twin can follow: groups by number,
records by number, neighbours by nearness, the first of equals.
"""

from __future__ import annotations

import numpy as np

from engine.kernels.compilation._jit import array_free_kernel
from engine.kernels.records.coded_records import (
    gather_member_columns,
    sq_dist_to_centre,
    write_sq_dists_to_centre,
)
from engine.kernels.search.refine import (
    MEASURED,
    SearchState,
    add_member,
    enqueue_group,
    list_neighbour_groups,
    remove_member,
    update_group,
    update_group_and_change_time,
)
from engine.kernels.search.regroup import GroupState

MAX_DISSOLUTION_COST_SHARE = 0.5
"""Share of a group's SSE that dissolving it may cost before records are passed on."""


@array_free_kernel
def dissolve_by_chains(
    groups: GroupState,
    search: SearchState,
    k: int,
    min_improvement: float,
    first_group: int,
    stop_group: int,
) -> int:
    """Dissolve groups where that, with moves after it, lowers SSE; return their number.

    A group's records in their order each join, among the groups of their nearest
    records that have room and got none of them yet, the one whose SSE grows least.
    Where that raises SSE by less than :data:`MAX_DISSOLUTION_COST_SHARE` times the
    group's own, beyond rounding, groups with more than k records then pass their
    surplus on as long as that pays: a spare record is a gap that wanders to where it is
    useful. If SSE has not fallen by then, all is undone.

    Parameters
    ----------
    groups, search, k, min_improvement
        As in :func:`engine.kernels.search.exchange.exchange_within_queued_groups`.
    first_group, stop_group : int
        Numbers of the groups to try.

    Returns
    -------
    int
        Groups dissolved.
    """
    size, sse, members = groups.size, groups.sse, groups.members
    record, source_groups, joined = search.record, search.left, search.joined
    capacity, dissolved = size.shape[0], 0
    for a in range(first_group, stop_group):
        if size[a] == 0 or sse[a] <= min_improvement:
            continue
        # Where would each member go, and at what cost?
        change = _place_members(groups, search, a, k, min_improvement)
        if not change < MAX_DISSOLUTION_COST_SHARE * sse[a] - min_improvement:
            continue
        # Every move is written down, so that all can be undone.
        moves = size[a]
        for t in range(moves):
            record[t], source_groups[t] = members[a, t], a
        for t in range(moves):
            add_member(groups, joined[t], record[t])
            update_group(groups, search, joined[t])
        size[a] = 0
        moves, passed = _pass_on(groups, search, moves, k, min_improvement)
        if change + passed < -min_improvement:
            dissolved += 1
            sse[a] = 0.0
            groups.unused[groups.unused[capacity]] = a
            groups.unused[capacity] += 1
            for t in range(moves):
                for g in (source_groups[t], joined[t]):
                    if g != a:
                        update_group_and_change_time(groups, search, g)
                        enqueue_group(search, g)
            continue
        # Undo, the last move first.
        for t in range(moves - 1, -1, -1):
            remove_member(groups, joined[t], record[t])
            add_member(groups, source_groups[t], record[t])
        update_group(groups, search, a)
        for t in range(moves):
            update_group(groups, search, joined[t])
    return dissolved


@array_free_kernel
def _place_members(
    groups: GroupState, search: SearchState, a: int, k: int, noise: float
) -> float:
    """Find a group for each member of group a, in ``search.joined``.

    Returns
    -------
    float
        Change of SSE if they went there; infinite if it is too much or one finds none.
    """
    X, codes, near, labels = groups.X, groups.codes, groups.near, groups.labels
    members, size = groups.members, groups.size
    centre, code_sum = search.centre, search.code_sum
    joined, listed, counts = search.joined, search.listed, search.counts
    change, placed = -groups.sse[a], 0
    limit = MAX_DISSOLUTION_COST_SHARE * groups.sse[a] - noise
    while placed < size[a] and change < limit:
        i = members[a, placed]
        best, min_increase = -1, np.inf
        for rank in range(near.shape[1]):
            b = labels[near[i, rank]]
            if b == a or size[b] >= 2 * k - 1 or listed[b] == a:
                continue
            counts[MEASURED] += 1
            # Adding costs s / (s + 1) d2; a group that got one already is left out, as
            # its centroid has moved.
            grown = size[b] * sq_dist_to_centre(X, codes, centre, code_sum, i, b)
            grown /= size[b] + 1
            if grown < min_increase - noise:
                best, min_increase = b, grown
        if best < 0:
            break
        joined[placed] = best
        listed[best] = a
        placed += 1
        change += min_increase
    for t in range(placed):
        listed[joined[t]] = -1
    return change if placed == size[a] else np.inf


@array_free_kernel
def _pass_on(
    groups: GroupState, search: SearchState, moves: int, k: int, noise: float
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
    centre, code_sum, own_sq_dists = search.centre, search.code_sum, search.own
    listed, around, waiting = search.listed, search.around, search.waiting
    record, source_groups, joined = search.record, search.left, search.joined
    columns, other_sq_dists, saved = search.columns, search.there, search.back
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
        gather_member_columns(X, members, nb, b, columns)
        for s in range(nb):
            saved[s] = nb * own_sq_dists[members[b, s]] / (nb - 1)
        best, leaves, to = 0.0, -1, -1
        for t in range(
            list_neighbour_groups(near, labels, members, size, listed, around, b)
        ):
            c = around[t]
            nc = size[c]
            if nc == 2 * k - 1:
                continue
            counts[MEASURED] += nb
            write_sq_dists_to_centre(
                X, codes, members, nb, b, columns, centre, code_sum, c, other_sq_dists
            )
            for s in range(nb):
                # Adding to c costs, removing from b saves.
                grown = nc * other_sq_dists[s] / (nc + 1) - saved[s]
                if grown < best - noise:
                    best, leaves, to = grown, members[b, s], c
        if to < 0:
            continue
        remove_member(groups, b, leaves)
        add_member(groups, to, leaves)
        update_group(groups, search, b)
        update_group(groups, search, to)
        record[moves], source_groups[moves], joined[moves] = leaves, b, to
        moves += 1
        change += best
        waiting[tail], waiting[tail + 1] = b, to
        tail += 2
    return moves, change
