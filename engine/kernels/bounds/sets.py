"""Tabu search for violated rank-1 cuts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.core.typing import Booleans, Integers, Values
from engine.kernels.compilation._jit import kernel

TABU_STEPS = 5
"""Steps for which a moved record stays; up to 3 more, by its number."""


class FractionalGroups(NamedTuple):
    """Groups with fractional weight in a linear programme's solution.

    Attributes
    ----------
    member, start : ndarray of int64, shapes (n_members,) and (n_groups + 1,)
        Records of group g: ``member[start[g]:start[g + 1]]``.
    group, first : ndarray of int64, shapes (n_members,) and (n_records + 1,)
        Groups of record i: ``group[first[i]:first[i + 1]]``.
    weight : ndarray of float64, shape (n_groups,)
    """

    member: Integers
    start: Integers
    group: Integers
    first: Integers
    weight: Values


@kernel
def _violation_change(
    parts: FractionalGroups,
    record: int,
    step: int,
    size: int,
    divisor: int,
    held: Integers,
) -> float:
    """Return the change of the violation when a record is added (1) or removed (-1)."""
    worth = float(size // divisor - (size + step) // divisor)
    for q in range(parts.first[record], parts.first[record + 1]):
        g = parts.group[q]
        worth += parts.weight[g] * ((held[g] + step) // divisor - held[g] // divisor)
    return worth


@kernel
def _move(
    parts: FractionalGroups,
    record: int,
    step: int,
    held: Integers,
    known: Booleans,
    near: Integers,
    count: int,
) -> int:
    """Have a record come more or less often; return how many records are near then."""
    for q in range(parts.first[record], parts.first[record + 1]):
        g = parts.group[q]
        held[g] += step
        for t in range(parts.start[g], parts.start[g + 1]):
            j = parts.member[t]
            if not known[j]:
                known[j] = True
                near[count] = j
                count += 1
    return count


@kernel
def _best_step(
    parts: FractionalGroups,
    divisor: int,
    largest: int,
    room: int,
    barred: Booleans,
    until: Integers,
    turn: int,
    near: Integers,
    count: int,
    times: Integers,
    size: int,
    held: Integers,
) -> tuple[int, int, float]:
    """Return the record, the step, and the gain of the best allowed step."""
    best, move, gain = -1, 0, -1e300
    for q in range(count):
        i = near[q]
        if until[i] > turn or barred[i]:
            continue
        for after in range(largest + 1):
            step = after - times[i]
            if step == 0 or size + step > room:
                continue
            worth = _violation_change(parts, i, step, size, divisor, held)
            if worth > gain + 1e-12:
                best, move, gain = i, step, worth
    return best, move, gain


@kernel
def improve_cuts_by_tabu_search(
    groups: FractionalGroups,
    divisor: int,
    max_multiplicity: int,
    n_steps: int,
    is_barred: Booleans,
    cut_sets: Integers,
    violations: Values,
) -> None:
    """Replace each starting set, in place, by the most violated cut reached, if any.

    The violation of a set T with divisor d is the sum over all groups G of weight *
    (|G and T| // d), less |T| // d. Records go in and out one by one, the one that is
    worth most first, and none is moved again at once (tabu search).

    Parameters
    ----------
    groups : FractionalGroups
    divisor : int
    max_multiplicity : int
        How often a record may come, less than the divisor.
    n_steps : int
        Steps from each set.
    is_barred : ndarray of bool, shape (n_records,)
        Records that stay out.
    cut_sets : ndarray of int64, shape (n_sets, n_most)
        Starting sets, filled up with -1; receives the most violated set of each.
    violations : ndarray of float64, shape (n_sets,)
        Receives its violation; 0 where no step reached a violated cut.
    """
    n, max_size = groups.first.shape[0] - 1, cut_sets.shape[1]
    times = np.zeros(n, dtype=np.int64)
    overlaps = np.zeros(groups.weight.shape[0], dtype=np.int64)
    until = np.zeros(n, dtype=np.int64)
    is_near = np.zeros(n, dtype=np.bool_)
    near = np.zeros(n, dtype=np.int64)
    for number in range(cut_sets.shape[0]):
        count, size, value = 0, 0, 0.0
        violations[number] = 0.0
        until[:] = 0
        for turn in range(-max_size, n_steps):
            if turn < 0:
                i, step = cut_sets[number, turn + max_size], 1
                if i < 0:
                    continue
                gain = _violation_change(groups, i, step, size, divisor, overlaps)
            else:
                i, step, gain = _best_step(
                    groups,
                    divisor,
                    max_multiplicity,
                    max_size,
                    is_barred,
                    until,
                    turn,
                    near,
                    count,
                    times,
                    size,
                    overlaps,
                )
                if i < 0:
                    continue
                until[i] = turn + 1 + TABU_STEPS + i % 4
            count = _move(groups, i, step, overlaps, is_near, near, count)
            times[i] += step
            size += step
            value += gain
            if turn >= 0 and value > violations[number] + 1e-9:
                violations[number] = value
                _write_set(cut_sets[number], near, count, times)
        for q in range(count):
            i = near[q]
            is_near[i] = False
            for t in range(groups.first[i], groups.first[i + 1]):
                overlaps[groups.group[t]] -= times[i]
            times[i] = 0


@kernel
def _write_set(out: Integers, near: Integers, count: int, times: Integers) -> None:
    """Write a set, each record as often as it occurs."""
    place = 0
    for q in range(count):
        for _ in range(times[near[q]]):
            out[place] = near[q]
            place += 1
    out[place:] = -1
