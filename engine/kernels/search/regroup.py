"""Partition the union of a few groups anew, to lower SSE.

A change counts as better only where it lowers SSE by more than `min_improvement`, so
that rounding decides nothing and every search ends.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import kernel
from engine.kernels.records.coded_records import CodedRecords, sq_dist_between


class GroupState(NamedTuple):
    """A partition that a local search changes in place: labels, members, sizes, SSE.

    Attributes
    ----------
    X : ndarray of float64, shape (n_records, n_numbers)
        Read-only.
    codes : ndarray of int64, shape (n_records, n_levels), or None
        Read-only.
    sq_len : ndarray of float64, shape (n_directions + 1,)
        With the two above as in
        :class:`engine.kernels.records.coded_records.CodedRecords`.
    near : ndarray of int64, shape (n_records, length)
        Records nearest to each record, nearest first.
    labels : ndarray of int64, shape (n_records,)
    members : ndarray of int64, shape (capacity, 2k - 1)
        Records of each group, rising.
    size : ndarray of int64, shape (capacity,)
        Records in each group; 0 where the number is unused.
    sse : ndarray of float64, shape (capacity,)
        SSE of each group.
    unused : ndarray of int64, shape (capacity + 1,)
        Unused group numbers, the next one to be taken last; the last entry of the array
        counts them.
    """

    X: Values
    codes: Integers | None
    sq_len: Values
    near: Integers
    labels: Integers
    members: Integers
    size: Integers
    sse: Values
    unused: Integers

    @property
    def n_terms(self) -> int:
        """Number of terms of a squared distance: numbers, and levels of codes."""
        levels = 0 if self.codes is None else self.codes.shape[1]
        return int(self.X.shape[1] + levels)


class UnionScratch(NamedTuple):
    """Scratch space for the records of a few groups and their new partition.

    Attributes
    ----------
    taken : ndarray of int64, shape (most_groups + 1,)
        Numbers of the groups.
    records : ndarray of int64, shape (most_records,)
    values : ndarray of float64, shape (most_records, n_numbers)
    row_codes : ndarray of int64, shape (most_records, n_levels), or None
        Their codes.
    dists : ndarray of float64, shape (most_records, most_records)
        Squared distances.
    part : ndarray of int64, shape (most_records,)
        Part of each record; -1 while it has none.
    rest : ndarray of int64, shape (most_records,)
        Records without a part.
    best : ndarray of int64, shape (most_records,)
        The best partition so far: `part` as it was then.
    best_sse : ndarray of float64, shape (most_groups + 1,)
        SSE of the parts of `best`.
    size : ndarray of int64, shape (most_groups + 1,)
        Records in each part.
    pairs : ndarray of float64, shape (most_groups + 1,)
        Sum of the squared distances of a part's pairs: its SSE times its size.
    sums : ndarray of float64, shape (most_groups + 1, most_records)
        Sum of the squared distances from each record to the members of each part.
    inverse : ndarray of float64, shape (2k + 1,)
        1 / size; a product is faster than a division.
    """

    taken: Integers
    records: Integers
    values: Values
    row_codes: Integers | None
    dists: Values
    part: Integers
    rest: Integers
    best: Integers
    best_sse: Values
    size: Integers
    pairs: Values
    sums: Values
    inverse: Values


def make_group_state(
    records: CodedRecords, neighbours: Integers, labels: Integers, k: int
) -> GroupState:
    """Return the search state of a partition with groups of k to 2k - 1 records.

    Parameters
    ----------
    records : CodedRecords
    neighbours : ndarray of int64, shape (n_records, length)
    labels : ndarray of int64, shape (n_records,)
        Dense, every group of k to 2k - 1 records.
    """
    capacity = records.numbers.shape[0] // k
    X, codes = records.numbers.view(), records.codes
    # One array type each, so kernels compile once for each kind of records.
    X.flags.writeable = False
    if codes is not None:
        codes = codes.view()
        codes.flags.writeable = False
    groups = GroupState(
        X=X,
        codes=codes,
        sq_len=records.sq_len,
        near=neighbours,
        labels=labels.copy(),
        members=np.zeros((capacity, 2 * k - 1), dtype=np.int64),
        size=np.zeros(capacity, dtype=np.int64),
        sse=np.zeros(capacity),
        unused=np.zeros(capacity + 1, dtype=np.int64),
    )
    compute_group_state(groups)
    return groups


def make_union_scratch(groups: GroupState, k: int, max_groups: int) -> UnionScratch:
    """Return scratch space for the union of up to `max_groups` groups."""
    max_records, parts = max_groups * (2 * k - 1), max_groups + 1
    row_codes = None
    if groups.codes is not None:
        row_codes = np.zeros((max_records, groups.codes.shape[1]), dtype=np.int64)
    return UnionScratch(
        taken=np.zeros(parts, dtype=np.int64),
        records=np.zeros(max_records, dtype=np.int64),
        values=np.zeros((max_records, groups.X.shape[1])),
        row_codes=row_codes,
        dists=np.zeros((max_records, max_records)),
        part=np.zeros(max_records, dtype=np.int64),
        rest=np.zeros(max_records, dtype=np.int64),
        best=np.zeros(max_records, dtype=np.int64),
        best_sse=np.zeros(parts),
        size=np.zeros(parts, dtype=np.int64),
        pairs=np.zeros(parts),
        sums=np.zeros((parts, max_records)),
        inverse=1.0 / np.maximum(np.arange(2 * k + 1), 1),
    )


@kernel
def compute_group_state(groups: GroupState) -> None:
    """Compute members, sizes and SSE of groups, and unused numbers, from labels."""
    n, p = groups.X.shape
    capacity = groups.size.shape[0]
    groups.size[:] = 0
    for i in range(n):
        g = groups.labels[i]
        groups.members[g, groups.size[g]] = i
        groups.size[g] += 1
    n_unused = 0
    # From the highest number down, so that the lowest unused one is taken first.
    for place in range(capacity):
        g = capacity - 1 - place
        groups.sse[g] = 0.0
        if groups.size[g] == 0:
            groups.unused[n_unused] = g
            n_unused += 1
            continue
        for j in range(p):
            total = 0.0
            for m in range(groups.size[g]):
                total += groups.X[groups.members[g, m], j]
            mean = total / groups.size[g]
            for m in range(groups.size[g]):
                difference = groups.X[groups.members[g, m], j] - mean
                groups.sse[g] += difference * difference
        groups.sse[g] += _coded_sse(
            groups.codes, groups.sq_len, groups.members, groups.size[g], g
        )
    groups.unused[capacity] = n_unused


@kernel
def _coded_sse(
    codes: Integers | None, sq_len: Values, members: Integers, size: int, g: int
) -> float:
    """Return the SSE that codes add: (1 / size) of the pairs' distances."""
    if codes is None:
        return 0.0
    total = 0.0
    for level in range(codes.shape[1]):
        for m in range(size):
            a = codes[members[g, m], level]
            for other in range(m):
                b = codes[members[g, other], level]
                if a != b:
                    total += sq_len[a] + sq_len[b]
    return float(total / size)


