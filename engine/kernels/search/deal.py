"""Local search that deals the records of neighbouring groups out to new groups.

Orders are part of the definition, so that a slow twin can follow: groups by number,
records by number, neighbours by nearness, the first of equals.
"""

from __future__ import annotations

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import kernel
from engine.kernels.search.refine import (
    CLOCK,
    MEASURED,
    SearchState,
    enqueue_group,
    update_group_and_change_time,
)
from engine.kernels.search.regroup import (
    GroupState,
    UnionScratch,
    assign_unassigned_to_parts,
    gather_union,
    improve_parts,
    replace_groups_by_parts,
    seed_part_with_nearest,
    store_best_parts,
)


@kernel
def regroup_neighbouring_groups(
    groups: GroupState,
    search: SearchState,
    union: UnionScratch,
    k: int,
    max_groups: int,
    min_improvement: float,
    first_record: int,
    last_record: int,
) -> int:
    """Regroup groups around a range of records; return how many unions improved.

    The record's group and those of its nearest records, up to `max_groups`, make a
    union. The record and its k - 1 nearest begin the first part; each further part
    begins with the record farthest from the seed before. Records then move between
    parts, which replace the groups if SSE is lower. One more part is tried where there
    are records for it.

    Parameters
    ----------
    groups, search, k, min_improvement
        As in :func:`engine.kernels.search.exchange.exchange_within_queued_groups`.
    union : UnionScratch
        Scratch, with room for `max_groups` groups.
    max_groups : int
    first_record, last_record : int
        Records to begin with; those around whom nothing has changed are passed over.

    Returns
    -------
    int
        Unions that were regrouped with less SSE.
    """
    X, codes, sq_len = groups.X, groups.codes, groups.sq_len
    near, labels = groups.near, groups.labels
    members, size, changed = groups.members, groups.size, search.changed
    union_groups, records = union.taken, union.records
    values, row_codes = union.values, union.row_codes
    part, parts_size, pairs, sums = union.part, union.size, union.pairs, union.sums
    dists, rest, inverse = union.dists, union.rest, union.inverse
    better = 0
    for i in range(first_record, last_record):
        m = _surrounding_groups(near, labels, union_groups, i, max_groups)
        latest = -1
        for t in range(m):
            latest = max(latest, changed[union_groups[t]])
        # Nothing around i has changed since it was dealt with last.
        if m < 2 or latest <= search.seen[i]:
            continue
        n = gather_union(
            X,
            codes,
            sq_len,
            members,
            size,
            union_groups,
            m,
            records,
            values,
            row_codes,
            dists,
        )
        search.counts[MEASURED] += n * (n - 1) // 2
        seed = 0
        while records[seed] != i:
            seed += 1
        best_sse, n_best_parts = 0.0, 0
        for t in range(m):
            best_sse += groups.sse[union_groups[t]]
        # As many parts as groups; one more where there are records for it.
        for parts in range(m, min(m + 1, n // k) + 1):
            _start_parts(part, rest, dists, n, parts, seed, k)
            assign_unassigned_to_parts(
                part,
                parts_size,
                pairs,
                sums,
                dists,
                inverse,
                n,
                parts,
                k,
                min_improvement,
            )
            sse = improve_parts(
                part,
                parts_size,
                pairs,
                sums,
                dists,
                inverse,
                n,
                parts,
                k,
                min_improvement,
            )
            if sse < best_sse - min_improvement:
                best_sse, n_best_parts = sse, parts
                store_best_parts(union, n, parts)
        search.seen[i] = search.counts[CLOCK]
        if n_best_parts == 0:
            continue
        better += 1
        replace_groups_by_parts(groups, union, n, m, n_best_parts)
        for t in range(n_best_parts):
            update_group_and_change_time(groups, search, union_groups[t])
            enqueue_group(search, union_groups[t])
    return better


@kernel
def _surrounding_groups(
    near: Integers, labels: Integers, taken: Integers, i: int, max_groups: int
) -> int:
    """List the groups of a record and its nearest records; return how many."""
    taken[0] = labels[i]
    m = 1
    for rank in range(near.shape[1]):
        if m == max_groups:
            break
        b = labels[near[i, rank]]
        new = True
        for t in range(m):
            if taken[t] == b:
                new = False
        if new:
            taken[m] = b
            m += 1
    return m


@kernel
def _start_parts(
    part: Integers, rest: Integers, dists: Values, n: int, parts: int, seed: int, k: int
) -> None:
    """Begin the first part with `seed`, each other far from where the last began."""
    for i in range(n):
        part[i] = -1
        rest[i] = i
    n_unassigned = seed_part_with_nearest(part, rest, dists, n, 0, seed, k)
    # Each further part begins with the record farthest from the last one's seed.
    for g in range(1, parts):
        farthest, max_sq_dist = -1, -1.0
        for t in range(n_unassigned):
            i = rest[t]
            if dists[seed, i] > max_sq_dist:
                farthest, max_sq_dist = i, dists[seed, i]
        seed = farthest
        n_unassigned = seed_part_with_nearest(
            part, rest, dists, n_unassigned, g, seed, k
        )
