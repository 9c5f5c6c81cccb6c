"""Bound for persons of whom each group holds as many records: records in pairs.

In a class of p persons a group holds c records of each, c p in all, and its SSE is the
sum of d2 over its pairs, over c p. The c x c pairs of two persons cost no less than c
times their best one-to-one pairs, so that the class loses at least

    1 / p times the sum over pairs of persons of the cost of pairing their records,

the SSE of persons as points, if squared distances were these costs. Each person pays at
least 1 / (2 k) of the costs of its k - 1 nearest, whatever p >= k is.
"""

from __future__ import annotations

import numpy as np

from engine.bounds.base import BOUND_STAGE, EPS, CentredRecords
from engine.core.context import SILENT, RunContext
from engine.core.typing import Integers, Values

MAX_PAIRED_PER_PERSON = 100
"""Persons whose records are paired with those of each; of others the records in order
of each coordinate count, which cost no more."""

PERSONS_PER_CALL = 256
"""Persons that are compared with all others at once."""


def equal_counts_sse_lower_bound(
    X: Values, person_codes: Integers, k: int, ctx: RunContext = SILENT
) -> float:
    """Return a lower bound on the SSE of classes whose groups hold equal counts.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_coordinates)
    person_codes : ndarray of int64, shape (n_records,)
        Persons 0, 1, ..., -1 of nobody, whose records only add to the SSE. Persons
        share a class only if they have as many records.
    k : int
    """
    records = CentredRecords.from_array(X)
    order = np.argsort(person_codes, kind="stable")
    order = order[np.count_nonzero(person_codes < 0) :]
    lengths = np.bincount(person_codes[order])
    starts = np.cumsum(lengths) - lengths
    total, done = 0.0, 0
    for length in np.unique(lengths[lengths > 0]).tolist():
        some = starts[lengths == length]
        if some.size >= k:
            histories = records.X[order[some[:, np.newaxis] + np.arange(length)]]
            share = (done / order.size, (done + length * some.size) / order.size)
            costs = _sum_of_nearest(histories, k, records.slack, ctx.subcontext(*share))
            total += costs / (2.0 * k)
        done += length * some.size
    return total * (1.0 - EPS * (2.0 * X.size + 64.0))


def _sum_of_nearest(histories: Values, k: int, slack: float, ctx: RunContext) -> float:
    """Return the sum over persons of the costs of their k - 1 nearest, or less.

    Parameters
    ----------
    histories : ndarray of float64, shape (n_persons, n_records_each, n_coordinates)
    slack : float
        Largest error of a distance of two records.
    """
    from scipy.spatial.distance import cdist

    n = len(histories)
    ordered = np.sort(histories, axis=1).reshape(n, -1)
    slack *= np.sqrt(histories.shape[1])
    known, total = dict[tuple[int, int], float](), 0.0
    for first, last in ctx.iterate_ranges(n, PERSONS_PER_CALL, BOUND_STAGE):
        rows = cdist(ordered[first:last], ordered, "sqeuclidean")
        for person, least in enumerate(rows, first):
            least[person] = np.inf
            several = min(n - 1, MAX_PAIRED_PER_PERSON + k - 1)
            near = np.argpartition(least, several - 1)[:several]
            near = near[np.argsort(least[near], kind="stable")]
            costs = _nearest_costs(histories, person, near, least[near], k - 1, known)
            distances = np.maximum(np.sqrt(costs) - slack, 0.0)
            total += float(np.square(distances).sum())
    return total * (1.0 - EPS * (2.0 * ordered.shape[1] + 8.0))


def _nearest_costs(
    histories: Values,
    person: int,
    near: Integers,
    least: Values,
    count: int,
    known: dict[tuple[int, int], float],
) -> Values:
    """Return the lowest costs of pairing a person's records with those of others.

    Parameters
    ----------
    near : ndarray of int64, shape (n_near,)
        Persons in ascending order of `least`.
    least : ndarray of float64, shape (n_near,)
        What these cost at least, and no other person less than the last.
    count : int
        How many costs.
    known : dict
        Costs of pairs of persons; receives more.
    """
    from scipy.optimize import linear_sum_assignment
    from scipy.spatial.distance import cdist

    costs = np.full(count, np.inf)
    for place, other in enumerate(near.tolist()):
        if least[place] >= costs[-1]:
            return costs
        if place == MAX_PAIRED_PER_PERSON:
            return np.sort(np.concatenate([costs, least[place : place + count]]))[
                :count
            ]
        pair = (min(person, other), max(person, other))
        if pair not in known:
            table = cdist(histories[pair[0]], histories[pair[1]], "sqeuclidean")
            known[pair] = float(table[linear_sum_assignment(table)].sum())
        costs[-1] = min(costs[-1], known[pair])
        costs.sort()
    return costs
