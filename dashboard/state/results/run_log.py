"""Log of finished runs in a workspace: record, rename, delete."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType

from dashboard.jobs.job_view import JobView
from dashboard.state.caches.memo import memo_key
from dashboard.state.results.runs import (
    FinishedRun,
    summarise_outcome,
    trim_runs,
)
from dashboard.state.workspace import Workspace
from engine.core.errors import EngineError
from engine.pipeline.outcome import Outcome
from engine.pipeline.planning.resolve_plan import resolve_plan


def copy_with_finished_run(
    ws: Workspace, job_view: JobView, end_time: datetime
) -> Workspace:
    """Return the workspace with a job's run added to its list if ended with results."""
    started_run = ws.begun
    if (
        started_run is None
        or started_run.job != ws.job
        or job_view.is_running
        or job_view.asked is not None
    ):
        return ws
    if not job_view.results:
        return replace(ws, begun=None)
    plans = tuple(resolve_plan(plan, job_view.table) for plan in job_view.plans)
    keys = tuple(memo_key(job_view.table, plan) for plan in plans)
    figures = {
        keys[position]: summarise_outcome(result)
        for position, result in job_view.results.items()
        if isinstance(result, Outcome)
    }
    run = FinishedRun(
        number=max((old_run.number for old_run in ws.runs), default=0) + 1,
        snapshot=started_run.snapshot,
        plans=plans,
        keys=keys,
        figures=MappingProxyType(figures),
        ended=end_time,
        whole=job_view.state == "done",
    )
    frame = None if ws.table is None else ws.table.frame
    return replace(ws, begun=None, runs=trim_runs((*ws.runs, run), frame))


def copy_with_renamed_run(ws: Workspace, number: int, new_name: str) -> Workspace:
    """Return a workspace in which one run, given by number, has a new name."""
    runs = (
        replace(run, name=new_name.strip()) if run.number == number else run
        for run in ws.runs
    )
    return replace(ws, runs=tuple(runs))


def copy_without_run(ws: Workspace, number: int) -> Workspace:
    """Return a workspace less a run and those of its results that nothing else needs.

    Results stay that the current choices, pins or other runs have as well.
    """
    gone = next((run for run in ws.runs if run.number == number), None)
    if gone is None:
        return ws
    runs = tuple(run for run in ws.runs if run is not gone)
    needed_keys = {key for run in runs for key in run.keys}
    if ws.table is not None:
        needed_keys |= {memo_key(ws.table, plan) for plan in ws.pinned}
    with contextlib.suppress(EngineError):  # choices that nothing can come of
        needed_keys |= {key for _plan, key in ws.requested_plans}
    dropped_keys = set(gone.keys) - needed_keys
    memo = {key: result for key, result in ws.memo.items() if key not in dropped_keys}
    return replace(ws, runs=runs, memo=MappingProxyType(memo))
