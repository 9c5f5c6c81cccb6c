"""Generalised records: tuples of intervals and hierarchy nodes, and distances.

A tuple says what the records of a class have in common: per number the interval that
holds their values, per category their nearest common ancestor. A record is the tuple of
itself alone. Tuples stand in slots, attribute by attribute, so that the loop over them
runs in vector registers.

The distance of two tuples is the mean over the attributes of how far each has to be
widened until both are one: for a number, half the sum of what the two intervals grow by
to the interval around both, over the attribute's range; for a category, half the sum of
the levels that each node climbs to the nearest common ancestor, over the levels from it
to the root; the root climbs nothing. Between numbers of records that is
|a - b| / range; between their categories, the formula of Jiang, who introduced CAAT.
"""

from __future__ import annotations

from typing import NamedTuple

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import kernel

SLOTS_PER_TILE = 512
"""Slots measured in one go: their distances stay in the fastest cache."""


class FlatTrees(NamedTuple):
    """Hierarchies of all categorical attributes, concatenated in arrays.

    Nodes are numbered from 0 in each tree, every node before its parent.

    Attributes
    ----------
    start : ndarray of int64, shape (n_categories + 1,)
        Where each tree's nodes begin in the arrays below.
    parent : ndarray of int64, shape (n_nodes,)
        Number of each node's parent in its tree; a root is its own.
    level : ndarray of int64, shape (n_nodes,)
        Levels above the leaves.
    height : ndarray of int64, shape (n_categories,)
        Level of each root.
    """

    start: Integers
    parent: Integers
    level: Integers
    height: Integers


class TupleSlots(NamedTuple):
    """Generalised records (equivalence tuples), of classes or single records, by slot.

    Attributes
    ----------
    low, high : ndarray of float64, shape (n_numbers, n_slots)
        Ends of the intervals; one and the same array where tuples are records.
    node : ndarray of int64, shape (n_categories, n_slots)
    ranges : ndarray of float64, shape (n_numbers,)
        Largest less smallest value in the table; 1 for a constant number.
    trees : FlatTrees
    size : ndarray of int64, shape (n_slots,)
        Records in each tuple; 0 once the slot is given up.
    first : ndarray of int64, shape (n_slots,)
        Lowest number of a record in each tuple.
    used : ndarray of int64, shape (2,)
        Slots in use, and how many of them hold records.
    distance : ndarray of float64, shape (n_slots,)
        Scratch: what :func:`write_tuple_distances` found last.
    """

    low: Values
    high: Values
    node: Integers
    ranges: Values
    trees: FlatTrees
    size: Integers
    first: Integers
    used: Integers
    distance: Values


class QueryTuple(NamedTuple):
    """The equivalence tuple that distances are measured from.

    Attributes
    ----------
    low, high : ndarray of float64, shape (n_numbers,)
    node : ndarray of int64, shape (n_categories,)
    near : ndarray of float64, shape (n_nodes,)
        Distance of every node from the query's own node in the same tree.
    meeting : ndarray of int64, shape (n_nodes,)
        Scratch.
    """

    low: Values
    high: Values
    node: Integers
    near: Values
    meeting: Integers


@kernel
def common_ancestor_node(trees: FlatTrees, attribute: int, a: int, b: int) -> int:
    """Return the nearest common ancestor of nodes a and b of tree `attribute`."""
    start = trees.start[attribute]
    while a != b:
        # The lower of the two climbs.
        if trees.level[start + a] <= trees.level[start + b]:
            a = trees.parent[start + a]
        else:
            b = trees.parent[start + b]
    return a


@kernel
def write_node_distances(query: QueryTuple, trees: FlatTrees, attribute: int) -> None:
    """Write the distances of all nodes of tree `attribute` from the query's node."""
    start, n = (
        trees.start[attribute],
        trees.start[attribute + 1] - trees.start[attribute],
    )
    height, own_node = trees.height[attribute], query.node[attribute]
    meeting, level = query.meeting[start : start + n], trees.level[start : start + n]
    parent = trees.parent[start : start + n]
    meeting[:] = -1
    # The nodes above the own one meet it in themselves.
    above = own_node
    while meeting[above] < 0:
        meeting[above] = above
        above = parent[above]
    # Every other node meets it where its parent does.
    for other in range(n - 1, -1, -1):  # a node after its parent
        if meeting[other] < 0:
            meeting[other] = meeting[parent[other]]
        # Half the sum of levels climbed over levels to the root, as in the module's
        # text.
        top = level[meeting[other]]
        total = 0.0
        if level[own_node] < height:
            total += (top - level[own_node]) / (height - level[own_node])
        if level[other] < height:
            total += (top - level[other]) / (height - level[other])
        query.near[start + other] = 0.5 * total


