"""Search for columns that have their texts, or their scale of answers, in common."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from engine.data.propose.relations.compared_column import (
    MAX_COMPARED_COLUMNS,
    MAX_LACKING_SHARE,
    ComparedColumn,
)
from engine.data.propose.values import HEAD_VALUES, MAX_SCALE_STEPS

MIN_SCALE_COLUMNS = 3
"""Columns with the same few answers from which these are a scale."""


def iterate_columns_sharing_texts(
    frame: pd.DataFrame, columns: Sequence[str], naming_columns: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Yield pairs of a column and the first naming one with at least half its texts.

    Such as the winner and the loser of a game, or the last of five who were chosen.

    Parameters
    ----------
    columns, naming_columns : sequence of str
        Of texts. The first :data:`.values.HEAD_VALUES` records are looked at.
    """
    if len(columns) * len(naming_columns) > MAX_COMPARED_COLUMNS**2:
        return
    head = frame.head(HEAD_VALUES)
    names = {other: {*head[other].dropna().astype(str)} for other in naming_columns}
    for name in columns if names else ():
        texts = {*head[name].dropna().astype(str)}
        for other, other_texts in names.items():
            if texts and 2 * len(texts & other_texts) >= len(texts):
                yield name, other
                break


def iterate_renamed_columns(
    frame: pd.DataFrame, candidates: Sequence[str], identifying_columns: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Yield pairs of a column and an identifying column that map one to one.

    Parameters
    ----------
    candidates, identifying_columns : sequence of str
        Of texts; with ten values or fewer they are classes. The first
        :data:`.values.HEAD_VALUES` records are looked at. Of very many pairs only
        those with the same gaps are found.

    Yields
    ------
    tuple of str
        The column, and that of `identifying_columns` which it repeats in other words.
    """
    head = frame.head(HEAD_VALUES)
    others = [ComparedColumn(name, head[name]) for name in identifying_columns]
    is_wide = len(candidates) * len(others) > MAX_COMPARED_COLUMNS**2
    alike: dict[bytes, list[ComparedColumn]] = defaultdict(list)
    for other in others if is_wide else ():
        alike[other.codes.tobytes()].append(other)
    for name in candidates if others else ():
        column = ComparedColumn(name, head[name])
        for other in alike.get(column.codes.tobytes(), ()) if is_wide else others:
            if _is_renamed(column, other):
                yield name, other.name
                break


def _is_renamed(first: ComparedColumn, second: ComparedColumn) -> bool:
    """Return whether texts of both columns belong together one by one."""
    known_mask = first.known & second.known
    lacking = known_mask.size - int(known_mask.sum())
    # Nearly all pairs end here, before anything is sorted.
    if lacking > MAX_LACKING_SHARE * known_mask.size:
        return False
    if abs(first.distinct - second.distinct) > lacking:
        return False
    first_codes, second_codes = first.codes[known_mask], second.codes[known_mask]
    n_texts = np.unique(first_codes).size
    if n_texts <= MAX_SCALE_STEPS or np.unique(second_codes).size != n_texts:
        return False
    return int(np.unique(first_codes * second.distinct + second_codes).size) == n_texts


def find_question_battery_columns(
    frame: pd.DataFrame, columns: Sequence[str]
) -> frozenset[str]:
    """Return columns of answers on a scale that at least three columns share.

    Parameters
    ----------
    columns : sequence of str
        Columns of few whole numbers.
    """
    scales = {}
    for name in columns:
        steps = frozenset(map(float, frame[name].dropna().unique()))
        low, high = min(steps), max(steps)
        if low in (0.0, 1.0) and 2 < len(steps) == high - low + 1:
            scales[name] = (low, high)
    counts = Counter(scales.values())
    return frozenset(
        n for n, scale in scales.items() if counts[scale] >= MIN_SCALE_COLUMNS
    )
