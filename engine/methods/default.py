"""The method to begin with, where nobody has chosen one."""

from __future__ import annotations

USUAL = "mdav"
"""The method that the field begins with."""

FOR_MANY = "blocked"
"""The method for many records: its time grows with them, not with their square."""

MANY = 200_000
"""Tables of more records are proposed :data:`FOR_MANY`."""


def proposed_method(n_records: int) -> str:
    """Return the method to run on so many records unless somebody chooses another."""
    return FOR_MANY if n_records > MANY else USUAL


def reason(n_records: int) -> str:
    """Return a sentence that says why, or nothing where the usual method is meant."""
    if n_records <= MANY:
        return ""
    return (
        f"The method is {FOR_MANY}, because there are {n_records:,} records: {USUAL} "
        f"takes much longer with more than {MANY:,} and loses more; choose with "
        "--method."
    )
