"""Hierarchies of columns: need for one, level table, edits and counts of records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dashboard.i18n.language import n_
from dashboard.state.new_tables.hierarchies import has_text_values
from engine.core.errors import InputError
from engine.data.kinds import Kind, Role
from engine.data.schema import Column
from engine.data.table import Table
from engine.hierarchy import Hierarchy, leaf_text_of

VALUE_HEADING = "Value"
POSITION_HEADING = "Place"
"""Headings of the level table."""

MAX_EDITABLE_VALUES = 2_000
"""Values up to which the level table is edited on screen: a browser holds it whole."""

MAX_LEVELS = 12
"""Levels up to which another one can be added on screen."""


def columns_for_hierarchy(table: Table) -> tuple[str, ...]:
    """Return the columns that can have a hierarchy, the most in need of one first.

    First quasi-identifiers of words, then other quasi-identifiers, then the rest;
    identifiers, which no release has, and empty columns are left out.
    """

    def urgency(name: str) -> int:
        column = table.schema[name]
        if column.role is not Role.QUASI_IDENTIFIER:
            return 3 - (column.hierarchy is not None)
        return int(not _needs_hierarchy(table, column))

    # Asked of the frame: of thousands of columns, each question of its own takes long.
    filled = table.frame.notna().any()
    names = [
        column.name
        for column in table.schema.columns
        if column.role is not Role.IDENTIFIER and filled[column.name]
    ]
    return tuple(sorted(names, key=urgency))


def has_or_needs_hierarchy(table: Table) -> bool:
    """Return whether any column has a hierarchy, or is protected and needs one."""
    return any(
        column.hierarchy is not None
        or (column.role is Role.QUASI_IDENTIFIER and _needs_hierarchy(table, column))
        for column in table.schema.columns
    )


def _needs_hierarchy(table: Table, column: Column) -> bool:
    return column.kind is Kind.NOMINAL or is_ordinal_text(table, column.name)


def is_ordinal_text(table: Table, column_name: str) -> bool:
    """Return whether a column is ordinal and has text values, so needs a hierarchy."""
    ordinal = table.schema[column_name].kind is Kind.ORDINAL
    return ordinal and has_text_values(table.frame[column_name])


def level_headings(tree: Hierarchy) -> tuple[str, ...]:
    """Return the level table's headings, from the value to the root."""
    return (
        VALUE_HEADING,
        *(f"Level {level}" for level in range(1, tree.height)),
        "Root",
    )


def level_table(tree: Hierarchy, with_positions: bool = False) -> pd.DataFrame:
    """Return a hierarchy as a table, a line per value, more general to the right.

    Parameters
    ----------
    with_positions : bool
        Begin with each value's place, where the order of the values means something.
    """
    frame = pd.DataFrame(list(tree.rows), columns=list(level_headings(tree)))
    if with_positions:
        frame.insert(0, POSITION_HEADING, range(1, len(frame) + 1))
    return frame


def apply_level_edits(
    tree: Hierarchy, edits: Mapping[int, Mapping[str, Any]]
) -> Hierarchy:
    """Return the hierarchy with labels and places edited in its level table.

    Raises
    ------
    InputError
        One sentence that names the value, if it is no hierarchy any more.
    """
    names = level_headings(tree)
    rows = [list(row) for row in tree.rows]
    for line, cells in edits.items():
        for name, text in cells.items():
            if name in names:
                rows[line][names.index(name)] = text or ""
    changed = Hierarchy(tuple(map(tuple, rows)))
    places = {
        line: cells[POSITION_HEADING]
        for line, cells in edits.items()
        if cells.get(POSITION_HEADING)
    }
    for line, place in places.items():
        changed = move_value(changed, changed.leaves.index(tree.leaves[line]), place)
    return changed


def move_value(tree: Hierarchy, row_index: int, position: int) -> Hierarchy:
    """Return the hierarchy with a row moved to a position, counted from 1."""
    rows = list(tree.rows)
    rows.insert(min(max(position, 1), len(rows)) - 1, rows.pop(row_index))
    return Hierarchy(tuple(rows))


def add_level(tree: Hierarchy) -> Hierarchy:
    """Return the hierarchy with a further level, to be filled in, below the root.

    Until then it repeats the labels of the level below it.
    """
    return Hierarchy(tuple((*row[:-1], row[-2], row[-1]) for row in tree.rows))


def remove_level(tree: Hierarchy, level: int) -> Hierarchy:
    """Return the hierarchy without the given level between the values and the root."""
    return Hierarchy(tuple(row[:level] + row[level + 1 :] for row in tree.rows))


def add_values_to_hierarchy(tree: Hierarchy, values: Sequence[str]) -> Hierarchy:
    """Return the hierarchy with more values, each in nodes of its own if possible."""
    root = tree.rows[0][-1]
    rows = [*tree.rows, *((value,) * tree.height + (root,) for value in values)]
    try:
        return Hierarchy(tuple(rows))
    except InputError:  # a new value is called like a group
        return Hierarchy(
            (*tree.rows, *((value, *(root,) * tree.height) for value in values))
        )


def count_records_per_value(values: pd.Series) -> pd.Series:
    """Return the number of records of each value that occurs, missing ones aside."""
    counts = values.value_counts(sort=False)
    return counts[counts > 0]  # categories that no record has


def records_per_leaf(
    records_per_value: pd.Series, tree: Hierarchy
) -> NDArray[np.int64]:
    """Return the number of records with each leaf value, shape (n_leaves,).

    Parameters
    ----------
    records_per_value : pandas.Series
        Of :func:`count_records_per_value`.
    """
    records = np.zeros(len(tree.leaves) + 1, dtype=np.int64)
    places = {leaf: place for place, leaf in enumerate(tree.leaves)}
    leaves = [places.get(leaf_text_of(value), -1) for value in records_per_value.index]
    np.add.at(records, leaves, records_per_value.to_numpy(dtype=np.int64))
    return records[:-1]


def hierarchy_size_text(tree: Hierarchy) -> str:
    """Return a hierarchy's numbers of values and levels, in words."""
    count, levels = len(tree.leaves), tree.height
    values = n_("{count} value", "{count} values", count).format(count=f"{count:,}")
    return n_(
        "{values}, {count} level above", "{values}, {count} levels above", levels
    ).format(values=values, count=levels)
