"""k-neighbourhoods and their SSE, updated as records are removed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import kernel
from engine.kernels.index.blocks import BlockIndex, remove_from_blocks, should_go_on
from engine.kernels.index.queries import write_nearest
from engine.kernels.records.equals import has_earlier_equal, previous_equal_record


class Neighbourhoods(NamedTuple):
    """k-neighbourhoods and SSE of remaining records, kept once for equal records.

    Attributes
    ----------
    candidates : ndarray of int64, shape (n_records, length)
        The nearest remaining records of each, nearest first; `length` is at least
        k-1, and what is more than that saves searches.
    listed : ndarray of int64, shape (n_records,)
        How many candidates each record has.
    sse : ndarray of float64, shape (n_records,)
        SSE of each neighbourhood, times k.
    lower : ndarray of int64, shape (n_records,)
        From :func:`~engine.kernels.records.equals.previous_equal_record`. Equal records
        have equal neighbourhoods, so only that of the lowest is kept up to date: it is
        the one that a tie would choose.
    changed : ndarray of int64, shape (n_records,)
        Records whose neighbourhood the last group changed; see
        :func:`group_and_update_neighbourhoods`.
    found, squared : ndarray of int64 and float64, shape (length + 1,)
        Scratch.
    """

    candidates: Integers
    listed: Integers
    sse: Values
    lower: Integers
    changed: Integers
    found: Integers
    squared: Values


def allocate_neighbourhoods(X: Values, n_candidates: int) -> Neighbourhoods:
    """Return arrays for the neighbourhoods of X's records, of which `lower` is filled.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    n_candidates : int
        How many candidates to list for each record.
    """
    n_records = X.shape[0]
    return Neighbourhoods(
        candidates=np.empty((n_records, n_candidates), dtype=np.int64),
        listed=np.empty(n_records, dtype=np.int64),
        sse=np.empty(n_records),
        lower=previous_equal_record(X),
        changed=np.empty(n_records, dtype=np.int64),
        found=np.empty(n_candidates + 1, dtype=np.int64),
        squared=np.empty(n_candidates + 1),
    )


@kernel
def _measure(blocks: BlockIndex, hoods: Neighbourhoods, i: int, k: int) -> None:
    """Compute k times the SSE of record i together with its k-1 nearest.

    With y relative to record i this is k * sum |y|^2 - |sum y|^2. It is exact for
    whole numbers, so that equal neighbourhoods tie; and as the result is at least
    sum |y|^2, no more than a factor k of precision is lost.
    """
    X = blocks.X
    squares = 0.0
    cross = 0.0
    # One attribute's part of k * sum |y|^2 - |sum y|^2 at a time.
    for j in range(X.shape[1]):
        total = 0.0
        for place in range(k - 1):
            y = X[hoods.candidates[i, place], j] - X[i, j]
            squares += y * y
            total += y
        cross += total * total
    hoods.sse[i] = k * squares - cross
    blocks.count[4] += k * X.shape[1]


@kernel
def _search(blocks: BlockIndex, hoods: Neighbourhoods, i: int) -> None:
    """List the remaining records nearest to record i, which remains itself."""
    count = min(hoods.candidates.shape[1], blocks.count[0] - 1)
    nearest, squared = hoods.found[: count + 1], hoods.squared[: count + 1]
    # One more than are kept, as i is its own nearest.
    write_nearest(blocks, blocks.X[i], nearest, squared)
    for place in range(1, count + 1):  # insertion: a few dozen records
        record, d = nearest[place], squared[place]
        while place > 0 and (
            squared[place - 1] > d
            or (squared[place - 1] == d and nearest[place - 1] > record)
        ):
            nearest[place], squared[place] = nearest[place - 1], squared[place - 1]
            place -= 1
        nearest[place], squared[place] = record, d
    n_candidates = 0
    for record in nearest:  # where many records equal i it need not be among them
        if record != i and n_candidates < count:
            hoods.candidates[i, n_candidates] = record
            n_candidates += 1
    hoods.listed[i] = count


@kernel
def compute_neighbourhoods(
    blocks: BlockIndex, hoods: Neighbourhoods, k: int, start: int, max_values: int
) -> int:
    """Write neighbourhood and SSE of records that have no earlier equal.

    Parameters
    ----------
    start : int
        The record to begin with.
    max_values : int
        Stop after so many values have been read.

    Returns
    -------
    int
        The record to go on with; the number of records once all are done.
    """
    i, limit = start, blocks.count[4] + max_values
    while i < blocks.X.shape[0] and blocks.count[4] < limit:
        blocks.count[4] += 1
        if hoods.lower[i] < 0:
            _search(blocks, hoods, i)
            _measure(blocks, hoods, i, k)
        i += 1
    return i


@kernel
def _update_neighbourhood(
    blocks: BlockIndex, hoods: Neighbourhoods, i: int, k: int
) -> None:
    """Bring record i's neighbourhood up to date when it has lost a member.

    The candidates were the nearest records at some earlier moment, so those that
    remain are the nearest now. Only when fewer than k-1 remain is there a search.
    """
    candidates = hoods.candidates
    n_candidates = 0
    # What remains, in the same order: nearest first.
    for place in range(hoods.listed[i]):
        other = candidates[i, place]
        if blocks.slot[other] >= 0:
            candidates[i, n_candidates] = other
            n_candidates += 1
    hoods.listed[i] = n_candidates
    if n_candidates < k - 1:
        _search(blocks, hoods, i)
    _measure(blocks, hoods, i, k)


@kernel
def _is_whole(candidates: Integers, labels: Integers, k: int) -> bool:
    """Return whether the k-1 nearest have all remained."""
    whole = True
    for place in range(k - 1):
        whole = whole and labels[candidates[place]] < 0
    return whole


@kernel
def group_and_update_neighbourhoods(
    blocks: BlockIndex,
    hoods: Neighbourhoods,
    seed_record: int,
    group: int,
    labels: Integers,
    k: int,
) -> int:
    """Group and remove a record's neighbourhood; return how many others changed.

    Parameters
    ----------
    seed_record : int
        The record; it must remain.
    group : int
        Number of the group.
    labels : ndarray of int64, shape (n_records,)
        Receives `group` for the members.

    Returns
    -------
    int
        Neighbourhoods listed in ``hoods.changed``; 0 once fewer than k records remain.
    """
    candidates, lower = hoods.candidates, hoods.lower
    # Lines 5 and 6 of HDF and LDF: the group leaves the data.
    remove_from_blocks(blocks, seed_record)
    labels[seed_record] = group
    for place in range(k - 1):
        member = candidates[seed_record, place]
        remove_from_blocks(blocks, member)
        labels[member] = group
    count = 0
    if blocks.count[0] < k:
        return count
    blocks.count[4] += labels.shape[0] + k * blocks.count[0]
    # Only a neighbourhood that lost a member has another SSE now.
    for i in range(labels.shape[0]):
        if labels[i] >= 0:
            continue
        if lower[i] >= 0:
            if has_earlier_equal(lower, blocks.slot, i):
                continue
            # The last equal record before i is gone: from now on i stands for itself.
            _search(blocks, hoods, i)
            _measure(blocks, hoods, i, k)
        elif _is_whole(candidates[i], labels, k):
            continue
        else:
            _update_neighbourhood(blocks, hoods, i, k)
        hoods.changed[count] = i
        count += 1
    return count


@kernel
def form_neighbourhood_groups(
    blocks: BlockIndex,
    min_remaining: int,
    max_values: int,
    next_group: int,
    labels: Integers,
    hoods: Neighbourhoods,
    sign: float,
) -> int:
    """Group neighbourhoods of least SSE (most if `sign` is -1); return next number.

    Parameters
    ----------
    min_remaining, max_values, next_group, labels
        As in :func:`engine.kernels.fixed_size.mdav.form_extreme_groups`, by groups
        instead of rounds; `min_remaining` is k.
    hoods : Neighbourhoods
        As :func:`compute_neighbourhoods` or an earlier call left them.
    sign : float
        1 takes the smallest SSE first, -1 the largest.
    """
    k = min_remaining
    sse, lower = hoods.sse, hoods.lower
    limit = blocks.count[4] + max_values
    while should_go_on(blocks, k, limit):
        seed = -1
        # Line 4: the record of the densest neighbourhood (HDF), the least dense (LDF).
        for i in range(labels.shape[0]):
            if (
                labels[i] < 0
                and lower[i] < 0
                and (seed < 0 or sign * sse[i] < sign * sse[seed])
            ):
                seed = i
        group_and_update_neighbourhoods(blocks, hoods, seed, next_group, labels, k)
        next_group += 1
    return next_group
