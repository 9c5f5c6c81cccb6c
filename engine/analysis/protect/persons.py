"""Groups with records of at least k persons, where a method has made smaller ones.

A group that lacks persons is merged with the nearest group that brings some, the one
that lacks most first.
"""

from __future__ import annotations

import numpy as np

from engine.core.context import SILENT, RunContext
from engine.core.typing import Integers, Values
from engine.data.persons import NOBODY
from engine.pipeline.group import group
from engine.pipeline.prepare import Prepared
from engine.pipeline.resolved import ResolvedPlan


def groups_of_persons(
    plan: ResolvedPlan, prepared: Prepared, ctx: RunContext = SILENT
) -> Integers:
    """Return the method's groups, merged until each has records of k persons.

    Parameters
    ----------
    plan : ResolvedPlan
        Whose k counts persons.
    prepared : Prepared
    ctx : RunContext

    Returns
    -------
    ndarray of int64, shape (n_records,)
    """
    found = group(plan, prepared, ctx).grouped.partition.labels.copy()
    if prepared.persons is None:
        return found
    for rows in prepared.blocks[0].strata:
        some = merge_for_persons(
            prepared.points.X[rows], found[rows], prepared.persons[rows], plan.k
        )
        found[rows] = some + found.max() + 1
    return np.unique(found, return_inverse=True)[1].reshape(-1).astype(np.int64)


def merge_for_persons(
    X: Values, labels: Integers, persons: Integers, k: int
) -> Integers:
    """Return groups that are merged until each has records of at least k persons.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    labels : ndarray of int64, shape (n_records,)
    persons : ndarray of int64, shape (n_records,)
        -1 for records that are about nobody who is known.
    k : int

    Returns
    -------
    ndarray of int64, shape (n_records,)
        As near to k as they come: all records in one group have no more persons.
    """
    labels = np.unique(labels, return_inverse=True)[1].reshape(-1).astype(np.int64)
    n_groups = int(labels.max()) + 1
    members = [{*persons[labels == g].tolist()} - {NOBODY} for g in range(n_groups)]
    sizes = np.bincount(labels).astype(np.float64)
    sums = np.column_stack([np.bincount(labels, x) for x in X.T])
    alive, into = np.ones(n_groups, dtype=np.bool_), np.arange(n_groups)
    counts = np.array([len(one) for one in members])
    while alive.sum() > 1:
        lacking = np.flatnonzero(alive & (counts < k))
        if not lacking.size:
            break
        one = int(lacking[np.argmin(counts[lacking])])
        others = np.flatnonzero(alive)
        others = others[others != one]
        centres = sums[others] / sizes[others, None]
        apart = np.square(centres - sums[one] / sizes[one]).sum(axis=1)
        ward = apart * sizes[others] * sizes[one] / (sizes[others] + sizes[one])
        near = others[np.argsort(ward, kind="stable")]
        brings = (int(g) for g in near if not members[g] <= members[one])
        other = next(brings, int(near[0]))
        members[other] |= members[one]
        counts[other] = len(members[other])
        sizes[other] += sizes[one]
        sums[other] += sums[one]
        alive[one], into[one] = False, other
    while (into[into] != into).any():
        into = into[into]
    return into[labels]
