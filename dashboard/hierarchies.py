"""Hierarchies as the editor handles them: proposed, built, edited, mended."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine.errors import EngineError, InputError, ParameterError
from engine.hierarchy import (
    DATE_LEVELS,
    Hierarchy,
    distinct_texts,
    flat,
    from_dates,
    from_intervals,
    from_prefixes,
)
from engine.table import Kind, Role, Table

VALUE = "Value"
PLACE = "Place"
"""Headings of the level table."""

EDITABLE = 2_000
"""Values up to which the level table is edited on screen: a browser holds it whole."""

HIGHEST = 12
"""Levels up to which another one can be added on screen."""

WAYS: dict[str, str] = {
    "prefixes": "Prefixes",
    "intervals": "Intervals",
    "dates": "Dates",
    "flat": "Flat",
    "hand": "By hand",
    "file": "Level file",
}
"""How a hierarchy comes about, by identifier."""


@dataclass(frozen=True)
class Recipe:
    """How a hierarchy is to be built.

    Attributes
    ----------
    way : str
        One of :data:`WAYS`; a level file is read and not built.
    step : int
        Prefixes: characters left out from level to level.
    widths, cuts : str
        Intervals: numbers as typed; where `cuts` has any, widths do not matter.
    origin : float
        Intervals: where one of them begins.
    periods : tuple of str
        Dates: some of day, month, quarter, year.
    levels : int
        By hand: levels between the values and the root.
    """

    way: str
    step: int = 1
    widths: str = ""
    cuts: str = ""
    origin: float = 0.0
    periods: tuple[str, ...] = ("month", "quarter", "year")
    levels: int = 1


def candidates(table: Table) -> tuple[str, ...]:
    """Return the columns that a hierarchy may be for, those that need one first.

    First quasi-identifiers without an average, then other quasi-identifiers, then the
    rest; identifiers, which no release has, and empty columns are left out.
    """

    def urgency(name: str) -> int:
        column = table.schema[name]
        if column.role is not Role.QUASI_IDENTIFIER:
            return 3 - (column.hierarchy is not None)
        return int(column.kind is Kind.CONTINUOUS)

    names = [
        column.name
        for column in table.schema.columns
        if column.role is not Role.IDENTIFIER and table.frame[column.name].notna().any()
    ]
    return tuple(sorted(names, key=urgency))


def wanted(table: Table) -> bool:
    """Return whether a column has a hierarchy or cannot do well without one."""
    return any(
        column.hierarchy is not None
        or (
            column.role is Role.QUASI_IDENTIFIER
            and (column.kind is Kind.NOMINAL or ordered_words(table, column.name))
        )
        for column in table.schema.columns
    )


def ordered_words(table: Table, name: str) -> bool:
    """Return whether a column holds steps whose order only a hierarchy tells."""
    dtype = table.frame[name].dtype
    return table.schema[name].kind is Kind.ORDINAL and not (
        pd.api.types.is_numeric_dtype(dtype)
        or pd.api.types.is_datetime64_any_dtype(dtype)
    )


def proposal(values: pd.Series) -> Recipe:
    """Return how a hierarchy over these values is probably meant to be built."""
    present = values.dropna()
    if pd.api.types.is_datetime64_any_dtype(present.dtype):
        whole_days = bool((present == present.dt.normalize()).all())
        known = tuple(DATE_LEVELS)
        return Recipe("dates", periods=known[1:] if whole_days else known)
    if pd.api.types.is_numeric_dtype(present.dtype) and present.nunique() > 10:
        return Recipe("intervals", widths=_widths(present))
    texts = distinct_texts(present)[1]
    lengths = {len(text) for text in texts}
    codes = all(re.fullmatch(r"[\w-]*\d[\w-]*", text) for text in texts)
    if len(lengths) == 1 and lengths != {1} and codes and len(texts) > 3:
        return Recipe("prefixes", widths=_widths(present))
    return Recipe("flat", widths=_widths(present))


def _widths(values: pd.Series) -> str:
    """Return three round widths, each twice the one before, some 20 to 5 intervals."""
    if not pd.api.types.is_numeric_dtype(values.dtype):
        return ""
    span = float(values.max()) - float(values.min())
    if not math.isfinite(span) or span <= 0:
        return "1, 2, 4"
    power = 10.0 ** math.floor(math.log10(span / 20))
    first = next(f * power for f in (1, 2, 5, 10) if f * power >= span / 20 * 0.9999)
    return ", ".join(f"{first * factor:g}" for factor in (1, 2, 4))


def build(values: pd.Series, recipe: Recipe) -> Hierarchy:
    """Return the hierarchy over these values.

    Raises
    ------
    EngineError
        One sentence, if the values or the recipe do not allow it.
    """
    if recipe.way == "prefixes":
        longest = max(map(len, distinct_texts(values.dropna())[1]), default=0)
        return from_prefixes(values, range(longest - recipe.step, 0, -recipe.step))
    if recipe.way == "intervals":
        cuts = numbers(recipe.cuts)
        widths = () if cuts else numbers(recipe.widths)
        return from_intervals(values, widths, recipe.origin, cuts)
    if recipe.way == "dates":
        return from_dates(values, recipe.periods)
    tree = flat(values)
    if recipe.way == "hand":
        for _ in range(recipe.levels):
            tree = with_level(tree)
    return tree


def example(values: pd.Series, recipe: Recipe) -> tuple[str, str]:
    """Return what one value would become, and what is wrong; one of them is empty.

    Where there are too many values to build all at each keystroke, nothing is said.
    """
    if values.nunique() > EDITABLE:
        return "", ""
    try:
        tree = build(values, recipe)
    except EngineError as error:
        return "", str(error)
    row = tree.rows[len(tree.rows) // 2]
    return "For instance " + " → ".join(f"`{label}`" for label in row), ""


def numbers(typed: str) -> tuple[float, ...]:
    """Return the numbers in a line such as ``5, 10, 20``.

    Raises
    ------
    ParameterError
        If one of them is no number.
    """
    found = []
    for word in re.split(r"[;,\s]+", typed.strip()):
        try:
            found += [float(word)] if word else []
        except ValueError:
            raise ParameterError(
                f"{word!r} is no number: write numbers with commas between them and "
                "decimals behind a point, such as 0.5, 1, 2."
            ) from None
    return tuple(found)


def headings(tree: Hierarchy) -> tuple[str, ...]:
    """Return the names of the level table's columns, from the value to the root."""
    return (VALUE, *(f"Level {level}" for level in range(1, tree.height)), "Root")


