"""Iterated local search: ruin a few neighbouring groups and rebuild them."""

from __future__ import annotations

import numpy as np

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import kernel
from engine.kernels.records.random_stream import (
    State,
    draw_below,
    draw_positive_uniform,
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

MAX_NEIGHBOUR_DRAWS = 20
"""Draws of a neighbouring group before fewer groups have to do."""


@kernel
def ruin_and_rebuild_groups(
    groups: GroupState,
    union: UnionScratch,
    region_of_record: Integers,
    region_records: Integers,
    k: int,
    max_groups: int,
    temperature: float,
    cooling: float,
    min_improvement: float,
    state: State,
    n_steps: int,
) -> float:
    """Take annealing steps of ruin and rebuild in a region; return the SSE change.

    A step takes two to four groups that neighbour each other, deals their records out
    into as many parts, or one more or fewer, each begun by a random record and the
    k - 1 records nearest to it, moves records between parts while SSE falls, and
    accepts the change of SSE by Metropolis' rule.

    Parameters
    ----------
    groups : GroupState
        Those of the region are changed in place; others are neither read nor changed.
        The unused numbers are the region's own.
    union : UnionScratch
        Scratch, with room for `max_groups` groups.
    region_of_record : ndarray of int64, shape (n_records,)
        Region of each record.
    region_records : ndarray of int64, shape (n_region_records,)
        The region's records.
    max_groups : int
        Groups taken at most, 2 to 4.
    temperature : float
        Of the first step, in the unit of SSE; 0 accepts what does not raise it.
    cooling : float
        What the temperature is multiplied by after each step.
    min_improvement : float
        What counts as no change.
    state : ndarray of uint64, shape (1,)
        Of the random numbers; moved on.
    n_steps : int

    Returns
    -------
    float
        Change of the region's SSE.
    """
    X, codes, sq_len = groups.X, groups.codes, groups.sq_len
    near, labels = groups.near, groups.labels
    members, size, sse = groups.members, groups.size, groups.sse
    union_groups, records = union.taken, union.records
    values, row_codes = union.values, union.row_codes
    part, parts_size, pairs, sums = union.part, union.size, union.pairs, union.sums
    dists, rest, inverse = union.dists, union.rest, union.inverse
    total = 0.0
    for _ in range(n_steps):
        # Ruin: two to four neighbouring groups.
        m = min(max_groups, _draw_group_count(state))
        m = _choose(
            near,
            labels,
            members,
            size,
            region_of_record,
            region_records,
            union_groups,
            m,
            state,
        )
        if m < 2:
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
        # As many parts as before, one more or one fewer, as far as sizes of k to 2k-1
        # allow.
        fewest = (n + 2 * k - 2) // (2 * k - 1)
        parts = fewest + draw_below(state, n // k - fewest + 1)
        parts = max(m - 1, min(parts, m + 1))
        # Rebuild: seeds with their k-1 nearest, the rest where it costs least, then
        # exchanges until none pays.
        _start_parts(part, rest, dists, n, parts, k, state)
        assign_unassigned_to_parts(
            part, parts_size, pairs, sums, dists, inverse, n, parts, k, min_improvement
        )
        change = improve_parts(
            part, parts_size, pairs, sums, dists, inverse, n, parts, k, min_improvement
        )
        for t in range(m):
            change -= sse[union_groups[t]]
        # Metropolis: accept a rise with probability exp(-rise / temperature).
        if change <= -temperature * np.log(draw_positive_uniform(state)):
            total += change
            store_best_parts(union, n, parts)
            replace_groups_by_parts(groups, union, n, m, parts)
        temperature *= cooling
    return total


@kernel
def _draw_group_count(state: State) -> int:
    """Draw a number of groups: half of the time two, sometimes four."""
    share = draw_positive_uniform(state)
    if share < 0.15:
        return 4
    return 3 if share < 0.5 else 2


@kernel
def _choose(
    near: Integers,
    labels: Integers,
    members: Integers,
    size: Integers,
    of: Integers,
    own: Integers,
    taken: Integers,
    m: int,
    state: State,
) -> int:
    """Draw a record's group and up to m - 1 groups of near records of those drawn.

    All are of the region that `own` is of.

    Returns
    -------
    int
        Number of groups.
    """
    taken[0] = labels[own[draw_below(state, own.shape[0])]]
    n_groups = 1
    for _ in range(MAX_NEIGHBOUR_DRAWS):
        if n_groups == m:
            break
        # A near record of a random record of a random group drawn already.
        g = taken[draw_below(state, n_groups)]
        i = members[g, draw_below(state, size[g])]
        j = near[i, draw_below(state, near.shape[1])]
        if of[j] != of[i]:
            continue
        b, new = labels[j], True
        for t in range(n_groups):
            if taken[t] == b:
                new = False
        if new:
            taken[n_groups] = b
            n_groups += 1
    return n_groups


@kernel
def _start_parts(
    part: Integers,
    rest: Integers,
    dists: Values,
    n: int,
    parts: int,
    k: int,
    state: State,
) -> None:
    """Begin each part with a random record and the k - 1 records nearest to it."""
    for i in range(n):
        part[i] = -1
        rest[i] = i
    n_unassigned = n
    for g in range(parts):
        seed = rest[draw_below(state, n_unassigned)]
        n_unassigned = seed_part_with_nearest(
            part, rest, dists, n_unassigned, g, seed, k
        )
