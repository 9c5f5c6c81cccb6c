"""The runs of a workspace: recorded, renamed, deleted."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType

from dashboard.jobs.job_view import JobView
from dashboard.state.findings import with_results
from dashboard.state.memo import Key, key_of
from dashboard.state.restore import take_snapshot
from dashboard.state.runs import Figure, Run, bounded, figure
from dashboard.state.workspace import Workspace
from engine.core.errors import EngineError
from engine.pipeline.compare import Result
from engine.pipeline.outcome import Outcome
from engine.pipeline.resolved import resolve


def record_run(ws: Workspace, view: JobView, now: datetime) -> Workspace:
    """Return a workspace that lists the run that it has begun, once that is over."""
    begun = ws.begun
    if begun is None or begun.job != ws.job or view.running or view.asked is not None:
        return ws
    if not view.results:
        return replace(ws, begun=None)
    plans = tuple(resolve(plan, view.table) for plan in view.plans)
    keys = tuple(key_of(view.table, plan) for plan in plans)
    run = Run(
        number=max((one.number for one in ws.runs), default=0) + 1,
        snapshot=begun.snapshot,
        plans=plans,
        keys=keys,
        figures=_figures(keys, view.results),
        ended=now,
        whole=view.state == "done",
    )
    frame = None if ws.table is None else ws.table.frame
    return replace(ws, begun=None, runs=bounded((*ws.runs, run), frame))


def keep_unasked(ws: Workspace, view: JobView) -> Workspace:
    """Return a workspace with results that nobody has asked for yet."""
    new = with_results(ws, view.table, view.plans, view.results)
    if new is ws:
        return ws
    return replace(new, unasked=ws.unasked | (set(new.memo) - set(ws.memo)))


def record_shown(ws: Workspace, now: datetime) -> Workspace:
    """Return a workspace that lists what is asked for, where some of it came unasked.

    To be called when all of it is there: then nothing runs, and what is shown would be
    in no run.
    """
    asked = dict(ws.asked)
    if not ws.unasked.intersection(asked.values()):
        return ws
    keys = tuple(asked.values())
    found = dict(enumerate(ws.memo[key] for key in keys))
    run = Run(
        number=max((one.number for one in ws.runs), default=0) + 1,
        snapshot=take_snapshot(ws),
        plans=tuple(asked),
        keys=keys,
        figures=_figures(keys, found),
        ended=now,
    )
    frame = None if ws.table is None else ws.table.frame
    return replace(
        ws, unasked=ws.unasked - set(keys), runs=bounded((*ws.runs, run), frame)
    )


def rename_run(ws: Workspace, number: int, name: str) -> Workspace:
    """Return a workspace in which a run has another name."""
    runs = (
        replace(run, name=name.strip()) if run.number == number else run
        for run in ws.runs
    )
    return replace(ws, runs=tuple(runs))


def delete_run(ws: Workspace, number: int) -> Workspace:
    """Return a workspace that does not list a run any more, nor keeps its results.

    Results that the current choices or other runs have as well stay.
    """
    gone = next((run for run in ws.runs if run.number == number), None)
    if gone is None:
        return ws
    runs = tuple(run for run in ws.runs if run is not gone)
    wanted = {key for run in runs for key in run.keys}
    with contextlib.suppress(EngineError):  # choices that nothing can come of
        wanted |= {key for _plan, key in ws.asked}
    lost = set(gone.keys) - wanted
    memo = {key: result for key, result in ws.memo.items() if key not in lost}
    return replace(ws, runs=runs, memo=MappingProxyType(memo))


def _figures(
    keys: Sequence[Key], results: Mapping[int, Result]
) -> Mapping[Key, Figure]:
    return MappingProxyType(
        {
            keys[position]: figure(result)
            for position, result in results.items()
            if isinstance(result, Outcome)
        }
    )
