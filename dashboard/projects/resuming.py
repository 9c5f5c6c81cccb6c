"""Going on with a project: its choices now, its results once their table is there."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from dashboard.projects.project import Project, renumbered
from dashboard.work.runs import bounded
from dashboard.work.snapshot import fits, returned, table_of
from dashboard.work.workspace import Upload, Workspace, with_memo
from engine.core.errors import EngineError
from engine.files import ReadOptions, read_table
from engine.pipeline.compare import Comparison
from engine.storage.snapshot import awake

if TYPE_CHECKING:
    from engine.data.table import Table


def resumed(ws: Workspace, project: Project) -> Workspace:
    """Return a workspace with a project's work; what it had before stays as well.

    Where the project has no data, the workspace awaits them, unless they are there.
    """
    runs = (*ws.runs, *renumbered(project.runs, ws.runs))
    ws = replace(
        ws,
        project=project.name,
        sleeping=MappingProxyType({**ws.sleeping, **project.kept}),
        analyses=MappingProxyType({**project.analyses, **ws.analyses}),
        runs=bounded(runs, project.snapshot.frame),
    )
    ws = returned(ws, project.snapshot)
    return with_memo(ws, {**project.failures, **ws.memo})


def woken(ws: Workspace) -> Workspace:
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
        key: awake(ws.sleeping[key], comparison) for key in mine if key not in ws.memo
    }
    rest = {key: one for key, one in ws.sleeping.items() if key not in mine}
    ws = replace(ws, sleeping=MappingProxyType(rest))
    fresh = {key: outcome for key, outcome in found.items() if outcome is not None}
    return with_memo(ws, {**fresh, **ws.memo})


def read_awaited(ws: Workspace, upload: Upload) -> Table | None:
    """Return the table that the workspace awaits, if it is in this file.

    It is read as it was read when the project was made, and else as it comes.
    """
    source = ws.awaiting
    if source is None:
        return None
    for options in (ReadOptions.of(source.origin.options), None):
        try:
            table = read_table(upload.content, name=upload.name, options=options)
        except EngineError:
            continue
        if fits(source, table.fingerprint, table.schema.names):
            return table
    return None


def arrived(ws: Workspace, table: Table, upload: Upload) -> Workspace:
    """Return a workspace with the table that it awaited."""
    assert ws.awaiting is not None
    source = replace(ws.awaiting, origin=table.origin)
    return replace(
        ws, table=table_of(source, table.frame), upload=upload, awaiting=None
    )
