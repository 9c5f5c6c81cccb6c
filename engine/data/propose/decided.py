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
    roles = {
        one.column.name: Role.IDENTIFIER if one.singles_out else Role.OTHER
        for one in suggest(table.frame, labels_of(table.origin))
        if table.schema[one.column.name].role is Role.UNDECIDED
    }
    return table.assign(roles=roles)
