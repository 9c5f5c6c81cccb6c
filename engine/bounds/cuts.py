"""Triples of records that a fractional solution shares out among too many groups."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from engine.core.typing import Integers, Values

Group = tuple[int, ...]

LEAST = 0.02
"""Excess that makes a cut worth its row."""

MOST = 300
"""Cuts a round."""

EACH = 4
"""Cuts a round that one record takes part in."""


def separate(groups: Sequence[Group], weights: Values, known: Integers) -> Integers:
    """Return triples of which groups of more than one in all hold two or more.

    In a partition one group at most holds two of three records: the subset-row cut
    of three rows.

    Parameters
    ----------
    groups : sequence of tuple of int
        Sorted members.
    weights : ndarray of float64, shape (n_groups,)
        Share of each group in the solution.
    known : ndarray of int64, shape (n_cuts, 3)
        Cuts that there are already.

    Returns
    -------
    ndarray of int64, shape (n_found, 3)
        The most exceeded first.

    References
    ----------
    Jepsen M, Petersen B, Spoorendonk S, Pisinger D (2008). Subset-row inequalities
    applied to the vehicle-routing problem with time windows. Operations Research
    56(2), 497-511. doi:10.1287/opre.1070.0449
    """
    pairs: dict[tuple[int, int], float] = defaultdict(float)
    whole: dict[Group, float] = defaultdict(float)
    for g in np.flatnonzero((weights > 1e-6) & (weights < 1.0 - 1e-6)).tolist():
        weight = float(weights[g])
        for pair in combinations(groups[g], 2):
            pairs[pair] += weight
        for triple in combinations(groups[g], 3):
            whole[triple] += weight
    beside: dict[int, list[int]] = defaultdict(list)
    for a, b in pairs:
        beside[a].append(b)
        beside[b].append(a)
    excess: dict[Group, float] = dict.fromkeys(map(tuple, known.tolist()), 0.0)
    for middle, others in beside.items():
        for one, other in combinations(others, 2):
            i, j, m = sorted((middle, one, other))
            if (i, j, m) not in excess:
                held = sum(pairs.get(pair, 0.0) for pair in ((i, j), (i, m), (j, m)))
                # A group that holds all three counts in all three pairs.
                excess[i, j, m] = held - 2.0 * whole.get((i, j, m), 0.0) - 1.0
    return _choose({cut: value for cut, value in excess.items() if value > LEAST})


def _choose(excess: dict[Group, float]) -> Integers:
    """Return the largest cuts, few for each record."""
    used: dict[int, int] = defaultdict(int)
    chosen: list[Group] = []
    for cut in sorted(excess, key=lambda cut: (-excess[cut], cut)):
        if len(chosen) == MOST:
            break
        if all(used[i] < EACH for i in cut):
            chosen.append(cut)
            for i in cut:
                used[i] += 1
    return np.array(chosen, dtype=np.int64).reshape(-1, 3)
