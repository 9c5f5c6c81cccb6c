"""Numbers of columns by role, and one value's generalisations as text."""

from __future__ import annotations

from dashboard.i18n import text_data
from engine.data.kinds import Role
from engine.data.table import Table
from engine.hierarchy import Hierarchy

MAX_SHOWN_STEPS = 3
"""Steps of a hierarchy that are shown of it."""


def count_roles(table: Table) -> dict[Role, int]:
    """Return the number of columns of each role, in the order of the Data page."""
    roles = [column.role for column in table.schema.columns]
    return {role: roles.count(role) for role in text_data.FATES}


def generalisation_text(hierarchy: Hierarchy) -> str:
    """Return one value's generalisations, such as ``40851 → 4085* → 408**``.

    The value in the middle, which is rarely an odd one.
    """
    row = list(dict.fromkeys(hierarchy.rows[len(hierarchy.rows) // 2]))
    shown = row[: MAX_SHOWN_STEPS + 1]
    return " → ".join(shown)
