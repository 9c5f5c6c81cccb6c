"""Exchange records between groups to lower the loss of released values."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.core.typing import Booleans, Integers, Values
from engine.kernels.compilation._jit import kernel

MEAN, MEDIAN, MIDDLE, MODE, ANCESTOR, GENERALISE = 0, 1, 2, 3, 4, 5
"""What stands for a group: of numbers the first four, of categories the last three."""


class RecordsAndReleaseRules(NamedTuple):
    """Records and the aggregation rule of each attribute, as arrays for kernels.

    Attributes
    ----------
    numbers : ndarray of float64, shape (n_records, n_numbers)
        Scaled values times the root of the attribute's weight.
    number_rules : ndarray of int64, shape (n_numbers,)
        MEAN, MEDIAN, MIDDLE or MODE.
    leaves : ndarray of int64, shape (n_records, n_categories)
        Rows of `above` and `whole`.
    rules : ndarray of int64, shape (n_categories,)
        MODE, ANCESTOR or GENERALISE.
    units : ndarray of float64, shape (n_categories,)
        Squared length of an edge of each hierarchy, times the attribute's weight.
    above : ndarray of int64, shape (n_leaves, most_levels)
        Node of each leaf at each level; the root again where there are fewer.
    whole : ndarray of bool, shape (n_leaves, most_levels)
        Whether that node has all leaves of its hierarchy below it.
    """

    numbers: Values
    number_rules: Integers
    leaves: Integers
    rules: Integers
    units: Values
    above: Integers
    whole: Booleans


@kernel
def released_group_loss(
    rules: RecordsAndReleaseRules, group: Integers, size: int, scratch: Values
) -> float:
    """Return a group's sum of squared distances to its released values.

    Parameters
    ----------
    rules : RecordsAndReleaseRules
    group : ndarray of int64, shape (at least size,)
        Records.
    size : int
    scratch : ndarray of float64, shape (at least size,)
        Scratch.
    """
    total = 0.0
    for j in range(rules.number_rules.shape[0]):
        for place in range(size):
            scratch[place] = rules.numbers[group[place], j]
        centre = _centre(scratch, size, rules.number_rules[j])
        for place in range(size):
            difference = scratch[place] - centre
            total += difference * difference
    for j in range(rules.rules.shape[0]):
        edges = _edges_to_released(rules, group, size, j)
        total += edges * rules.units[j]
    return total


@kernel
def _centre(line: Values, size: int, rule: int) -> float:
    """Return the common value of numbers; puts them in order but for the mean."""
    if rule == MEAN:
        total = 0.0
        for place in range(size):
            total += line[place]
        return float(total / size)
    for place in range(1, size):
        value, at = line[place], place
        while at > 0 and line[at - 1] > value:
            line[at] = line[at - 1]
            at -= 1
        line[at] = value
    if rule == MEDIAN:
        low, high = line[(size - 1) // 2], line[size // 2]
        return float(low + (high - low) / 2)
    if rule == MIDDLE:
        return float(line[0] + (line[size - 1] - line[0]) / 2)
    best, longest_run, run = line[0], 1, 1
    for place in range(1, size):
        run = run + 1 if line[place] == line[place - 1] else 1
        if run > longest_run:
            best, longest_run = line[place], run
    return float(best)


@kernel
def _edges_to_released(
    rules: RecordsAndReleaseRules, group: Integers, size: int, j: int
) -> int:
    """Return the edges between a group's categories and their released value."""
    leaves, above, rule = rules.leaves, rules.above, rules.rules[j]
    first = leaves[group[0], j]
    level = int(np.int64(0))  # of the nearest common ancestor
    for place in range(1, size):
        while above[leaves[group[place], j], level] != above[first, level]:
            level += 1
    if rule == GENERALISE or (rule == ANCESTOR and not rules.whole[first, level]):
        return size * level
    # The most frequent category, of several the first of the hierarchy.
    best, max_count = first, int(np.int64(0))
    for place in range(size):
        leaf, count = leaves[group[place], j], int(np.int64(0))
        for other in range(size):
            count += leaves[group[other], j] == leaf
        if count > max_count or (count == max_count and leaf < best):
            best, max_count = leaf, count
    edges = int(np.int64(0))
    for place in range(size):
        level = 0
        while above[leaves[group[place], j], level] != above[best, level]:
            level += 1
        edges += 2 * level
    return edges


