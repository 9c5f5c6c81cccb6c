"""Fuzzy c-means record by record, without storing the membership matrix."""

from __future__ import annotations

import math

import numpy as np

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import kernel
from engine.kernels.records.distance import sq_dist

LOG_MIN_MEMBERSHIP_SHARE = math.log(1e-18)
"""Logarithm of the share of a record's largest membership that still counts."""


@kernel
def write_memberships(
    record: Values,
    centres: Values,
    fuzziness: float,
    is_entropy: bool,
    memberships: Values,
    ratio: Values,
) -> tuple[float, float]:
    """Write a record's memberships; return its objective and a log weight factor.

    FCM: u_i = 1 / sum_j (d_i / d_j)^(1 / (m - 1)); with m = 1 all of it goes to the
    nearest centre. EFCM: u_i proportional to exp(-lambda d_i). d are squared
    distances. Both are computed relative to the nearest centre, so that nothing
    overflows. Centres at the same smallest distance share a record that lies on
    them. Memberships below 1e-18 of the largest are none.

    Parameters
    ----------
    record : ndarray of float64, shape (n_attributes,)
    centres : ndarray of float64, shape (n_centres, n_attributes)
    fuzziness : float
        m of FCM, lambda of EFCM.
    is_entropy : bool
        EFCM.
    memberships : ndarray of float64, shape (n_centres,)
        Receives the memberships, which add up to 1.
    ratio : ndarray of float64, shape (n_centres,)
        Receives squared distances to the nearest centre over those to each.

    Returns
    -------
    objective : float
        The record's share of what the algorithm makes small.
    shrink : float
        Logarithm of what makes ``u * ratio`` the weight of the record in a centre's
        mean, which is u^m: u^(m - 1) is ratio * exp(shrink). For EFCM ratio is 1 and
        shrink 0, as the weight is u.
    """
    nearest = np.inf
    for i in range(centres.shape[0]):
        memberships[i] = sq_dist(record, centres[i])
        nearest = min(nearest, memberships[i])
    total = 0.0
    if is_entropy:
        for i in range(memberships.shape[0]):
            # Eq. 3, relative to the nearest centre: the largest term is 1.
            exponent = -fuzziness * (memberships[i] - nearest)
            memberships[i] = (
                math.exp(exponent) if exponent > LOG_MIN_MEMBERSHIP_SHARE else 0.0
            )
            ratio[i] = 1.0
            total += memberships[i]
        # The record's share of eq. 2 at these memberships.
        objective = nearest - math.log(total) / fuzziness
        shrink = 0.0
    else:
        # Proposition 1, relative to the nearest centre; all or nothing where m is 1 or
        # the record lies on a centre.
        crisp = fuzziness == 1.0 or nearest == 0.0
        power = 0.0 if crisp else 1.0 / (fuzziness - 1.0)
        min_ratio = (
            1.0 if crisp else math.exp(LOG_MIN_MEMBERSHIP_SHARE * (fuzziness - 1.0))
        )
        for i in range(memberships.shape[0]):
            ratio[i] = 1.0 if memberships[i] == nearest else nearest / memberships[i]
            if ratio[i] == 1.0:
                memberships[i] = 1.0
            elif ratio[i] < min_ratio:
                memberships[i] = 0.0
            else:
                # (d / d_i)^(1 / (m - 1)), d the least squared distance.
                memberships[i] = math.exp(power * math.log(ratio[i]))
            total += memberships[i]
        shrink = (1.0 - fuzziness) * math.log(total)
        objective = nearest * math.exp(shrink)
    for i in range(memberships.shape[0]):
        memberships[i] /= total
    return objective, shrink


