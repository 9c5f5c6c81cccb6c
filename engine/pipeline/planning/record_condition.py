"""Select the records that satisfy a plan's condition."""

from __future__ import annotations

import numpy as np

from engine.constraints.condition import matching_mask
from engine.core.errors import ParameterError
from engine.core.message import Message, Topic
from engine.core.typing import Integers
from engine.data.table import Table


def select_row_numbers(
    condition: str | None, table: Table
) -> tuple[Integers, tuple[Message, ...]]:
    """Return the row numbers of records that satisfy a condition, and messages.

    There is a message where some records do not meet it.

    Raises
    ------
    ParameterError
        If the condition cannot be read, or is true of no record.
    """
    everybody = np.arange(table.n_records, dtype=np.int64)
    if condition is None:
        return everybody, ()
    rows = everybody[matching_mask(condition, table.frame)]
    if not rows.size:
        raise ParameterError(
            "The records to release cannot be chosen: {condition!r} is true of none of "
            "{count:,} records.",
            condition=condition,
            count=table.n_records,
        )
    gone = table.n_records - rows.size
    if not gone:
        return rows, ()
    said = Message(
        "{count:,} record is left out, of which {condition!r} is not true: groups, k "
        "and all figures are about the other {kept:,}.",
        "{count:,} records are left out, of which {condition!r} is not true: groups, k "
        "and all figures are about the other {kept:,}.",
        count=gone,
        condition=condition,
        kept=rows.size,
    )
    return rows, (said.with_topic(Topic.ONLY),)
