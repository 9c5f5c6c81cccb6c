"""Messages on columns that are released unchanged without a role."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from engine.core.message import Message, join_some_with_and
from engine.data.kinds import Role

if TYPE_CHECKING:
    from engine.data.schema import Schema


def iterate_messages_on_columns_without_role(
    columns: Sequence[str], schema: Schema
) -> Iterator[Message]:
    """Yield messages on columns released unchanged, and on how to withhold identifiers.

    Parameters
    ----------
    columns : sequence of str
        Columns of the release without a role.
    schema : Schema
        What was proposed.
    """
    if not columns:
        return
    from engine.report.command_line import csv_argument

    yield Message(
        "Leaves as it is, because no option removes it: {columns}.",
        "Leave as they are, because no option removes them: {columns}.",
        count=len(columns),
        columns=join_some_with_and(columns),
    )
    known = schema.with_role(Role.IDENTIFIER)
    if found := [name for name in columns if name in known]:
        yield Message(
            "{columns} may say who somebody is: leave it out with --identifiers "
            "{option}.",
            "{columns} may say who somebody is: leave them out with --identifiers "
            "{option}.",
            count=len(found),
            columns=join_some_with_and(found),
            option=csv_argument(tuple(found)),
        )