@kernel
def gather_union(
    X: Values,
    codes: Integers | None,
    sq_len: Values,
    members: Integers,
    size: Integers,
    group_numbers: Integers,
    m: int,
    records: Integers,
    values: Values,
    row_codes: Integers | None,
    sq_dists: Values,
) -> int:
    """Copy the records of the first m groups, with distances; return their number.

    Here and below arrays are those of :class:`GroupState` and :class:`UnionScratch`.
    They come one by one because taking an array out of a tuple costs an atomic count,
    and these functions run a million times a second.
    """
    n = 0
    for t in range(m):
        g = group_numbers[t]
        for place in range(size[g]):
            i = members[g, place]
            records[n] = i
            for j in range(X.shape[1]):
                values[n, j] = X[i, j]
            if codes is not None and row_codes is not None:
                for level in range(codes.shape[1]):
                    row_codes[n, level] = codes[i, level]
            n += 1
    # Distances of all pairs: from here on nothing is read from X.
    for i in range(n):
        sq_dists[i, i] = 0.0
        for other in range(i):
            d = sq_dist_between(values, row_codes, sq_len, i, other)
            sq_dists[i, other] = d
            sq_dists[other, i] = d
    return n


@kernel
def seed_part_with_nearest(
    part: Integers,
    unassigned: Integers,
    sq_dists: Values,
    n_left: int,
    part_number: int,
    seed: int,
    k: int,
) -> int:
    """Make a part of a record and its k - 1 nearest; return how many stay unassigned.

    Parameters
    ----------
    part : ndarray of int64, shape (most_records,)
    unassigned : ndarray of int64, shape (most_records,)
        The `n_left` records without a part, rising; changed in place.
    sq_dists
    n_left, part_number : int
    seed : int
        One of the records without a part.

    Returns
    -------
    int
        Records left without a part.
    """
    part[seed] = part_number
    for _ in range(k - 1):
        nearest, min_sq_dist = -1, np.inf
        for t in range(n_left):
            i = unassigned[t]
            # Without branches: those that have a part are infinitely far.
            d = sq_dists[seed, i] if part[i] < 0 else np.inf
            nearest = i if d < min_sq_dist else nearest
            min_sq_dist = d if d < min_sq_dist else min_sq_dist
        part[nearest] = part_number
    still = 0
    for t in range(n_left):
        i = unassigned[t]
        if part[i] < 0:
            unassigned[still] = i
            still += 1
    return still


