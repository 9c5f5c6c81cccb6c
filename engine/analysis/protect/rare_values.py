"""Columns whose values hardly k records share: which may leave, and which may not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from engine.core.message import Message
from engine.data.kinds import Kind, Role
from engine.data.propose import Suggestion
from engine.data.table import Table

MAX_RARE_SHARE = 0.01
"""Share of records with values of fewer than k up to which a column leaves as it is."""

MAX_CATEGORIES, MIN_CATEGORIES = 1_000, 20
"""Categories above which a column does not leave, and up to which it always may."""

RARE_CATEGORIES_REASON = Message(
    "It has so many different values that hardly k records share one."
)
"""Why a column of many categories does not leave."""


def has_too_many_categories(table: Table, name: str, kind: Kind, k: int) -> bool:
    """Return whether a column is nominal with over 1,000 categories, or too many for k.

    Parameters
    ----------
    name : str
        Name of the column.
    kind : Kind
        Kind that the column has, or is to have.
    """
    if kind is not Kind.NOMINAL:
        return False
    count = table.n_distinct(name)
    return count > MAX_CATEGORIES or (
        count > MIN_CATEGORIES and count * k > int(table.frame[name].notna().sum())
    )


def leaves_though_varied(table: Table, name: str, k: int) -> bool:
    """Return whether a confidential column leaves with too many categories for k.

    What a file of diagnoses is about is worth more than what else leaves, and is named
    where it singles somebody out. Not so where most values are single ones.

    Parameters
    ----------
    name : str
        Of a column with the role that it has, or is proposed to have.
    """
    column = table.schema[name]
    return (
        column.role is Role.CONFIDENTIAL
        and has_too_many_categories(table, name, column.kind, k)
        and 2 * table.n_distinct(name) <= int(table.frame[name].count())
    )


def leave_columns_of_many_categories_undecided(
    table: Table, proposed: Sequence[Suggestion], k: int
) -> tuple[Table, tuple[Suggestion, ...]]:
    """Return table and proposals, columns of too many categories for k made undecided.

    The common value of categories that hardly k records share names one of them, unless
    a hierarchy tells what they have in common. Confidential ones stay so, unless most
    values are single.

    Parameters
    ----------
    table : Table
        With the proposed roles and hierarchies.
    proposed : sequence of Suggestion
    """
    rare = {
        each.name: replace(each, role=Role.UNDECIDED, singles_out=True)
        for each in table.schema.columns
        if each.role in (Role.QUASI_IDENTIFIER, Role.CONFIDENTIAL)
        and each.hierarchy is None
        and has_too_many_categories(table, each.name, each.kind, k)
        and not leaves_though_varied(table, each.name, k)
    }
    columns = tuple(rare.get(each.name, each) for each in table.schema.columns)
    return replace(table, schema=replace(table.schema, columns=columns)), tuple(
        replace(
            each,
            column=rare[each.column.name],
            reason=RARE_CATEGORIES_REASON,
            confidence=0.5,
        )
        if each.column.name in rare
        else each
        for each in proposed
    )


def rare_value_share(
    column: pd.Series, k: int, people: pd.Series | None = None
) -> float:
    """Return the share of people, or records, whose value fewer than k of them have.

    Parameters
    ----------
    column : pandas.Series
    k : int
    people : pandas.Series, optional
        Number of the person of each record; each record is another one's without.
    """
    if people is not None:
        pairs = pd.DataFrame({"value": column, "person": people}).drop_duplicates()
        column, people = pairs["value"], pairs["person"]
    counts = column.value_counts(dropna=False)
    is_rare = column.isin(counts.index[counts < k])
    if people is None:
        return float(is_rare.sum()) / max(1, len(column))
    return people[is_rare].nunique() / max(1, people.nunique())
