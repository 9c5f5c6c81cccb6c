"""Records whose values, or small sums of them, follow from the group sums released."""

from __future__ import annotations

import numpy as np

from engine.core.typing import Booleans, Integers
from engine.kernels.composition.null_vector import (
    DONE,
    FAILED,
    GOING,
    MERSENNE_PRIME,
    multiply_normal_matrix,
    run_lanczos_steps,
)

ADDITIONS_PER_CALL = 20_000_000
"""Additions of one kernel call."""


def determined_record_mask(
    labels_per_release: Integers, persons: Integers | None = None
) -> Booleans:
    """Return a mask of records whose values (or persons' sums) follow from group sums.

    Parameters
    ----------
    labels_per_release : ndarray of int64, shape (n_releases, n_records)
        Group of each record in each release; -1 where it is in none.
    persons : ndarray of int64, shape (n_records,), optional
        Who each record is about, -1 of nobody: the sum of a person's records in the
        same groups, in a group, or in all of them then is as good as a value. Records
        that share all groups with another person's are left out of it.

    Returns
    -------
    ndarray of bool, shape (n_records,)

    Notes
    -----
    Records of the same groups are one unknown, a cell. The sum of some cells follows if
    and only if every vector that leaves all sums as they are adds up to zero there; one
    random such vector modulo a prime p adds up to zero by chance with a probability of
    1 / p. Two releases are a graph whose nodes are groups and whose edges are cells
    (those in one release only lead to a further node): edges outside a spanning forest
    are drawn, and those inside follow from the leaves on. More releases are solved for
    it (Wiedemann 1986, doi:10.1109/TIT.1986.1057137; Lanczos' method).
    """
    n = labels_per_release.shape[1]
    sums, dense = _distinct_groupings(labels_per_release)
    if len(sums) == 0:
        return np.zeros(n, dtype=np.bool_)
    cells, back = np.unique(sums, axis=1, return_inverse=True)
    owners = sole_person_per_cell(back, np.arange(n) if persons is None else persons)
    owners[(cells < 0).all(axis=0)] = -1
    null = _random_null_vector(cells, dense, owners >= 0)
    is_determined = (null == 0) & (owners >= 0)
    if persons is not None:
        for groups in (*cells, np.zeros(owners.size, dtype=np.int64)):
            is_determined |= _cells_with_known_sum(null, owners, groups)
    return np.asarray(is_determined[back])


def differencing_disclosure_mask(
    labels_per_release: Integers,
    k_per_release: Integers,
    persons: Integers | None = None,
) -> Booleans:
    """Return a mask of records in a sum of under k people that follows by differencing.

    What one release has and another lacks is the difference of the two. Of two
    releases, all sums of such records that follow are found.

    Parameters
    ----------
    labels_per_release : ndarray of int64, shape (n_releases, n_records)
        Group of each record in each release; -1 where it is in none.
    k_per_release : ndarray of int64, shape (n_releases,)
        A sum of records of this release counts if fewer people than this are in it.
    persons : ndarray of int64, shape (n_records,), optional
        Who each record is about, -1 of nobody.

    Returns
    -------
    ndarray of bool, shape (n_records,)

    Notes
    -----
    Let the groups of two releases be nodes and their common records edges. The sum of
    some records that one of the two lacks follows if and only if these are all such
    records in some connected parts, where the other lacks none. The groups of one
    release, and all records together, are what three and more releases add.
    """
    n = labels_per_release.shape[1]
    is_disclosed = np.zeros(n, dtype=np.bool_)
    sums, dense = _distinct_groupings(labels_per_release)
    if len(sums) == 0:
        return is_disclosed
    cells, first, back = np.unique(sums, axis=1, return_index=True, return_inverse=True)
    is_missing = labels_per_release[:, first] < 0
    is_partial = is_missing.any(axis=0) & ~is_missing.all(axis=0)
    null = _random_null_vector(cells, dense, np.asarray(is_partial))
    whose = _number_everybody(np.arange(n) if persons is None else persons)
    for labels, k in zip(labels_per_release, k_per_release.tolist(), strict=True):
        for other in labels_per_release:
            gone = np.flatnonzero((labels >= 0) & (other < 0))
            if gone.size == 0:
                continue
            parts = _connected_groups(labels, other)[labels[gone]]
            for keys in (labels[gone], parts, np.zeros(gone.size, dtype=np.int64)):
                of = np.unique(keys, return_inverse=True)[1]
                pairs = np.unique([of, back[gone]], axis=1)
                people = np.bincount(np.unique([of, whose[gone]], axis=1)[0])
                follows = _sums_are_zero(null[pairs[1]], pairs[0])
                is_disclosed[gone] |= (follows & (people < k))[of]
    return is_disclosed


