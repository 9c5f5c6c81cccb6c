"""How many records take part: those of which the condition is true."""

from __future__ import annotations

from dashboard.state.session_cache import per_session
from engine.data.table import Table
from engine.pipeline.only import records_to_release


@per_session(16)
def how_many(table: Table, only: str | None) -> int:
    """Return how many records a condition is true of.

    Raises
    ------
    EngineError
        If it cannot be read, or is true of none.
    """
    return records_to_release(only, table)[0].size
