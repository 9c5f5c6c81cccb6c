"""Lower bounds on the SSE of records and persons in groups of at least k persons."""

from __future__ import annotations

import numpy as np

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import kernel
from engine.kernels.records.distance import sq_dist_of_rows


@kernel
def sq_dist_lower_bound(
    X: Values, i: int, j: int, slack: float, relative: float
) -> float:
    """Return a lower bound on the squared distance of two records, despite rounding."""
    distance = float(max(np.sqrt(sq_dist_of_rows(X, i, X, j)) - slack, 0.0))
    return distance * distance * (1.0 - relative)


@kernel
def write_record_sse_lower_bounds(
    X: Values,
    person_codes: Integers,
    k: int,
    slack: float,
    relative: float,
    first_record: int,
    last_record: int,
    nearest: Values,
    nearest_records: Integers,
    lowering_sq_dists: Values,
    min_sse: Values,
) -> None:
    """Write lower bounds on some records' parts of the SSE of their groups.

    A group of s records has the SSE sum of d2 over its pairs, over s, so that record i
    pays 1/(2s) of its d2 to the others. These are records of k - 1 other persons, at
    best the nearest ones of the nearest persons, and any others: each of these lowers
    the mean only if it is nearer than the mean.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_coordinates)
    person_codes : ndarray of int64, shape (n_records,)
        Persons 0, 1, ..., -1 of nobody.
    slack, relative : float
        As in :class:`engine.bounds.base.CentredRecords`.
    first_record, last_record : int
        Records from `first_record` to ``last_record - 1``.
    nearest : ndarray of float64, shape (n_persons,)
        Scratch: of each person the least d2.
    nearest_records : ndarray of int64, shape (n_persons,)
        Scratch: the record of each person that has it.
    lowering_sq_dists : ndarray of float64, shape (n_records,)
        Scratch: d2 that may lower the mean.
    min_sse : ndarray of float64, shape (n_records,)
        Receives the bounds.
    """
    n, persons = X.shape[0], nearest.shape[0]
    best = np.empty(k)
    for i in range(first_record, last_record):
        for w in range(persons):
            nearest[w] = np.inf
        for j in range(n):
            w = person_codes[j]
            if j == i or w < 0 or w == person_codes[i]:
                continue
            d = sq_dist_of_rows(X, i, X, j)
            if d < nearest[w]:
                nearest[w], nearest_records[w] = d, j
        # The k - 1 nearest persons; k where the record is of nobody.
        n_nearest = k - 1 if person_codes[i] >= 0 else k
        count = 0
        for w in range(persons):
            d = nearest[w]
            if count == n_nearest and d >= best[count - 1]:
                continue
            place = count if count < n_nearest else n_nearest - 1
            count = min(count + 1, n_nearest)
            while place > 0 and best[place - 1] > d:
                best[place] = best[place - 1]
                place -= 1
            best[place] = d
        # Of the least d2 of k - 1 persons, those below the last are taken for sure; of
        # equal ones it does not matter which.
        total, size = 0.0, 1.0
        for place in range(count):
            d = max(np.sqrt(best[place]) - slack, 0.0)
            total += d * d * (1.0 - relative)
            size += 1.0
        mean, more = total / size, 0
        last_taken = best[count - 1] if count else 0.0
        for j in range(n):
            if j == i:
                continue
            w = person_codes[j]
            if (
                w >= 0
                and w != person_codes[i]
                and nearest_records[w] == j
                and nearest[w] <= last_taken
            ):
                continue
            d = sq_dist_lower_bound(X, i, j, slack, relative)
            if d < mean:
                lowering_sq_dists[more] = d
                more += 1
        # Nearest first, as long as each is nearer than the mean.
        while more > 0:
            place = 0
            for t in range(1, more):
                if lowering_sq_dists[t] < lowering_sq_dists[place]:
                    place = t
            if lowering_sq_dists[place] >= total / size:
                break
            total += lowering_sq_dists[place]
            size += 1.0
            lowering_sq_dists[place] = lowering_sq_dists[more - 1]
            more -= 1
        min_sse[i] = 0.5 * total / size


