"""Ward's method: merge the cheapest clusters unless both have k records.

Each cluster remembers the cheapest merge with a cluster in a higher slot. A merge of A
and B changes only the merges that A or B take part in, and Ward's costs are reducible:
merging A and B, the cheapest pair, brings no third cluster nearer than the nearer of
the two was. So what a cluster remembers stays a lower bound, and it looks for a new
partner only when that bound is the lowest of all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import kernel

UNKNOWN_PARTNER = -1
"""In place of a partner: `cost` is only a lower bound."""


class WardClusters(NamedTuple):
    """Clusters in slots with sums, sizes and cheapest merges, by lowest record.

    Attributes
    ----------
    total : ndarray of float64, shape (n_attributes, n_slots)
        Sum of each cluster's records.
    centroid : ndarray of float64, shape (n_attributes, n_slots)
        Infinite in an empty slot.
    size : ndarray of int64, shape (n_slots,)
        Records in each cluster; 0 in an empty slot.
    cost : ndarray of float64, shape (n_slots,)
        Cost of the cheapest merge with a cluster in a higher slot, or a lower bound.
    partner : ndarray of int64, shape (n_slots,)
        That cluster's slot, the lowest of equally cheap ones; or UNKNOWN_PARTNER.
    first, last : ndarray of int64, shape (n_slots,)
        Ends of the chain of each cluster's records.
    next : ndarray of int64, shape (n_records,)
        The next record in the same chain, -1 at its end.
    counts : ndarray of int64, shape (3,)
        Slots in use, clusters, clusters with fewer than k records.
    squared : ndarray of float64, shape (n_slots,)
        Scratch: squared distances from one centroid to all.
    """

    total: Values
    centroid: Values
    size: Integers
    cost: Values
    partner: Integers
    first: Integers
    last: Integers
    next: Integers
    counts: Integers
    squared: Values


def make_ward_clusters(X: Values, labels: Integers, k: int) -> WardClusters:
    """Return clusters of the labelled groups, and of each unlabelled record alone.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    labels : ndarray of int64, shape (n_records,)
        Group of each record, -1 where it stands alone.
    """
    n, p = X.shape
    groups = [np.flatnonzero(labels == g) for g in range(int(labels.max()) + 1)]
    starts = [int(group[0]) for group in groups]
    firsts = np.sort(np.concatenate((np.flatnonzero(labels < 0), starts)))
    m = firsts.size
    clusters = WardClusters(
        total=np.ascontiguousarray(X[firsts].T),
        centroid=np.zeros((p, m)),
        size=np.ones(m, dtype=np.int64),
        cost=np.full(m, np.inf),
        partner=np.full(m, UNKNOWN_PARTNER, dtype=np.int64),
        first=firsts.astype(np.int64),
        last=firsts.astype(np.int64),
        next=np.full(n, -1, dtype=np.int64),
        counts=np.zeros(3, dtype=np.int64),
        squared=np.zeros(m),
    )
    for start, group in zip(starts, groups, strict=True):
        slot = int(np.searchsorted(firsts, start))
        for i in group[1:]:
            clusters.total[:, slot] += X[i]
        clusters.size[slot] = group.size
        clusters.last[slot] = group[-1]
        clusters.next[group[:-1]] = group[1:]
    clusters.centroid[:] = clusters.total / clusters.size
    clusters.counts[:] = m, m, np.count_nonzero(clusters.size < k)
    return clusters


@kernel
def _measure(clusters: WardClusters, a: int, start: int) -> None:
    """Write the squared distances from centroid a to those from slot `start` on."""
    centroid, squared = clusters.centroid, clusters.squared
    stop = clusters.counts[0]
    for t in range(start, stop):
        squared[t] = 0.0
    for j in range(centroid.shape[0]):
        value = centroid[j, a]
        row = centroid[j]
        for t in range(start, stop):
            difference = row[t] - value
            squared[t] += difference * difference


@kernel
def _merge_cost(size_a: int, size_t: int, squared: float, k: int) -> float:
    """Return the rise of SSE if two clusters merge, infinite if they must not."""
    if size_t == 0 or (size_a >= k and size_t >= k):
        return np.inf
    # sA sB / (sA + sB) * |cA - cB|^2.
    return size_a * size_t / (size_a + size_t) * squared


@kernel
def _find_partner(clusters: WardClusters, a: int, k: int) -> None:
    """Find the cheapest merge of a with a cluster in a higher slot."""
    size, squared = clusters.size, clusters.squared
    _measure(clusters, a, a + 1)
    best, partner = np.inf, a
    for t in range(a + 1, clusters.counts[0]):
        cost = _merge_cost(size[a], size[t], squared[t], k)
        if cost < best:
            best, partner = cost, t
    clusters.cost[a] = best
    clusters.partner[a] = partner


@kernel
def find_cheapest_merges(clusters: WardClusters, k: int, start: int, stop: int) -> None:
    """Write the cheapest merges of some slots' clusters with higher slots."""
    for a in range(start, stop):
        _find_partner(clusters, a, k)


