"""Annealing: records change places, and a few groups at a time are dealt out anew."""

from __future__ import annotations

import numpy as np

from engine.core.typing import Integers, Values
from engine.kernels._jit import kernel
from engine.kernels.random_stream import State, draw_below, draw_share
from engine.kernels.search.regions import BORDER
from engine.kernels.search.regroup import (
    Groups,
    Union,
    adopt,
    gather,
    join_rest,
    keep,
    measure_group,
    settle,
    start_part,
)
from engine.kernels.search.trade import enter_sums, trade_records

TRIES = 20
"""Draws of a neighbouring group before fewer groups have to do."""


@kernel
def anneal(
    groups: Groups,
    sums: Values,
    union: Union,
    of: Integers,
    own: Integers,
    k: int,
    most: int,
    trials: int,
    temperature: float,
    cooling: float,
    noise: float,
    state: State,
    steps: int,
) -> None:
    """Take steps of the search within a region, while it cools.

    A step lets records move and change places in so many trials, then ruins a few
    groups and rebuilds them.

    Parameters
    ----------
    groups : Groups
        Those of the region are changed in place; others are neither read nor changed.
        The unused numbers are the region's own.
    sums : ndarray of float64
        Scratch, from :func:`engine.kernels.search.trade.make_sums`.
    union : Union
        Scratch, with room for `most` groups.
    of : ndarray of int64, shape (n_records,)
        Region of each record.
    own : ndarray of int64, shape (n_own,)
        The region's records.
    k : int
    most : int
        Groups ruined together at most, 2 to 4.
    trials : int
    temperature : float
        Of the first step, in the unit of SSE; 0 accepts what does not raise it.
    cooling : float
        What the temperature is multiplied by after each step.
    noise : float
        What counts as no change.
    state : ndarray of uint64, shape (1,)
        Of the random numbers; moved on.
    steps : int
    """
    labels, members = groups.labels, groups.members
    for t in range(own.shape[0]):
        if members[labels[own[t]], 0] == own[t]:
            enter_sums(groups, sums, labels[own[t]])
    for _ in range(steps):
        trade_records(
            groups.X,
            groups.codes,
            groups.squares,
            groups.near,
            labels,
            members,
            groups.size,
            sums,
            of,
            own,
            k,
            temperature,
            noise,
            state,
            trials,
        )
        parts = _ruin_and_rebuild(
            groups, union, of, own, k, most, temperature, noise, state
        )
        for t in range(parts):
            enter_sums(groups, sums, union.taken[t])
        temperature *= cooling
    for t in range(own.shape[0]):
        if members[labels[own[t]], 0] == own[t]:
            measure_group(groups, labels[own[t]])


@kernel
def _ruin_and_rebuild(
    groups: Groups,
    union: Union,
    of: Integers,
    own: Integers,
    k: int,
    most: int,
    temperature: float,
    noise: float,
    state: State,
) -> int:
    """Deal the records of a few neighbouring groups out anew, if that is accepted.

    Two to four groups become as many parts, or one more or fewer, each begun by a
    random record and the k - 1 records nearest to it; the records settle, and
    Metropolis' rule accepts the change of SSE.

    Returns
    -------
    int
        New groups, with the first numbers that ``union.taken`` has.
    """
    taken, part, parts_size = union.taken, union.part, union.size
    pairs, sums, apart = union.pairs, union.sums, union.apart
    rest, inverse = union.rest, union.inverse
    # Ruin: two to four neighbouring groups.
    m = min(most, _how_many(state))
    m = _choose(
        groups.near,
        groups.labels,
        groups.members,
        groups.size,
        of,
        own,
        taken,
        m,
        state,
    )
    if m < 2:
        return 0
    n = gather(
        groups.X,
        groups.codes,
        groups.squares,
        groups.members,
        groups.size,
        taken,
        m,
        union.records,
        union.values,
        union.marks,
        apart,
    )
    # As many parts as before, one more or one fewer, as far as sizes of k to 2k-1
    # allow.
    fewest = (n + 2 * k - 2) // (2 * k - 1)
    parts = fewest + draw_below(state, n // k - fewest + 1)
    parts = max(m - 1, min(parts, m + 1))
    # Rebuild: seeds with their k-1 nearest, the rest where it costs least, then
    # exchanges until none pays.
    _start_parts(part, rest, apart, n, parts, k, state)
    join_rest(part, parts_size, pairs, sums, apart, inverse, n, parts, k, noise)
    change = settle(part, parts_size, pairs, sums, apart, inverse, n, parts, k, noise)
    for t in range(m):
        measure_group(groups, taken[t])
        change -= groups.sse[taken[t]]
    # Metropolis: accept a rise with probability exp(-rise / temperature).
    if change > -temperature * np.log(draw_share(state)):
        return 0
    keep(union, n, parts)
    adopt(groups, union, n, m, parts)
    return parts


@kernel
def _how_many(state: State) -> int:
    """Draw a number of groups: half of the time two, now and then four."""
    share = draw_share(state)
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
    found = 1
    for _ in range(TRIES):
        if found == m:
            break
        # A near record of a random record of a random group drawn already.
        g = taken[draw_below(state, found)]
        i = members[g, draw_below(state, size[g])]
        j = near[i, draw_below(state, min(BORDER, near.shape[1]))]
        if of[j] != of[i]:
            continue
        b, new = labels[j], True
        for t in range(found):
            if taken[t] == b:
                new = False
        if new:
            taken[found] = b
            found += 1
    return found


@kernel
def _start_parts(
    part: Integers,
    rest: Integers,
    apart: Values,
    n: int,
    parts: int,
    k: int,
    state: State,
) -> None:
    """Begin each part with a random record and the k - 1 records nearest to it."""
    for i in range(n):
        part[i] = -1
        rest[i] = i
    left = n
    for g in range(parts):
        seed = rest[draw_below(state, left)]
        left = start_part(part, rest, apart, left, g, seed, k)