@kernel
def write_person_sse_lower_bounds(
    X: Values,
    weights: Values,
    k: int,
    slack: float,
    relative: float,
    first_person: int,
    last_person: int,
    sq_dists: Values,
    value: Values,
    min_sse: Values,
) -> None:
    """Write lower bounds on some persons' parts of the weighted SSE of their classes.

    A class of the mass W has the SSE sum of m_p m_q d2 over its pairs, over W. So
    person p pays m_p / 2 of the weighted mean of its d2 to the k - 1 others at least
    that are in it. The least such mean is where
    sum of m_q (d2 - mean) over the others = m_p mean: Dinkelbach W (1967), Management
    Science 13(7), 492-498, doi 10.1287/mnsc.13.7.492.

    Parameters
    ----------
    X : ndarray of float64, shape (n_persons, n_coordinates)
    weights : ndarray of float64, shape (n_persons,)
    slack, relative : float
        As in :func:`write_record_sse_lower_bounds`.
    first_person, last_person : int
        Persons from `first_person` to ``last_person - 1``.
    sq_dists, value : ndarray of float64, shape (n_persons,)
        Scratch.
    min_sse : ndarray of float64, shape (n_persons,)
        Receives the bounds.
    """
    n = X.shape[0]
    best = np.empty(k)
    best_persons = np.empty(k, dtype=np.int64)
    for p in range(first_person, last_person):
        far = 0.0
        for q in range(n):
            sq_dists[q] = sq_dist_lower_bound(X, p, q, slack, relative)
            far = max(far, sq_dists[q])
        mean = far
        for _ in range(50):
            # The k - 1 others that lower the mean most, and all that lower it at all.
            count, total, weight = 0, 0.0, weights[p]
            for q in range(n):
                if q == p:
                    continue
                gain = weights[q] * (sq_dists[q] - mean)
                value[q] = gain
                if count == k - 1 and gain >= best[count - 1]:
                    continue
                place = count if count < k - 1 else k - 2
                count = min(count + 1, k - 1)
                while place > 0 and best[place - 1] > gain:
                    best[place], best_persons[place] = (
                        best[place - 1],
                        best_persons[place - 1],
                    )
                    place -= 1
                best[place], best_persons[place] = gain, q
            for place in range(count):
                q = best_persons[place]
                total += weights[q] * sq_dists[q]
                weight += weights[q]
                value[q] = 0.0
            for q in range(n):
                if q != p and value[q] < 0.0:
                    total += weights[q] * sq_dists[q]
                    weight += weights[q]
            new = total / weight
            if new >= mean * (1.0 - 1e-12):
                break
            mean = new
        min_sse[p] = 0.5 * weights[p] * mean * (1.0 - 1e-9)


@kernel
def _insert_least(least: Values, count: int, value: float) -> int:
    """Insert a value into the least so far, in order; return how many there are."""
    if count == least.shape[0] and value >= least[count - 1]:
        return count
    place = count if count < least.shape[0] else count - 1
    while place > 0 and least[place - 1] > value:
        least[place] = least[place - 1]
        place -= 1
    least[place] = value
    return int(min(count + 1, least.shape[0]))


