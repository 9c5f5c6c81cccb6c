"""Messages on columns that leave without a role."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from engine.core.message import Message, list_some
from engine.data.kinds import Role
from engine.report.command_line import join_csv

if TYPE_CHECKING:
    from engine.data.schema import Schema


def column_notes(leaving: Sequence[str], schema: Schema) -> Iterator[Message]:
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
        columns=list_some(leaving),
    )
    known = schema.with_role(Role.IDENTIFIER)
    if found := [name for name in leaving if name in known]:
        yield Message(
            "{columns} may say who somebody is: leave it out with --identifiers "
            "{option}.",
            "{columns} may say who somebody is: leave them out with --identifiers "
            "{option}.",
            count=len(found),
            columns=list_some(found),
            option=join_csv(tuple(found)),
        )
