"""Matching of persons' records with the groups of their class.

Each group gets one of a person's records, at the least cost, and the others go where
they cost least.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import array_free_kernel
from engine.kernels.records.distance import sq_dist_of_rows

MAX_MATCHED_GROUPS = 24
"""Groups matched at once; more are matched in pieces that are near on one axis."""

MAX_MATCHING_PASSES = 4
"""Times at most that each person of a class is matched anew with its groups."""


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
        min_price, at = inf, 0
        for j in range(1, m + 1):
            if s.price[i - 1, j - 1] < min_price:
                min_price, at = s.price[i - 1, j - 1], j
        s.u[i], s.rest[i] = min_price, int(s.match[at] > 0)
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
            index, place = order[t], t
            while place >= gap and (
                along[order[place - gap]] > along[index]
                or (
                    along[order[place - gap]] == along[index]
                    and order[place - gap] > index
                )
            ):
                order[place] = order[place - gap]
                place -= gap
            order[place] = index
        gap //= 3


@array_free_kernel
def match_person_records(
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
    find_group_centres(s, groups)
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
def add_to_group(h: Histories, s: ClassScratch, i: int, g: int, sign: int) -> None:
    """Add record i to group g's sums, or take it out."""
    s.size[g] += sign
    for j in range(h.V.shape[1]):
        s.total[g, j] += sign * h.V[i, j]


@array_free_kernel
def find_group_centres(s: ClassScratch, groups: int) -> None:
    """Find the means of groups from their sums."""
    for g in range(groups):
        for j in range(s.total.shape[1]):
            s.centre[g, j] = s.total[g, j] / s.size[g] if s.size[g] > 0 else 0.0


@array_free_kernel
def clear_group_sums(s: ClassScratch, groups: int) -> None:
    """Set the sums and sizes of groups to 0."""
    for g in range(groups):
        s.size[g] = 0
        for j in range(s.total.shape[1]):
            s.total[g, j] = 0.0


@array_free_kernel
def match_class_on_trial(
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
    clear_group_sums(s, groups)
    p = s.person[side, shortest]
    for t in range(groups):
        s.label[side, at + t] = t
        add_to_group(h, s, h.start[p] + t, t, 1)
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
                    add_to_group(h, s, first + t, s.label[side, place + t], -1)
            match_person_records(h, s, p, groups, axis, np.inf)
            for t in range(n):
                changed = changed or s.label[side, place + t] != s.choice[t]
                s.label[side, place + t] = s.choice[t]
                add_to_group(h, s, first + t, s.choice[t], 1)
            s.work[0] += 32 * n
            place += n
        if turn > 0 and not changed:
            return
