"""Memory of a workspace: estimate it, and evict records and results to a quota."""

from __future__ import annotations

from dataclasses import replace

from dashboard.jobs.scheduling.memory_accounts import memory_accounts
from dashboard.server.adapter import access
from dashboard.state.caches.memo import result_memory_bytes
from dashboard.state.results.job_results import copy_with_memo
from dashboard.state.snapshots.snapshot import (
    UndoSnapshots,
    frame_nbytes,
    total_snapshot_nbytes,
)
from dashboard.state.workspace import Workspace
from engine.core.errors import InputError


def workspace_bytes(ws: Workspace) -> int:
    """Return an estimate of a workspace's bytes; an open sample counts nothing."""
    frame = None if ws.table is None else ws.table.frame
    n_bytes = 0 if ws.table is None or ws.sample else frame_nbytes(ws.table.frame)
    states = [*ws.history.past, *ws.history.future, *(run.snapshot for run in ws.runs)]
    if ws.upload is not None:
        n_bytes += len(ws.upload.content)
    return (
        n_bytes
        + total_snapshot_nbytes(states, frame)
        + sum(map(result_memory_bytes, ws.memo.values()))
    )


def copy_within_quota_and_record_bytes(ws: Workspace) -> Workspace:
    """Return a workspace, less undo and unasked results if above a quota; record bytes.

    Undo, redo, the tables of its runs and results that nobody asks for now go. The
    bytes that it holds are recorded where there is a quota.
    """
    session = access.current_session_id()
    room = memory_accounts().available_bytes(session)
    if room is None:
        return ws
    if workspace_bytes(ws) > room:
        ws = _evict_records(ws)
    memory_accounts().record_bytes(session, ws, workspace_bytes(ws))
    return ws


def refuse_workspace_above_quota(old_ws: Workspace, new_ws: Workspace) -> None:
    """Raise InputError if a workspace with a new table exceeds its person's quota.

    Raises
    ------
    InputError
        If there is no room for it.
    """
    earlier = None if old_ws.table is None else old_ws.table.frame
    if new_ws.table is not None and new_ws.table.frame is not earlier:
        needed = workspace_bytes(_evict_records(new_ws))
        why = memory_accounts().denial_reason(needed, access.current_session_id())
        if why:
            raise InputError(why)


def _evict_records(ws: Workspace) -> Workspace:
    runs = tuple(
        replace(run, snapshot=run.snapshot.without_records()) for run in ws.runs
    )
    return copy_with_memo(
        replace(ws, history=UndoSnapshots(), runs=runs), ws.memo, max_bytes=0
    )
