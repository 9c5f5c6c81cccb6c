"""The loop of CAAT: classes that grow by the record nearest to what they release."""

from __future__ import annotations

from engine.core.typing import Integers
from engine.kernels._jit import kernel
from engine.kernels.mixed.tuples import (
    Focus,
    Tuples,
    aim,
    close_ranks,
    common_ancestor,
    farthest,
    give_up,
    is_sparse,
    measure,
    nearest_slot,
    widen,
)


@kernel
def grow_classes(
    records: Tuples,
    focus: Focus,
    seed: Integers,
    k: int,
    together: bool,
    most: int,
    group: int,
    labels: Integers,
) -> int:
    """Form classes of k records while k remain.

    Parameters
    ----------
    records : Tuples
        The records without a class, one in each slot.
    focus : Focus
        Scratch: the class that grows.
    seed : ndarray of int64, shape (1,)
        Slot of the next class's first record; kept between calls.
    k : int
    together : bool
        Whether records that are equally near join together, though the class may
        come to have more than k.
    most : int
        Stop after so many classes, so that the caller can report progress.
    group : int
        Number of the next class.
    labels : ndarray of int64, shape (n_records,)
        Receives the number of the class for its members.

    Returns
    -------
    int
        Number of the next class.
    """
    for _ in range(most):
        if records.used[1] < k:
            break
        aim(focus, records, seed[0])
        labels[records.first[seed[0]]] = group
        give_up(records, seed[0])
        size, grew = 1, True
        while size < k:
            if grew:
                measure(records, focus)
                grew = False
            start = nearest_slot(records)
            least = records.distance[start]
            stop = records.used[0] if together else start + 1
            for slot in range(start, stop):
                if records.size[slot] > 0 and records.distance[slot] == least:
                    grew = widen(focus, records, slot) or grew
                    labels[records.first[slot]] = group
                    give_up(records, slot)
                    size += 1
        group += 1
        if records.used[1] > 0:
            if is_sparse(records):
                close_ranks(records)
            measure(records, focus)
            seed[0] = farthest(records)
    return group


@kernel
def join_classes(
    records: Tuples, classes: Tuples, focus: Focus, labels: Integers
) -> None:
    """Let each remaining record join the nearest class, which holds it from then on.

    Of equally near classes, the one formed first.
    """
    for slot in range(records.used[0]):
        if records.size[slot] == 0:
            continue
        aim(focus, records, slot)
        measure(classes, focus)
        found = nearest_slot(classes)
        labels[records.first[slot]] = found
        for j in range(focus.low.shape[0]):
            classes.low[j, found] = min(classes.low[j, found], focus.low[j])
            classes.high[j, found] = max(classes.high[j, found], focus.high[j])
        for j in range(focus.node.shape[0]):
            classes.node[j, found] = common_ancestor(
                classes.trees, j, classes.node[j, found], focus.node[j]
            )
