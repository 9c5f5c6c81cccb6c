"""Every column decided: for whoever says what is protected, and means all of it."""

from __future__ import annotations

from engine.data.kinds import Role
from engine.data.propose import labels_of, suggest
from engine.data.table import Table


def decided(table: Table) -> Table:
    """Return a table none of whose columns is undecided.

    Whoever names the quasi-identifiers on the command line lets all others leave as
    they are, and is told so: what comes close to naming records counts as identifiers,
    which are warned of.
    """
    roles = {}
    for column in table.schema.columns:
        if column.role is Role.UNDECIDED:
            if not column.proposed:
                [one] = suggest(table.frame[[column.name]], labels_of(table.origin))
                column = one.column
            roles[column.name] = Role.IDENTIFIER if column.singles_out else Role.OTHER
    return table.assign(roles=roles)
