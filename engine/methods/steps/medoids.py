"""CLARA: cluster records around medoids found in samples."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.core.typing import Integers, Values
from engine.methods.steps.path import row_sq_dists

N_SAMPLES = 5
"""Samples, of which the one with the best medoids counts."""


DISTANCE_TOLERANCE = 1e-12
"""Sums of distances are told apart down to this share of the largest ones."""


class MedoidClusters(NamedTuple):
    """Medoids, and the nearest medoid of each record.

    Attributes
    ----------
    medoids : ndarray of int64, shape (n_clusters,)
        A record each, in the order in which the clusters first appear.
    labels : ndarray of int64, shape (n_records,)
    """

    medoids: Integers
    labels: Integers


class _Congruential:
    """The generator of CLARA's authors: the same samples everywhere."""

    def __init__(self, n: int) -> None:
        self._state, self._n = 0, n

    def record(self) -> int:
        self._state = (self._state * 5761 + 999) % 65536
        return int(self._n * (self._state / 65536.0))


def cluster_by_clara(X: Values, n_clusters: int) -> MedoidClusters:
    """Return clusters of records around medoids found in samples by CLARA.

    As the function `clara` of R's package cluster finds them with its
    defaults: 5 samples of ``40 + 2 * n_clusters`` records from a generator that always
    begins alike, each new one with the best medoids so far.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    n_clusters : int
        Fewer than there are records; there may be fewer where records are equal.

    References
    ----------
    Kaufman, Rousseeuw (1990). Finding Groups in Data, chapters 2 and 3,
    https://doi.org/10.1002/9780470316801
    """
    n = X.shape[0]
    size = min(n, 40 + 2 * n_clusters)
    draw = _Congruential(n)
    best: MedoidClusters | None = None
    min_cost = np.inf
    for _ in range(1 if size == n else N_SAMPLES):
        sample = _sample(draw, n, size, () if best is None else best.medoids.tolist())
        clusters, cost = _assign_to_medoids(
            X, sample[_pam_medoids(X[sample], n_clusters)]
        )
        if cost < min_cost:
            best, min_cost = clusters, cost
    assert best is not None
    return best


def _sample(
    draw: _Congruential, n: int, size: int, medoids: tuple[int, ...] | list[int]
) -> Integers:
    """Return records in order; the best medoids so far are among them."""
    if size == n:
        return np.arange(n, dtype=np.int64)
    if n < 2 * size:  # it is quicker to draw those that are left out
        excluded_records: set[int] = set()
        while len(excluded_records) < n - size:
            record = draw.record()
            if record not in medoids:
                excluded_records.add(record)
        return np.array(
            [i for i in range(n) if i not in excluded_records], dtype=np.int64
        )
    chosen = set(medoids)
    while len(chosen) < size:
        chosen.add(draw.record())
    return np.array(sorted(chosen), dtype=np.int64)


def _pam_medoids(S: Values, n_clusters: int) -> Integers:
    """Return the medoids of a sample, by PAM's build and swap; places in order."""
    D = np.sqrt(np.stack([row_sq_dists(S, point) for point in S]))
    # BUILD: again and again the record that brings all others nearest to a medoid.
    far = 1.1 * D.max() + 1.0
    nearest = np.full(len(S), far)
    chosen = np.zeros(len(S), dtype=np.bool_)
    for _ in range(n_clusters):
        gains = np.where(chosen, -far, np.maximum(nearest - D, 0.0).sum(axis=1))
        best = gains >= gains.max() - DISTANCE_TOLERANCE * len(S) * far
        new = int(np.flatnonzero(best)[-1])  # the last of equally good ones
        chosen[new] = True
        nearest = np.minimum(nearest, D[new])
    # SWAP: the best exchange of a medoid for another record, while there is one.
    while True:
        inside, outside = np.flatnonzero(chosen), np.flatnonzero(~chosen)
        first, second = (
            np.sort(D[inside], axis=0)[:2]
            if inside.size > 1
            else (D[inside[0]], np.full(len(S), far))
        )
        gain = np.empty((outside.size, inside.size))
        for column, old in enumerate(inside):
            # A record that loses its medoid goes to the new one, or where two are
            # equally near to the other: CLARA's own, cautious estimate of the cost.
            is_member = D[old] == first
            loses = np.where(second > D[old], D[outside], second) - first
            others = np.minimum(D[outside] - first, 0.0)
            gain[:, column] = np.where(is_member, loses, others).sum(axis=1)
        min_gain = gain.min(initial=0.0)
        if min_gain >= -DISTANCE_TOLERANCE * len(S) * far:
            return inside
        at = int(np.argmax(gain <= min_gain + DISTANCE_TOLERANCE * len(S) * far))
        place, column = divmod(at, inside.size)
        chosen[outside[place]], chosen[inside[column]] = True, False


def _assign_to_medoids(X: Values, medoids: Integers) -> tuple[MedoidClusters, float]:
    """Return the clusters of all records, and the sum of distances to the medoids."""
    D = np.stack([row_sq_dists(X, X[medoid]) for medoid in medoids], axis=1)
    D[medoids, np.arange(medoids.size)] = -1.0  # each stays with itself
    labels = D.argmin(axis=1)
    cost = float(np.sqrt(np.maximum(D.min(axis=1), 0.0)).sum())
    used_labels, first, codes = np.unique(
        labels, return_index=True, return_inverse=True
    )
    order = np.argsort(first, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(order.size)
    return MedoidClusters(medoids[used_labels[order]], place[codes]), cost
