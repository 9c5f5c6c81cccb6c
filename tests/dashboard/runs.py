"""Runs that are over, as tests of work that is kept want them."""

from dataclasses import replace
from datetime import UTC, datetime

from dashboard.jobs.job_view import JobView
from dashboard.state.results.job_results import copy_with_results
from dashboard.state.results.run_log import copy_with_finished_run
from dashboard.state.results.runs import StartedRun
from dashboard.state.snapshots.restore import take_snapshot
from dashboard.state.workspace import Workspace, resolve_plans
from engine.pipeline.compare import compare

NOW = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)


def ran(ws: Workspace, state: str = "done", cut: int | None = None) -> Workspace:
    """Return the workspace after a run of what it asks for."""
    plans = resolve_plans(ws)
    results = dict(enumerate(compare(plans[:cut], ws.table)))
    view = JobView(state, 1.0, "", ws.table, plans, results, "", 1.0)
    ws = replace(ws, job="job", begun=StartedRun("job", take_snapshot(ws)))
    return copy_with_finished_run(
        copy_with_results(ws, ws.table, plans, results), view, NOW
    )
