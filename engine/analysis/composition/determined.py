"""Find the unknowns that a set of sums determines, whatever their values."""

from __future__ import annotations

import numpy as np

from engine.core.context import SILENT, RunContext
from engine.core.message import Message
from engine.core.typing import Booleans, Integers
from engine.kernels.composition.bridges import find_bridges
from engine.kernels.composition.null_vector import (
    DONE,
    FAILED,
    GOING,
    MERSENNE_PRIME,
    lanczos_steps,
    multiply_normal_matrix,
)

ADDITIONS_PER_CALL = 20_000_000
"""Additions of one kernel call."""

SOLVING_STAGE = Message("Solving for single records")


def determined_records(
    labels: Integers, ctx: RunContext = SILENT, seed: int = 0
) -> Booleans:
    """Return which records' values follow from the sums over all groups.

    Parameters
    ----------
    labels : ndarray of int64, shape (n_releases, n_records)
        Group of each record in each release; -1 where it is in none.
    ctx : RunContext
    seed : int
        Of the random vectors.

    Returns
    -------
    ndarray of bool, shape (n_records,)

    Notes
    -----
    A value follows if and only if every vector that leaves all sums as they are is zero
    there. Two releases are a graph whose nodes are groups and whose edges are records
    (those in one release only lead to a further node); such vectors are its cycles, so
    that what follows are its bridges. More releases are solved modulo a prime p for
    one random such vector (Wiedemann 1986, doi:10.1109/TIT.1986.1057137; Lanczos'
    method): where it is not zero, nothing follows for certain; zero by chance it is
    with a probability of 1 / p for each record.
    """
    sums, dense = _distinct_groupings(labels)
    if len(sums) <= 2:
        return _bridge_records(sums)
    found = np.zeros(labels.shape[1], dtype=np.bool_)
    # Nobody tells records of the same groups apart, so that nothing follows for them.
    _, first, back, count = np.unique(
        sums, axis=1, return_index=True, return_inverse=True, return_counts=True
    )
    alone = count == 1
    unknowns = sums[:, first]
    some = np.zeros(first.size, dtype=np.bool_)
    rng = np.random.default_rng(seed)
    done = 0
    for records in _connected_components(unknowns, dense):
        if alone[records].any() and (unknowns[:, records] >= 0).any():
            part = unknowns[:, records]
            some[records] = _no_null_vector(part, rng, ctx)
        done += records.size
        ctx.tick(done, first.size, SOLVING_STAGE)
    found[:] = (some & alone)[back.reshape(-1)]
    return found & (labels >= 0).any(axis=0)


def _distinct_groupings(labels: Integers) -> tuple[Integers, int]:
    """Return releases that differ, their groups numbered on, and how many these are."""
    rows, total = list[Integers](), 0
    for row in np.unique(labels, axis=0):
        there = row >= 0
        if not there.any():
            continue
        found = np.full(row.size, -1, dtype=np.int64)
        numbers = np.unique(row[there], return_inverse=True)[1].reshape(-1)
        found[there] = numbers + total
        total += int(numbers.max()) + 1
        rows.append(found)
    shape = (len(rows), labels.shape[1])
    return np.array(rows, dtype=np.int64).reshape(shape), total


def _bridge_records(sums: Integers) -> Booleans:
    """Return the bridges of the graph of up to two releases."""
    n = sums.shape[1]
    ends = np.full((2, n), -1, dtype=np.int64)
    ends[: len(sums)] = sums
    known = (ends >= 0).any(axis=0)
    ground = int(ends.max(initial=-1)) + 1
    tail, head = np.where(ends >= 0, ends, ground)[:, known]
    found = np.zeros(n, dtype=np.bool_)
    found[known] = find_bridges(
        np.ascontiguousarray(tail), np.ascontiguousarray(head), ground + 1
    )
    return found


def _connected_components(sums: Integers, n_groups: int) -> list[Integers]:
    """Return the records of parts that share no group."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = sums.shape[1]
    release, record = np.nonzero(sums >= 0)
    groups = sums[release, record] + n
    size = n + n_groups
    ones = np.ones(record.size, dtype=np.int8)
    graph = coo_array((ones, (record, groups)), shape=(size, size))
    part = connected_components(graph, directed=False)[1][:n]
    order = np.argsort(part, kind="stable").astype(np.int64)
    ends = np.flatnonzero(np.diff(part[order])) + 1
    return np.split(order, ends)


def _no_null_vector(
    sums: Integers, rng: np.random.Generator, ctx: RunContext
) -> Booleans:
    """Return where a random vector that no sum notices is zero."""
    sums = np.ascontiguousarray(sums)
    there = sums >= 0
    numbers = np.unique(sums[there], return_inverse=True)[1].reshape(-1)
    sums[there] = numbers
    n, n_groups = sums.shape[1], int(numbers.max()) + 1
    room, v = np.empty(n_groups, dtype=np.int64), np.empty(n, dtype=np.int64)
    most = max(1, ADDITIONS_PER_CALL // max(1, sums.size))
    while True:
        scale = rng.integers(1, MERSENNE_PRIME, n_groups)
        anything = np.asarray(rng.integers(0, MERSENNE_PRIME, n))
        target = np.empty(n, dtype=np.int64)
        multiply_normal_matrix(sums, scale, anything, room, target)
        w, before = target.copy(), np.zeros(n, dtype=np.int64)
        solution, norm = np.zeros(n, dtype=np.int64), np.ones(1, dtype=np.int64)
        state, steps = GOING, 0
        while state == GOING:
            state = lanczos_steps(
                sums, scale, target, w, before, solution, norm, room, v, most
            )
            steps += most
            ctx.tick(min(steps, n), n, SOLVING_STAGE)
        null: Integers = (anything - solution) % MERSENNE_PRIME
        multiply_normal_matrix(sums, np.ones_like(scale), null, room, v)
        if state == DONE and not room.any():
            return np.asarray(null == 0)
        assert state in (DONE, FAILED)  # an unlucky draw: once more
