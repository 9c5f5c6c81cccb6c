"""Cache of the prepared table, shared by pages."""

from __future__ import annotations

from dashboard.state.session_cache import cache_in_session
from engine.data.table import Table
from engine.pipeline.prepare import PreparationCache


@cache_in_session(1)
def preparation_cache(table: Table) -> PreparationCache:
    """Return what a table was prepared for last; results differ in k and method."""
    return PreparationCache(table, max_entries=1)
