"""Results saved with a project: restored once their table is there."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from dashboard.state.workspace import Workspace, with_memo
from engine.pipeline.compare import Comparison
from engine.storage.snapshot import restore


def with_saved_results(ws: Workspace) -> Workspace:
    """Return a workspace in which the results on its table sleep no more.

    Those that cannot be made again are forgotten: they have to run.
    """
    table = ws.table
    if table is None:
        return ws
    mine = [key for key in ws.sleeping if key[0] == table.fingerprint]
    if not mine:
        return ws
    comparison = Comparison(table)
    found = {
        key: restore(ws.sleeping[key], comparison) for key in mine if key not in ws.memo
    }
    rest = {key: one for key, one in ws.sleeping.items() if key not in mine}
    ws = replace(ws, sleeping=MappingProxyType(rest))
    fresh = {key: outcome for key, outcome in found.items() if outcome is not None}
    return with_memo(ws, {**fresh, **ws.memo})
