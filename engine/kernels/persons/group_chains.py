"""Improve groups of persons pool by pool: groups are linked lists of records."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import array_free_kernel
from engine.kernels.persons.pool import (
    Pool,
    compute_pool_sums,
    dissolve_group,
    form_pool_groups,
    improve_pool,
    pool_sse,
)
from engine.kernels.records.random_stream import State, draw_below

NEARBY = 256
"""Records from the one in turn on, among which a step draws its record."""


class GroupChains(NamedTuple):
    """Groups of records as linked lists.

    Attributes
    ----------
    label : ndarray of int64, shape (n_records,)
    follows : ndarray of int64, shape (n_records,)
        The record after each in its group, -1 after the last.
    first, size : ndarray of int64, shape (capacity,)
        First record of each group, -1 of none; and how many.
    unused : ndarray of int64, shape (capacity + 1,)
        Numbers of groups that are free; the last entry is how many.
    local : ndarray of int64, shape (n_persons,)
        Scratch: number of each person in the pool, -1 between pools.
    """

    label: Integers
    follows: Integers
    first: Integers
    size: Integers
    unused: Integers
    local: Integers


def make_group_chains(labels: Integers, n_persons: int, k: int) -> GroupChains:
    """Return groups as linked lists, with room for as many groups as possible."""
    n = labels.size
    capacity = max(n // k + 1, int(labels.max()) + 1)
    groups = GroupChains(
        label=labels.copy(),
        follows=np.full(n, -1, dtype=np.int64),
        first=np.full(capacity, -1, dtype=np.int64),
        size=np.zeros(capacity, dtype=np.int64),
        unused=np.zeros(capacity + 1, dtype=np.int64),
        local=np.full(n_persons, -1, dtype=np.int64),
    )
    _chain(groups)
    return groups


@array_free_kernel
def _chain(groups: GroupChains) -> None:
    n, capacity = groups.label.shape[0], groups.first.shape[0]
    for i in range(n - 1, -1, -1):
        g = groups.label[i]
        groups.follows[i] = groups.first[g]
        groups.first[g] = i
        groups.size[g] += 1
    for g in range(capacity - 1, -1, -1):
        if groups.size[g] == 0:
            groups.unused[groups.unused[capacity]] = g
            groups.unused[capacity] += 1


@array_free_kernel
def improve_pools(
    X: Values,
    persons: Integers,
    neighbours: NDArray[np.int32],
    groups: GroupChains,
    pool: Pool,
    pool_groups: Integers,
    previous_labels: Integers,
    k: int,
    min_improvement: float,
    state: State,
    first_step: int,
    n_steps: int,
    last_step: int,
    n_sweeps: int,
    max_work: int,
) -> tuple[int, float]:
    """Improve pools of neighbouring groups in place; return next step and SSE change.

    A pool is the group of a record and a few of those of the records near to it. Its
    groups are formed anew, or one of them is dissolved, and records then move, which is
    kept where SSE falls; else, every other time, records move in the groups as they
    were. The record of a step is drawn from the next :data:`NEARBY` in order.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_coordinates)
    persons : ndarray of int64, shape (n_records,)
        Persons, -1 for nobody.
    neighbours : ndarray of int32, shape (n_records, length)
        Records near to each, of other persons first.
    groups : GroupChains
    pool : Pool
    pool_groups : ndarray of int64, shape (max_groups,)
        Scratch: groups of the pool.
    previous_labels : ndarray of int64, shape (capacity,)
        Scratch: labels of the pool.
    min_improvement : float
    state : ndarray of uint64, shape (1,)
    first_step, n_steps, last_step, n_sweeps, max_work : int
        The step to go on with, how many there are, where to stop, how many times they
        go through all records, and distances to measure at most in this call.

    Returns
    -------
    tuple of int and float
        The next step, and the change of SSE.
    """
    n, capacity = X.shape[0], groups.first.shape[0]
    limit, gained = pool.work[0] + max_work, 0.0
    while first_step < last_step and pool.work[0] < limit:
        i = (
            np.int64(
                first_step * n_sweeps % n_steps * n // n_steps
                + draw_below(state, NEARBY)
            )
            % n
        )
        first_step += 1
        max_pool_groups = 2 + draw_below(state, pool_groups.shape[0] - 1)
        turn = int(np.int64(draw_below(state, 4)))
        # Groups of the pool, and how many records they have.
        pool_groups[0] = groups.label[i]
        m, total = 1, groups.size[groups.label[i]]
        if total > pool.record.shape[0]:
            continue
        for rank in range(neighbours.shape[1]):
            if neighbours[i, rank] < 0 or m == max_pool_groups:
                break
            g = groups.label[neighbours[i, rank]]
            is_excluded = total + groups.size[g] > pool.record.shape[0]
            for c in range(m):
                is_excluded = is_excluded or pool_groups[c] == g
            if not is_excluded:
                pool_groups[m] = g
                m, total = m + 1, total + groups.size[g]
        if m == 1 and total < 2 * k:
            continue
        filled, people = 0, 0
        for c in range(m):
            t = groups.first[pool_groups[c]]
            while t >= 0:
                w = persons[t]
                if w >= 0 and groups.local[w] < 0:
                    groups.local[w] = people
                    people += 1
                pool.record[filled] = t
                pool.person[filled] = groups.local[w] if w >= 0 else -1
                pool.label[filled] = previous_labels[filled] = c
                filled, t = filled + 1, groups.follows[t]
        for t in range(filled):
            if persons[pool.record[t]] >= 0:
                groups.local[persons[pool.record[t]]] = -1
        pool.work[0] += 16 + filled * (m + 4)
        compute_pool_sums(X, pool, filled, m)
        old, n_groups = pool_sse(X, pool, filled), m
        if old <= min_improvement:
            continue
        if turn < 3:
            n_groups = form_pool_groups(X, pool, filled, people, k, state, turn)
        else:
            gone = int(np.int64(draw_below(state, m)))
            dissolve_group(X, pool, filled, m, gone)
        if n_groups == 0:
            continue
        improve_pool(X, pool, filled, n_groups, k, min_improvement)
        new = pool_sse(X, pool, filled)
        if new >= old - min_improvement:
            if first_step % 2:
                continue
            for t in range(filled):
                pool.label[t] = previous_labels[t]
            compute_pool_sums(X, pool, filled, m)
            improve_pool(X, pool, filled, m, k, min_improvement)
            new, n_groups = pool_sse(X, pool, filled), m
            if new >= old - min_improvement:
                continue
        gained += new - old
        # Write back: numbers of the pool's groups first, then unused ones.
        for c in range(m):
            groups.first[pool_groups[c]] = -1
            groups.size[pool_groups[c]] = 0
        for c in range(m - 1, -1, -1):
            groups.unused[groups.unused[capacity]] = pool_groups[c]
            groups.unused[capacity] += 1
        for c in range(n_groups):
            if pool.size[c] == 0:
                continue
            groups.unused[capacity] -= 1
            g = groups.unused[groups.unused[capacity]]
            for t in range(filled - 1, -1, -1):
                if pool.label[t] == c:
                    i = pool.record[t]
                    groups.label[i] = g
                    groups.follows[i] = groups.first[g]
                    groups.first[g] = i
                    groups.size[g] += 1
    return first_step, gained
