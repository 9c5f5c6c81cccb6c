"""Annealing of classes of persons whose records lie in the same groups.

A class has T groups, T being the fewest records that one of its persons has. Each group
has a record of every person: a person's records are matched with the groups such that
each group gets one, at the least cost, and the others go where they cost least.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import array_free_kernel
from engine.kernels.records.distance import sq_dist_of_rows
from engine.kernels.records.random_stream import (
    State,
    draw_below,
    draw_positive_uniform,
)

MAX_MATCHED_GROUPS = 24
"""Groups matched at once; more are matched in pieces that are near on one axis."""

MAX_MATCHING_PASSES = 4
"""Times at most that each person of a class is matched anew with its groups."""

ROUNDING = 1e-9
"""Share of sums of squares by which their difference may be wrong."""


class Histories(NamedTuple):
    """Records sorted by person: varying coordinates by record, constant ones by person.

    Attributes
    ----------
    V : ndarray of float64, shape (n_records, n_varying)
        Coordinates that vary within persons.
    C : ndarray of float64, shape (n_persons, n_constant)
        Coordinates that do not.
    start : ndarray of int64, shape (n_persons + 1,)
        Person p has the records from ``start[p]`` to ``start[p + 1]``.
    score : ndarray of float64, shape (n_records,)
        Where each record lies along the axis of most variance within persons.
    mean : ndarray of float64, shape (n_persons, n_varying or 0)
        Persons' means of `V` where all have equally many records: the SSE of a class is
        then at least that of its means.
    squares : ndarray of float64, shape (n_persons,)
        Sums of the squares in persons' records.
    """

    V: Values
    C: Values
    start: Integers
    score: Values
    mean: Values
    squares: Values


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


class ClassScratch(NamedTuple):
    """Scratch space for two classes on trial, and one matching of records.

    Attributes
    ----------
    total, centre : ndarray of float64, shape (max_groups, n_varying)
    size : ndarray of int64, shape (max_groups,)
    price : ndarray of float64, shape (MAX_MATCHED_GROUPS at most, max_records)
        Cost of each of a person's records in each group.
    least : ndarray of float64, shape (max_records,)
    choice : ndarray of int64, shape (max_records,)
        Groups of a person's records.
    rows, columns : ndarray of int64
        Groups and records in the order of the axis where there are many.
    along : ndarray of float64, shape (max(max_groups, max_records),)
    u, v, low : ndarray of float64
    match, rest, way, used : ndarray of int64
        Of the assignment.
    person : ndarray of int64, shape (2, 2k)
        Persons of two classes on trial.
    label : ndarray of int64, shape (2, class_records)
        Their groups, person by person.
    work : ndarray of int64, shape (1,)
        Distances measured and values compared.
    """

    total: Values
    centre: Values
    size: Integers
    price: Values
    least: Values
    choice: Integers
    rows: Integers
    columns: Integers
    along: Values
    u: Values
    v: Values
    low: Values
    match: Integers
    rest: Integers
    way: Integers
    used: Integers
    person: Integers
    label: Integers
    work: Integers


def make_class_scratch(lengths: Integers, k: int, n_varying: int) -> ClassScratch:
    """Return scratch space for the largest class of histories of these lengths."""
    falling = np.sort(lengths)[::-1]
    longest, groups = int(falling[0]), int(falling[: 2 * k][min(k, falling.size) - 1])
    room = int(falling[: 2 * k].sum())
    wide = max(longest, groups) + 1
    return ClassScratch(
        total=np.zeros((groups, n_varying)),
        centre=np.zeros((groups, n_varying)),
        size=np.zeros(groups, dtype=np.int64),
        price=np.zeros((min(groups, MAX_MATCHED_GROUPS), longest)),
        least=np.zeros(longest),
        choice=np.zeros(longest, dtype=np.int64),
        rows=np.zeros(wide, dtype=np.int64),
        columns=np.zeros(wide, dtype=np.int64),
        along=np.zeros(wide),
        u=np.zeros(MAX_MATCHED_GROUPS + 1),
        v=np.zeros(wide),
        low=np.zeros(wide),
        match=np.zeros(wide, dtype=np.int64),
        rest=np.zeros(MAX_MATCHED_GROUPS + 1, dtype=np.int64),
        way=np.zeros(wide, dtype=np.int64),
        used=np.zeros(wide, dtype=np.int64),
        person=np.zeros((2, 2 * k), dtype=np.int64),
        label=np.zeros((2, room), dtype=np.int64),
        work=np.zeros(1, dtype=np.int64),
    )


@array_free_kernel
def _assign(s: ClassScratch, n: int, m: int) -> None:
    """Match n rows with as many of m columns at the least cost.

    Shortest augmenting paths with potentials: Jonker R, Volgenant A (1987), Computing
    38, 325-340, doi 10.1007/BF02278710. Leaves the row of each column in ``s.match``,
    from 1, 0 for none; columns count from 1.
    """
    inf = np.inf
    for j in range(m + 1):
        s.v[j] = 0.0
        s.match[j] = 0
    # Rows whose cheapest column nobody has taken before need no path.
    for i in range(1, n + 1):
        least, at = inf, 0
        for j in range(1, m + 1):
            if s.price[i - 1, j - 1] < least:
                least, at = s.price[i - 1, j - 1], j
        s.u[i], s.rest[i] = least, int(s.match[at] > 0)
        if s.match[at] == 0:
            s.match[at] = i
    s.work[0] += n * m // 4
    for i in range(1, n + 1):
        if s.rest[i] == 0:
            continue
        s.match[0], s.u[0] = i, 0.0
        j0 = 0
        for j in range(m + 1):
            s.low[j] = inf
            s.used[j] = 0
        while True:
            s.used[j0] = 1
            s.work[0] += 2 * m
            i0, delta, j1 = s.match[j0], inf, 0
            for j in range(1, m + 1):
                if s.used[j]:
                    continue
                reduced = s.price[i0 - 1, j - 1] - s.u[i0] - s.v[j]
                if reduced < s.low[j]:
                    s.low[j], s.way[j] = reduced, j0
                if s.low[j] < delta:
                    delta, j1 = s.low[j], j
            for j in range(m + 1):
                if s.used[j]:
                    s.u[s.match[j]] += delta
                    s.v[j] -= delta
                else:
                    s.low[j] -= delta
            j0 = j1
            if s.match[j0] == 0:
                break
        while j0:
            j1 = s.way[j0]
            s.match[j0] = s.match[j1]
            j0 = j1


@array_free_kernel
def _sort_along(s: ClassScratch, order: Integers, n: int) -> None:
    """Sort places by what they have along the axis, the first of equals first."""
    along = s.along
    for t in range(n):
        order[t] = t
    # Shell's sort: no memory, and histories are short.
    gap = 1
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap > 0:
        s.work[0] += n
        for t in range(gap, n):
            here, place = order[t], t
            while place >= gap and (
                along[order[place - gap]] > along[here]
                or (
                    along[order[place - gap]] == along[here]
                    and order[place - gap] > here
                )
            ):
                order[place] = order[place - gap]
                place -= gap
            order[place] = here
        gap //= 3


@array_free_kernel
def _match_person(
    h: Histories, s: ClassScratch, p: int, groups: int, axis: Values, room: float
) -> bool:
    """Match a person's records with groups, or return that this costs more than `room`.

    The cost is told to be more as soon as each record in the group where it costs
    least, and each group with the record of the least surplus, cost more.

    Parameters
    ----------
    h, s
        The groups' sums without this person are in `s`; their records' groups are left
        in ``s.choice``.
    p, groups : int
    axis : ndarray of float64, shape (n_varying,)
    room : float
        Infinite where it is to be matched whatever it costs.
    """
    _find_centres(s, groups)
    first, n = h.start[p], h.start[p + 1] - h.start[p]
    parts = (groups + MAX_MATCHED_GROUPS - 1) // MAX_MATCHED_GROUPS
    cost = 0.0
    if parts > 1:
        for g in range(groups):
            along = 0.0
            for j in range(axis.shape[0]):
                along += s.centre[g, j] * axis[j]
            s.along[g] = along
        _sort_along(s, s.rows, groups)
        for t in range(n):
            s.along[t] = h.score[first + t]
        _sort_along(s, s.columns, n)
    else:
        for g in range(groups):
            s.rows[g] = g
        for t in range(n):
            s.columns[t] = t
    for part in range(parts):
        a, b = part * groups // parts, (part + 1) * groups // parts
        # Each part has at least as many records as groups.
        c, d = part * n // parts, (part + 1) * n // parts
        if parts > 1:
            c = a + a * (n - groups) // groups
            d = b + b * (n - groups) // groups
        rows, columns = b - a, d - c
        several = 1.0  # a group's records cost this share of the sum of their prices
        for g in range(rows):
            size = s.size[s.rows[a + g]]
            s.low[g] = size / (size + 1.0)
            several = min(several, (size + 1.0) / (size + 1.0 + columns - rows))
        for t in range(columns):
            s.least[t] = np.inf
            i = first + s.columns[c + t]
            for g in range(rows):
                q = s.rows[a + g]
                price = s.low[g] * sq_dist_of_rows(h.V, i, s.centre, q)
                s.price[g, t] = price
                if price < s.least[t]:
                    s.least[t] = price
                    s.choice[s.columns[c + t]] = q
        s.work[0] += rows * columns
        if rows == 1:
            continue
        least = 0.0
        for t in range(columns):
            least += s.least[t]
        for g in range(rows):
            surplus = np.inf
            for t in range(columns):
                surplus = min(surplus, s.price[g, t] - s.least[t])
            least += surplus
        cost += several * least
        if cost > room:
            return False
        if columns > rows:
            for t in range(columns):
                for g in range(rows):
                    s.price[g, t] -= s.least[t]
        _assign(s, rows, columns)
        for t in range(columns):
            if s.match[t + 1] > 0:
                s.choice[s.columns[c + t]] = s.rows[a + s.match[t + 1] - 1]
    return True


@array_free_kernel
def _add(h: Histories, s: ClassScratch, i: int, g: int, sign: int) -> None:
    """Add record i to group g's sums, or take it out."""
    s.size[g] += sign
    for j in range(h.V.shape[1]):
        s.total[g, j] += sign * h.V[i, j]


