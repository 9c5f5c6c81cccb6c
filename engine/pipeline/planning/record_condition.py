"""Select the records of a table that satisfy a plan's condition."""

from __future__ import annotations

from engine.constraints.parsing.condition import condition_mask
from engine.core.errors import InputError, ParameterError
from engine.core.message import Message, Topic
from engine.core.typing import Integers
from engine.data.reading import messages_on_empty_rows
from engine.data.table import Table


def select_row_numbers_and_messages(
    condition: str | None, table: Table
) -> tuple[Integers, tuple[Message, ...]]:
    """Return row numbers of records, all or those that meet a condition, and messages.

    There is a message where some records do not meet it, or rows hold nothing: these
    are no records, and no condition is asked of them.

    Raises
    ------
    InputError
        If no row holds a value.
    ParameterError
        If the condition cannot be read, or is true of no record.
    """
    records = table.record_rows
    if not records.size:
        raise InputError("No row has a value in any column: choose a file with data.")
    messages = [
        message.with_topic(Topic.ONLY) for message in messages_on_empty_rows(table)
    ]
    if condition is None:
        return records, tuple(messages)
    rows = records[condition_mask(condition, table.frame)[records]]
    if not rows.size:
        raise ParameterError(
            "The records to release cannot be chosen: {condition!r} is true of none "
            "of {count:,} record.",
            "The records to release cannot be chosen: {condition!r} is true of none "
            "of {count:,} records.",
            condition=condition,
            count=records.size,
        )
    gone = records.size - rows.size
    if gone:
        chosen = Message(
            "{count:,} record is left out, of which {condition!r} is not true: groups, "
            "k and all figures are about the other {kept:,}.",
            "{count:,} records are left out, of which {condition!r} is not true: "
            "groups, k and all figures are about the other {kept:,}.",
            count=gone,
            condition=condition,
            kept=rows.size,
        )
        messages.append(chosen.with_topic(Topic.ONLY))
    return rows, tuple(messages)
