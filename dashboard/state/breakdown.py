"""Column by which the tables before and after protection are broken down."""

from __future__ import annotations

from dashboard.state.workspace import Workspace
from engine.analysis.before_after import columns_with_few_values
from engine.data.table import Table
from engine.pipeline.outcome import Outcome


def tabulation_column_or_empty(ws: Workspace, outcome: Outcome, table: Table) -> str:
    """Return the chosen breakdown column if it has few values; else an empty text."""
    return (
        ws.tables_by if ws.tables_by in columns_with_few_values(outcome, table) else ""
    )
