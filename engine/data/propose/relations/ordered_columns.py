"""Search for columns of which one is never above the other, such as two dates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import permutations

import numpy as np
import pandas as pd

from engine.core.typing import Values
from engine.data.propose.relations.compared_column import (
    MAX_CHANCE,
    MAX_COMPARED_COLUMNS,
    MAX_COMPARED_RECORDS,
    MIN_RECORDS,
    comparable_numbers,
    is_date_column,
)
from engine.data.propose.sampling import spread_places

MAX_ORDERED_PAIRS = 12
"""Pairs that are returned, so that few rules bind a table."""

SAMPLED_RECORDS = 200
"""Records in which each pair is looked at, before all of few pairs are."""


def find_ordered_columns(
    frame: pd.DataFrame,
    columns: Sequence[str],
    breaches_by_pair: dict[tuple[str, str], float | None] | None = None,
) -> tuple[tuple[str, str], ...]:
    """Return pairs of columns of which the first is never above the second.

    That is no accident: columns of the same values, but independent, would break it in
    many records. What two other pairs tell is left out. At most the square of
    :data:`.compared_column.MAX_COMPARED_COLUMNS` pairs are looked at, each in
    :data:`SAMPLED_RECORDS` records; wider tables have none.

    Parameters
    ----------
    columns : sequence of str
        Columns of numbers or dates.
    breaches_by_pair : dict, optional
        Answers on pairs of columns of this frame, which are read and added to; see
        :class:`~engine.data.table.FrameFacts`.
    """
    if len(frame) < MIN_RECORDS or not 2 <= len(columns) <= MAX_COMPARED_COLUMNS:
        return ()
    answers = {} if breaches_by_pair is None else breaches_by_pair
    if not answers.keys() >= {*permutations(columns, 2)}:
        answers |= _breaches_of_pairs(frame, columns)
    minima = -math.log(MAX_CHANCE)  # more, and that none is there is no accident
    chances = {
        pair: breaches
        for pair in permutations(columns, 2)
        if (breaches := answers[pair]) is not None and breaches > minima
    }
    pairs = {*chances}
    pairs -= {(high, low) for low, high in pairs}  # equal ones
    through = {
        (low, high)
        for low, middle in pairs
        for other, high in pairs
        if middle == other and (low, high) in pairs
    }
    telling = sorted(pairs - through, key=lambda pair: (-chances[pair], pair))
    return tuple(telling[:MAX_ORDERED_PAIRS])


def _breaches_of_pairs(
    frame: pd.DataFrame, columns: Sequence[str]
) -> dict[tuple[str, str], float | None]:
    """Return each pair's breaches expected by chance, None of one that has some."""
    n = len(frame)
    values = {name: comparable_numbers(frame[name]) for name in columns}
    dates = np.array([is_date_column(frame[name]) for name in columns])
    rows = spread_places(n, SAMPLED_RECORDS)
    some = np.column_stack([values[name][rows] for name in columns])
    known = ~np.isnan(some)
    least = np.where(known, some, np.inf).min(axis=0)
    most = np.where(known, some, -np.inf).max(axis=0)
    chances: dict[tuple[str, str], float | None] = dict.fromkeys(
        permutations(columns, 2)
    )
    for j, low in enumerate(columns):
        # Nearly all pairs end here: of these records one breaks the order, or no two.
        possible = (dates == dates[j]) & (least < most[j])
        possible &= ~(some[:, [j]] > some).any(axis=0)
        for i in np.flatnonzero(possible):
            high = columns[int(i)]
            if i != j and not (values[low] > values[high]).any():
                chances[low, high] = _expected_breaches(values[low], values[high])
    return chances


def _expected_breaches(low: Values, high: Values) -> float:
    """Return in how many records independent columns would break an order."""
    rows = np.flatnonzero(~(np.isnan(low) | np.isnan(high)))
    some = rows[spread_places(rows.size, MAX_COMPARED_RECORDS)]
    if some.size == 0:
        return 0.0
    below = np.searchsorted(np.sort(high[some]), low[some])
    return rows.size * float(below.mean()) / some.size
