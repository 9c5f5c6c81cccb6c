"""Bound for persons of whom each group holds as many records: records in pairs.

In a class of p persons a group holds c records of each, c p in all, and its SSE is the
sum of d2 over its pairs, over c p. The c x c pairs of two persons cost no less than c
times their best one-to-one pairs, so that the class loses at least

    1 / p times the sum over pairs of persons of the cost of pairing their records,

the SSE of persons as points, if squared distances were these costs. Each person pays at
least 1 / (2 k) of the costs of its k - 1 nearest, whatever p >= k is.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from engine.bounds.base import BOUND_STAGE, EPS, CentredRecords
from engine.core.context import SILENT, RunContext, steps_per_look
from engine.core.typing import Integers, Values

MAX_PAIRED_PER_PERSON = 100
"""Persons whose records are paired with those of each; of others the records in order
of each coordinate count, which cost no more."""

VALUES_PER_PAIRING = 8_000
"""Values read in the time that SciPy takes to pair records, however few these are."""

PERSONS_AT_ONCE = 256
"""Persons whose distances from all others are in memory at a time."""


def order_each_coordinate(histories: Values) -> Values:
    """Return persons as points: their records' values, in order in each coordinate.

    However the records of two persons are paired, they are together no nearer than
    these points.

    Parameters
    ----------
    histories : ndarray of float64, shape (n_persons, n_records_each, n_coordinates)

    Returns
    -------
    ndarray of float64, shape (n_persons, n_records_each * n_coordinates)
    """
    return np.sort(histories, axis=1).reshape(len(histories), -1)


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
        n_records = some.size * length
        part = ctx.subcontext(done / order.size, (done + n_records) / order.size)
        done += n_records
        if some.size >= k:
            histories = records.X[order[some[:, np.newaxis] + np.arange(length)]]
            total += _sum_of_nearest(histories, k, records.slack, part) / (2.0 * k)
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

    n, points = len(histories), order_each_coordinate(histories)
    slack *= float(np.sqrt(histories.shape[1]))
    several = min(n - 1, MAX_PAIRED_PER_PERSON + k - 1)
    cache, total = dict[tuple[int, int], float](), 0.0
    at_once = min(PERSONS_AT_ONCE, steps_per_look(points.size))
    for first, last in ctx.iterate_ranges(n, at_once, BOUND_STAGE):
        rows = cdist(points[first:last], points, "sqeuclidean")
        for person, bounds in enumerate(rows, first):
            look = partial(ctx.tick, person, n, BOUND_STAGE)
            bounds[person] = np.inf
            near = np.argpartition(bounds, several - 1)[:several]
            near = near[np.argsort(bounds[near], kind="stable")]
            costs = _nearest_costs(
                histories, person, near, bounds[near], k - 1, cache, look
            )
            distances = np.maximum(np.sqrt(costs) - slack, 0.0)
            total += float(np.square(distances).sum())
    return total * (1.0 - EPS * (2.0 * int(points.shape[1]) + 8.0))


def _nearest_costs(
    histories: Values,
    person: int,
    near: Integers,
    least: Values,
    count: int,
    known_costs: dict[tuple[int, int], float],
    look: Callable[[], None],
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
    known_costs : dict
        Costs of pairs of persons; receives more.
    look : callable
        Looks at progress and cancel.
    """
    from scipy.optimize import linear_sum_assignment
    from scipy.spatial.distance import cdist

    costs, (length, p) = np.full(count, np.inf), histories.shape[1:]
    step = steps_per_look(length * length * (length + p) + VALUES_PER_PAIRING)
    for place, other in enumerate(near[:MAX_PAIRED_PER_PERSON].tolist()):
        if least[place] >= costs[-1]:
            return costs
        pair = (min(person, other), max(person, other))
        if pair not in known_costs:
            if len(known_costs) % step == 0:
                look()
            table = cdist(histories[pair[0]], histories[pair[1]], "sqeuclidean")
            known_costs[pair] = float(table[linear_sum_assignment(table)].sum())
        costs[-1] = min(costs[-1], known_costs[pair])
        costs.sort()
    return np.sort(np.append(costs, least[MAX_PAIRED_PER_PERSON:]))[:count]
