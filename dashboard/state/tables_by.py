"""The column by whose values tables before and after are made."""

from __future__ import annotations

from dashboard.state.workspace import Workspace
from engine.analysis.before_after import columns_for
from engine.data.table import Table
from engine.pipeline.outcome import Outcome


def tables_by(ws: Workspace, outcome: Outcome, table: Table) -> str:
    """Return the chosen column where it has few values; empty for all records."""
    return ws.tables_by if ws.tables_by in columns_for(outcome, table) else ""
