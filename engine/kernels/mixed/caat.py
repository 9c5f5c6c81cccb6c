"""CAAT loop: grow classes by the record nearest to the class's tuple."""

from __future__ import annotations

from engine.core.typing import Integers
from engine.kernels._jit import kernel
from engine.kernels.mixed.tuples import (
    FocusTuple,
    TupleSlots,
    common_ancestor_node,
    compact_slots,
    empty_slot,
    farthest_slot,
    focus_on_slot,
    has_many_empty_slots,
    nearest_slot,
    widen_focus,
    write_tuple_distances,
)


@kernel
def grow_classes(
    records: TupleSlots,
    focus: FocusTuple,
    seed: Integers,
    k: int,
    ties_join: bool,
    max_classes: int,
    next_class: int,
    labels: Integers,
) -> int:
    """Form classes of k records (more by ties) while k remain; return the next number.

    Parameters
    ----------
    records : TupleSlots
        The records without a class, one in each slot.
    focus : FocusTuple
        Scratch: the class that grows.
    seed : ndarray of int64, shape (1,)
        Slot of the next class's first record; kept between calls.
    k : int
    ties_join : bool
        Whether records that are equally near join together, though the class may
        come to have more than k.
    max_classes : int
        Stop after so many classes, so that the caller can report progress.
    next_class : int
        Number of the next class.
    labels : ndarray of int64, shape (n_records,)
        Receives the number of the class for its members.

    Returns
    -------
    int
        Number of the next class.
    """
    for _ in range(max_classes):
        if records.used[1] < k:
            break
        focus_on_slot(focus, records, seed[0])
        labels[records.first[seed[0]]] = next_class
        empty_slot(records, seed[0])
        size, grew = 1, True
        while size < k:
            if grew:
                write_tuple_distances(records, focus)
                grew = False
            start = nearest_slot(records)
            least = records.distance[start]
            stop = records.used[0] if ties_join else start + 1
            for slot in range(start, stop):
                if records.size[slot] > 0 and records.distance[slot] == least:
                    grew = widen_focus(focus, records, slot) or grew
                    labels[records.first[slot]] = next_class
                    empty_slot(records, slot)
                    size += 1
        next_class += 1
        if records.used[1] > 0:
            if has_many_empty_slots(records):
                compact_slots(records)
            write_tuple_distances(records, focus)
            seed[0] = farthest_slot(records)
    return next_class


@kernel
def assign_to_nearest_class(
    records: TupleSlots, classes: TupleSlots, focus: FocusTuple, labels: Integers
) -> None:
    """Assign each remaining record to the nearest class, and widen that class.

    Of equally near classes, the one formed first.
    """
    for slot in range(records.used[0]):
        if records.size[slot] == 0:
            continue
        focus_on_slot(focus, records, slot)
        write_tuple_distances(classes, focus)
        found = nearest_slot(classes)
        labels[records.first[slot]] = found
        for j in range(focus.low.shape[0]):
            classes.low[j, found] = min(classes.low[j, found], focus.low[j])
            classes.high[j, found] = max(classes.high[j, found], focus.high[j])
        for j in range(focus.node.shape[0]):
            classes.node[j, found] = common_ancestor_node(
                classes.trees, j, classes.node[j, found], focus.node[j]
            )
