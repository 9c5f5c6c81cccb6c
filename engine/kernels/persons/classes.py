"""Annealing of classes of persons whose records lie in the same groups.

A class has T groups, T being the fewest records that one of its persons has. Each group
has a record of every person.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import array_free_kernel
from engine.kernels.persons.matching import (
    ClassScratch,
    Histories,
    add_to_group,
    clear_group_sums,
    find_group_centres,
    match_class_on_trial,
    match_person_records,
)
from engine.kernels.records.distance import sq_dist_of_rows
from engine.kernels.records.random_stream import (
    State,
    draw_below,
    draw_positive_uniform,
)

ROUNDING = 1e-9
"""Share of sums of squares by which their difference may be wrong."""


class PersonClassState(NamedTuple):
    """Classes of persons, changed in place: members, groups and SSE of each.

    Attributes
    ----------
    of : ndarray of int64, shape (n_persons,)
        Class of each person.
    members : ndarray of int64, shape (n_classes, 2k - 1)
    size, groups : ndarray of int64, shape (n_classes,)
        Persons and groups of each class.
    cost : ndarray of float64, shape (n_classes,)
        SSE of each class.
    label : ndarray of int64, shape (n_records,)
        Group of each record within its class.
    """

    of: Integers
    members: Integers
    size: Integers
    groups: Integers
    cost: Values
    label: Integers


@array_free_kernel
def _cost(h: Histories, s: ClassScratch, side: int, count: int, groups: int) -> float:
    """Return the SSE of a class on trial, whose groups' sums are in `s`."""
    find_group_centres(s, groups)
    sse, place = _constant_cost(h, s, side, count), 0
    for slot in range(count):
        p = s.person[side, slot]
        for i in range(h.start[p], h.start[p + 1]):
            sse += sq_dist_of_rows(h.V, i, s.centre, s.label[side, place])
            place += 1
    s.work[0] += 4 * place
    return sse


@array_free_kernel
def _constant_cost(h: Histories, s: ClassScratch, side: int, count: int) -> float:
    """Return the SSE of a class on trial in the constant coordinates."""
    sse = 0.0
    for j in range(h.C.shape[1]):
        total, mass, squares = 0.0, 0.0, 0.0
        for slot in range(count):
            p = s.person[side, slot]
            total += (h.start[p + 1] - h.start[p]) * h.C[p, j]
            mass += h.start[p + 1] - h.start[p]
        mean = total / mass
        for slot in range(count):
            p = s.person[side, slot]
            d = h.C[p, j] - mean
            squares += (h.start[p + 1] - h.start[p]) * d * d
        sse += squares
    return sse


@array_free_kernel
def _least_cost(
    h: Histories, classes: PersonClassState, c: int, out: int, joins: int
) -> float:
    """Return what a class without a person and with another costs at least."""
    min_cost = 0.0
    for part in range(2):
        values = h.C if part == 0 else h.mean
        for j in range(values.shape[1]):
            total, squares, mass = 0.0, 0.0, 0.0
            for slot in range(classes.size[c] + 1):
                p = joins
                if slot < classes.size[c]:
                    p = classes.members[c, slot]
                    if p == out:
                        continue
                if p >= 0:
                    w = h.start[p + 1] - h.start[p]
                    total += w * values[p, j]
                    squares += w * values[p, j] * values[p, j]
                    mass += w
            min_cost += squares - total * total / mass
    return min_cost


@array_free_kernel
def _try(
    h: Histories,
    classes: PersonClassState,
    s: ClassScratch,
    side: int,
    c: int,
    out: int,
    joins: int,
    axis: Values,
    limit: float,
) -> float:
    """Return the SSE of class c without a person and with another; -1 for nobody.

    The persons and their groups are in row `side` of ``s.person`` and ``s.label``.
    Infinite where it is told early that the SSE exceeds the limit.
    """
    count, groups, place, has_same_groups = 0, 1 << 60, 0, True
    for slot in range(classes.size[c]):
        p = classes.members[c, slot]
        if p != out:
            s.person[side, count] = p
            count += 1
            groups = min(groups, h.start[p + 1] - h.start[p])
    if joins >= 0:
        s.person[side, count] = joins
        count += 1
        groups = min(groups, h.start[joins + 1] - h.start[joins])
    has_same_groups = groups == classes.groups[c]
    if not has_same_groups:
        match_class_on_trial(h, s, side, count, groups, axis)
        return _cost(h, s, side, count, groups)
    clear_group_sums(s, groups)
    for slot in range(count):
        p = s.person[side, slot]
        if p != joins:
            for i in range(h.start[p], h.start[p + 1]):
                s.label[side, place] = classes.label[i]
                add_to_group(h, s, i, classes.label[i], 1)
                place += 1
    if joins >= 0:
        squares = 0.0
        for slot in range(count - 1):
            squares += h.squares[s.person[side, slot]]
        room = limit - _constant_cost(h, s, side, count) - squares * (1.0 - ROUNDING)
        for g in range(groups):
            for j in range(h.V.shape[1]):
                room += s.total[g, j] * s.total[g, j] / s.size[g]
        if not match_person_records(h, s, joins, groups, axis, room):
            return np.inf
        first = h.start[joins]
        for t in range(h.start[joins + 1] - first):
            s.label[side, place] = s.choice[t]
            add_to_group(h, s, first + t, s.choice[t], 1)
            place += 1
    s.work[0] += 16 * place
    return _cost(h, s, side, count, groups)


