"""Records move or change places between two neighbouring groups, by chance."""

from __future__ import annotations

import numpy as np

from engine.core.typing import Integers, Values
from engine.kernels._jit import kernel
from engine.kernels.random_stream import State, draw_below, draw_share
from engine.kernels.search.regroup import Groups

HOPELESS = 30.0
"""Rises of so many temperatures are refused without a draw: exp(-30) is 1e-13."""


def make_sums(groups: Groups) -> Values:
    """Return room for the sums of all groups.

    Shape (capacity, n_numbers + n_directions + 2): of each group the sum of its
    numbers, how many records have each direction, and the sum over directions of
    squared length times that number squared. Without codes only the first.
    """
    width = groups.X.shape[1]
    if groups.codes.shape[1] > 0:
        width += groups.squares.shape[0] + 1
    return np.zeros((groups.size.shape[0], width))


@kernel
def enter_sums(groups: Groups, sums: Values, g: int) -> None:
    """Fill in the sums of group g."""
    X, codes, squares = groups.X, groups.codes, groups.squares
    q = X.shape[1]
    for j in range(sums.shape[1]):
        sums[g, j] = 0.0
    for place in range(groups.size[g]):
        i = groups.members[g, place]
        for j in range(q):
            sums[g, j] += X[i, j]
        for level in range(codes.shape[1]):
            sums[g, q + codes[i, level]] += 1.0
    if codes.shape[1] > 0:
        last = sums.shape[1] - 1
        for v in range(squares.shape[0]):
            sums[g, last] += squares[v] * sums[g, q + v] ** 2


@kernel
def trade_records(
    X: Values,
    codes: Integers,
    squares: Values,
    near: Integers,
    labels: Integers,
    members: Integers,
    size: Integers,
    sums: Values,
    of: Integers,
    own: Integers,
    k: int,
    temperature: float,
    noise: float,
    state: State,
    trials: int,
) -> None:
    """Try so many times to let a record move, or change places with another.

    A record is drawn, and one near to it; where that is of another group, the first
    moves there, or changes places with a member of that group. The change of SSE is
    accepted by Metropolis' rule.

    Parameters
    ----------
    X, codes, squares, near, labels, members, size
        As in :class:`engine.kernels.search.regroup.Groups`; the last three are changed.
    sums : ndarray of float64
        Of all groups of the region, from :func:`enter_sums`; kept up to date.
    of : ndarray of int64, shape (n_records,)
        Region of each record.
    own : ndarray of int64, shape (n_own,)
        The region's records; others are neither read nor changed.
    k : int
    temperature : float
        In the unit of SSE.
    noise : float
        What counts as no change.
    state : ndarray of uint64, shape (1,)
        Of the random numbers; moved on.
    trials : int
    """
    q, levels = X.shape[1], codes.shape[1]
    region = of[own[0]]
    for _ in range(trials):
        i = own[draw_below(state, own.shape[0])]
        # The nearer a record, the more often: the share is squared.
        share = 1.0 - draw_share(state)
        j = near[i, int(share * share * near.shape[1])]
        if of[j] != region or labels[i] == labels[j]:
            continue
        a, b = labels[i], labels[j]
        # Where sizes allow a move it is one half of the time; -1 is nobody.
        other = -1
        place = draw_below(state, 2 * size[b])
        if place < size[b] or size[a] == k or size[b] == 2 * k - 1:
            other = members[b, place % size[b]]
        share_a, share_b = 1.0 / size[a], 1.0 / size[b]
        along, apart = 0.0, 0.0
        if other < 0:
            for d in range(q):
                to_a = X[i, d] - sums[a, d] * share_a
                to_b = X[i, d] - sums[b, d] * share_b
                along += to_a * to_a
                apart += to_b * to_b
            change = apart * size[b] / (size[b] + 1) - along * size[a] / (size[a] - 1)
        else:
            for d in range(q):
                step = X[other, d] - X[i, d]
                along += step * (sums[a, d] * share_a - sums[b, d] * share_b)
                apart += step * step
            change = -2.0 * along - apart * (share_a + share_b)
        if levels > 0:
            change += _codes_change(codes, squares, sums, size, q, a, i, other)
            change += _codes_change(codes, squares, sums, size, q, b, other, i)
        # Metropolis: accept a rise with probability exp(-rise / temperature).
        if change > noise:
            if change > HOPELESS * temperature + noise:
                continue
            if change > -temperature * np.log(draw_share(state)):
                continue
        for d in range(q):
            step = X[i, d] - (X[other, d] if other >= 0 else 0.0)
            sums[a, d] -= step
            sums[b, d] += step
        for record, source, target in ((i, a, b), (other, b, a)):
            if record >= 0:
                _drop(members, size, source, record)
                labels[record] = target
                if levels > 0:
                    _count_codes(codes, squares, sums, q, source, record, -1.0)
        for record, target in ((i, b), (other, a)):
            if record >= 0:
                _add(members, size, target, record)
                if levels > 0:
                    _count_codes(codes, squares, sums, q, target, record, 1.0)


@kernel
def _codes_change(
    codes: Integers,
    squares: Values,
    sums: Values,
    size: Integers,
    q: int,
    g: int,
    leaves: int,
    enters: int,
) -> float:
    """Return how the SSE of group g changes, by codes; -1 is nobody.

    With c records of a direction with squared length w it is sum w (c - c^2 / size).
    """
    before = sums[g, sums.shape[1] - 1]
    squared, change, after = before, 0.0, size[g]
    if leaves < 0:
        after += 1
    if enters < 0:
        after -= 1
    for level in range(codes.shape[1]):
        out = codes[leaves, level] if leaves >= 0 else -1
        new = codes[enters, level] if enters >= 0 else -1
        if out == new:
            continue
        if out >= 0:
            squared -= squares[out] * (2.0 * sums[g, q + out] - 1.0)
            change -= squares[out]
        if new >= 0:
            squared += squares[new] * (2.0 * sums[g, q + new] + 1.0)
            change += squares[new]
    return float(change + before / size[g] - squared / after)


@kernel
def _count_codes(
    codes: Integers,
    squares: Values,
    sums: Values,
    q: int,
    g: int,
    i: int,
    sign: float,
) -> None:
    """Let record i count among a group's codes, or with sign -1 no longer."""
    last = sums.shape[1] - 1
    for level in range(codes.shape[1]):
        v = codes[i, level]
        # (c + 1)^2 - c^2 = 2 c + 1, (c - 1)^2 - c^2 = 1 - 2 c.
        sums[g, last] += squares[v] * (2.0 * sign * sums[g, q + v] + 1.0)
        sums[g, q + v] += sign


@kernel
def _drop(members: Integers, size: Integers, g: int, i: int) -> None:
    """Take record i out of group g."""
    size[g] -= 1
    place = 0
    while members[g, place] != i:
        place += 1
    while place < size[g]:
        members[g, place] = members[g, place + 1]
        place += 1


@kernel
def _add(members: Integers, size: Integers, g: int, i: int) -> None:
    """Put record i into group g, members rising."""
    place = size[g]
    while place > 0 and members[g, place - 1] > i:
        members[g, place] = members[g, place - 1]
        place -= 1
    members[g, place] = i
    size[g] += 1