@kernel
def assign_unassigned_to_parts(
    part: Integers,
    size: Integers,
    pairs: Values,
    sums: Values,
    sq_dists: Values,
    inverse: Values,
    n: int,
    n_parts: int,
    k: int,
    min_improvement: float,
) -> None:
    """Assign each remaining record to the part whose SSE grows least.

    Parameters
    ----------
    part : ndarray of int64, shape (most_records,)
        Each of the `n_parts` parts has k records; changed in place.
    size, pairs, sums
        Receive the parts' values.
    sq_dists, inverse
    n : int
        Number of records.
    n_parts, k : int
    min_improvement : float
        What counts as no difference.
    """
    for g in range(n_parts):
        size[g] = k
        pairs[g] = 0.0
        for i in range(n):
            sums[g, i] = 0.0
    # Squared distances from everybody to each part's first k members, summed.
    for i in range(n):
        if part[i] >= 0:
            for other in range(n):
                sums[part[i], other] += sq_dists[i, other]
    for i in range(n):
        if part[i] >= 0:
            # SSE(G) = (1 / s) * sum over its pairs; each pair is in two of the sums.
            pairs[part[i]] += 0.5 * sums[part[i], i]
    for i in range(n):
        if part[i] >= 0:
            continue
        best, min_growth = -1, np.inf
        for g in range(n_parts):
            if size[g] < 2 * k - 1:
                # (P + sum of d2 to i) / (s + 1) - P / s, P the sum over pairs.
                grown = (pairs[g] + sums[g, i]) * inverse[size[g] + 1]
                grown -= pairs[g] * inverse[size[g]]
                if grown < min_growth - min_improvement:
                    best, min_growth = g, grown
        part[i] = best
        pairs[best] += sums[best, i]
        size[best] += 1
        for other in range(n):
            sums[best, other] += sq_dists[i, other]


