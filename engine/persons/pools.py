"""Make and improve groups that each have records of at least k persons."""

from __future__ import annotations

import numpy as np

from engine.core.context import RunContext
from engine.core.message import Message
from engine.core.numerics.statistics import mean_by_group, within_group_sse
from engine.core.partition import Labels, renumber_groups
from engine.core.typing import Integers, Values
from engine.data.persons import persons_per_class
from engine.kernels.persons.group_chains import improve_pools, make_group_chains
from engine.kernels.persons.pool import form_pool_groups, make_group_pool
from engine.kernels.records.random_stream import State
from engine.methods.search.refined import min_improvement
from engine.neighbours.neighbour_lists import rotate_attribute_pairs
from engine.neighbours.splitting import kd_tree_order
from engine.persons.effort import SearchEffort
from engine.persons.other_persons_neighbours import (
    MAX_EXACT_RECORDS,
    count_search_blocks,
    nearest_of_other_persons_in_blocks,
)

BLOCK = 300
"""Records of groups with too few persons that are grouped anew together."""

NEAR, NEAR_OF_MANY = 10, 6
"""Other persons whose nearest records name the groups around a record: in small and
large tables."""

MAX_GROUPS = 4
"""Most groups in a pool."""

MAX_POOL = 400
"""Most records in a pool; more for large k, so that the groups fit in."""

STEPS_PER_GROUP = 100
"""Steps for each group that there may be, in small tables."""

MAX_STEPS = 400_000
"""Most steps, but for :data:`LEAST_PER_GROUP` steps for each group in larger tables."""

LEAST_PER_GROUP = 1

MAX_WORK, WORK_PER_RECORD = 400_000_000, 300_000
"""Distances measured, in all and for each record, after which a round ends once it has
gone through all records."""

WORK = 20_000_000
"""Distances that one kernel call may measure: some 0.05 s between ticks."""

STAGE = Message("Groups of different persons")


