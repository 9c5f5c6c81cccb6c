"""Dissolve groups whose records fit better into neighbouring groups."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import kernel
from engine.kernels.records.distance import sq_dist

MIN_RELATIVE_GAIN = 1e-12
"""A fall of SSE by a smaller share than this is rounding, not gain."""


class DissolvableGroups(NamedTuple):
    """Groups as linked lists with centroids, and scratch space to dissolve them.

    Attributes
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
        The values, read-only.
    first : ndarray of int64, shape (n_groups,)
        Lowest record of each group; -1 once the group is dissolved.
    next : ndarray of int64, shape (n_records,)
        The next higher record of the same group; -1 after the last.
    size : ndarray of int64, shape (n_groups,)
    centroid : ndarray of float64, shape (n_attributes, n_groups)
        Attribute by attribute, so that distances to all groups run in vector
        registers; infinite in the first attribute once the group is dissolved.
    sse : ndarray of float64, shape (n_groups,)
    alive : ndarray of int64, shape (1,)
        Number of groups not dissolved.
    target : ndarray of int64, shape (n_records,)
        Scratch: group that a record would move to.
    gain : ndarray of int64, shape (n_groups,)
        Scratch, 0 between visits: how many records a group would receive.
    touched : ndarray of int64, shape (n_groups,)
        Scratch: groups that would receive a record.
    merged : ndarray of int64, shape (n_records,)
        Scratch: members that the groups in `touched` would have, one after the other.
    trial_size : ndarray of int64, shape (n_groups,)
        Scratch: how many members they would have.
    trial_centroid : ndarray of float64, shape (n_groups, n_attributes)
        Scratch: centroids that the groups in `touched` would have.
    trial_sse : ndarray of float64, shape (n_groups,)
        Scratch: their SSE.
    squared : ndarray of float64, shape (n_groups,)
        Scratch: squared distances of a record to all centroids.
    """

    X: Values
    first: Integers
    next: Integers
    size: Integers
    centroid: Values
    sse: Values
    alive: Integers
    target: Integers
    gain: Integers
    touched: Integers
    merged: Integers
    trial_size: Integers
    trial_centroid: Values
    trial_sse: Values
    squared: Values


def make_dissolvable_groups(X: Values, labels: Integers) -> DissolvableGroups:
    """Return a partition as linked lists, for :func:`dissolve_where_better`.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
        C-contiguous and finite; kept, not copied.
    labels : ndarray of int64, shape (n_records,)
        Group of each record, 0 to n_groups - 1, no group empty.
    """
    X = X.view()
    X.flags.writeable = False  # one array type, so kernels compile once
    n, p = X.shape
    g = int(labels.max()) + 1
    groups = DissolvableGroups(
        X=X,
        first=np.full(g, -1, dtype=np.int64),
        next=np.full(n, -1, dtype=np.int64),
        size=np.zeros(g, dtype=np.int64),
        centroid=np.zeros((p, g)),
        sse=np.zeros(g),
        alive=np.array([g], dtype=np.int64),
        target=np.zeros(n, dtype=np.int64),
        gain=np.zeros(g, dtype=np.int64),
        touched=np.zeros(g, dtype=np.int64),
        merged=np.zeros(n, dtype=np.int64),
        trial_size=np.zeros(g, dtype=np.int64),
        trial_centroid=np.zeros((g, p)),
        trial_sse=np.zeros(g),
        squared=np.zeros(g),
    )
    _collect(groups, np.ascontiguousarray(labels, dtype=np.int64))
    return groups


@kernel
def _collect(groups: DissolvableGroups, labels: Integers) -> None:
    """Chain the members of each group, and measure it."""
    # From the highest record down, so that chains rise.
    for i in range(labels.shape[0] - 1, -1, -1):
        g = labels[i]
        groups.next[i] = groups.first[g]
        groups.first[g] = i
        groups.size[g] += 1
    for g in range(groups.size.shape[0]):
        count = _merge(groups, g, -1, groups.merged)
        groups.sse[g] = _measure(
            groups.X, groups.merged[:count], groups.trial_centroid[0]
        )
        groups.centroid[:, g] = groups.trial_centroid[0]


@kernel
def _merge(groups: DissolvableGroups, g: int, arrival: int, merged: Integers) -> int:
    """Write g's members and the arrivals bound for g, rising; return how many.

    `arrival` is the first record of the group being dissolved, -1 for none.
    """
    count = 0
    member = groups.first[g]
    while member >= 0 or arrival >= 0:
        # Two rising chains are merged; arrivals for other groups are passed over.
        if arrival >= 0 and groups.target[arrival] != g:
            arrival = groups.next[arrival]
        elif member >= 0 and (arrival < 0 or member < arrival):
            merged[count] = member
            member = groups.next[member]
            count += 1
        else:
            merged[count] = arrival
            arrival = groups.next[arrival]
            count += 1
    return count


@kernel
def _measure(X: Values, members: Integers, centroid: Values) -> float:
    """Write the centroid of some records, shape (n_attributes,); return their SSE.

    Records come in rising order, so that the same members always give the same
    numbers, whatever happened to them before.
    """
    p = X.shape[1]
    centroid[:] = 0.0
    for i in members:
        for j in range(p):
            centroid[j] += X[i, j]
    for j in range(p):
        centroid[j] /= members.shape[0]
    sse = 0.0
    for i in members:
        sse += sq_dist(X[i], centroid)
    return sse


@kernel
def _nearest_group(groups: DissolvableGroups, i: int) -> int:
    """Return the group with the centroid nearest to record i, ties to the lowest."""
    centroid, squared = groups.centroid, groups.squared
    squared[:] = 0.0
    for j in range(centroid.shape[0]):
        value = groups.X[i, j]
        row = centroid[j]
        for g in range(squared.shape[0]):
            difference = value - row[g]
            squared[g] += difference * difference
    best = 0
    for g in range(1, squared.shape[0]):
        if squared[g] < squared[best]:
            best = g
    return best


@kernel
def _send_away(groups: DissolvableGroups, v: int, largest: int) -> int:
    """Find where v's members would go; return the number of groups touched.

    Returns 0 when a group would become larger than `largest`.
    """
    count = 0
    i = groups.first[v]
    while i >= 0:
        g = _nearest_group(groups, i)
        groups.target[i] = g
        if groups.gain[g] == 0:
            groups.touched[count] = g
            count += 1
        groups.gain[g] += 1
        i = groups.next[i]
    fits = True
    for t in range(count):
        g = groups.touched[t]
        fits = fits and groups.size[g] + groups.gain[g] <= largest
        groups.gain[g] = 0
    return count if fits else 0


@kernel
def dissolve_where_better(
    groups: DissolvableGroups,
    visit_order: Integers,
    start: int,
    stop: int,
    max_group_size: int,
) -> None:
    """Dissolve visited groups in place where SSE falls and none gets too large.

    Every member goes to the group with the nearest centroid, as the centroids were
    before any member moved.

    Parameters
    ----------
    groups : DissolvableGroups
        Changed in place.
    visit_order : ndarray of int64, shape (n_groups,)
        Groups in the order of the visits.
    start, stop : int
        Which of the visits to make, so that the caller can report progress.
    max_group_size : int
        A group stays if dissolving it made another one larger than this.
    """
    for visit in range(start, stop):
        if groups.alive[0] < 2:
            return
        v = visit_order[visit]
        # The group itself must be nobody's nearest while it is tried.
        home = groups.centroid[0, v]
        groups.centroid[0, v] = np.inf
        count = _send_away(groups, v, max_group_size)
        before, after = groups.sse[v], 0.0
        offset = 0
        # SSE of the groups that would grow, before and after.
        for t in range(count):
            g = groups.touched[t]
            size = _merge(groups, g, groups.first[v], groups.merged[offset:])
            members = groups.merged[offset : offset + size]
            groups.trial_sse[t] = _measure(groups.X, members, groups.trial_centroid[t])
            groups.trial_size[t] = size
            before += groups.sse[g]
            after += groups.trial_sse[t]
            offset += size
        if count > 0 and after < before * (1.0 - MIN_RELATIVE_GAIN):
            _dissolve(groups, v, count)
        else:
            groups.centroid[0, v] = home


@kernel
def _dissolve(groups: DissolvableGroups, v: int, count: int) -> None:
    """Let the first `count` groups in `touched` have the members tried for them."""
    groups.first[v] = -1
    groups.size[v] = 0
    groups.sse[v] = 0.0
    groups.alive[0] -= 1
    offset = 0
    for t in range(count):
        g, size = groups.touched[t], groups.trial_size[t]
        members = groups.merged[offset : offset + size]
        offset += size
        groups.first[g] = members[0]
        for place in range(size - 1):
            groups.next[members[place]] = members[place + 1]
        groups.next[members[size - 1]] = -1
        groups.size[g] = size
        groups.sse[g] = groups.trial_sse[t]
        groups.centroid[:, g] = groups.trial_centroid[t]


@kernel
def write_sparse_group_labels(groups: DissolvableGroups, labels: Integers) -> None:
    """Write each record's group to `labels`; numbers of dissolved groups are unused."""
    for g in range(groups.first.shape[0]):
        i = groups.first[g]
        while i >= 0:
            labels[i] = g
            i = groups.next[i]