@kernel
def improve_parts(
    part: Integers,
    size: Integers,
    pairs: Values,
    sums: Values,
    sq_dists: Values,
    inverse: Values,
    n: int,
    n_parts: int,
    k: int,
    min_improvement: float,
) -> float:
    """Move and swap records between parts until SSE falls no more; return the SSE.

    Records take turns in their order; each makes the best of its moves, the first of
    equals: to parts in their order, then swaps with records in their order.

    Parameters are those of :func:`assign_unassigned_to_parts`, as it left them.
    """
    i, idle = 0, 0
    while idle < n:
        a = part[i]
        own_sum, share = sums[a, i], inverse[size[a]]
        best, partner, to = 0.0, -1, -1
        if size[a] > k:
            # Moves: what its part saves by losing i, then what each other part grows
            # by.
            own_change = (pairs[a] - own_sum) * inverse[size[a] - 1] - pairs[a] * share
            for g in range(n_parts):
                if g != a and size[g] < 2 * k - 1:
                    grown = (pairs[g] + sums[g, i]) * inverse[size[g] + 1]
                    change = own_change + grown - pairs[g] * inverse[size[g]]
                    if change < best - min_improvement:
                        best, partner, to = change, -1, g
        for other in range(n):
            b = part[other]
            if b == a:
                continue
            # Swaps: sizes stay, so only the sums over pairs change, by what each part
            # gains less what it loses.
            change = (sums[a, other] - own_sum - sq_dists[i, other]) * share
            gained = sums[b, i] - sums[b, other] - sq_dists[i, other]
            change += gained * inverse[size[b]]
            if change < best - min_improvement:
                best, partner, to = change, other, b
        # It ends once nobody in a full round has found anything better.
        idle += 1
        if to >= 0:
            idle = 0
            if partner < 0:
                pairs[a] -= own_sum
                pairs[to] += sums[to, i]
                size[a] -= 1
                size[to] += 1
            else:
                pairs[a] += sums[a, partner] - own_sum - sq_dists[i, partner]
                pairs[to] += sums[to, i] - sums[to, partner] - sq_dists[i, partner]
                part[partner] = a
                _transfer(sums, sq_dists, n, to, a, partner)
            part[i] = to
            _transfer(sums, sq_dists, n, a, to, i)
        i += 1
        if i == n:
            i = 0
    total = 0.0
    for g in range(n_parts):
        total += pairs[g] * inverse[size[g]]
    return total


@kernel
def _transfer(sums: Values, sq_dists: Values, n: int, a: int, b: int, i: int) -> None:
    """Move record i's distances from part a to part b."""
    for other in range(n):
        sums[a, other] -= sq_dists[i, other]
        sums[b, other] += sq_dists[i, other]


@kernel
def store_best_parts(union: UnionScratch, n_records: int, n_parts: int) -> None:
    """Store the current partition of the union into parts in ``union.best``."""
    for i in range(n_records):
        union.best[i] = union.part[i]
    for g in range(n_parts):
        union.best_sse[g] = union.pairs[g] * union.inverse[union.size[g]]


@kernel
def replace_groups_by_parts(
    groups: GroupState, union: UnionScratch, n_records: int, n_groups: int, parts: int
) -> None:
    """Replace a union's groups by the parts stored in ``union.best``.

    Part t gets the number of group t; of more parts the last take unused numbers, of
    fewer the last numbers fall free.
    """
    union_groups, last = union.taken, groups.unused.shape[0] - 1
    # One part more than groups: it takes an unused number.
    while n_groups < parts:
        groups.unused[last] -= 1
        union_groups[n_groups] = groups.unused[groups.unused[last]]
        n_groups += 1
    # One fewer: the last number falls free.
    while n_groups > parts:
        n_groups -= 1
        g = union_groups[n_groups]
        groups.size[g] = 0
        groups.sse[g] = 0.0
        groups.unused[groups.unused[last]] = g
        groups.unused[last] += 1
    for t in range(parts):
        groups.size[union_groups[t]] = 0
        groups.sse[union_groups[t]] = union.best_sse[t]
    for t in range(n_records):
        i, g = union.records[t], union_groups[union.best[t]]
        place = groups.size[g]
        while place > 0 and groups.members[g, place - 1] > i:
            groups.members[g, place] = groups.members[g, place - 1]
            place -= 1
        groups.members[g, place] = i
        groups.size[g] += 1
        groups.labels[i] = g
