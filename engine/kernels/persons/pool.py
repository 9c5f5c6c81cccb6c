"""Improve pools of a few neighbouring groups that each keep k persons.

A pool is small, so that who has how many records in which of its groups is a table.
Orders are part of the definition: records by their place in the pool, groups by number,
the first of equals.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import array_free_kernel
from engine.kernels.records.distance import sq_dist_of_rows
from engine.kernels.records.random_stream import State, draw_below

MAX_SWAP_RECORDS = 400
"""Records in a pool up to which pairs of them are swapped."""

MAX_PASSES = 50
"""Times that all records of a pool are looked at; some five are common."""


class Pool(NamedTuple):
    """Records of a few neighbouring groups, changed in place, and scratch space.

    Attributes
    ----------
    record : ndarray of int64, shape (capacity,)
        Which records they are.
    person : ndarray of int64, shape (capacity,)
        Their persons, numbered within the pool; -1 for nobody.
    label : ndarray of int64, shape (capacity,)
        Their groups, numbered within the pool; -1 for none yet.
    size, persons : ndarray of int64, shape (max_groups,)
        Records and different persons of each group.
    total, centre : ndarray of float64, shape (max_groups, n_coordinates)
        Sums and means of the groups.
    counts : ndarray of int64, shape (capacity, max_groups)
        Records of each person in each group.
    sq_dists : ndarray of float64, shape (capacity,)
        Squared distances from a seed.
    nearest : ndarray of int64, shape (capacity,)
        Of each person the record that is nearest to a seed, -1 where none is left.
    mean : ndarray of float64, shape (1, n_coordinates)
        Scratch: mean of all records.
    work : ndarray of int64, shape (1,)
        Distances measured so far.
    """

    record: Integers
    person: Integers
    label: Integers
    size: Integers
    persons: Integers
    total: Values
    centre: Values
    counts: Integers
    sq_dists: Values
    nearest: Integers
    mean: Values
    work: Integers


def make_group_pool(capacity: int, k: int, n_coordinates: int) -> Pool:
    """Return an empty pool for up to `capacity` records."""
    groups = capacity // k + 1
    return Pool(
        record=np.zeros(capacity, dtype=np.int64),
        person=np.zeros(capacity, dtype=np.int64),
        label=np.zeros(capacity, dtype=np.int64),
        size=np.zeros(groups, dtype=np.int64),
        persons=np.zeros(groups, dtype=np.int64),
        total=np.zeros((groups, n_coordinates)),
        centre=np.zeros((groups, n_coordinates)),
        counts=np.zeros((capacity, groups), dtype=np.int64),
        sq_dists=np.zeros(capacity),
        nearest=np.zeros(capacity, dtype=np.int64),
        mean=np.zeros((1, n_coordinates)),
        work=np.zeros(1, dtype=np.int64),
    )


@array_free_kernel
def compute_pool_sums(X: Values, pool: Pool, n_records: int, n_groups: int) -> None:
    """Compute the sums and counts of a pool's groups from its labels."""
    for g in range(n_groups):
        pool.size[g] = pool.persons[g] = 0
        for j in range(X.shape[1]):
            pool.total[g, j] = 0.0
    for t in range(n_records):
        for g in range(n_groups):
            pool.counts[t, g] = 0
    for t in range(n_records):
        if pool.label[t] >= 0:
            _put(X, pool, t, pool.label[t])


@array_free_kernel
def _put(X: Values, pool: Pool, t: int, g: int) -> None:
    """Put the record at place t into group g."""
    pool.label[t] = g
    pool.size[g] += 1
    w = pool.person[t]
    if w >= 0:
        if pool.counts[w, g] == 0:
            pool.persons[g] += 1
        pool.counts[w, g] += 1
    for j in range(X.shape[1]):
        pool.total[g, j] += X[pool.record[t], j]
        pool.centre[g, j] = pool.total[g, j] / pool.size[g]