@kernel
def write_history_sse_lower_bounds(
    X: Values,
    person_codes: Integers,
    order: Integers,
    starts: Integers,
    k: int,
    slack: float,
    relative: float,
    first_person: int,
    last_person: int,
    min_cost_per_record: Values,
    min_sse: Values,
) -> None:
    r"""Write lower bounds on some persons' SSE where intruders know all their records.

    The person p has k - 1 class-mates at least, any set Q of which has a record in each
    group of p's records. So record i pays half of R, the least mean of 0 for itself, of
    its a_q, the least d2 to a record of q, for q of Q, and of any other d2: the root of

    .. math:: G_Q(t) = \sum_{q \in Q} \max(0, a_q - t) - E(t), \quad
        E(t) = t + \sum_{j \ne i} \max(0, t - d_{ij}^2).

    Let r be the root for the k - 1 persons that are nearest to i, and t > r. At any t
    the slope of G for Q is at least as steep as for those, of whom no more are farther
    than t; and as G is concave, theirs is nowhere steeper than near t. So between its
    root and t, G of Q falls at least as steeply as theirs does on average from r to t:

    .. math:: R \ge r + \frac{t - r}{E(t) - P_0}
        \Bigl(\min\bigl(E(t), \sum_{q \in Q} \max(0, a_q - t)\bigr) - P_0\Bigr),

    where P_0 is the sum for the nearest. With each term at most E(t) / (k - 1), this is
    a sum over Q, and so is the sum over p's records: the k - 1 persons of the least
    sums make it least. Any t will do; here R for the k - 1 best persons so far.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_coordinates)
    person_codes : ndarray of int64, shape (n_records,)
        Persons 0, 1, ..., -1 of nobody.
    order : ndarray of int64, shape (n_known_records,)
        Records by person.
    starts : ndarray of int64, shape (n_persons + 1,)
        Where each person's begin in `order`.
    slack, relative : float
        As in :class:`engine.bounds.base.CentredRecords`.
    first_person, last_person : int
        Persons from `first_person` to ``last_person - 1``.
    min_cost_per_record : ndarray of float64, shape (n_records,)
        What each record pays at least, r / 2.
    min_sse : ndarray of float64, shape (n_persons,)
        Receives the bounds.
    """
    n, persons, n_mates = X.shape[0], starts.shape[0] - 1, k - 1
    squared, near, total = np.empty(n), np.empty(persons), np.empty(persons)
    least_terms, mates = np.empty(n_mates), np.empty(n_mates, dtype=np.int64)
    for p in range(first_person, last_person):
        base = 0.0
        for turn in range(2):
            sure = 0.0
            for w in range(persons):
                total[w] = 0.0
            for place in range(starts[p], starts[p + 1]):
                i = order[place]
                for w in range(persons):
                    near[w] = np.inf
                for j in range(n):
                    squared[j] = sq_dist_lower_bound(X, i, j, slack, relative)
                    w = person_codes[j]
                    if w >= 0 and squared[j] < near[w]:
                        near[w] = squared[j]
                if turn == 0:
                    base += 2.0 * min_cost_per_record[i]
                    for w in range(persons):
                        total[w] += near[w]
                    continue
                # Down to the root for the class-mates: each mean is below the last.
                gap = 0.0
                for c in range(n_mates):
                    gap += near[mates[c]]
                t, n_kept, count = gap / k, 0, 0
                for j in range(n):
                    if j != i and squared[j] < t:
                        squared[n_kept] = squared[j]
                        n_kept += 1
                while True:
                    gap, size = 0.0, 1.0
                    for c in range(n_mates):
                        if near[mates[c]] >= t:
                            gap += near[mates[c]]
                            size += 1.0
                    n_below = 0
                    for j in range(n_kept):
                        if squared[j] < t:
                            gap += squared[j]
                            size += 1.0
                            squared[n_below] = squared[j]
                            n_below += 1
                    n_kept = n_below
                    if gap / size >= t * (1.0 - 1e-6):
                        break
                    t = gap / size
                r, below = 2.0 * min_cost_per_record[i], t
                for j in range(n_kept):
                    below += t - squared[j]
                for w in range(persons):
                    if w != p:
                        count = _insert_least(least_terms, count, max(0.0, near[w] - t))
                nearest = least_terms.sum()
                sure += r
                if t <= r or below <= nearest:
                    continue
                slope = (t - r) / (below - nearest)
                sure -= slope * nearest
                for w in range(persons):
                    more = min(max(0.0, near[w] - t), below / n_mates)
                    total[w] += slope * more
            for c in range(n_mates):
                mates[c] = -1
                for w in range(persons):
                    is_excluded = w == p
                    for b in range(c):
                        is_excluded = is_excluded or mates[b] == w
                    if not is_excluded and (mates[c] < 0 or total[w] < total[mates[c]]):
                        mates[c] = w
                sure += total[mates[c]]
            if turn == 0:
                min_sse[p] = 0.5 * base
            else:
                min_sse[p] = max(min_sse[p], 0.5 * sure)