def level_table(tree: Hierarchy, ordered: bool = False) -> pd.DataFrame:
    """Return the hierarchy as a table, one line per value, general to the right.

    Parameters
    ----------
    tree : Hierarchy
    ordered : bool
        Begin with each value's place, where the order of the values means something.
    """
    frame = pd.DataFrame(list(tree.rows), columns=list(headings(tree)))
    if ordered:
        frame.insert(0, PLACE, range(1, len(frame) + 1))
    return frame


def edited(tree: Hierarchy, edits: Mapping[int, Mapping[str, Any]]) -> Hierarchy:
    """Return the hierarchy with the cells that were changed in its level table.

    Raises
    ------
    InputError
        One sentence that names the value, if it is no hierarchy any more.
    """
    names = headings(tree)
    rows = [list(row) for row in tree.rows]
    for line, cells in edits.items():
        for name, text in cells.items():
            if name in names:
                rows[line][names.index(name)] = text or ""
    changed = Hierarchy(tuple(map(tuple, rows)))
    places = {line: cells[PLACE] for line, cells in edits.items() if cells.get(PLACE)}
    for line, place in places.items():
        changed = moved(changed, changed.leaves.index(tree.leaves[line]), place)
    return changed


def moved(tree: Hierarchy, line: int, place: int) -> Hierarchy:
    """Return the hierarchy with one line at another place, counted from 1."""
    rows = list(tree.rows)
    rows.insert(min(max(place, 1), len(rows)) - 1, rows.pop(line))
    return Hierarchy(tuple(rows))


def with_level(tree: Hierarchy) -> Hierarchy:
    """Return the hierarchy with another level below the root, to be filled in.

    Until then it repeats the labels of the level below it.
    """
    return Hierarchy(tuple((*row[:-1], row[-2], row[-1]) for row in tree.rows))


def without_level(tree: Hierarchy, level: int) -> Hierarchy:
    """Return the hierarchy without one of the levels between values and root."""
    return Hierarchy(tuple(row[:level] + row[level + 1 :] for row in tree.rows))


def with_values(tree: Hierarchy, values: Sequence[str]) -> Hierarchy:
    """Return the hierarchy with more values, each on its own up to the root."""
    root = tree.rows[0][-1]
    rows = [*tree.rows, *((value,) * tree.height + (root,) for value in values)]
    try:
        return Hierarchy(tuple(rows))
    except InputError:  # a new value is called like a group
        return Hierarchy(
            (*tree.rows, *((value, *(root,) * tree.height) for value in values))
        )


def lacking(name: str, values: Sequence[str]) -> str:
    """Say which values of a column its hierarchy does not have."""
    return (
        f"The hierarchy of {name!r} does not have {listed(values)}: add "
        f"{'a row for it' if len(values) == 1 else 'rows for them'}."
    )


def listed(values: Sequence[str], most: int = 3) -> str:
    """Return the first of some values, and how many more there are."""
    shown = ", ".join(map(repr, values[:most]))
    word = "value" if len(values) == 1 else "values"
    more = len(values) - most
    return f"the {word} {shown}" + (f" and {more:,} more" if more > 0 else "")


def leaf_records(table: Table, name: str, tree: Hierarchy) -> NDArray[np.int64]:
    """Return how many records have each value of the hierarchy, shape (n_leaves,)."""
    records, texts = distinct_texts(table.frame[name])
    counts = np.bincount(records[records >= 0], minlength=len(texts))
    found = dict(zip(texts, counts, strict=True))
    return np.array([found.get(leaf, 0) for leaf in tree.leaves], dtype=np.int64)


def shape(tree: Hierarchy) -> str:
    """Return how large a hierarchy is, in words."""
    count, levels = len(tree.leaves), tree.height
    return (
        f"{count:,} value{'' if count == 1 else 's'}, "
        f"{levels} level{'' if levels == 1 else 's'} above"
    )
