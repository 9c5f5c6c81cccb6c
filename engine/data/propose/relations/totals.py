"""Search for columns that are sums or differences of other columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import pandas as pd

from engine.core.typing import Booleans, Integers, Values
from engine.data.propose.names import normalised_words, split_into_word_set
from engine.data.propose.relations.compared_column import (
    MAX_COMPARED_COLUMNS,
    MIN_RECORDS,
    finite_numbers,
    varies,
)
from engine.data.propose.sampling import spread_places

DIFFERENCE_WORDS = split_into_word_set(
    """
    diff difference change chg delta gain gap deviation dev excess surplus margin profit
    differenz unterschied veraenderung aenderung abweichung zuwachs gewinn ueberschuss
    ecart variation diferencia diferenza differenza verschil roznica
    """
)
"""Words for what is calculated as one column less another."""

MIN_SAMPLED_SHARE = 0.95
"""Share of some records in which columns add up, from which all are looked at."""

MAX_PARTS = 12
"""Columns next to each other whose sum may be a total."""


def find_total_columns(
    frame: pd.DataFrame,
    columns: Sequence[str],
    known_totals: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
) -> Mapping[str, tuple[str, ...]]:
    """Return the columns that are sums of other columns, with their parts.

    Parameters
    ----------
    columns : sequence of str
        Columns of numbers to look at, in their order.
    known_totals : mapping of str to tuple of str, optional
        Totals among them that are known, with their parts; they are returned too.

    Returns
    -------
    mapping of str to tuple of str
        Parts are two columns, or several that stand next to each other; a part may be
        a total of others.
    """
    if len(frame) < MIN_RECORDS or not 3 <= len(columns) <= MAX_COMPARED_COLUMNS // 2:
        return known_totals
    rows = spread_places(len(frame), 200)
    table = finite_numbers(frame[list(columns)].iloc[rows])
    runs = _runs_of_columns(table)
    totals = dict(known_totals)
    for j, name in enumerate(columns):
        total = table[:, j]
        if np.unique(total[~np.isnan(total)]).size < 5 or name in totals:
            continue
        whole = None
        for indices in _iterate_parts(table, runs, j):
            parts = tuple(columns[i] for i in indices)
            # Two totals may be equal, such as both sides of a balance.
            if parts in totals.values() or name in _addends(parts, totals):
                continue
            if whole is None:
                whole = finite_numbers(frame[list(columns)])
            if _adds_up(whole[:, list(indices)].sum(axis=1), whole[:, j]):
                totals[name] = parts
                break
    return totals


def _addends(
    parts: Sequence[str], totals: Mapping[str, tuple[str, ...]]
) -> frozenset[str]:
    """Return parts, and the parts of those that are totals themselves."""
    return frozenset(parts).union(
        *(_addends(totals[name], totals) for name in parts if name in totals)
    )


def turn_totals_into_differences(
    frame: pd.DataFrame,
    totals: Mapping[str, tuple[str, ...]],
    leading: Mapping[str, str],
) -> Mapping[str, tuple[str, ...]]:
    """Return totals and parts, differences in place of what they were calculated from.

    A part that is called a difference, or by the total's name and more, or has negative
    values where its total and the other part have none, is the total less the latter.
    """
    related = Counter([*chain.from_iterable(totals.values()), *totals])
    related.update([*leading, *leading.values()])
    parts_by_column: dict[str, tuple[str, ...]] = {}
    for total, parts in totals.items():
        below = {n: bool((frame[n] < 0).any()) for n in (total, *parts)}
        differences = [
            name
            for name in parts
            if len(parts) == 2
            and related[name] == 1
            and (
                bool(DIFFERENCE_WORDS & {*normalised_words(name)})
                or (below[name] and sum(below.values()) == 1)
                or (len(total) > 2 and total.casefold() in name.casefold())
            )
        ]
        if differences and related[total] == 1:
            [other] = [name for name in parts if name != differences[0]]
            parts_by_column[differences[0]] = (total, other)
        else:
            parts_by_column[total] = parts
    return parts_by_column


def _iterate_parts(table: Values, runs: _Runs, j: int) -> Iterator[tuple[int, ...]]:
    """Yield the columns whose sum a column is: two, then several side by side."""
    total, width = table[:, j], table.shape[1]
    varied = [i for i in range(width) if i != j and varies(table[:, i])]
    for at, i in enumerate(varied[:-1]):
        others = varied[at + 1 :]
        rest = (total - table[:, i])[:, None]
        # Nearly all columns are ruled out by every tenth record.
        for other in np.array(others)[_may_agree(table[::10, others], rest[::10])]:
            if _adds_up(table[:, other], rest[:, 0], MIN_SAMPLED_SHARE):
                yield i, int(other)
    for run in np.flatnonzero(_may_agree(runs.sums[::10], total[::10, None])):
        members = range(runs.firsts[run], runs.lasts[run] + 1)
        if j not in members and _adds_up(runs.sums[:, run], total, MIN_SAMPLED_SHARE):
            yield tuple(members)


class _Runs(NamedTuple):
    """Three or more columns next to each other, and their sums in each record."""

    firsts: Integers
    lasts: Integers
    sums: Values


def _runs_of_columns(table: Values) -> _Runs:
    width = table.shape[1]
    firsts, lengths = np.indices((width, MAX_PARTS - 2)).reshape(2, -1)
    lasts = firsts + lengths + 2
    inside = lasts < width
    firsts, lasts = firsts[inside], lasts[inside]
    totals = [
        table[:, first : last + 1].sum(axis=1)
        for first, last in zip(firsts, lasts, strict=True)
    ]
    return _Runs(firsts, lasts, np.stack(totals, axis=1))


def _adds_up(sums: Values, total: Values, least: float = 0.99) -> bool:
    """Return whether sums equal a total in nearly all records, at least in a share."""
    known_mask = ~np.isnan(sums) & ~np.isnan(total)
    near = _is_near(sums, total)
    return known_mask.sum() >= MIN_RECORDS and bool(near[known_mask].mean() >= least)


def _may_agree(columns: Values, total: Values) -> Booleans:
    """Return which columns equal a wanted one in at least half of the records."""
    known_mask = ~np.isnan(columns) & ~np.isnan(total)
    near = _is_near(columns, total)
    return np.asarray(2 * near.sum(axis=0) >= known_mask.sum(axis=0))


def _is_near(values: Values, total: Values) -> Booleans:
    bounds: Booleans = np.abs(values - total) <= 1e-6 * np.maximum(1.0, np.abs(total))
    return bounds
