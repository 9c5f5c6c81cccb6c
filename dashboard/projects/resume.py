"""Resuming of a project: its choices at once, results once their table is opened."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from dashboard.projects.project import Project, select_and_number_new_runs
from dashboard.state.results.job_results import copy_with_memo
from dashboard.state.results.runs import trim_runs
from dashboard.state.snapshots.restore import copy_with_snapshot
from dashboard.state.snapshots.snapshot import Upload, table_from_source
from dashboard.state.workspace import Workspace
from engine.data.table import Table


def copy_with_project(ws: Workspace, project: Project) -> Workspace:
    """Return a workspace with a project's choices, and its runs and results added.

    Where the project has no data, the workspace awaits them, unless they are there.

    Raises
    ------
    InputError
        If both have releases in ledgers that do not go together.
    """
    ledger = (
        ws.ledger if project.ledger is None else project.ledger.merge_with(ws.ledger)
    )
    runs = (*ws.runs, *select_and_number_new_runs(project.runs, ws.runs))
    ws = replace(
        ws,
        project=project.name,
        failed_upload=None,
        ledger=ledger,
        saved_outcomes=MappingProxyType({**ws.saved_outcomes, **project.outcomes}),
        analyses=MappingProxyType({**project.analyses, **ws.analyses}),
        runs=trim_runs(runs, project.snapshot.frame),
    )
    ws = copy_with_snapshot(ws, project.snapshot)
    return copy_with_memo(ws, {**project.failures, **ws.memo})


def copy_with_awaited_table(ws: Workspace, table: Table, upload: Upload) -> Workspace:
    """Return the workspace with a given table as the one that its project awaits."""
    assert ws.awaiting is not None
    schema = ws.awaiting.schema.join_singling_out(table.schema)
    source = replace(ws.awaiting, origin=table.origin, schema=schema)
    ws_table = upload.attach_to(table_from_source(source, table.frame, None))
    return replace(ws, table=ws_table, upload=upload, awaiting=None, failed_upload=None)
