"""The table as methods see it: prepared once in a session for all pages that ask."""

from __future__ import annotations

from dashboard.state.session_cache import per_session
from engine.data.table import Table
from engine.pipeline.prepare import Preparations


@per_session(1)
def preparations(table: Table) -> Preparations:
    """Return what a table was prepared for last; results differ in k and method."""
    return Preparations(table, most=1)