@kernel
def set_query_to_slot(query: QueryTuple, tuples: TupleSlots, slot: int) -> None:
    """Copy the tuple of a slot into the query, with its node distances."""
    for j in range(tuples.low.shape[0]):
        query.low[j] = tuples.low[j, slot]
        query.high[j] = tuples.high[j, slot]
    for j in range(tuples.node.shape[0]):
        query.node[j] = tuples.node[j, slot]
        write_node_distances(query, tuples.trees, j)


@kernel
def widen_query_if_outside(query: QueryTuple, tuples: TupleSlots, slot: int) -> bool:
    """Widen the query to cover a slot's tuple; return whether it changed."""
    grew = False
    for j in range(tuples.low.shape[0]):
        if tuples.low[j, slot] < query.low[j]:
            query.low[j] = tuples.low[j, slot]
            grew = True
        if tuples.high[j, slot] > query.high[j]:
            query.high[j] = tuples.high[j, slot]
            grew = True
    for j in range(tuples.node.shape[0]):
        top = common_ancestor_node(tuples.trees, j, query.node[j], tuples.node[j, slot])
        if top != query.node[j]:
            query.node[j] = top
            write_node_distances(query, tuples.trees, j)
            grew = True
    return grew


@kernel
def write_tuple_distances(tuples: TupleSlots, query: QueryTuple) -> None:
    """Write each slot's distance from the query tuple into ``tuples.distance``."""
    attributes = tuples.low.shape[0] + tuples.node.shape[0]
    for start in range(0, tuples.used[0], SLOTS_PER_TILE):
        stop = min(start + SLOTS_PER_TILE, tuples.used[0])
        distance = tuples.distance[start:stop]
        distance[:] = 0.0
        for j in range(tuples.low.shape[0]):
            lows, highs = tuples.low[j, start:stop], tuples.high[j, start:stop]
            low, high, twice = query.low[j], query.high[j], 2.0 * tuples.ranges[j]
            width = high - low
            for i in range(stop - start):
                # What both intervals grow by to the one around both.
                reach = max(high, highs[i]) - min(low, lows[i])
                grown = (reach - width) + (reach - (highs[i] - lows[i]))
                distance[i] += grown / twice
        for j in range(tuples.node.shape[0]):
            nodes = tuples.node[j, start:stop]
            near = query.near[tuples.trees.start[j] :]
            for i in range(stop - start):
                distance[i] += near[nodes[i]]
        for i in range(stop - start):
            distance[i] /= attributes


@kernel
def tuple_distance(
    query: QueryTuple, tuples: TupleSlots, numbers: Values, codes: Integers
) -> float:
    """Return the distance of a record from the query."""
    total = 0.0
    for j in range(numbers.shape[0]):
        low, high = query.low[j], query.high[j]
        reach = max(high, numbers[j]) - min(low, numbers[j])
        total += ((reach - (high - low)) + reach) / (2.0 * tuples.ranges[j])
    for j in range(codes.shape[0]):
        total += query.near[tuples.trees.start[j] + codes[j]]
    return float(total / (numbers.shape[0] + codes.shape[0]))


@kernel
def nearest_slot(tuples: TupleSlots) -> int:
    """Return the slot of least distance, the lowest if tied; -1 if all are empty."""
    best = -1
    for slot in range(tuples.used[0]):
        if tuples.size[slot] > 0 and (
            best < 0 or tuples.distance[slot] < tuples.distance[best]
        ):
            best = slot
    return best


@kernel
def farthest_slot(tuples: TupleSlots) -> int:
    """Return the slot of largest distance, the lowest if tied; -1 if all are empty."""
    best = -1
    for slot in range(tuples.used[0]):
        if tuples.size[slot] > 0 and (
            best < 0 or tuples.distance[slot] > tuples.distance[best]
        ):
            best = slot
    return best


@kernel
def mark_slot_empty(tuples: TupleSlots, slot: int) -> None:
    """Mark a slot as empty."""
    tuples.size[slot] = 0
    tuples.used[1] -= 1


@kernel
def has_many_empty_slots(tuples: TupleSlots) -> bool:
    """Return whether at least an eighth of the slots is empty."""
    return bool(8 * (tuples.used[0] - tuples.used[1]) >= tuples.used[0])


@kernel
def compact_slots(tuples: TupleSlots) -> None:
    """Move the tuples together, so that no slot is empty."""
    to = 0
    for slot in range(tuples.used[0]):
        if tuples.size[slot] == 0:
            continue
        # Low and high may be one array: both are moved before the next slot.
        for j in range(tuples.low.shape[0]):
            tuples.low[j, to] = tuples.low[j, slot]
            tuples.high[j, to] = tuples.high[j, slot]
        for j in range(tuples.node.shape[0]):
            tuples.node[j, to] = tuples.node[j, slot]
        tuples.size[to] = tuples.size[slot]
        tuples.first[to] = tuples.first[slot]
        to += 1
    tuples.used[0] = to
