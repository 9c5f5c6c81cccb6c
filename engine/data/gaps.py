"""Which gaps can stay: those that at least k records of a stratum share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from engine.core.typing import Booleans, Integers
from engine.data.kinds import MissingPolicy

MOST_PATTERNS = 1000
"""Patterns that a rare one may join: those that most records have."""


@dataclass(frozen=True, eq=False)
class Sharing:
    """Who may share a group, as far as gaps are concerned.

    Attributes
    ----------
    k : int
        Records that a group has at least.
    blocks : tuple of tuple of int
        Attributes that are grouped together.
    strata : callable
        Takes rows of the table, shape (n_records,), and returns a number per record:
        those with different ones are in different groups.
    """

    k: int
    blocks: tuple[tuple[int, ...], ...]
    strata: Callable[[Integers], Integers]


@dataclass(frozen=True)
class Way:
    """What one way to treat all gaps does.

    Attributes
    ----------
    records : int
        Records that remain.
    filled, kept : int
        Gaps that are filled, and that stay.
    possible : bool
        Whether enough records remain, and enough lack the same where gaps stay.
    """

    records: int
    filled: int
    kept: int
    possible: bool


def ways(holes: Booleans, sharing: Sharing) -> Mapping[MissingPolicy, Way]:
    """Return what each way to treat missing values would do, if all gaps went that way.

    Parameters
    ----------
    holes : ndarray of bool, shape (n_records, n_attributes)
        Cells that lack a value.
    sharing : Sharing
    """
    n, rows = len(holes), np.arange(len(holes), dtype=np.int64)
    gaps, complete = int(holes.sum()), int((~holes.any(axis=1)).sum())
    rare = int(to_fill(holes, range(holes.shape[1]), sharing, rows).sum())
    filled = Way(n, gaps, 0, n >= sharing.k)
    return MappingProxyType(
        {
            "keep-or-fill": Way(n, rare, gaps - rare, n >= sharing.k),
            "drop": Way(complete, 0, 0, complete >= sharing.k),
            "median": filled,
            "mode": filled,
            "keep": Way(n, 0, gaps, rare == 0),
        }
    )


def to_fill(
    holes: Booleans, flexible: Sequence[int], sharing: Sharing, rows: Integers
) -> Booleans:
    """Return which gaps cannot stay, because too few records lack the same.

    In each stratum and block, a rare pattern and another one become what they have in
    common, the other one being that which costs the fewest gaps; the patterns with most
    gaps come first, and it goes on until none is rare.

    Parameters
    ----------
    holes : ndarray of bool, shape (n_records, n_attributes)
        Cells that lack a value.
    flexible : sequence of int
        Attributes whose gaps may be filled; the others' stay whatever comes.
    sharing : Sharing
    rows : ndarray of int64, shape (n_records,)
        Rows of the table.

    Returns
    -------
    ndarray of bool, shape (n_records, n_attributes)
    """
    found = np.zeros_like(holes)
    strata = sharing.strata(rows)
    order = np.argsort(strata, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(strata))[:-1])
    for block in sharing.blocks:
        columns = np.array(block)
        open_ = np.isin(columns, list(flexible))
        for records in parts:
            some = np.ix_(records, columns)
            found[some] = _rare(holes[some], open_, sharing.k)
    return found


def _rare(holes: Booleans, flexible: Booleans, k: int) -> Booleans:
    """Return the gaps to fill in one stratum and block.

    Parameters
    ----------
    holes : ndarray of bool, shape (n_records, n_attributes)
    flexible : ndarray of bool, shape (n_attributes,)
        Whether gaps may be filled.
    k : int
    """
    patterns, of, sizes = np.unique(
        holes, axis=0, return_inverse=True, return_counts=True
    )
    after, joined = patterns.copy(), np.arange(len(patterns))
    fixed = np.unique(patterns & ~flexible, axis=0, return_inverse=True)[1].reshape(-1)
    alone = np.zeros(len(patterns), dtype=np.bool_)

    def join(one: int, other: int, target: Booleans) -> None:
        joined[one], after[other] = other, target
        sizes[other] += sizes[one]
        sizes[one] = 0

    while True:
        rare = np.flatnonzero((sizes > 0) & (sizes < k) & ~alone)
        if not rare.size:
            break
        one = int(rare[np.argmax(after[rare].sum(axis=1))])
        others = np.flatnonzero((sizes > 0) & (fixed == fixed[one]))
        others = others[others != one]
        if not others.size:
            alone[one] = True  # and grouping will say that k cannot hold
            continue
        if others.size > MOST_PATTERNS:
            others = others[np.argsort(-sizes[others], kind="stable")[:MOST_PATTERNS]]
        common = after[others] & after[one]
        kept = common.sum(axis=1)
        cost = sizes[others] * (after[others].sum(axis=1) - kept)
        cost += sizes[one] * (after[one].sum() - kept)
        # Of equally cheap ones, the pattern that most records have.
        best = np.lexsort((-sizes[others], cost))[0]
        other, target = int(others[best]), common[best]
        join(one, other, target)
        for same in np.flatnonzero((sizes > 0) & (after == target).all(axis=1)):
            if same != other:
                join(int(same), other, target)
    while (joined[joined] != joined).any():
        joined = joined[joined]
    return np.asarray(holes & ~after[joined[of.reshape(-1)]])