@array_free_kernel
def _find_centres(s: ClassScratch, groups: int) -> None:
    """Find the means of groups from their sums."""
    for g in range(groups):
        for j in range(s.total.shape[1]):
            s.centre[g, j] = s.total[g, j] / s.size[g] if s.size[g] > 0 else 0.0


@array_free_kernel
def _clear(s: ClassScratch, groups: int) -> None:
    for g in range(groups):
        s.size[g] = 0
        for j in range(s.total.shape[1]):
            s.total[g, j] = 0.0


@array_free_kernel
def _cost(h: Histories, s: ClassScratch, side: int, count: int, groups: int) -> float:
    """Return the SSE of a class on trial, whose groups' sums are in `s`."""
    _find_centres(s, groups)
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
    least = 0.0
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
            least += squares - total * total / mass
    return least


@array_free_kernel
def _align(
    h: Histories, s: ClassScratch, side: int, count: int, groups: int, axis: Values
) -> None:
    """Match all persons of a class on trial, beginning with the shortest history."""
    shortest, place, at = 0, 0, 0
    for slot in range(count):
        p = s.person[side, slot]
        if h.start[p + 1] - h.start[p] == groups:
            shortest, at = slot, place
            break
        place += h.start[p + 1] - h.start[p]
    _clear(s, groups)
    p = s.person[side, shortest]
    for t in range(groups):
        s.label[side, at + t] = t
        _add(h, s, h.start[p] + t, t, 1)
    for turn in range(1 + MAX_MATCHING_PASSES):
        place, changed = 0, False
        for slot in range(count):
            p = s.person[side, slot]
            first, n = h.start[p], h.start[p + 1] - h.start[p]
            if turn == 0 and slot == shortest:
                place += n
                continue
            if turn > 0:
                for t in range(n):
                    _add(h, s, first + t, s.label[side, place + t], -1)
            _match_person(h, s, p, groups, axis, np.inf)
            for t in range(n):
                changed = changed or s.label[side, place + t] != s.choice[t]
                s.label[side, place + t] = s.choice[t]
                _add(h, s, first + t, s.choice[t], 1)
            s.work[0] += 32 * n
            place += n
        if turn > 0 and not changed:
            return


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
    count, groups, place, kept = 0, 1 << 60, 0, True
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
    kept = groups == classes.groups[c]
    if not kept:
        _align(h, s, side, count, groups, axis)
        return _cost(h, s, side, count, groups)
    _clear(s, groups)
    for slot in range(count):
        p = s.person[side, slot]
        if p != joins:
            for i in range(h.start[p], h.start[p + 1]):
                s.label[side, place] = classes.label[i]
                _add(h, s, i, classes.label[i], 1)
                place += 1
    if joins >= 0:
        squares = 0.0
        for slot in range(count - 1):
            squares += h.squares[s.person[side, slot]]
        room = limit - _constant_cost(h, s, side, count) - squares * (1.0 - ROUNDING)
        for g in range(groups):
            for j in range(h.V.shape[1]):
                room += s.total[g, j] * s.total[g, j] / s.size[g]
        if not _match_person(h, s, joins, groups, axis, room):
            return np.inf
        first = h.start[joins]
        for t in range(h.start[joins + 1] - first):
            s.label[side, place] = s.choice[t]
            _add(h, s, first + t, s.choice[t], 1)
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
        _align(histories, scratch, 0, classes.size[c], groups, axis)
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
            most = classes.cost[c] + allowed
            new = _try(histories, classes, scratch, 0, c, p, p, axis, most)
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
        least = _least_cost(histories, classes, d, q, p)
        if _least_cost(histories, classes, c, p, q) + least - old >= allowed:
            continue
        most = old + allowed
        one = _try(histories, classes, scratch, 0, c, p, q, axis, most - least)
        if one + least - old >= allowed:
            continue
        other = _try(histories, classes, scratch, 1, d, q, p, axis, most - one)
        change = one + other - old
        if change < allowed - 1e-12:
            sizes = classes.size[c], classes.size[d]
            if q < 0:
                sizes = sizes[0] - 1, sizes[1] + 1
            _commit(histories, classes, scratch, 0, c, sizes[0], one)
            _commit(histories, classes, scratch, 1, d, sizes[1], other)
            gained += change
    return first_step, gained
