"""CAAT loop: grow classes by the record nearest to the class's tuple."""

from __future__ import annotations

from engine.core.typing import Integers
from engine.kernels.compilation._jit import kernel
from engine.kernels.mixed.tuples import (
    QueryTuple,
    TupleSlots,
    common_ancestor_node,
    compact_slots,
    farthest_slot,
    has_many_empty_slots,
    mark_slot_empty,
    nearest_slot,
    set_query_to_slot,
    widen_query_if_outside,
    write_tuple_distances,
)


@kernel
def move_records_into_classes(
    records: TupleSlots,
    scratch_tuple: QueryTuple,
    seed_slot: Integers,
    k: int,
    ties_join: bool,
    max_classes: int,
    next_class: int,
    labels: Integers,
) -> int:
    """Move records into classes of k (more if tied) while k remain; return next class.

    Parameters
    ----------
    records : TupleSlots
        Records without a class, one in each slot; emptied in place.
    scratch_tuple : QueryTuple
        Scratch: the class that grows.
    seed_slot : ndarray of int64, shape (1,)
        Slot of the next class's first record; kept between calls.
    ties_join : bool
        Whether records that are equally near join together, though the class may
        come to have more than k.
    max_classes : int
        Stop after so many classes, so that the caller can report progress.
    next_class : int
        Number of the next class.
    labels : ndarray of int64, shape (n_records,)
        Receives the number of the class for its members.
    """
    for _ in range(max_classes):
        if records.used[1] < k:
            break
        set_query_to_slot(scratch_tuple, records, seed_slot[0])
        labels[records.first[seed_slot[0]]] = next_class
        mark_slot_empty(records, seed_slot[0])
        size, grew = 1, True
        while size < k:
            if grew:
                write_tuple_distances(records, scratch_tuple)
                grew = False
            start = nearest_slot(records)
            min_distance = records.distance[start]
            stop = records.used[0] if ties_join else start + 1
            for slot in range(start, stop):
                if records.size[slot] > 0 and records.distance[slot] == min_distance:
                    grew = widen_query_if_outside(scratch_tuple, records, slot) or grew
                    labels[records.first[slot]] = next_class
                    mark_slot_empty(records, slot)
                    size += 1
        next_class += 1
        if records.used[1] > 0:
            if has_many_empty_slots(records):
                compact_slots(records)
            write_tuple_distances(records, scratch_tuple)
            seed_slot[0] = farthest_slot(records)
    return next_class


@kernel
def assign_to_and_widen_nearest_class(
    records: TupleSlots,
    classes: TupleSlots,
    scratch_tuple: QueryTuple,
    labels: Integers,
) -> None:
    """Assign each remaining record to the nearest class, and widen that class.

    Of equally near classes, the one formed first.
    """
    for slot in range(records.used[0]):
        if records.size[slot] == 0:
            continue
        set_query_to_slot(scratch_tuple, records, slot)
        write_tuple_distances(classes, scratch_tuple)
        nearest_class = nearest_slot(classes)
        labels[records.first[slot]] = nearest_class
        for j in range(scratch_tuple.low.shape[0]):
            classes.low[j, nearest_class] = min(
                classes.low[j, nearest_class], scratch_tuple.low[j]
            )
            classes.high[j, nearest_class] = max(
                classes.high[j, nearest_class], scratch_tuple.high[j]
            )
        for j in range(scratch_tuple.node.shape[0]):
            classes.node[j, nearest_class] = common_ancestor_node(
                classes.trees, j, classes.node[j, nearest_class], scratch_tuple.node[j]
            )
