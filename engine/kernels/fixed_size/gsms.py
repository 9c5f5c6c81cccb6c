"""GSMS loop: group the neighbourhood that leaves the smallest total SSE."""

from __future__ import annotations

import numpy as np

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import kernel
from engine.kernels.fixed_size.density import (
    Neighbourhoods,
    group_and_update_neighbourhoods,
)
from engine.kernels.index.blocks import BlockIndex, should_go_on

TIE_TOLERANCE = 1e-9
"""Gains that differ by a smaller share than this are equal but for rounding."""


@kernel
def _add_up(Y: Values, hoods: Neighbourhoods, i: int, k: int, sums: Values) -> None:
    """Write the sum of record i and its k-1 nearest into ``sums[i]``."""
    for j in range(Y.shape[1]):
        total = Y[i, j]
        for place in range(k - 1):
            total += Y[hoods.candidates[i, place], j]
        sums[i, j] = total


@kernel
def write_neighbourhood_sums(
    Y: Values, hoods: Neighbourhoods, k: int, sums: Values
) -> None:
    """Write the sum of the records in each neighbourhood that is kept up to date.

    Parameters
    ----------
    Y : ndarray of float64, shape (n_records, n_attributes)
        The values, moved so that none is far from 0.
    sums : ndarray of float64, shape (n_records, n_attributes)
        Receives the sums.
    """
    for i in range(Y.shape[0]):
        if hoods.lower[i] < 0:
            _add_up(Y, hoods, i, k, sums)


@kernel
def _removal_gains(
    Y: Values,
    labels: Integers,
    lower: Integers,
    m: int,
    k: int,
    sums: Values,
    gain: Values,
) -> float:
    """Write what each neighbourhood would save, up to a factor; return the most.

    Records with a group, or with a lower equal one, get -1.

    With m records left, c their centroid and G a neighbourhood with centroid c_G, the
    sum of squares between G and the rest is

        SSE(all left) - SSE(G) - SSE(rest) = k m / (m - k) * |c_G - c|^2,

    so the least SSE(G) + SSE(rest) goes with the largest |m * sum(G) - k * sum(all)|.
    No division: whole numbers stay exact, and equal gains equal.
    """
    n, p = Y.shape
    whole = np.zeros(p)
    for i in range(n):
        if labels[i] < 0:
            for j in range(p):
                whole[j] += Y[i, j]
    max_gain = 0.0
    for i in range(n):
        gain[i] = -1.0
        if labels[i] < 0 and lower[i] < 0:
            total = 0.0
            for j in range(p):
                difference = m * sums[i, j] - k * whole[j]
                total += difference * difference
            gain[i] = total
            max_gain = max(max_gain, total)
    return max_gain


@kernel
def form_groups_by_least_total_sse(
    blocks: BlockIndex,
    min_remaining: int,
    max_values: int,
    next_group: int,
    labels: Integers,
    hoods: Neighbourhoods,
    Y: Values,
    sums: Values,
    gain: Values,
) -> int:
    """Group neighbourhoods of least SSE(group) + SSE(rest); return next group number.

    Parameters
    ----------
    min_remaining, max_values, next_group, labels
        As in :func:`engine.kernels.fixed_size.mdav.form_extreme_groups`, by groups
        instead of rounds; `min_remaining` is k.
    Y, sums : ndarray of float64, shape (n_records, n_attributes)
        As :func:`write_neighbourhood_sums` or an earlier call left them.
    gain : ndarray of float64, shape (n_records,)
        Scratch.
    """
    k = min_remaining
    limit = blocks.count[4] + max_values
    while should_go_on(blocks, k, limit):
        m = blocks.count[0]
        blocks.count[4] += 2 * Y.size
        best = _removal_gains(Y, labels, hoods.lower, m, k, sums, gain)
        seed = 0
        while gain[seed] < best * (1.0 - TIE_TOLERANCE):
            seed += 1
        count = group_and_update_neighbourhoods(
            blocks, hoods, seed, next_group, labels, k
        )
        for i in hoods.changed[:count]:
            _add_up(Y, hoods, i, k, sums)
        next_group += 1
    return next_group
