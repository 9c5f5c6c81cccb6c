"""Roles for undecided columns: identifier if they single out records, else OTHER."""

from __future__ import annotations

from engine.data.kinds import Role
from engine.data.propose import column_labels, suggest_columns
from engine.data.table import Table


def settle_undecided_roles(table: Table) -> Table:
    """Return a table whose undecided columns have the role identifier or OTHER.

    Whoever names the quasi-identifiers on the command line lets all others leave as
    they are, and is told so: what comes close to naming records counts as identifiers,
    which are warned of.
    """
    roles = {}
    for column in table.schema.columns:
        if column.role is Role.UNDECIDED:
            if not column.proposed:
                [suggestion] = suggest_columns(
                    table.frame[[column.name]], column_labels(table.origin)
                )
                column = suggestion.column
            roles[column.name] = Role.IDENTIFIER if column.singles_out else Role.OTHER
    return table.assign(roles=roles)
