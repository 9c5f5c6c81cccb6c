"""Results before the click: what takes little time runs by itself."""

from __future__ import annotations

from dashboard.jobs import jobs
from dashboard.state import session
from dashboard.state.workspace import Workspace
from dashboard.ui import run_panel, work_ahead
from dashboard.ui.obstacles import obstacles
from engine.pipeline.plan import Plan

SECONDS = 10.0
"""Expected time up to which nobody is asked."""


def begin() -> None:
    """Start what the current choices ask for, if it is settled and takes little time.

    A run of earlier choices that began by itself gives way; one that somebody asked
    for goes on.
    """
    work_ahead.collect()
    ws = session.workspace()
    if not ws.automatic or ws.table is None:
        return
    view = jobs.view(ws.job)
    if view is not None:
        # It may have ended since the page was begun: what came then counts as well.
        ws = session.collect(view)
        if view.running and not _outdated(ws, view.plans):
            return
    if ws.table is None or obstacles(ws):
        return
    known = session.results(ws)
    asked = session.plans(ws)
    todo = [plan for plan in asked if plan not in known]
    if not todo:
        session.list_shown()
        return
    name = "-".join(plan.digest() for plan in todo)
    if name == ws.stopped:
        return
    if run_panel.expected(todo, ws.table) > SECONDS:
        return
    if view is not None and not view.running and view.plans == asked:
        # It ended without these: somebody stopped it, or it failed.
        session.update(stopped=name)
        return
    session.begin(jobs.start(ws.table, asked, known=known), by_itself=True)


def _outdated(ws: Workspace, running: tuple[Plan, ...]) -> bool:
    """Return whether what runs by itself is not what is asked for any more."""
    if ws.begun is None or ws.begun.job != ws.job or not ws.begun.by_itself:
        return False
    return obstacles(ws) == [] and set(session.plans(ws)) != set(running)
