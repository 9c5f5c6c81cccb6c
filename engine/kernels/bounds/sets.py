"""Search for sets of records that a fractional solution shares out among too many."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.core.typing import Booleans, Integers, Values
from engine.kernels._jit import kernel

TABU = 5
"""Steps that a record keeps its place for, and a few more by its number."""


class Parts(NamedTuple):
    """Groups that a solution takes in part.

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
def _worth(
    parts: Parts, record: int, step: int, size: int, divisor: int, held: Integers
) -> float:
    """Return what it adds to the excess to put a record in (1) or out (-1)."""
    worth = float(size // divisor - (size + step) // divisor)
    for q in range(parts.first[record], parts.first[record + 1]):
        g = parts.group[q]
        worth += parts.weight[g] * ((held[g] + step) // divisor - held[g] // divisor)
    return worth


@kernel
def _step(
    parts: Parts,
    record: int,
    divisor: int,
    size: int,
    inside: Integers,
    held: Integers,
    known: Booleans,
    near: Integers,
    count: int,
) -> tuple[float, int]:
    """Put a record in, or out; return its worth, and how many records are near then."""
    step = 1 - 2 * inside[record]
    worth = _worth(parts, record, step, size, divisor, held)
    inside[record] += step
    for q in range(parts.first[record], parts.first[record + 1]):
        g = parts.group[q]
        held[g] += step
        for t in range(parts.start[g], parts.start[g + 1]):
            j = parts.member[t]
            if not known[j]:
                known[j] = True
                near[count] = j
                count += 1
    return worth, count


@kernel
def find_sets(
    parts: Parts,
    divisor: int,
    steps: int,
    barred: Booleans,
    sets: Integers,
    excess: Values,
) -> None:
    """Look for the set whose cut is most exceeded, from each of some sets on.

    For a set T and a divisor d that is by the sum of weight * (|G and T| // d) over all
    groups G, less |T| // d. Records go in and out one by one, the one that is worth
    most first, and none comes back at once (tabu search).

    Parameters
    ----------
    parts : Parts
    divisor : int
    steps : int
        From each set.
    barred : ndarray of bool, shape (n_records,)
        Records that stay out.
    sets : ndarray of int64, shape (n_sets, n_most)
        Those to begin with, filled up with -1; receives the best of each.
    excess : ndarray of float64, shape (n_sets,)
        Receives by how much its cut is exceeded; 0 for none.
    """
    n, most = parts.first.shape[0] - 1, sets.shape[1]
    inside = np.zeros(n, dtype=np.int64)
    held = np.zeros(parts.weight.shape[0], dtype=np.int64)
    until = np.zeros(n, dtype=np.int64)
    known = np.zeros(n, dtype=np.bool_)
    near = np.zeros(n, dtype=np.int64)
    for number in range(sets.shape[0]):
        count, size, value = 0, 0, 0.0
        excess[number] = 0.0
        until[:] = 0
        for turn in range(-most, steps):
            best, gain = -1, -1e300
            if turn < 0:
                best = sets[number, turn + most]
            else:
                for q in range(count):
                    i = near[q]
                    if (
                        until[i] > turn
                        or barred[i]
                        or (inside[i] == 0 and size == most)
                    ):
                        continue
                    worth = _worth(parts, i, 1 - 2 * inside[i], size, divisor, held)
                    if worth > gain + 1e-12:
                        best, gain = i, worth
            if best < 0:
                continue
            worth, count = _step(
                parts, best, divisor, size, inside, held, known, near, count
            )
            size += 2 * inside[best] - 1
            value += worth
            if turn >= 0:
                until[best] = turn + 1 + TABU + best % 4
            if turn >= -1 and value > excess[number] + 1e-9:
                excess[number] = value
                place = 0
                for q in range(count):
                    if inside[near[q]] == 1:
                        sets[number, place] = near[q]
                        place += 1
                sets[number, place:] = -1
        for q in range(count):
            i = near[q]
            known[i] = False
            if inside[i] == 1:
                inside[i] = 0
                for t in range(parts.first[i], parts.first[i + 1]):
                    held[parts.group[t]] -= 1
