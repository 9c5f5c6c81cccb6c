"""Snapshots of a workspace: taken, restored and iterated over."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import replace
from types import MappingProxyType

import sample_data
from dashboard.state.snapshots.snapshot import (
    CHOICE_FIELDS,
    VIEW_FIELDS,
    Snapshot,
    TableSource,
    Upload,
    matches_source,
    source_of_table,
    table_from_source,
)
from dashboard.state.workspace import Workspace
from engine.core.errors import EngineError
from engine.data.table import Table


def take_snapshot(ws: Workspace) -> Snapshot:
    """Return a snapshot of a workspace's choices and table."""
    table = ws.table
    return Snapshot(
        source=ws.awaiting if table is None else source_of_table(table, ws.sample),
        frame=None if table is None else table.frame,
        upload=ws.upload,
        carried=None if table is None else table.carried,
        choices=MappingProxyType({name: getattr(ws, name) for name in CHOICE_FIELDS}),
        along=MappingProxyType({name: getattr(ws, name) for name in VIEW_FIELDS}),
    )


def copy_with_snapshot(ws: Workspace, snapshot: Snapshot) -> Workspace:
    """Return the workspace with a snapshot's choices and table, and its own results.

    Where the records are not in the snapshot any more, those at hand with the same
    fingerprint are taken, or the sample's; otherwise the workspace awaits them.
    """
    source, table, upload = snapshot.source, snapshot.table, snapshot.upload
    if source is not None and table is None:
        table, upload = _find_loaded_table(ws, source)
    has_table = table is not None
    return replace(
        ws,
        table=table,
        sample=source.sample if source and has_table else "",
        upload=upload if has_table else None,
        awaiting=None if has_table else source,
        **snapshot.choices,
        **snapshot.along,
    )


def _find_loaded_table(
    ws: Workspace, source: TableSource
) -> tuple[Table | None, Upload | None]:
    """Return the loaded table with this fingerprint and its file, if any.

    The same records may have come in another file.
    """
    for state in (take_snapshot(ws), *iterate_snapshots(ws)):
        if state.frame is None or state.source is None:
            continue
        if matches_source(source, state.source.fingerprint, state.source.schema.names):
            source = replace(source, origin=state.source.origin)
            return table_from_source(source, state.frame, state.carried), state.upload
    if source.sample:
        with contextlib.suppress(EngineError):
            table = sample_data.load(source.sample)
            if matches_source(source, table.fingerprint, table.schema.names):
                return replace(table, schema=source.schema), None
    return None, None


def iterate_snapshots(ws: Workspace) -> Iterable[Snapshot]:
    """Yield a workspace's snapshots to undo, to redo and of runs, all nearest first."""
    yield from reversed(ws.history.past)
    yield from reversed(ws.history.future)
    yield from (run.snapshot for run in reversed(ws.runs))
