"""Work ahead: idle processors work on what is likely to be chosen next."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from dashboard.jobs import jobs
from dashboard.state import session
from dashboard.state.carry_over import FIRST, recommended_methods
from dashboard.state.workspace import Workspace, changed
from engine.core.errors import EngineError
from engine.methods import methods
from engine.pipeline.cost import expected_seconds
from engine.pipeline.plan import Plan

LADDER = (2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 40, 50)
"""Values of k that people choose."""

NEIGHBOURS = 2
"""Other values of k that are worked on, beside those that people choose first."""

OTHERS = 3
"""Methods that are worked on, beside the recommended ones."""

EACH, ALL = 3.0, 20.0
"""Seconds that one plan, and all together, may be expected to take."""

MOST = 40
"""Plans at a time."""

CELLS = 2_000_000
"""Cells of a table up to which results are kept that nobody may ever ask for."""


def collect() -> None:
    """Keep what was worked out by now."""
    view = jobs.view(session.workspace().ahead)
    if view is not None:
        session.collect_ahead(view)


def begin() -> None:
    """Have a worker ready, and once all is there that was asked for, work ahead."""
    jobs.warm()
    ws = session.workspace()
    if not ws.automatic or ws.table is None or ws.table.frame.size > CELLS:
        return
    running = jobs.view(ws.job)
    if running is not None and running.running:
        return
    asked = session.plans(ws) if session.results(ws) else ()
    if not asked or len(session.results(ws)) < len(asked):
        return
    name = "-".join(plan.digest()[:8] for plan in asked)
    if name == ws.ahead_of:
        return
    job = jobs.work_ahead(ws.table, lambda: likely(ws))
    session.update(ahead=job, ahead_of=name)


def likely(ws: Workspace) -> list[Plan]:
    """Return plans that may be asked for next and have no result, likeliest first."""
    table = ws.table
    assert table is not None
    found: dict[Plan, None] = {}
    seconds = 0.0
    for choice in _choices(ws):
        try:
            asked = choice.asked
        except EngineError:  # not for this table
            continue
        for plan, key in asked:
            traits = methods.info(plan.method).traits
            known = key in ws.memo or plan in found
            if known or traits.time_budget or plan.seeds > 1:
                continue
            expected = expected_seconds(plan, table)
            if expected > EACH or seconds + expected > ALL or len(found) == MOST:
                continue
            seconds += expected
            found[plan] = None
    return list(found)


def _choices(ws: Workspace) -> Iterator[Workspace]:
    """Yield workspaces with one choice changed, the likeliest first."""
    yield replace(ws, sizes=tuple(k for k in FIRST if k not in ws.sizes))
    recommended = (
        name for name in recommended_methods(ws.table) if name not in ws.methods
    )
    for name in recommended:
        yield replace(ws, methods=(name,))
    if not ws.choices.polish:
        yield changed(ws, polish=True)
    near = sorted(
        (k for k in LADDER if k not in (*ws.sizes, *FIRST)),
        key=lambda k: (abs(k - ws.looked_at), k),
    )
    for k in near[:NEIGHBOURS]:
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
        key=lambda info: info.traits.cost.seconds(
            ws.table.n_records if ws.table else 1, 4, ws.looked_at or 3
        ),
    )
    for info in fast[:OTHERS]:
        yield replace(ws, methods=(info.id,))
