"""What attacks on results came to, as far as a workspace remembers them."""

from __future__ import annotations

from dashboard.state.memo import key_of
from dashboard.state.workspace import Workspace
from engine.analysis.attacks import Knowledge, Result
from engine.data.table import Table
from engine.pipeline.outcome import Outcome


def latest_attacks(
    ws: Workspace, outcome: Outcome, table: Table
) -> tuple[tuple[Result, ...], Knowledge] | None:
    """Return what the last attacks on a result came to, and what was known then."""
    key = key_of(table, outcome.plan)
    found = [
        (results, knowledge)
        for (one, knowledge), results in ws.attacks.items()
        if one == key
    ]
    return found[-1] if found else None
