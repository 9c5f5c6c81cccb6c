"""Cache of the open table as prepared for methods, shared by pages."""

from __future__ import annotations

from dashboard.state.session_cache import cache_in_session
from engine.data.table import Table
from engine.pipeline.prepare import PreparationCache


@cache_in_session(1)
def preparation_cache(table: Table) -> PreparationCache:
    """Return the session's cache of a table's preparations."""
    return PreparationCache(table, max_entries=1)
