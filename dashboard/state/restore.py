"""Snapshots of a workspace: taken, and restored."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import replace
from types import MappingProxyType

import pandas as pd

import sample_data
from dashboard.state.snapshot import (
    ALONG,
    CHOICES,
    Snapshot,
    Source,
    Upload,
    fits,
    source_of,
    table_of,
)
from dashboard.state.workspace import Workspace
from engine.core.errors import EngineError


def take_snapshot(ws: Workspace) -> Snapshot:
    """Return the choices of a workspace."""
    table = ws.table
    return Snapshot(
        source=ws.awaiting if table is None else source_of(table, ws.sample),
        frame=None if table is None else table.frame,
        upload=ws.upload,
        choices=MappingProxyType({name: getattr(ws, name) for name in CHOICES}),
        along=MappingProxyType({name: getattr(ws, name) for name in ALONG}),
    )


def restore(ws: Workspace, snapshot: Snapshot) -> Workspace:
    """Return a workspace with the choices of a snapshot; results stay.

    Where the records are not in the snapshot any more, those at hand with the same
    fingerprint are taken, or the sample's; otherwise the workspace awaits them.
    """
    source, frame, upload = snapshot.source, snapshot.frame, snapshot.upload
    if source is not None and frame is None:
        frame, upload = _at_hand(ws, source)
    here = source is not None and frame is not None
    return replace(
        ws,
        table=table_of(source, frame) if source and frame is not None else None,
        sample=source.sample if source and here else "",
        upload=upload if here else None,
        awaiting=None if here else source,
        **snapshot.choices,
        **snapshot.along,
    )


def _at_hand(
    ws: Workspace, source: Source
) -> tuple[pd.DataFrame | None, Upload | None]:
    """Return the records with this fingerprint, and their file, if they are there."""
    for one in (take_snapshot(ws), *known_snapshots(ws)):
        if one.frame is None or one.source is None:
            continue
        if fits(source, one.source.fingerprint, one.source.schema.names):
            return one.frame, one.upload
    if source.sample:
        with contextlib.suppress(EngineError):
            table = sample_data.load(source.sample)
            if fits(source, table.fingerprint, table.schema.names):
                return table.frame, None
    return None, None


def known_snapshots(ws: Workspace) -> Iterable[Snapshot]:
    """Return the snapshots that a workspace keeps, the latest ones first."""
    yield from reversed(ws.history.past)
    yield from reversed(ws.history.future)
    yield from (run.snapshot for run in reversed(ws.runs))