def remake_groups_with_few_persons(
    X: Values, person_codes: Integers, labels: Labels | None, k: int
) -> Labels | None:
    """Return labels with groups below k persons made anew; None if none has k.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_coordinates)
    person_codes : ndarray of int64, shape (n_records,)
    labels : ndarray of int64, shape (n_records,), or None
        None where all groups are to be made.

    Returns
    -------
    ndarray of int64, shape (n_records,), or None
        None where no group had k persons and no block of records to regroup has.
    """
    if labels is None:
        labels = np.zeros(person_codes.size, dtype=np.int64)
        poor = np.ones(1, dtype=np.bool_)
    else:
        poor = persons_per_class(labels, person_codes) < k
    if not poor.any():
        return labels
    free = np.flatnonzero(poor[labels])
    new_labels = np.where(poor[labels], -1, labels)
    parts = max(1, free.size // BLOCK)
    free_points = X[free]
    free_points -= free_points.mean(axis=0)
    order, borders = kd_tree_order(free_points, parts)
    number, state = int(labels.max()) + 1, np.ones(1, dtype=np.uint64)
    pool = make_group_pool(int(np.diff(borders).max()), k, X.shape[1])
    for first, last in zip(borders[:-1].tolist(), borders[1:].tolist(), strict=True):
        positions = order[first:last]
        some = free[positions]
        persons, of = np.unique(person_codes[some], return_inverse=True)
        pool.record[: some.size] = positions
        nobody = int((persons < 0).any())
        pool.person[: some.size] = of - nobody
        groups = form_pool_groups(
            free_points, pool, some.size, persons.size - nobody, k, state, 0
        )
        if groups:
            new_labels[some] = number + pool.label[: some.size]
            number += groups
    if (new_labels < 0).any() and not _join_nearest(X, new_labels):
        return None
    del free_points
    return renumber_groups(new_labels)


def _join_nearest(X: Values, labels: Labels) -> bool:
    """Let records without a group join the nearest; return whether there is a group."""
    from scipy.spatial import cKDTree

    is_grouped = labels >= 0
    if not is_grouped.any():
        return False
    groups, dense = np.unique(labels[is_grouped], return_inverse=True)
    centres = mean_by_group(X[is_grouped], dense)
    labels[~is_grouped] = groups[cKDTree(centres).query(X[~is_grouped])[1]]
    return True


def improve_person_groups(
    X: Values,
    persons: Integers,
    labels: Labels,
    k: int,
    effort: SearchEffort,
    ctx: RunContext,
) -> Labels:
    """Return labels improved by search: at least k persons per group, no higher SSE.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_coordinates)
    persons : ndarray of int64, shape (n_records,)
    labels : ndarray of int64, shape (n_records,)
        Groups that each have records of k persons.
    effort : SearchEffort
    """
    n = X.shape[0]
    room = n // k
    max_steps = max(effort.share_of_table * MAX_STEPS, LEAST_PER_GROUP * room)
    steps = min(STEPS_PER_GROUP * room, int(max_steps))
    steps = max(1, int(effort.step_share(X.shape[1]) * steps))
    state = np.array([effort.seed], dtype=np.uint64)
    turn, done = 0, False
    while not done:
        before = labels
        labels, done = _round(X, persons, labels, k, effort, steps, turn, state, ctx)
        turn += 1
        done = done or not effort.is_open or effort.is_over() or ctx.enough()
        if np.array_equal(before, labels):
            steps *= 2
    ctx.tick(1, 1, STAGE)
    return labels


def _round(
    X: Values,
    persons: Integers,
    labels: Labels,
    k: int,
    effort: SearchEffort,
    steps: int,
    turn: int,
    state: State,
    ctx: RunContext,
) -> tuple[Labels, bool]:
    """Take the steps of a round; return the groups, and whether time was over."""
    n = X.shape[0]
    order, borders = kd_tree_order(
        rotate_attribute_pairs(X, turn), count_search_blocks(n, effort.share_of_table)
    )
    # In this order, what is near in space is near in memory.
    ordered_points, ordered_persons, order = (
        X[order],
        persons[order],
        order.astype(np.int32),
    )
    ordered_points -= ordered_points.mean(axis=0)
    sse = within_group_sse(ordered_points, labels[order])
    noise = min_improvement(ordered_points, sse)
    length = NEAR if n <= effort.share_of_table * MAX_EXACT_RECORDS else NEAR_OF_MANY
    near = nearest_of_other_persons_in_blocks(
        ordered_points, ordered_persons, length, borders, ctx.subcontext(0.0, 0.1)
    )
    groups = make_group_chains(labels[order], int(persons.max()) + 1, k)
    capacity = max(MAX_POOL, 2 * MAX_GROUPS * k)
    pool = make_group_pool(capacity, k, X.shape[1])
    chosen = np.zeros(MAX_GROUPS, dtype=np.int64)
    before = np.zeros(capacity, dtype=np.int64)
    # As many times through all records as there are steps for each group.
    limit = effort.step_share(X.shape[1]) * min(
        effort.share_of_table * MAX_WORK, WORK_PER_RECORD * n
    )
    sweeps, place, over = max(1, steps * k // n), 0, False
    while place < steps and not over:
        ctx.tick(place, steps, STAGE)
        max_place = (
            steps
            if not effort.max_steps
            else min(steps, effort.max_steps - effort.steps)
        )
        place = improve_pools(
            ordered_points,
            ordered_persons,
            near,
            groups,
            pool,
            chosen,
            before,
            k,
            noise,
            state,
            place,
            steps,
            max_place,
            sweeps,
            WORK,
        )[0]
        over = effort.is_over() or ctx.enough() or place >= max_place < steps
        if pool.work[0] > limit and place * sweeps >= steps:
            break
    effort.steps += place
    del ordered_points, ordered_persons, near
    new_labels = np.empty_like(labels)
    new_labels[order] = groups.label
    del order, groups
    return renumber_groups(new_labels), over
