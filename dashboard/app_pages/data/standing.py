"""Where a table stands: what leaves, who could be found, what was settled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dashboard.i18n import text_data
from engine.data.kinds import Role
from engine.data.table import Table
from engine.hierarchy import Hierarchy
from engine.measures.uniqueness import telling_columns, unique_alone, uniqueness

CANDIDATES = 24
"""Columns with the most different values: the most telling are among them."""

STEPS = 3
"""Steps of a hierarchy that are shown of it."""


@dataclass(frozen=True)
class Found:
    """Who could be found in the file as it is.

    Attributes
    ----------
    unique, n_records : int
        Records that are the only ones with their values in all protected columns.
    together : tuple of str
        Few columns that tell the most records apart.
    unique_together : int
        Records that these few make unique.
    alone : tuple of (str, int)
        Those columns, and how many records each makes unique.
    """

    unique: int
    n_records: int
    together: tuple[str, ...]
    unique_together: int
    alone: tuple[tuple[str, int], ...]


def who_could_be_found(table: Table, distinct: Callable[[str], int]) -> Found:
    """Count the records that the protected columns single out.

    Parameters
    ----------
    table : Table
    distinct : callable
        Number of different values of a column, by name.
    """
    names = table.schema.quasi_identifiers
    frame = table.frame
    whole = uniqueness(frame, names, k=1)
    candidates = sorted(names, key=distinct, reverse=True)[:CANDIDATES]
    together, unique = telling_columns(frame, candidates)
    alone = unique_alone(frame, together)
    return Found(
        whole.unique,
        table.n_records,
        together,
        unique,
        tuple((name, alone[name]) for name in together),
    )


def fates(table: Table) -> dict[Role, int]:
    """Return how many columns have each role, in the order of the page."""
    roles = [column.role for column in table.schema.columns]
    return {role: roles.count(role) for role in text_data.FATES}


def steps_of(tree: Hierarchy) -> str:
    """Return what one value becomes, step by step, such as ``40851 → 4085* → 408**``.

    The value in the middle, which is rarely an odd one.
    """
    row = list(dict.fromkeys(tree.rows[len(tree.rows) // 2]))
    shown = row[: STEPS + 1]
    return " → ".join(shown)
