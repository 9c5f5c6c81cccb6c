"""What leaves a command: columns that no option names, and what is said of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.core.message import Message, some_of
from engine.data.kinds import Role
from engine.data.propose import suggest
from engine.report.command_line import listed

if TYPE_CHECKING:
    from engine.data.table import Table
    from engine.pipeline.outcome import Outcome


def decided(table: Table) -> Table:
    """Return a table none of whose columns is undecided.

    Whoever names the quasi-identifiers on the command line lets all others leave as
    they are, and is told so: what comes close to naming records counts as identifiers,
    which are warned of.
    """
    roles = {
        one.column.name: Role.IDENTIFIER if one.singles_out else Role.OTHER
        for one in suggest(table.frame)
        if table.schema[one.column.name].role is Role.UNDECIDED
    }
    return table.assign(roles=roles)


def notes(outcome: Outcome, table: Table) -> Iterator[Message]:
    """Yield which columns leave as they are, and how those stay that should not."""
    leaving = outcome.unprotected
    if not leaving:
        return
    yield Message(
        "Leaves as it is, because no option names it: {columns}.",
        "Leave as they are, because no option names them: {columns}.",
        count=len(leaving),
        columns=some_of(leaving),
    )
    known = table.schema.with_role(Role.IDENTIFIER)
    if found := [name for name in leaving if name in known]:
        yield Message(
            "{columns} may say who somebody is: leave it out with --identifiers "
            "{option}.",
            "{columns} may say who somebody is: leave them out with --identifiers "
            "{option}.",
            count=len(found),
            columns=some_of(found),
            option=listed(tuple(found)),
        )
