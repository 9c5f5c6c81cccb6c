"""What leaves a command: columns that no option names, and what is said of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from engine.core.message import Message, some_of
from engine.data.kinds import Role
from engine.report.command_line import listed

if TYPE_CHECKING:
    from engine.data.schema import Schema


def notes(leaving: Sequence[str], schema: Schema) -> Iterator[Message]:
    """Yield which columns leave as they are, and how those stay that should not.

    Parameters
    ----------
    leaving : sequence of str
        Columns of the release without a role.
    schema : Schema
        What was proposed.
    """
    if not leaving:
        return
    yield Message(
        "Leaves as it is, because no option names it: {columns}.",
        "Leave as they are, because no option names them: {columns}.",
        count=len(leaving),
        columns=some_of(leaving),
    )
    known = schema.with_role(Role.IDENTIFIER)
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
