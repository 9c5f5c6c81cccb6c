"""Results before the click: what takes little time runs by itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dashboard.jobs import jobs
from dashboard.state import session
from dashboard.state.workspace import Workspace
from dashboard.ui import durations, work_ahead
from dashboard.ui.obstacles import obstacles
from engine.data.table import Table
from engine.pipeline.cost import expected_seconds
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
        if view.busy and not _outdated(ws, view.plans):
            return
    if ws.table is None or obstacles(ws):
        return
    known = session.results(ws)
    asked = session.plans(ws)
    todo = [plan for plan in asked if plan not in known]
    if not todo:
        session.list_shown()
        return
    if _named(todo) == ws.stopped:
        return
    soon = soon_done(todo, ws.table, ws.looked_at)
    if not soon:
        return
    if view is not None and not view.running and _tried(soon, view.plans, asked):
        # It ended without these: somebody stopped it, or it failed.
        session.update(stopped=_named(todo))
        return
    begun = [*known, *soon]
    job = jobs.start(ws.table, begun, known=known)
    session.begin(job, by_itself=True)
    session.update(stopped=_named(plan for plan in asked if plan not in begun))


def soon_done(todo: Sequence[Plan], table: Table, k: int) -> list[Plan]:
    """Return the plans that together take little time, in the order to run them.

    The k that is looked at comes first, and of one k the fastest method: the first
    chart is soon there. What would take too long with those before it is left out.

    Parameters
    ----------
    todo : sequence of Plan
        At least one.
    table : Table
    k : int
        The one that is looked at.
    """
    order = sorted(
        todo,
        key=lambda plan: (plan.k != k, plan.k, expected_seconds(plan, table, False)),
    )
    found: list[Plan] = []
    for plan in order:
        if durations.expected([*found, plan], table) <= SECONDS:
            found.append(plan)
    return found


def _tried(soon: Iterable[Plan], ran: Iterable[Plan], asked: Iterable[Plan]) -> bool:
    """Return whether a run of just these choices has had all that would begin now."""
    return set(soon) <= set(ran) <= set(asked)


def _named(plans: Iterable[Plan]) -> str:
    """Return what tells some plans from others; empty without any."""
    return "-".join(plan.digest() for plan in plans)


def _outdated(ws: Workspace, running: tuple[Plan, ...]) -> bool:
    """Return whether what runs by itself is not what is asked for any more.

    What takes long and waits for somebody to ask is no part of it.
    """
    if ws.begun is None or ws.begun.job != ws.job or not ws.begun.by_itself:
        return False
    if obstacles(ws):
        return False
    asked = session.plans(ws)
    left = _named(plan for plan in asked if plan not in running)
    return not set(running) <= set(asked) or left != ws.stopped