@kernel
def merge_clusters_below_k(clusters: WardClusters, k: int, max_steps: int) -> int:
    """Merge cheapest pairs; return how many clusters stay below k.

    Parameters
    ----------
    max_steps : int
        Merges, and searches for partners, after which to stop.

    Returns
    -------
    int
        Clusters that still have fewer than k records; when there are none, each
        cluster is a group.
    """
    counts, cost, partner = clusters.counts, clusters.cost, clusters.partner
    for _ in range(max_steps):
        if counts[2] == 0:
            break
        if 2 * counts[1] <= counts[0]:
            _close_gaps(clusters)
        # The lowest bound of all: if it is exact it is the cheapest merge, else look.
        a = 0
        for t in range(1, counts[0]):
            if cost[t] < cost[a]:
                a = t
        if partner[a] == UNKNOWN_PARTNER:
            _find_partner(clusters, a, k)
        else:
            _merge(clusters, a, partner[a], k)
    return int(counts[2])


@kernel
def _merge(clusters: WardClusters, a: int, b: int, k: int) -> None:
    """Merge cluster b into a, the lower slot, and bring all partners up to date."""
    total, centroid, size = clusters.total, clusters.centroid, clusters.size
    cost, partner, squared = clusters.cost, clusters.partner, clusters.squared
    small = (size[a] < k) + (size[b] < k)
    size[a] += size[b]
    size[b] = 0
    clusters.counts[1] -= 1
    clusters.counts[2] += (size[a] < k) - small
    for j in range(total.shape[0]):
        total[j, a] += total[j, b]
        centroid[j, a] = total[j, a] / size[a]
        centroid[j, b] = np.inf
    # The chain of b follows that of a.
    clusters.next[clusters.last[a]] = clusters.first[b]
    clusters.last[a] = clusters.last[b]
    cost[b] = np.inf
    _measure(clusters, a, 0)
    # Clusters below a remember merges upwards: with a, with b, or with neither.
    for t in range(a):
        new = _merge_cost(size[a], size[t], squared[t], k)
        if new < cost[t]:  # by rounding only: the bound holds to the last bit
            cost[t], partner[t] = new, a
        elif partner[t] == a or partner[t] == b:
            partner[t] = a if new == cost[t] else UNKNOWN_PARTNER
        elif new == cost[t] and partner[t] > a:
            partner[t] = a
    # Clusters above a: a looks at them, and those that remembered b must look again.
    best, nearest = np.inf, a
    for t in range(a + 1, clusters.counts[0]):
        new = _merge_cost(size[a], size[t], squared[t], k)
        if new < best:
            best, nearest = new, t
        if partner[t] == b:
            partner[t] = UNKNOWN_PARTNER
    cost[a], partner[a] = best, nearest


@kernel
def _close_gaps(clusters: WardClusters) -> None:
    """Move the clusters into the lowest slots, in the same order."""
    size, partner = clusters.size, clusters.partner
    slots = clusters.counts[0]
    place = np.empty(slots, dtype=np.int64)
    n_clusters = 0
    # Where each cluster goes: as many down as there are gaps before it.
    for t in range(slots):
        place[t] = n_clusters
        n_clusters += size[t] > 0
    for t in range(slots):
        if size[t] > 0:
            to = place[t]
            for j in range(clusters.total.shape[0]):
                clusters.total[j, to] = clusters.total[j, t]
                clusters.centroid[j, to] = clusters.centroid[j, t]
            size[to] = size[t]
            clusters.cost[to] = clusters.cost[t]
            clusters.first[to] = clusters.first[t]
            clusters.last[to] = clusters.last[t]
            partner[to] = place[partner[t]] if partner[t] >= 0 else UNKNOWN_PARTNER
    clusters.counts[0] = n_clusters


@kernel
def write_cluster_labels(clusters: WardClusters, labels: Integers) -> None:
    """Write the cluster number of each record, by lowest record, shape (n_records,)."""
    number = 0
    for t in range(clusters.counts[0]):
        if clusters.size[t] > 0:
            i = clusters.first[t]
            while i >= 0:
                labels[i] = number
                i = clusters.next[i]
            number += 1