def _connected_groups(own: Integers, beside: Integers) -> Integers:
    """Return the number of each own group's part, joined by common records."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n_own, both = int(own.max()) + 1, (own >= 0) & (beside >= 0)
    size = n_own + int(beside.max()) + 1
    ends = (own[both], n_own + beside[both])
    graph = coo_array((np.ones(ends[0].size), ends), shape=(size, size))
    part: Integers = connected_components(graph, directed=False)[1].astype(np.int64)
    return part[:n_own]


def _number_everybody(persons: Integers) -> Integers:
    """Return persons with a number of their own for each record of nobody."""
    return np.where(persons < 0, persons.size + np.arange(persons.size), persons)


def sole_person_per_cell(cell_per_record: Integers, persons: Integers) -> Integers:
    """Return the person of each cell's records; -1 if they are of several persons.

    Records of nobody are each of somebody else.

    Parameters
    ----------
    cell_per_record : ndarray of int64, shape (n_records,)
        Numbered 0, 1, ...
    persons : ndarray of int64, shape (n_records,)

    Returns
    -------
    ndarray of int64, shape (n_cells,)
    """
    whose = _number_everybody(persons)
    low = np.full(int(cell_per_record.max()) + 1, np.iinfo(np.int64).max)
    high = np.full(low.size, -1)
    np.minimum.at(low, cell_per_record, whose)
    np.maximum.at(high, cell_per_record, whose)
    return np.where(low == high, low, -1)


def _cells_with_known_sum(
    null: Integers, owners: Integers, groups: Integers
) -> Booleans:
    """Return cells whose owner's cells in the same group have a sum that follows."""
    has_known_sum = np.zeros(owners.size, dtype=np.bool_)
    cells = np.flatnonzero((owners >= 0) & (groups >= 0))
    if cells.size == 0:
        return has_known_sum
    keys = owners[cells] * (int(groups.max()) + 1) + groups[cells]
    of = np.unique(keys, return_inverse=True)[1]
    has_known_sum[cells] = _sums_are_zero(null[cells], of)[of]
    return has_known_sum


def _sums_are_zero(null: Integers, sum_of_entry: Integers) -> Booleans:
    """Return which sums, numbered for each entry, are zero modulo the prime."""
    # In halves, of which no sum is too large.
    high, low = np.zeros((2, int(sum_of_entry.max()) + 1), dtype=np.int64)
    np.add.at(high, sum_of_entry, null >> 31)
    np.add.at(low, sum_of_entry, null & (2**31 - 1))
    zero = [
        (a * 2**31 + b) % MERSENNE_PRIME == 0
        for a, b in zip(high.tolist(), low.tolist(), strict=True)
    ]
    return np.array(zero, dtype=np.bool_)


def _random_null_vector(cells: Integers, n_groups: int, is_asked: Booleans) -> Integers:
    """Return a random vector that is zero in all sums, at least where it is asked."""
    rng = np.random.default_rng(0)
    if len(cells) <= 2:
        return _graph_null_vector(cells, rng)
    null = np.ones(cells.shape[1], dtype=np.int64)
    for some in _connected_components(cells, n_groups):
        if is_asked[some].any():
            null[some] = _null_vector(cells[:, some], rng)
    return null