@array_free_kernel
def _commit(
    h: Histories,
    classes: PersonClassState,
    s: ClassScratch,
    side: int,
    c: int,
    count: int,
    cost: float,
) -> None:
    """Make a class what it was on trial."""
    place, groups = 0, 1 << 60
    for slot in range(count):
        p = s.person[side, slot]
        classes.members[c, slot] = p
        classes.of[p] = c
        groups = min(groups, h.start[p + 1] - h.start[p])
        for i in range(h.start[p], h.start[p + 1]):
            classes.label[i] = s.label[side, place]
            place += 1
    classes.size[c] = count
    classes.groups[c] = groups
    classes.cost[c] = cost


@array_free_kernel
def match_class_members(
    histories: Histories,
    classes: PersonClassState,
    scratch: ClassScratch,
    axis: Values,
    first_class: int,
    last_class: int,
) -> None:
    """Match records of given classes' persons with their class's groups; update SSE."""
    for c in range(first_class, last_class):
        groups = 1 << 60
        for slot in range(classes.size[c]):
            p = classes.members[c, slot]
            scratch.person[0, slot] = p
            groups = min(groups, histories.start[p + 1] - histories.start[p])
        match_class_on_trial(histories, scratch, 0, classes.size[c], groups, axis)
        cost = _cost(histories, scratch, 0, classes.size[c], groups)
        _commit(histories, classes, scratch, 0, c, classes.size[c], cost)


@array_free_kernel
def anneal_classes(
    histories: Histories,
    classes: PersonClassState,
    scratch: ClassScratch,
    neighbours: Integers,
    axis: Values,
    k: int,
    start_temperature: float,
    end_temperature: float,
    state: State,
    first_step: int,
    n_steps: int,
    last_step: int,
    max_work: int,
) -> tuple[int, float]:
    """Move and swap persons between classes in place; return next step and SSE change.

    A step draws a person and one that is near to it: the person joins the other's
    class, or, at random and where a class would get too small or large, changes places
    with another member of it; in one class, it is matched anew one time in four.
    Metropolis' rule decides; at temperature 0 only gains are kept.

    Parameters
    ----------
    histories, classes, scratch
    neighbours : ndarray of int64, shape (n_persons, length)
        Persons near to each, -1 where there are no more.
    axis : ndarray of float64, shape (n_varying,)
    start_temperature, end_temperature : float
        Temperatures at the first step and the last.
    state : ndarray of uint64, shape (1,)
        Of the random numbers.
    first_step, n_steps, last_step, max_work : int
        The step to go on with, how many there are, where to stop, and values to look
        at in this call at most.

    Returns
    -------
    tuple of int and float
        The next step, and the change of SSE.
    """
    persons = classes.of.shape[0]
    limit, gained = scratch.work[0] + max_work, 0.0
    cooling = (
        (end_temperature / start_temperature) ** (1.0 / max(1, n_steps))
        if start_temperature > 0.0
        else 1.0
    )
    warm = start_temperature * cooling**first_step
    while first_step < last_step and scratch.work[0] < limit:
        first_step += 1
        scratch.work[0] += 200
        warm *= cooling
        p = int(np.int64(draw_below(state, persons)))
        q = int(neighbours[p, np.int64(draw_below(state, neighbours.shape[1]))])
        if q < 0:
            continue
        c, d = int(classes.of[p]), int(classes.of[q])
        allowed = (
            -warm * np.log(draw_positive_uniform(state))
            if start_temperature > 0.0
            else 0.0
        )
        if c == d:
            if draw_below(state, 4) > 0:
                continue
            max_cost = classes.cost[c] + allowed
            new = _try(histories, classes, scratch, 0, c, p, p, axis, max_cost)
            change = new - classes.cost[c]
            if change < allowed - 1e-12:
                _commit(histories, classes, scratch, 0, c, classes.size[c], new)
                gained += change
            continue
        moves = classes.size[c] > k and classes.size[d] < 2 * k - 1
        if moves and draw_below(state, 2) == 0:
            q = -1
        else:
            slot = int(np.int64(draw_below(state, classes.size[d] - 1)))
            if classes.members[d, slot] == q:
                slot = classes.size[d] - 1
            q = int(classes.members[d, slot])
        old = classes.cost[c] + classes.cost[d]
        min_cost = _least_cost(histories, classes, d, q, p)
        if _least_cost(histories, classes, c, p, q) + min_cost - old >= allowed:
            continue
        max_cost = old + allowed
        first_cost = _try(
            histories, classes, scratch, 0, c, p, q, axis, max_cost - min_cost
        )
        if first_cost + min_cost - old >= allowed:
            continue
        other = _try(
            histories, classes, scratch, 1, d, q, p, axis, max_cost - first_cost
        )
        change = first_cost + other - old
        if change < allowed - 1e-12:
            sizes = classes.size[c], classes.size[d]
            if q < 0:
                sizes = sizes[0] - 1, sizes[1] + 1
            _commit(histories, classes, scratch, 0, c, sizes[0], first_cost)
            _commit(histories, classes, scratch, 1, d, sizes[1], other)
            gained += change
    return first_step, gained
