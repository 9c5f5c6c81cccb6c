"""Look up the last attack results of an outcome in a workspace."""

from __future__ import annotations

from dashboard.state.caches.memo import memo_key
from dashboard.state.workspace import Workspace
from engine.analysis.attacks import AttackResult, Knowledge
from engine.data.table import Table
from engine.pipeline.outcome import Outcome


def latest_attacks_and_knowledge(
    ws: Workspace, outcome: Outcome, table: Table
) -> tuple[tuple[AttackResult, ...], Knowledge] | None:
    """Return an outcome's last attack results and the knowledge assumed, or None."""
    key = memo_key(table, outcome.plan)
    found = [
        (results, knowledge)
        for (one, knowledge), results in ws.attacks.items()
        if one == key
    ]
    return found[-1] if found else None