def _graph_null_vector(cells: Integers, rng: np.random.Generator) -> Integers:
    """Return a random vector that is zero in all sums of up to two releases."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import breadth_first_order, connected_components

    n = cells.shape[1]
    ends = np.full((2, n), -1, dtype=np.int64)
    ends[: len(cells)] = cells
    ground = int(ends.max()) + 1
    tail, head = np.where(ends >= 0, ends, ground)
    # A root above all parts; that of the part with the ground is the ground.
    root = ground + 1
    shape = (root + 1, root + 1)
    graph = coo_array((np.ones(n), (tail, head)), shape=shape).tocsr()
    part = connected_components(graph, directed=False)[1]
    part[root] = -1
    tops = np.unique(part[::-1], return_index=True)[1]
    tops = part.size - 1 - tops[1:]
    rows, columns = np.append(tail, np.full(tops.size, root)), np.append(head, tops)
    graph = coo_array((np.ones(rows.size), (rows, columns)), shape=shape).tocsr()
    order, above = breadth_first_order(graph, root, directed=False)
    above = above.astype(np.int64)
    vector: Integers = np.asarray(rng.integers(0, MERSENNE_PRIME, n), dtype=np.int64)
    inside = (above[tail] == head) | (above[head] == tail)
    vector[inside] = 0
    lower = np.where(above[tail] == head, tail, head)
    edge_of = np.full(root + 1, -1, dtype=np.int64)
    edge_of[lower[inside]] = np.flatnonzero(inside)
    total = [0] * (root + 1)
    for a, b, value in zip(tail.tolist(), head.tolist(), vector.tolist(), strict=True):
        total[a] += value
        total[b] += value
    for node in reversed(order.tolist()):
        edge, parent = int(edge_of[node]), int(above[node])
        if edge >= 0:
            value = -total[node] % MERSENNE_PRIME
            vector[edge] = value
            total[parent] += value
    return vector


def _distinct_groupings(labels: Integers) -> tuple[Integers, int]:
    """Return releases that differ, their groups numbered on, and how many these are."""
    rows, total = list[Integers](), 0
    for row in np.unique(labels, axis=0):
        is_grouped = row >= 0
        if not is_grouped.any():
            continue
        groups = np.full(row.size, -1, dtype=np.int64)
        numbers = np.unique(row[is_grouped], return_inverse=True)[1]
        groups[is_grouped] = numbers + total
        total += int(numbers.max()) + 1
        rows.append(groups)
    shape = (len(rows), labels.shape[1])
    return np.array(rows, dtype=np.int64).reshape(shape), total


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


def _null_vector(sums: Integers, rng: np.random.Generator) -> Integers:
    """Return a random vector that is zero in all sums."""
    sums = np.ascontiguousarray(sums)
    is_grouped = sums >= 0
    numbers = np.unique(sums[is_grouped], return_inverse=True)[1]
    sums[is_grouped] = numbers
    n, n_groups = sums.shape[1], int(numbers.max()) + 1
    room, v = np.empty(n_groups, dtype=np.int64), np.empty(n, dtype=np.int64)
    max_steps = max(1, ADDITIONS_PER_CALL // max(1, sums.size))
    while True:
        scale = rng.integers(1, MERSENNE_PRIME, n_groups)
        anything = np.asarray(rng.integers(0, MERSENNE_PRIME, n))
        target = np.empty(n, dtype=np.int64)
        multiply_normal_matrix(sums, scale, anything, room, target)
        w, before = target.copy(), np.zeros(n, dtype=np.int64)
        solution, norm = np.zeros(n, dtype=np.int64), np.ones(1, dtype=np.int64)
        state = GOING
        while state == GOING:
            state = run_lanczos_steps(
                sums, scale, target, w, before, solution, norm, room, v, max_steps
            )
        null: Integers = (anything - solution) % MERSENNE_PRIME
        multiply_normal_matrix(sums, np.ones_like(scale), null, room, v)
        if state == DONE and not room.any():
            return null
        assert state in (DONE, FAILED)  # an unlucky draw: once more
