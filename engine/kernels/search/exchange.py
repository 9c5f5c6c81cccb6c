"""Local search over pairs of groups: move and swap records.

Orders are part of the definition, so that a slow twin can follow: groups by number,
records by number, neighbours by nearness, the first of equals.
"""

from __future__ import annotations

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import array_free_kernel
from engine.kernels.records.coded_records import (
    gather_member_columns,
    sq_dist_between,
    sq_dist_to_centre,
    write_sq_dists_to_centre,
)
from engine.kernels.search.refine import (
    MEASURED,
    WAITING,
    SearchState,
    add_member,
    enqueue_group,
    list_neighbour_groups,
    remove_member,
    update_group_and_change_time,
)
from engine.kernels.search.regroup import GroupState


@array_free_kernel
def exchange_within_queued_groups(
    groups: GroupState,
    search: SearchState,
    k: int,
    min_improvement: float,
    max_groups: int,
) -> None:
    """Move and swap records between queued groups and their neighbours, to lower SSE.

    The first group in the queue is compared with the groups of its records' nearest
    records, nearest first; two groups exchange records, the best way first, until
    that lowers SSE no more. Groups that changed go to the end of the queue.

    Parameters
    ----------
    groups : GroupState
        Changed in place.
    search : SearchState
    min_improvement : float
        What counts as no change.
    max_groups : int
        Groups to take from the queue, so that the caller can report progress.
    """
    # One by one: taking an array out of a tuple costs an atomic count each time.
    X, codes, sq_len = groups.X, groups.codes, groups.sq_len
    near, labels = groups.near, groups.labels
    members, size = groups.members, groups.size
    centre, code_sum, own_sq_dists = search.centre, search.code_sum, search.own
    other_sq_dists, back, columns = search.there, search.back, search.columns
    listed, around, queue = search.listed, search.around, search.queue
    counts, capacity = search.counts, search.queued.shape[0]
    for _ in range(max_groups):
        if counts[WAITING] == 0:
            break
        first = queue[capacity]
        a = int(queue[first])
        queue[capacity] = (first + 1) % capacity
        counts[WAITING] -= 1
        search.queued[a] = False
        before = search.changed[a]
        n_neighbours = list_neighbour_groups(
            near, labels, members, size, listed, around, a
        )
        gather_member_columns(X, members, size[a], a, columns)
        for t in range(n_neighbours):
            b = around[t]
            # Two groups exchange until nothing lowers their SSE.
            while True:
                leaves, enters = _best_exchange(
                    X,
                    codes,
                    sq_len,
                    members,
                    size,
                    centre,
                    code_sum,
                    own_sq_dists,
                    other_sq_dists,
                    back,
                    columns,
                    counts,
                    a,
                    b,
                    k,
                    min_improvement,
                )
                if leaves < 0 and enters < 0:
                    break
                _exchange(groups, search, a, b, leaves, enters)
                gather_member_columns(X, members, size[a], a, columns)
                enqueue_group(search, b)
        if search.changed[a] != before:
            enqueue_group(search, a)


@array_free_kernel
def _best_exchange(
    X: Values,
    codes: Integers | None,
    sq_len: Values,
    members: Integers,
    size: Integers,
    centre: Values,
    code_sum: Values,
    own: Values,
    there: Values,
    back: Values,
    columns: Values,
    counts: Integers,
    a: int,
    b: int,
    k: int,
    min_improvement: float,
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
    write_sq_dists_to_centre(
        X, codes, members, na, a, columns, centre, code_sum, b, there
    )
    for t in range(nb):
        back[t] = sq_dist_to_centre(X, codes, centre, code_sum, members[b, t], a)
    best, leaves, enters = 0.0, -1, -1
    # Move a to b: adding costs nb / (nb + 1) d2, removing saves na / (na - 1) d2.
    if na > k and nb < 2 * k - 1:
        for s in range(na):
            change = nb * there[s] / (nb + 1) - na * own[members[a, s]] / (na - 1)
            if change < best - min_improvement:
                best, leaves, enters = change, s, -1
    # Move b to a, by the same formula.
    if nb > k and na < 2 * k - 1:
        for t in range(nb):
            change = na * back[t] / (na + 1) - nb * own[members[b, t]] / (nb - 1)
            if change < best - min_improvement:
                best, leaves, enters = change, -1, t
    share = 1.0 / na + 1.0 / nb
    # Swap i and j: change of d2 to the centroids - (1 / na + 1 / nb) |i - j|^2.
    for s in range(na):
        i = members[a, s]
        for t in range(nb):
            other = members[b, t]
            change = (there[s] - own[i]) + (back[t] - own[other])
            # Two records are no farther apart than by way of either centroid.
            max_saving = 2.0 * share * min(own[i] + back[t], own[other] + there[s])
            if change - max_saving < best - min_improvement:
                measured += 1
                change -= share * sq_dist_between(X, codes, sq_len, i, other)
                if change < best - min_improvement:
                    best, leaves, enters = change, s, t
    counts[MEASURED] += measured
    return leaves, enters


@array_free_kernel
def _exchange(
    groups: GroupState, search: SearchState, a: int, b: int, leaves: int, enters: int
) -> None:
    """Let records in these places of groups a and b change sides."""
    i = groups.members[a, max(leaves, 0)]
    other = groups.members[b, max(enters, 0)]
    if leaves >= 0:
        remove_member(groups, a, i)
    if enters >= 0:
        remove_member(groups, b, other)
        add_member(groups, a, other)
    if leaves >= 0:
        add_member(groups, b, i)
    update_group_and_change_time(groups, search, a)
    update_group_and_change_time(groups, search, b)
