"""Count of the records of a table that meet a condition."""

from __future__ import annotations

from dashboard.state.caches.session_cache import cache_in_session
from engine.data.table import Table
from engine.pipeline.planning.record_condition import select_row_numbers_and_messages


@cache_in_session(16)
def count_matching_records(table: Table, condition: str | None) -> int:
    """Return how many records meet a condition; raise if none does.

    Raises
    ------
    EngineError
        If it cannot be read, or is true of none.
    """
    return select_row_numbers_and_messages(condition, table)[0].size
