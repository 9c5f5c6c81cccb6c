"""The method to begin with, where nobody has chosen one."""

from __future__ import annotations

from engine.core.message import NOTHING, Message

USUAL = "mdav"
"""The method that the field begins with."""

FOR_MANY = "blocked"
"""The method for many records: its time grows with them, not with their square."""

MANY = 200_000
"""Tables of more records are proposed :data:`FOR_MANY`."""


def proposed_method(n_records: int) -> str:
    """Return the method to run on so many records unless somebody chooses another."""
    return FOR_MANY if n_records > MANY else USUAL


def reason(n_records: int) -> Message:
    """Return a sentence that says why, or nothing where the usual method is meant."""
    if n_records <= MANY:
        return NOTHING
    return Message(
        "The method is {method}, because there are {n_records:,} records: {usual} "
        "takes much longer with more than {many:,} and loses more; choose with "
        "--method.",
        method=FOR_MANY,
        n_records=n_records,
        usual=USUAL,
        many=MANY,
    )
