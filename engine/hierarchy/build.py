"""Build hierarchies from words, codes or dates."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import pandas as pd

from engine.core.errors import InputError, ParameterError
from engine.core.message import Message
from engine.hierarchy.tree import ROOT_LABEL, Hierarchy
from engine.hierarchy.words import index_and_list_distinct_texts, leaf_text_of

Column = pd.Series | Sequence[Any]
"""Values of a column; missing ones and repetitions do not matter."""


def flat_hierarchy(values: Column) -> Hierarchy:
    """Return the hierarchy with all values directly below the root.

    Parameters
    ----------
    values : sequence
        The column. Its values come in their own order: of categories, of numbers and
        dates, of the alphabet.

    Raises
    ------
    InputError
        If there is no value at all.

    Examples
    --------
    >>> flat_hierarchy(["red", "blue", "red"]).rows
    (('blue', '*'), ('red', '*'))
    """
    return Hierarchy(tuple((text, ROOT_LABEL) for text in distinct_leaf_texts(values)))


def from_prefixes(values: Column, keep: Sequence[int] | None = None) -> Hierarchy:
    r"""Return the hierarchy of prefixes of codes, shorter at each level.

    4350, 435*, 43**, 4***, \*: values that begin alike lie close together.

    Parameters
    ----------
    values : sequence
        The column, as text; shorter values count as if filled up with ``*``.
    keep : sequence of int, optional
        How many characters stay at each level, falling. By default all levels.

    Raises
    ------
    InputError
        If there is no value at all.
    ParameterError
        If `keep` does not fall, or keeps none or all of the characters.

    Examples
    --------
    >>> from_prefixes(["4350", "4411"]).rows[0]
    ('4350', '435*', '43**', '4***', '*')
    """
    leaves = distinct_leaf_texts(values)
    longest = max(map(len, leaves))
    if keep is None:
        keep = range(longest - 1, 0, -1)
    prefix_lengths = list(keep)
    falls = all(a > b for a, b in pairwise(prefix_lengths))
    if not falls or any(not 0 < many < longest for many in prefix_lengths):
        raise ParameterError(
            "The characters kept at each level are {kept}, but must be falling "
            "numbers from {most} to 1.",
            kept=str(prefix_lengths),
            most=longest - 1,
        )
    rows = (
        (
            leaf,
            *(leaf[:many].ljust(longest, ROOT_LABEL) for many in prefix_lengths),
            ROOT_LABEL,
        )
        for leaf in leaves
    )
    return Hierarchy(tuple(rows))


DATE_LEVELS: dict[str, Callable[[datetime.datetime], str]] = {
    "day": lambda day: f"{day:%Y-%m-%d}",
    "month": lambda day: f"{day:%Y-%m}",
    "quarter": lambda day: f"{day:%Y}-Q{(day.month + 2) // 3}",
    "year": lambda day: f"{day:%Y}",
}
"""Label of a date at each level, by the level's name, from narrow to general."""


def from_dates(
    values: Column, levels: Sequence[str] = ("month", "quarter", "year")
) -> Hierarchy:
    """Return the hierarchy of calendar periods that contain the dates.

    Parameters
    ----------
    values : sequence
        The column, of dates or of text such as 2023-01-05.
    levels : sequence of str
        Some of ``day``, ``month``, ``quarter`` and ``year``, from narrow to general.
        A day is a level above values with a time of day.

    Returns
    -------
    Hierarchy
        Leaves from early to late.

    Raises
    ------
    InputError
        If there is no value at all, or one that is no date.
    ParameterError
        If there is no level, one does not exist, or they are not narrow to general.

    Examples
    --------
    >>> from_dates(["2023-01-05"]).rows
    (('2023-01-05', '2023-01', '2023-Q1', '2023', '*'),)
    """
    level_names = list(DATE_LEVELS)
    if not levels or [name for name in level_names if name in levels] != list(levels):
        raise ParameterError(
            "The levels of dates are {levels}, but must be some of {known}, in this "
            "order.",
            levels=list(levels) or Message("none"),
            known=level_names,
        )
    days = {leaf: _parse_date(leaf) for leaf in distinct_leaf_texts(values)}
    naive = {leaf: day.replace(tzinfo=None) for leaf, day in days.items()}
    leaves = sorted(days, key=lambda leaf: (naive[leaf], leaf))
    return Hierarchy(
        tuple(
            (leaf, *(DATE_LEVELS[name](days[leaf]) for name in levels), ROOT_LABEL)
            for leaf in leaves
        )
    )


def distinct_leaf_texts(values: Column) -> list[str]:
    """Return a column's distinct values as text, sorted or in category order.

    Raises
    ------
    InputError
        If there is no value at all.
    """
    column = (
        values if isinstance(values, pd.Series) else pd.Series(values, dtype=object)
    )
    present = column.dropna()
    if present.empty:
        raise InputError(
            "The column has no values, so there is nothing to build a hierarchy of: "
            "choose another column."
        )
    if isinstance(present.dtype, pd.CategoricalDtype):
        used = set(index_and_list_distinct_texts(present)[1])
        ordered = list(map(leaf_text_of, present.cat.categories))
        return [text for text in dict.fromkeys(ordered) if text in used]
    distinct = pd.Series(present.unique())
    try:
        distinct = distinct.sort_values()
    except TypeError:  # a column of words and numbers
        distinct = distinct.sort_values(key=lambda cells: cells.map(leaf_text_of))
    return index_and_list_distinct_texts(distinct)[1]


def _parse_date(text: str) -> datetime.datetime:
    try:
        return datetime.datetime.fromisoformat(text)
    except ValueError:
        raise InputError(
            "The value {value!r} is no date such as 2023-01-05: correct it, or build "
            "the hierarchy from something else.",
            value=text,
        ) from None
