"""Speculative runs: idle processors compute what is likely to be chosen next."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from dashboard.jobs import jobs
from dashboard.state import session
from dashboard.state.carry_over import USUAL_SIZES, recommended_methods
from dashboard.state.workspace import Workspace, change_workspace
from engine.core.errors import EngineError
from engine.methods import methods
from engine.pipeline.cost import expected_seconds
from engine.pipeline.plan import Plan

COMMON_SIZES = (2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 40, 50)
"""Values of k that people choose."""

N_NEIGHBOUR_SIZES = 2
"""Other values of k that are worked on, beside those that people choose first."""

N_OTHER_METHODS = 3
"""Methods that are worked on, beside the recommended ones."""

EACH, ALL = 3.0, 20.0
"""Seconds that one plan, and all together, may be expected to take."""

MAX_SPECULATIVE_PLANS = 40
"""Plans at a time."""

MAX_SPECULATIVE_CELLS = 2_000_000
"""Cells of a table up to which results are kept that nobody may ever ask for."""


def collect_speculative_results() -> None:
    """Keep what was worked out by now."""
    view = jobs.view_job(session.workspace().ahead)
    if view is not None:
        session.collect_speculative(view)


def start_speculation() -> None:
    """Have a worker ready, and once all is there that was asked for, work ahead."""
    jobs.prestart_worker()
    ws = session.workspace()
    if (
        not ws.automatic
        or ws.table is None
        or ws.table.frame.size > MAX_SPECULATIVE_CELLS
    ):
        return
    running = jobs.view_job(ws.job)
    if running is not None and running.is_running:
        return
    asked = session.resolve_plans(ws) if session.current_results(ws) else ()
    if not asked or len(session.current_results(ws)) < len(asked):
        return
    name = "-".join(plan.digest()[:8] for plan in asked)
    if name == ws.ahead_of:
        return
    job = jobs.start_speculative_run(ws.table, lambda: likely_plans(ws))
    session.update_workspace(ahead=job, ahead_of=name)


def likely_plans(ws: Workspace) -> list[Plan]:
    """Return plans that may be asked for next and have no result, likeliest first."""
    table = ws.table
    assert table is not None
    found: dict[Plan, None] = {}
    seconds = 0.0
    for choice in _neighbour_workspaces(ws):
        try:
            asked = choice.requested_plans
        except EngineError:  # not for this table
            continue
        for plan, key in asked:
            traits = methods.info(plan.method).traits
            known = key in ws.memo or plan in found
            if known or traits.time_budget or plan.seeds > 1:
                continue
            expected = expected_seconds(plan, table)
            if (
                expected > EACH
                or seconds + expected > ALL
                or len(found) == MAX_SPECULATIVE_PLANS
            ):
                continue
            seconds += expected
            found[plan] = None
    return list(found)


def _neighbour_workspaces(ws: Workspace) -> Iterator[Workspace]:
    """Yield workspaces with one choice changed, the likeliest first."""
    yield replace(ws, sizes=tuple(k for k in USUAL_SIZES if k not in ws.sizes))
    recommended = (
        name for name in recommended_methods(ws.table) if name not in ws.methods
    )
    for name in recommended:
        yield replace(ws, methods=(name,))
    if not ws.shared_plan.polish:
        yield change_workspace(ws, polish=True)
    near = sorted(
        (k for k in COMMON_SIZES if k not in (*ws.sizes, *USUAL_SIZES)),
        key=lambda k: (abs(k - ws.selected_k), k),
    )
    for k in near[:N_NEIGHBOUR_SIZES]:
        yield replace(ws, sizes=(k,))
    fast = sorted(
        (
            info
            for info in methods.infos()
            if info.id not in ws.methods
            and info.traits.guarantees_k
            and not info.traits.per_attribute
            and not info.traits.univariate
        ),
        key=lambda info: info.traits.cost.expected_seconds(
            ws.table.n_records if ws.table else 1, 4, ws.selected_k or 3
        ),
    )
    for info in fast[:N_OTHER_METHODS]:
        yield replace(ws, methods=(info.id,))