@array_free_kernel
def _take(X: Values, pool: Pool, t: int, g: int) -> None:
    """Take the record at place t out of group g, in which there are others."""
    pool.size[g] -= 1
    w = pool.person[t]
    if w >= 0:
        pool.counts[w, g] -= 1
        if pool.counts[w, g] == 0:
            pool.persons[g] -= 1
    for j in range(X.shape[1]):
        pool.total[g, j] -= X[pool.record[t], j]
        pool.centre[g, j] = pool.total[g, j] / pool.size[g]


@array_free_kernel
def _put_where_it_costs_least(
    X: Values, pool: Pool, t: int, groups: int, gone: int
) -> None:
    """Put the record at place t where it costs least, but not into group `gone`."""
    best, least = -1, np.inf
    for g in range(groups):
        if g == gone:
            continue
        d = sq_dist_of_rows(X, pool.record[t], pool.centre, g)
        cost = pool.size[g] / (pool.size[g] + 1.0) * d
        if cost < least:
            best, least = g, cost
    pool.work[0] += groups
    _put(X, pool, t, best)


@array_free_kernel
def pool_sse(X: Values, pool: Pool, n_records: int) -> float:
    """Return the SSE of a pool's groups."""
    sse = 0.0
    for t in range(n_records):
        sse += sq_dist_of_rows(X, pool.record[t], pool.centre, pool.label[t])
    return sse


@array_free_kernel
def improve_pool(
    X: Values, pool: Pool, n_records: int, n_groups: int, k: int, min_improvement: float
) -> None:
    """Move and swap records between a pool's groups while that lowers SSE.

    Each record in turn makes its best move, or, where its group cannot spare it and the
    pool is small, its best swap, until none gains more than `min_improvement`. To move
    a record from a centroid d2 away to one e2 away changes SSE by
    t/(t+1) e2 - s/(s-1) d2, where s and t are the sizes of the two groups.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_coordinates)
    pool : Pool
        Its first `n_records` records, in `n_groups` groups of at least k persons each.
    n_records, n_groups, k : int
    min_improvement : float
    """
    size, persons, count = pool.size, pool.persons, pool.counts
    person, label, record = pool.person, pool.label, pool.record
    for _ in range(MAX_PASSES):
        changed = False
        for t in range(n_records):
            a, w, i = label[t], person[t], record[t]
            free = size[a] > 1 and (w < 0 or count[w, a] > 1 or persons[a] > k)
            best, to, partner = min_improvement, -1, -1
            if free:
                saving = (
                    size[a] / (size[a] - 1.0) * sq_dist_of_rows(X, i, pool.centre, a)
                )
                for b in range(n_groups):
                    if b == a or size[b] == 0:
                        continue
                    pool.work[0] += 1
                    e = sq_dist_of_rows(X, i, pool.centre, b)
                    gain = saving - size[b] / (size[b] + 1.0) * e
                    if gain > best:
                        best, to = gain, b
            elif n_records <= MAX_SWAP_RECORDS:
                for u in range(n_records):
                    b = label[u]
                    if b == a:
                        continue
                    v = person[u]
                    if v < 0 or (v != w and count[v, a] > 0):
                        continue
                    loses_person = v != w and count[w, b] > 0 and count[v, b] == 1
                    if loses_person and persons[b] <= k:
                        continue
                    pool.work[0] += 1
                    gain, q = 0.0, 1.0 / size[a] + 1.0 / size[b]
                    for j in range(X.shape[1]):
                        d = X[record[u], j] - X[i, j]
                        gain += d * (
                            d * q - 2.0 * (pool.centre[b, j] - pool.centre[a, j])
                        )
                    if gain > best:
                        best, to, partner = gain, b, u
            if to >= 0:
                changed = True
                if partner >= 0:
                    _take(X, pool, partner, to)
                    _put(X, pool, partner, a)
                _take(X, pool, t, a)
                _put(X, pool, t, to)
        if not changed:
            return