@kernel
def accumulate_centre_sums(
    X: Values,
    start: int,
    stop: int,
    record_weights: Values,
    centres: Values,
    fuzziness: float,
    is_entropy: bool,
    memberships: Values,
    ratio: Values,
    weight_sums: Values,
    sums: Values,
    log_scale: Values,
) -> float:
    """Add records to the next centres' weighted sums; return the records' objective.

    With a large m all u^m are too small for a floating-point number, so the sums are
    kept relative to the largest factor met so far.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    start, stop : int
        The records to add.
    record_weights : ndarray of float64, shape (n_records,)
        How many units each record stands for; 1 without weights.
    centres : ndarray of float64, shape (n_centres, n_attributes)
        Centres now.
    fuzziness, is_entropy
        As for :func:`write_memberships`.
    memberships, ratio : ndarray of float64, shape (n_centres,)
        Scratch.
    weight_sums : ndarray of float64, shape (n_centres,)
        Sum of u^m (FCM) or u (EFCM), u the membership, times the mass; added to.
    sums : ndarray of float64, shape (n_centres, n_attributes)
        Sum of the same times the record; added to.
    log_scale : ndarray of float64, shape (1,)
        Logarithm of what both sums are divided by; -inf before the first call.

    Returns
    -------
    float
        The records' share of the objective.
    """
    objective = 0.0
    for k in range(start, stop):
        # Numerators and denominators of eq. 1 (FCM) or eq. 4 (EFCM).
        share, shrink = write_memberships(
            X[k], centres, fuzziness, is_entropy, memberships, ratio
        )
        objective += record_weights[k] * share
        # A factor larger than all before: bring the sums down to its scale.
        if shrink > log_scale[0]:
            smaller = math.exp(log_scale[0] - shrink)
            log_scale[0] = shrink
            for i in range(centres.shape[0]):
                weight_sums[i] *= smaller
                for s in range(centres.shape[1]):
                    sums[i, s] *= smaller
        factor = record_weights[k] * math.exp(shrink - log_scale[0])
        for i in range(centres.shape[0]):
            weight = factor * memberships[i] * ratio[i]
            if weight > 0.0:
                weight_sums[i] += weight
                for s in range(centres.shape[1]):
                    sums[i, s] += weight * X[k, s]
    return objective


@kernel
def choose_starting_records(
    X: Values, draws: Values, start: int, stop: int, sq_dists: Values, starts: Integers
) -> None:
    """Write starting records drawn by k-means++: chance grows with squared distance.

    A record is drawn with a probability proportional to the squared
    distance to the nearest record chosen already; where no record is away from those,
    every record is equally likely.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    draws : ndarray of float64, shape (n_centres,)
        Random numbers in [0, 1).
    start, stop : int
        Which of the centres to choose now.
    sq_dists : ndarray of float64, shape (n_records,)
        Squared distance to the nearest record chosen; all 0 before the first call.
    starts : ndarray of int64, shape (n_centres,)
        Receives the records.
    """
    n = X.shape[0]
    for t in range(start, stop):
        total = 0.0
        for i in range(n):
            total += sq_dists[i]
        chosen = min(int(draws[t] * n), n - 1)
        if total > 0.0:
            # The first record whose running sum of squared distances passes the draw.
            target, below = draws[t] * total, 0.0
            for i in range(n):
                if sq_dists[i] > 0.0:
                    chosen = i
                    below += sq_dists[i]
                    if below > target:
                        break
        starts[t] = chosen
        # Distances to the nearest chosen record, now that one more is chosen.
        for i in range(n):
            distance = sq_dist(X[i], X[chosen])
            if t == 0 or distance < sq_dists[i]:
                sq_dists[i] = distance


@kernel
def harden_memberships(
    X: Values, start: int, stop: int, centres: Values, labels: Integers
) -> None:
    """Label records by their nearest centre, of largest membership; ties to the lowest.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    start, stop : int
        The records.
    centres : ndarray of float64, shape (n_centres, n_attributes)
    labels : ndarray of int64, shape (n_records,)
        Receives their centres.
    """
    for k in range(start, stop):
        nearest = np.inf
        for i in range(centres.shape[0]):
            distance = sq_dist(X[k], centres[i])
            if distance < nearest:
                nearest = distance
                labels[k] = i


@kernel
def draw_centres(
    X: Values,
    start: int,
    stop: int,
    centres: Values,
    fuzziness: float,
    is_entropy: bool,
    draws: Values,
    memberships: Values,
    ratio: Values,
    labels: Integers,
    expected: Values,
) -> None:
    """Draw a centre for each of some records by its memberships, and add these up.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    start, stop : int
        The records.
    centres : ndarray of float64, shape (n_centres, n_attributes)
    fuzziness, is_entropy
        As for :func:`write_memberships`.
    draws : ndarray of float64, shape (n_records,)
        Random numbers in [0, 1).
    memberships, ratio : ndarray of float64, shape (n_centres,)
        Scratch.
    labels : ndarray of int64, shape (n_records,)
        Receives their centres.
    expected : ndarray of float64, shape (n_centres,)
        Sum of the memberships in each centre; added to.
    """
    for k in range(start, stop):
        # Step 2 of Algorithm 1: memberships with m2.
        write_memberships(X[k], centres, fuzziness, is_entropy, memberships, ratio)
        # Step 3: the first centre whose running sum of memberships passes the draw; the
        # last of any membership where rounding keeps the sum below it.
        below, is_drawn = 0.0, False
        for i in range(centres.shape[0]):
            expected[i] += memberships[i]
            if memberships[i] > 0.0 and not is_drawn:
                labels[k] = i
                below += memberships[i]
                is_drawn = below > draws[k]
