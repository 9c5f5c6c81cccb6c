"""MDAV loop for mixed records: groups at both ends of the remaining records."""

from __future__ import annotations

from engine.core.typing import Booleans, Integers, Values
from engine.kernels.compilation._jit import kernel
from engine.kernels.mixed.tuples import (
    QueryTuple,
    TupleSlots,
    compact_slots,
    farthest_slot,
    has_many_empty_slots,
    mark_slot_empty,
    nearest_slot,
    set_query_to_slot,
    write_node_distances,
    write_tuple_distances,
)


@kernel
def _clear_slot(records: TupleSlots, slot: int) -> None:
    """Empty a slot and fill it with zeros, so that sums need not test for it."""
    mark_slot_empty(records, slot)
    for j in range(records.low.shape[0]):
        records.low[j, slot] = 0.0
    for j in range(records.node.shape[0]):
        records.node[j, slot] = 0


@kernel
def _sum(values: Values) -> float:
    """Return a sum, from four strands that do not wait for each other."""
    a = b = c = d = 0.0
    whole = values.shape[0] - values.shape[0] % 4
    for i in range(0, whole, 4):
        a += values[i]
        b += values[i + 1]
        c += values[i + 2]
        d += values[i + 3]
    total = (a + b) + (c + d)
    for i in range(whole, values.shape[0]):
        total += values[i]
    return total


@kernel
def _set_query_to_centroid(
    records: TupleSlots, query: QueryTuple, ranked: Booleans, counts: Integers
) -> None:
    """Set the query to the centroid: mean, lower median of ranks, most frequent node.

    Of several nodes as frequent, the lowest.
    """
    used, count = records.used[0], records.used[1]
    for j in range(ranked.shape[0]):
        values = records.low[j, :used]
        if ranked[j]:
            counts[:] = 0
            for value in values:
                counts[int(value)] += 1
            # Empty slots hold zeros.
            counts[0] -= used - count
            rank, below = 0, counts[0]
            # The lower median: the first rank with half of the records at or below it.
            while 2 * below < count:
                rank += 1
                below += counts[rank]
            query.low[j] = rank
        else:
            query.low[j] = _sum(values) / count
        query.high[j] = query.low[j]
    for j in range(records.node.shape[0]):
        counts[:] = 0
        for node in records.node[j, :used]:
            counts[node] += 1
        # Empty slots again.
        counts[0] -= used - count
        best = 0
        for node in range(counts.shape[0]):
            if counts[node] > counts[best]:
                best = node
        query.node[j] = best
        write_node_distances(query, records.trees, j)


@kernel
def _take_nearest_records(
    records: TupleSlots, group: int, labels: Integers, nearest: Integers
) -> None:
    """Make the records of least distance members of a group; ties to the lowest.

    Parameters
    ----------
    records : TupleSlots
        Just measured from the record around which the group forms.
    group : int
    labels : ndarray of int64, shape (n_records,)
    nearest : ndarray of int64, shape (k - 1,)
        Scratch: slots, nearest first.
    """
    count = 0
    for slot in range(records.used[0]):
        if records.size[slot] == 0:
            continue
        distance = records.distance[slot]
        # The list is full: only what is nearer than its last comes in.
        if count == nearest.shape[0]:
            if distance >= records.distance[nearest[count - 1]]:
                continue
            count -= 1
        place = count
        # Strictly farther ones move up, so that of equally near ones the lowest stays
        # first.
        while place > 0 and records.distance[nearest[place - 1]] > distance:
            nearest[place] = nearest[place - 1]
            place -= 1
        nearest[place] = slot
        count += 1
    for place in range(count):
        labels[records.first[nearest[place]]] = group
        _clear_slot(records, nearest[place])


@kernel
def form_mixed_pair_groups(
    records: TupleSlots,
    query: QueryTuple,
    is_rank: Booleans,
    counts: Integers,
    nearest: Integers,
    max_rounds: int,
    next_group: int,
    labels: Integers,
) -> int:
    """Form groups of k around extremes while 2k remain; return next group number.

    r is farthest from the centroid, s farthest from r once r's group is gone.

    Parameters
    ----------
    records : TupleSlots
        The records without a group, one in each slot.
    query : QueryTuple
        Scratch.
    is_rank : ndarray of bool, shape (n_numbers,)
        Which numbers are ranks, whose centroid is the median.
    counts : ndarray of int64, shape (n_values,)
        Scratch, as long as the largest number of ranks or nodes of an attribute.
    nearest : ndarray of int64, shape (k - 1,)
        Scratch.
    max_rounds, next_group, labels
        As in :func:`engine.kernels.fixed_size.mdav.form_extreme_groups`.
    """
    k = nearest.shape[0] + 1
    for _ in range(max_rounds):
        if records.used[1] < 2 * k:
            break
        if has_many_empty_slots(records):
            compact_slots(records)
        # Step 1 of MDAV: the average of what remains; here mean, median and mode.
        _set_query_to_centroid(records, query, is_rank, counts)
        write_tuple_distances(records, query)
        for _end in range(2):
            # Steps 1 and 2: r farthest from the average, then s farthest from r.
            extreme = farthest_slot(records)
            set_query_to_slot(query, records, extreme)
            write_tuple_distances(records, query)
            labels[records.first[extreme]] = next_group
            _clear_slot(records, extreme)
            # Step 3: a group of it and the k-1 nearest of what remains.
            _take_nearest_records(records, next_group, labels, nearest)
            next_group += 1
    return next_group


@kernel
def assign_to_nearest_centroid(
    records: TupleSlots, centroids: TupleSlots, query: QueryTuple, labels: Integers
) -> None:
    """Label each remaining record with the nearest centroid's group; ties to the first.

    `query` is scratch.
    """
    for slot in range(records.used[0]):
        if records.size[slot] > 0:
            set_query_to_slot(query, records, slot)
            write_tuple_distances(centroids, query)
            labels[records.first[slot]] = nearest_slot(centroids)
