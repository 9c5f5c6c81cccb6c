"""Candidate values of records under releases that state ranges or members' values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from engine.analysis.composition.statements import ColumnStatement, OriginalColumn
from engine.core.partition import members_by_group
from engine.core.typing import Booleans, Integers, Values


def count_candidates(
    column: OriginalColumn, range_statements: Sequence[ColumnStatement]
) -> Integers:
    """Return for each record how many of the column's values all ranges allow.

    Parameters
    ----------
    column : OriginalColumn
    range_statements : sequence of ColumnStatement
        Those that are ranges.

    Returns
    -------
    ndarray of int64, shape (n_records,)
        At least 1; 0 for missing values.
    """
    has_value = ~np.isnan(column.values)
    codes, values = pd.factorize(column.values)
    sets = [
        _possible_values(codes, claim.groups, len(values)) for claim in range_statements
    ]
    labels = np.array([claim.groups for claim in range_statements])
    combined, back = np.unique(labels, axis=1, return_inverse=True)
    count = np.empty(combined.shape[1], dtype=np.int64)
    for place, groups in enumerate(combined.T):
        is_allowed = np.ones(len(values), dtype=np.bool_)
        for members, group in zip(sets, groups, strict=True):
            if group >= 0:
                is_allowed &= members[group]
        count[place] = is_allowed.sum()
    return np.where(has_value, count[back], 0)


def _possible_values(codes: Integers, groups: Integers, n_values: int) -> Booleans:
    """Return which values each word was given for, (n_words, n_values)."""
    has_both = (groups >= 0) & (codes >= 0)
    is_possible = np.zeros((int(groups.max(initial=-1)) + 1, n_values), dtype=np.bool_)
    is_possible[groups[has_both], codes[has_both]] = True
    return is_possible


def sole_holder_mask(
    column: OriginalColumn, member_statements: Sequence[ColumnStatement]
) -> Booleans:
    """Return a bool mask of the only records that can have a released member's value.

    A median of an odd group, a mode and the like are the value of a member. Where
    releases give one and the same such value to several groups, and it comes once in
    the column, whoever has it is in all of these.

    Parameters
    ----------
    column : OriginalColumn
    member_statements : sequence of ColumnStatement
        Those that are values of members.
    """
    n = column.values.size
    times: Integers = np.zeros(n, dtype=np.int64)
    order = np.argsort(column.values, kind="stable")
    line: Values = column.values[order]
    last = np.searchsorted(line, column.values, side="right")
    is_unique = last - np.searchsorted(line, column.values, side="left") == 1
    owners = pd.Series(np.flatnonzero(is_unique), index=column.values[is_unique])
    within: dict[int, Integers] = {}
    for claim in member_statements:
        rows = np.flatnonzero(claim.groups >= 0)
        for place in members_by_group(claim.groups[rows]):
            records = rows[place]
            value = claim.values[records[0]] if records.size else np.nan
            if value not in owners.index:
                continue
            owner = int(owners[value])
            candidates = within.get(owner, records)
            within[owner] = np.intersect1d(candidates, records)
    for owner, records in within.items():
        times[owner] = records.size
    return np.asarray(times == 1)
