"""State of the local search on a partition, and moves of single records.

The search's three moves are in :mod:`engine.kernels.search.exchange`,
:mod:`engine.kernels.search.dissolve` and :mod:`engine.kernels.search.deal`.

Orders are part of the definition, so that a slow twin can follow: groups by number,
records by number, neighbours by nearness, the first of equals.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.core.typing import Booleans, Integers, Values
from engine.kernels.compilation._jit import array_free_kernel
from engine.kernels.records.coded_records import sq_dist_to_centre, write_centroid_terms
from engine.kernels.search.regroup import GroupState

WAITING, CLOCK, MEASURED = 0, 1, 2
"""Places in ``counts``: groups in the queue, changes, and distances measured so far."""

MAX_CHAIN_MOVES = 250
"""Records passed on at most after one group was dissolved; some 15 are common."""


class SearchState(NamedTuple):
    """Centroids, distances and queue of a local search, in addition to its groups.

    Attributes
    ----------
    centre : ndarray of float64, shape (capacity, n_numbers + n_directions + 1)
    code_sum : ndarray of float64, shape (capacity,)
        Centroid of each group, as
        :func:`engine.kernels.records.coded_records.sq_dist_to_centre` has it.
    own : ndarray of float64, shape (n_records,)
        Squared distance of each record from its group's centroid.
    queue : ndarray of int64, shape (capacity + 1,)
        Groups to look at, as a ring; the last entry is the place of the first.
    queued : ndarray of bool, shape (capacity,)
        Whether each group is in `queue`.
    changed : ndarray of int64, shape (capacity,)
        Value of the clock when each group last changed.
    seen : ndarray of int64, shape (n_records,)
        Value of the clock when each record's surroundings were last regrouped, or -1.
    listed : ndarray of int64, shape (capacity,)
        Scratch: the group whose list of neighbours names this group.
    around : ndarray of int64, shape (length * (2k - 1),)
        Scratch: neighbouring groups.
    record, left, joined : ndarray of int64, shape (MAX_CHAIN_MOVES + 2k - 1,)
        Scratch: moves made on trial, each a record, its old group and its new one.
    waiting : ndarray of int64, shape (2 * MAX_CHAIN_MOVES + 4k,)
        Scratch: groups that may have a record to pass on.
    there, back : ndarray of float64, shape (at least 2k - 1,)
        Scratch: squared distances from one group's records to another's centroid.
    columns : ndarray of float64, shape (n_numbers, at least 2k - 1)
        Scratch: one group's records, one per column; a multiple of 8 columns.
    counts : ndarray of int64, shape (3,)
        See :data:`WAITING`.
    """

    centre: Values
    code_sum: Values
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
    columns: Values
    counts: Integers


def make_search_state(groups: GroupState, k: int) -> SearchState:
    """Return the state of a search with all groups queued in order."""
    capacity = groups.size.shape[0]
    n, width = groups.X.shape
    if groups.codes is not None:
        width += groups.sq_len.size
    columns = -(-(2 * k - 1) // 8) * 8
    search = SearchState(
        centre=np.zeros((capacity, width)),
        code_sum=np.zeros(capacity),
        own=np.zeros(n),
        queue=np.zeros(capacity + 1, dtype=np.int64),
        queued=np.zeros(capacity, dtype=np.bool_),
        changed=np.zeros(capacity, dtype=np.int64),
        seen=np.full(n, -1, dtype=np.int64),
        listed=np.full(capacity, -1, dtype=np.int64),
        around=np.zeros(groups.near.shape[1] * (2 * k - 1), dtype=np.int64),
        record=np.zeros(MAX_CHAIN_MOVES + 2 * k - 1, dtype=np.int64),
        left=np.zeros(MAX_CHAIN_MOVES + 2 * k - 1, dtype=np.int64),
        joined=np.zeros(MAX_CHAIN_MOVES + 2 * k - 1, dtype=np.int64),
        waiting=np.zeros(2 * MAX_CHAIN_MOVES + 4 * k, dtype=np.int64),
        there=np.zeros(columns),
        back=np.zeros(columns),
        columns=np.zeros((groups.X.shape[1], columns)),
        counts=np.zeros(3, dtype=np.int64),
    )
    measure_and_queue_groups(groups, search)
    return search


@array_free_kernel
def measure_and_queue_groups(groups: GroupState, search: SearchState) -> None:
    """Compute the centroids and SSE of all groups, and enqueue them."""
    for g in range(groups.size.shape[0]):
        if groups.size[g] > 0:
            update_group(groups, search, g)
            enqueue_group(search, g)


@array_free_kernel
def update_group(groups: GroupState, search: SearchState, g: int) -> None:
    """Compute a group's centroid, distances and SSE from its members."""
    X, codes, members, own_sq_dists = groups.X, groups.codes, groups.members, search.own
    centre, code_sum, size = search.centre, search.code_sum, groups.size[g]
    write_centroid_terms(X, codes, groups.sq_len, members, size, centre, code_sum, g)
    sse = 0.0
    for place in range(size):
        i = members[g, place]
        own_sq_dists[i] = sq_dist_to_centre(X, codes, centre, code_sum, i, g)
        sse += own_sq_dists[i]
    groups.sse[g] = sse
    search.counts[MEASURED] += size


@array_free_kernel
def enqueue_group(search: SearchState, g: int) -> None:
    """Append a group to the queue unless it is in the queue already."""
    if search.queued[g]:
        return
    capacity = search.queued.shape[0]
    place = search.queue[capacity] + search.counts[WAITING]
    search.queue[place % capacity] = g
    search.queued[g] = True
    search.counts[WAITING] += 1


@array_free_kernel
def update_group_and_change_time(
    groups: GroupState, search: SearchState, g: int
) -> None:
    """Update a group whose members changed, and record the time of the change."""
    update_group(groups, search, g)
    search.counts[CLOCK] += 1
    search.changed[g] = search.counts[CLOCK]


@array_free_kernel
def remove_member(groups: GroupState, g: int, i: int) -> None:
    """Remove record i from group g's members; its label stays."""
    members, size = groups.members, groups.size[g] - 1
    place = 0
    while members[g, place] != i:
        place += 1
    while place < size:
        members[g, place] = members[g, place + 1]
        place += 1
    groups.size[g] = size


@array_free_kernel
def add_member(groups: GroupState, g: int, i: int) -> None:
    """Add record i to group g, with members in ascending order."""
    members, place = groups.members, groups.size[g]
    while place > 0 and members[g, place - 1] > i:
        members[g, place] = members[g, place - 1]
        place -= 1
    members[g, place] = i
    groups.size[g] += 1
    groups.labels[i] = g


@array_free_kernel
def list_neighbour_groups(
    nearest: Integers,
    labels: Integers,
    members: Integers,
    size: Integers,
    listed_for: Integers,
    neighbours: Integers,
    group: int,
) -> int:
    """List other groups of records near to a group's members; return their number."""
    n_neighbours = 0
    # Nearest first over all members: the most promising groups are tried first.
    for rank in range(nearest.shape[1]):
        for place in range(size[group]):
            b = labels[nearest[members[group, place], rank]]
            if b != group and listed_for[b] != group:
                listed_for[b] = group
                neighbours[n_neighbours] = b
                n_neighbours += 1
    for t in range(n_neighbours):
        listed_for[neighbours[t]] = -1
    return n_neighbours
