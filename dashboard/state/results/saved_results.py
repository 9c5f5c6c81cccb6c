"""Restore a project's saved results once their table is loaded."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from dashboard.state.results.job_results import copy_with_memo
from dashboard.state.workspace import Workspace
from engine.pipeline.compare import PlanRunner
from engine.storage.snapshot import rebuild_outcome_from_table


def copy_with_restored_results(ws: Workspace) -> Workspace:
    """Return a copy with its table's saved results in its memo (cache of results).

    Those that cannot be made again are forgotten: they have to run.
    """
    table = ws.table
    if table is None:
        return ws
    mine = [key for key in ws.saved_outcomes if key[0] == table.fingerprint]
    if not mine:
        return ws
    comparison = PlanRunner(table)
    found = {
        key: rebuild_outcome_from_table(ws.saved_outcomes[key], comparison)
        for key in mine
        if key not in ws.memo
    }
    rest = {key: one for key, one in ws.saved_outcomes.items() if key not in mine}
    ws = replace(ws, saved_outcomes=MappingProxyType(rest))
    fresh = {key: outcome for key, outcome in found.items() if outcome is not None}
    return copy_with_memo(ws, {**fresh, **ws.memo})
