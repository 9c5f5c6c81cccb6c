"""Automatic start of short runs, and the choice and order of their plans."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dashboard.jobs import jobs
from dashboard.state import session
from dashboard.state.workspace import Workspace
from dashboard.ui.runs import durations
from dashboard.ui.runs.obstacles import run_obstacles
from engine.data.table import Table
from engine.pipeline.plan import Plan
from engine.pipeline.planning.cost import expected_seconds

MAX_AUTOSTART_SECONDS = 10.0
"""Expected time up to which nobody is asked."""

_QUICK_SECONDS = 1.0
"""Expected time below which runs keep the order of their methods: reading the kernels
of one, which the usual methods of small tables do without, takes as long."""


def autostart_run() -> None:
    """Start the pending plans that together run quickly, if nothing prevents a run.

    A run of earlier choices that began by itself gives way; one that somebody asked
    for goes on.
    """
    ws = session.workspace()
    if not ws.automatic or ws.table is None:
        return
    view = jobs.view_job(ws.job)
    if view is not None:
        # It may have ended since the page was begun: what came then counts as well.
        ws = session.merge_job_results(view)
        if view.is_busy:
            if not _is_outdated(ws, view.plans):
                return
            # Also where nothing begins instead: its choices are asked for anew.
            jobs.cancel_job(ws.job)
            ws, view = session.update_workspace(job=None), None
    if ws.table is None or run_obstacles(ws):
        return
    results = session.requested_results(ws)
    plans = session.resolve_plans(ws)
    todo = [plan for plan in plans if plan not in results]
    if not todo or _plan_names(todo) == ws.stopped:
        return
    soon = select_plans_within_limit(todo, ws.table, ws.selected_k)
    if not soon:
        return
    if (
        view is not None
        and not view.is_running
        and set(soon) <= set(view.plans) <= set(plans)
    ):
        # It ended without these: somebody stopped it, or it failed.
        session.update_workspace(stopped=_plan_names(todo))
        return
    run_plans = [*results, *soon]
    job = jobs.start_run(ws.table, run_plans, known_results=results)
    session.set_current_job(job, is_automatic=True)
    session.update_workspace(
        stopped=_plan_names(plan for plan in plans if plan not in run_plans)
    )


def select_plans_within_limit(
    pending_plans: Sequence[Plan], table: Table, viewed_k: int
) -> list[Plan]:
    """Return the plans that fit together into the time limit, in the order to run them.

    What would take too long with those before it is left out.

    Parameters
    ----------
    pending_plans : sequence of Plan
        At least one.
    viewed_k : int
        The one that is looked at.
    """
    plans: list[Plan] = []
    for plan in order_plans(pending_plans, table, viewed_k):
        if (
            durations.expected_run_seconds([*plans, plan], table)
            <= MAX_AUTOSTART_SECONDS
        ):
            plans.append(plan)
    return plans


def order_plans(plans: Sequence[Plan], table: Table, viewed_k: int) -> list[Plan]:
    """Return plans in the order to run them: the viewed k first, of one k the fastest.

    The k that is looked at comes first, and of one k the fastest method, or the first
    of quick ones: the first chart is soon there, and no result of another k is taken
    for the recommended one.
    """
    return sorted(
        plans,
        key=lambda plan: (
            plan.k != viewed_k,
            plan.k,
            max(expected_seconds(plan, table, False), _QUICK_SECONDS),
        ),
    )


def _plan_names(plans: Iterable[Plan]) -> str:
    """Return what tells some plans from others; empty without any."""
    return "-".join(plan.digest() for plan in plans)


def _is_outdated(ws: Workspace, running: tuple[Plan, ...]) -> bool:
    """Return whether what runs by itself is not what is asked for any more.

    What takes long and waits for somebody to ask is no part of it.
    """
    start = ws.begun
    if start is None or start.job != ws.job or not start.by_itself or run_obstacles(ws):
        return False
    plans = session.resolve_plans(ws)
    plan_names = _plan_names(plan for plan in plans if plan not in running)
    return not set(running) <= set(plans) or plan_names != ws.stopped