@array_free_kernel
def form_pool_groups(
    X: Values,
    pool: Pool,
    n_records: int,
    n_persons: int,
    k: int,
    state: State,
    seed_rule: int,
) -> int:
    """Form new groups of at least k persons from a pool; return their number.

    A group is a seed and the nearest records of k - 1 other persons; the next seed is
    the record farthest from the mean of all or from the last seed, or any record. Once
    fewer than k persons have records left, each joins the group where it costs least.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_coordinates)
    pool : Pool
    n_records, n_persons : int
        Its records and persons.
    state : ndarray of uint64, shape (1,)
        Of the random numbers.
    seed_rule : int
        0 takes the farthest from the mean, 1 from the last seed, 2 a random record.

    Returns
    -------
    int
        Groups formed; 0 where there are fewer than k persons.
    """
    p, label, record = X.shape[1], pool.label, pool.record
    n_remaining = 0
    for w in range(n_persons):
        pool.nearest[w] = 0
    for t in range(n_records):
        label[t] = -1
        if pool.person[t] >= 0:
            pool.nearest[pool.person[t]] += 1
    for w in range(n_persons):
        n_remaining += pool.nearest[w] > 0
    for j in range(p):
        mean = 0.0
        for t in range(n_records):
            mean += X[record[t], j]
        pool.mean[0, j] = mean / n_records
    compute_pool_sums(X, pool, n_records, min(pool.size.shape[0], n_records // k + 1))
    groups, last, rest = 0, -1, n_records
    while n_remaining >= k:
        seed, far = -1, -1.0
        if seed_rule == 2:
            skip = draw_below(state, rest)
            for t in range(n_records):
                if label[t] < 0:
                    if skip == 0:
                        seed = t
                    skip -= 1
        else:
            for t in range(n_records):
                if label[t] >= 0:
                    continue
                if seed_rule == 1 and last >= 0:
                    d = sq_dist_of_rows(X, record[t], X, record[last])
                else:
                    d = sq_dist_of_rows(X, record[t], pool.mean, 0)
                if d > far:
                    seed, far = t, d
            pool.work[0] += n_records
        for w in range(n_persons):
            pool.nearest[w] = -1
        for t in range(n_records):
            if label[t] >= 0 or t == seed or pool.person[t] < 0:
                continue
            w = pool.person[t]
            if w == pool.person[seed]:
                continue
            pool.sq_dists[t] = sq_dist_of_rows(X, record[t], X, record[seed])
            at = pool.nearest[w]
            if at < 0 or pool.sq_dists[t] < pool.sq_dists[at]:
                pool.nearest[w] = t
        pool.work[0] += n_records
        _put(X, pool, seed, groups)
        n_others = k - 1 if pool.person[seed] >= 0 else k
        for _ in range(n_others):
            best = -1
            for w in range(n_persons):
                at = pool.nearest[w]
                if at >= 0 and (best < 0 or pool.sq_dists[at] < pool.sq_dists[best]):
                    best = at
            pool.nearest[pool.person[best]] = -1
            _put(X, pool, best, groups)
        groups, last, rest = groups + 1, seed, n_records
        for w in range(n_persons):
            pool.nearest[w] = 0
        for t in range(n_records):
            if label[t] >= 0:
                rest -= 1
            elif pool.person[t] >= 0:
                pool.nearest[pool.person[t]] = 1
        n_remaining = 0
        for w in range(n_persons):
            n_remaining += pool.nearest[w]
    if groups == 0:
        return 0
    for t in range(n_records):
        if label[t] >= 0:
            continue
        _put_where_it_costs_least(X, pool, t, groups, -1)
    return groups


@array_free_kernel
def dissolve_group(X: Values, pool: Pool, n: int, groups: int, gone: int) -> None:
    """Let each record of one group of a pool join the one where it costs least."""
    if groups == 1:
        return
    for t in range(n):
        if pool.label[t] != gone:
            continue
        _put_where_it_costs_least(X, pool, t, groups, gone)
    pool.size[gone] = pool.persons[gone] = 0