@kernel
def exchange_by_released_loss(
    rules: RecordsAndReleaseRules,
    neighbours: Integers,
    labels: Integers,
    members: Integers,
    size: Integers,
    loss: Values,
    k: int,
    min_improvement: float,
    first_record: int,
    last_record: int,
    own_members: Integers,
    other_members: Integers,
    scratch: Values,
) -> int:
    """Move or swap records in place to lower released loss; return how many trades.

    Records take turns in their order; each makes the best of its trades, the first of
    equals: with the groups of its nearest records, nearest first, a move before swaps
    with the group's members in their order.

    Parameters
    ----------
    rules : RecordsAndReleaseRules
    neighbours : ndarray of int64, shape (n_records, length)
    labels : ndarray of int64, shape (n_records,)
    members : ndarray of int64, shape (n_groups, 2k - 1)
    size : ndarray of int64, shape (n_groups,)
    loss : ndarray of float64, shape (n_groups,)
        See :func:`released_group_loss`; like the three before, changed in place.
    min_improvement : float
        What counts as no change.
    first_record, last_record : int
        Records to move or swap, up to ``last_record - 1``.
    own_members, other_members : ndarray of int64, shape (2k,)
        Scratch.
    scratch : ndarray of float64, shape (2k,)
        Scratch.

    Returns
    -------
    int
        Trades made.
    """
    trades = int(np.int64(0))
    for i in range(first_record, last_record):
        a = labels[i]
        na, place = size[a], 0
        while members[a, place] != i:
            place += 1
        best, to, at = 0.0, -1, -1
        for rank in range(neighbours.shape[1]):
            b = labels[neighbours[i, rank]]
            tried = b == a
            for earlier in range(rank):
                tried = tried or labels[neighbours[i, earlier]] == b
            if tried:
                continue
            nb, before = size[b], loss[a] + loss[b]
            for t in range(nb):
                other_members[t] = members[b, t]
            if na > k and nb < 2 * k - 1:
                n_remaining = 0
                for t in range(na):
                    if t != place:
                        own_members[n_remaining] = members[a, t]
                        n_remaining += 1
                other_members[nb] = i
                change = (
                    released_group_loss(rules, own_members, na - 1, scratch) - before
                )
                change += released_group_loss(rules, other_members, nb + 1, scratch)
                if change < best - min_improvement:
                    best, to, at = change, b, -1
            for t in range(na):
                own_members[t] = members[a, t]
            for t in range(nb):
                own_members[place], other_members[t] = members[b, t], i
                change = released_group_loss(rules, own_members, na, scratch) - before
                change += released_group_loss(rules, other_members, nb, scratch)
                other_members[t] = members[b, t]
                if change < best - min_improvement:
                    best, to, at = change, b, t
        if to < 0:
            continue
        trades += 1
        if at < 0:
            members[to, size[to]] = i
            size[to] += 1
            size[a] = na - 1
            members[a, place] = members[a, na - 1]
        else:
            other = members[to, at]
            members[a, place], members[to, at] = other, i
            labels[other] = a
        labels[i] = to
        for g in (a, to):
            _order(members, size, g)
            loss[g] = released_group_loss(rules, members[g], size[g], scratch)
    return trades


@kernel
def _order(members: Integers, size: Integers, g: int) -> None:
    """Let the records of a group rise."""
    for place in range(1, size[g]):
        i, at = members[g, place], place
        while at > 0 and members[g, at - 1] > i:
            members[g, at] = members[g, at - 1]
            at -= 1
        members[g, at] = i
