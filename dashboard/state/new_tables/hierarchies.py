"""Hierarchies carried over to a new table, and sentences on values that they lack."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from dashboard.i18n.language import _, n_
from engine.data.kinds import Kind, Role
from engine.data.schema import Schema
from engine.data.table import Table
from engine.hierarchy import Hierarchy


def has_text_values(values: pd.Series) -> bool:
    """Return whether the values of a column are neither numbers nor dates."""
    return not (
        pd.api.types.is_numeric_dtype(values.dtype)
        or pd.api.types.is_datetime64_any_dtype(values.dtype)
    )


def carry_trees_with_notes(
    old_schema: Schema, table: Table
) -> tuple[dict[str, Hierarchy], list[str]]:
    """Return the old hierarchies that still apply, and sentences on uncovered values.

    One that lacks only some of the new values is kept, to be completed; one that has
    none of them was about something else. Of a quasi-identifier of words nothing is
    said: that it lacks values is among the problems of the table.
    """
    trees, notes = {}, []
    for column in old_schema.columns:
        tree, name = column.hierarchy, column.name
        if tree is None or name not in table.schema:
            continue
        values = table.frame[name]
        gone = tree.uncovered_values(values)
        if gone and len(gone) == values.nunique():
            notes.append(
                _("The hierarchy of {name} has none of the new values.").format(
                    name=repr(name)
                )
            )
            continue
        trees[name] = tree
        words = column.kind is Kind.NOMINAL or has_text_values(values)
        if gone and not (words and column.role is Role.QUASI_IDENTIFIER):
            notes.append(describe_uncovered_values(name, gone))
    return trees, notes


def describe_uncovered_values(column_name: str, values: Sequence[str]) -> str:
    """Return a sentence on the values that a column's hierarchy lacks."""
    return n_(
        "The hierarchy of {name} does not have {values}: add a row for it.",
        "The hierarchy of {name} does not have {values}: add rows for them.",
        len(values),
    ).format(name=repr(column_name), values=first_values_and_rest_text(values))


def first_values_and_rest_text(values: Sequence[str], max_values: int = 3) -> str:
    """Return the first values as text, with the number of the remaining ones."""
    values_text = ", ".join(map(repr, values[:max_values]))
    more = len(values) - max_values
    if more > 0:
        return _("the values {values} and {count} more").format(
            values=values_text, count=f"{more:,}"
        )
    return n_("the value {values}", "the values {values}", len(values)).format(
        values=values_text
    )
