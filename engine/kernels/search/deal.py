"""Local search that deals the records of neighbouring groups out anew.

Orders are part of the definition, so that a slow twin can follow: groups by number,
records by number, neighbours by nearness, the first of equals.
"""

from __future__ import annotations

from engine.core.typing import Integers, Values
from engine.kernels._jit import kernel
from engine.kernels.search.refine import CLOCK, MEASURED, Search, enqueue, note_change
from engine.kernels.search.regroup import (
    Groups,
    Union,
    adopt,
    gather,
    join_rest,
    keep,
    settle,
    start_part,
)


@kernel
def deal_anew(
    groups: Groups,
    search: Search,
    union: Union,
    k: int,
    most: int,
    noise: float,
    first: int,
    last: int,
) -> int:
    """Deal out the groups around each record anew, beginning with that record.

    The record's group and those of its nearest records, up to `most`, make a union.
    The record and its k - 1 nearest begin the first part; each further part begins
    with the record farthest from the one before. The parts settle, and take the
    groups' place if SSE is lower. Where room allows, one more part is tried as well.

    Parameters
    ----------
    groups, search, k, noise
        As in :func:`engine.kernels.search.exchange.improve_pairs`.
    union : Union
        Scratch, with room for `most` groups.
    most : int
    first, last : int
        Records to begin with; those around whom nothing has changed are passed over.

    Returns
    -------
    int
        Changes for the better.
    """
    X, codes, squares = groups.X, groups.codes, groups.squares
    near, labels = groups.near, groups.labels
    members, size, changed = groups.members, groups.size, search.changed
    taken, records = union.taken, union.records
    values, marks = union.values, union.marks
    part, parts_size, pairs, sums = union.part, union.size, union.pairs, union.sums
    apart, rest, inverse = union.apart, union.rest, union.inverse
    better = 0
    for i in range(first, last):
        m = _surroundings(near, labels, taken, i, most)
        latest = -1
        for t in range(m):
            latest = max(latest, changed[taken[t]])
        # Nothing around i has changed since it was dealt with last.
        if m < 2 or latest <= search.seen[i]:
            continue
        n = gather(
            X, codes, squares, members, size, taken, m, records, values, marks, apart
        )
        search.counts[MEASURED] += n * (n - 1) // 2
        seed = 0
        while records[seed] != i:
            seed += 1
        least, kept = 0.0, 0
        for t in range(m):
            least += groups.sse[taken[t]]
        # As many parts as groups; one more where there are records for it.
        for parts in range(m, min(m + 1, n // k) + 1):
            _start_parts(part, rest, apart, n, parts, seed, k)
            join_rest(part, parts_size, pairs, sums, apart, inverse, n, parts, k, noise)
            sse = settle(
                part, parts_size, pairs, sums, apart, inverse, n, parts, k, noise
            )
            if sse < least - noise:
                least, kept = sse, parts
                keep(union, n, parts)
        search.seen[i] = search.counts[CLOCK]
        if kept == 0:
            continue
        better += 1
        adopt(groups, union, n, m, kept)
        for t in range(kept):
            note_change(groups, search, taken[t])
            enqueue(search, taken[t])
    return better


@kernel
def _surroundings(
    near: Integers, labels: Integers, taken: Integers, i: int, most: int
) -> int:
    """List the groups of a record and its nearest records; return how many."""
    taken[0] = labels[i]
    m = 1
    for rank in range(near.shape[1]):
        if m == most:
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
    part: Integers,
    rest: Integers,
    apart: Values,
    n: int,
    parts: int,
    seed: int,
    k: int,
) -> None:
    """Begin the first part with `seed`, each other far from where the last began."""
    for i in range(n):
        part[i] = -1
        rest[i] = i
    left = start_part(part, rest, apart, n, 0, seed, k)
    # Each further part begins with the record farthest from the last one's seed.
    for g in range(1, parts):
        farthest, most = -1, -1.0
        for t in range(left):
            i = rest[t]
            if apart[seed, i] > most:
                farthest, most = i, apart[seed, i]
        seed = farthest
        left = start_part(part, rest, apart, left, g, seed, k)
