"""Default methods: one for a table by its number of records, some to compare."""

from __future__ import annotations

from engine.core.message import NO_MESSAGE, Message

DEFAULT_METHOD = "mdav"
"""The method for up to :data:`MAX_DEFAULT_RECORDS` records."""

DEFAULT_LARGE_METHOD = "blocked"
"""The method for many records: its time grows with them, not with their square."""

DEFAULT_NUMERIC_METHODS = ("mdav", "refined", "vmdav")
"""Methods compared first on numeric tables."""

DEFAULT_MIXED_METHODS = ("mdav", "refined", "mdav-mixed")
"""Methods compared first on tables with categories; they keep numbers as numbers."""

MAX_DEFAULT_RECORDS = 200_000
"""Tables of more records are proposed :data:`DEFAULT_LARGE_METHOD`."""


def default_method(n_records: int) -> str:
    """Return the id of the default method for a number of records."""
    return DEFAULT_LARGE_METHOD if n_records > MAX_DEFAULT_RECORDS else DEFAULT_METHOD


def proposal_reason(n_records: int) -> Message:
    """Return why the default method is proposed; empty for the usual method."""
    if n_records <= MAX_DEFAULT_RECORDS:
        return NO_MESSAGE
    return Message(
        "The method is {method}, because there are {n_records:,} records: {usual} "
        "takes much longer with more than {many:,} and loses more; choose with "
        "--method.",
        method=DEFAULT_LARGE_METHOD,
        n_records=n_records,
        usual=DEFAULT_METHOD,
        many=MAX_DEFAULT_RECORDS,
    )
