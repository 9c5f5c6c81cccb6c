"""KACA loop: merge classes of fewer than k records with their nearest class."""

from __future__ import annotations

from typing import NamedTuple

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import kernel
from engine.kernels.mixed.tuples import (
    QueryTuple,
    TupleSlots,
    common_ancestor_node,
    compact_slots,
    has_many_empty_slots,
    mark_slot_empty,
    set_query_to_slot,
    tuple_distance,
    write_tuple_distances,
)


class MemberChains(NamedTuple):
    """Linked lists of the records of each class.

    Attributes
    ----------
    numbers : ndarray of float64, shape (n_numbers, n_records)
    codes : ndarray of int64, shape (n_categories, n_records)
    head, tail : ndarray of int64, shape (n_slots,)
        First and last record of each slot's chain.
    after : ndarray of int64, shape (n_records,)
        The record that follows in the chain, -1 after the last.
    distance : ndarray of float64, shape (n_records,)
        Scratch.
    """

    numbers: Values
    codes: Integers
    head: Integers
    tail: Integers
    after: Integers
    distance: Values


@kernel
def _rebuild_class(classes: TupleSlots, slot: int, members: MemberChains) -> None:
    """Recompute the tuple, size and first record of a class from its members."""
    i = members.head[slot]
    size, first = 0, i
    for j in range(classes.low.shape[0]):
        classes.low[j, slot] = classes.high[j, slot] = members.numbers[j, i]
    for j in range(classes.node.shape[0]):
        classes.node[j, slot] = members.codes[j, i]
    # The interval of each number, the nearest common ancestor of each category.
    while i >= 0:
        size += 1
        first = min(first, i)
        for j in range(classes.low.shape[0]):
            value = members.numbers[j, i]
            classes.low[j, slot] = min(classes.low[j, slot], value)
            classes.high[j, slot] = max(classes.high[j, slot], value)
        for j in range(classes.node.shape[0]):
            classes.node[j, slot] = common_ancestor_node(
                classes.trees, j, classes.node[j, slot], members.codes[j, i]
            )
        i = members.after[i]
    classes.size[slot] = size
    classes.first[slot] = first


@kernel
def _append(members: MemberChains, slot: int, i: int) -> None:
    """Put a record at the end of a slot's chain."""
    members.after[members.tail[slot]] = i
    members.tail[slot] = i
    members.after[i] = -1


@kernel
def _transfer_members(
    members: MemberChains, giver: int, taker: int, count: int
) -> None:
    """Move the `count` members of least distance; ties go to the lowest record."""
    for _ in range(count):
        before, best, previous = -1, members.head[giver], -1
        i = best
        while i >= 0:
            if members.distance[i] < members.distance[best] or (
                members.distance[i] == members.distance[best] and i < best
            ):
                before, best = previous, i
            previous = i
            i = members.after[i]
        if before < 0:
            members.head[giver] = members.after[best]
        else:
            members.after[before] = members.after[best]
        if members.tail[giver] == best:
            members.tail[giver] = before
        _append(members, taker, best)


@kernel
def _merge_classes(
    classes: TupleSlots,
    members: MemberChains,
    query: QueryTuple,
    small: int,
    partner: int,
    k: int,
) -> None:
    """Merge a class with another, or fill it up to k where both would have 2k."""
    # Merge in the slot of the lower first record, as slots are in that order.
    if classes.size[small] + classes.size[partner] < 2 * k:
        keep, gone = small, partner
        if classes.first[partner] < classes.first[small]:
            keep, gone = partner, small
        members.after[members.tail[keep]] = members.head[gone]
        members.tail[keep] = members.tail[gone]
        mark_slot_empty(classes, gone)
        _rebuild_class(classes, keep, members)
        return
    # Fill up: the other class gives those nearest to the small one's tuple.
    i = members.head[partner]
    while i >= 0:
        members.distance[i] = tuple_distance(
            query, classes, members.numbers[:, i], members.codes[:, i]
        )
        i = members.after[i]
    _transfer_members(members, partner, small, k - classes.size[small])
    _rebuild_class(classes, small, members)
    _rebuild_class(classes, partner, members)


@kernel
def _nearest_class(classes: TupleSlots, small: int) -> int:
    """Return the slot of the nearest other class; ties to the lowest first record."""
    best = -1
    for slot in range(classes.used[0]):
        if classes.size[slot] == 0 or slot == small:
            continue
        if (
            best < 0
            or classes.distance[slot] < classes.distance[best]
            or (
                classes.distance[slot] == classes.distance[best]
                and classes.first[slot] < classes.first[best]
            )
        ):
            best = slot
    return best


@kernel
def merge_small_classes(
    classes: TupleSlots,
    member_chains: MemberChains,
    query: QueryTuple,
    draws: Values,
    k: int,
    small_and_draw_counts: Integers,
    max_merges: int,
) -> None:
    """Merge random classes below k with their nearest, or fill them from it, in place.

    Parameters
    ----------
    classes : TupleSlots
    member_chains : MemberChains
    query : QueryTuple
        Scratch.
    draws : ndarray of float64, shape (n_steps,)
        Random numbers in [0, 1): which of the small classes is next.
    small_and_draw_counts : ndarray of int64, shape (2,)
        Classes with fewer than k records, and draws used so far; changed in place.
    max_merges : int
        Stop after so many steps, so that the caller can report progress.
    """
    for _ in range(max_merges):
        if small_and_draw_counts[0] == 0:
            break
        # A class of fewer than k records, drawn at random.
        number = int(draws[small_and_draw_counts[1]] * small_and_draw_counts[0])
        small_and_draw_counts[1] += 1
        small = -1
        while number >= 0:
            small += 1
            if 0 < classes.size[small] < k:
                number -= 1
        # The class nearest to its tuple.
        set_query_to_slot(query, classes, small)
        write_tuple_distances(classes, query)
        other = _nearest_class(classes, small)
        # Neither counts as small any more, until it is seen what became of them.
        small_and_draw_counts[0] -= 1 + (classes.size[other] < k)
        _merge_classes(classes, member_chains, query, small, other, k)
        # A merged class may still have fewer than k.
        if 0 < classes.size[small] < k or 0 < classes.size[other] < k:
            small_and_draw_counts[0] += 1
        if has_many_empty_slots(classes):
            # The chains move with their slots.
            to = 0
            for slot in range(classes.used[0]):
                if classes.size[slot] > 0:
                    member_chains.head[to] = member_chains.head[slot]
                    member_chains.tail[to] = member_chains.tail[slot]
                    to += 1
            compact_slots(classes)


@kernel
def write_class_labels(
    member_chains: MemberChains, slots: Integers, labels: Integers
) -> None:
    """Write labels 0, 1, ... of the records in the classes of the given slots."""
    for label in range(slots.shape[0]):
        i = member_chains.head[slots[label]]
        while i >= 0:
            labels[i] = label
            i = member_chains.after[i]
