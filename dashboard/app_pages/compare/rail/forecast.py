"""Forecasts for methods on the open table: run times, obstacles and advice."""

from __future__ import annotations

from dashboard.i18n.language import _, n_
from dashboard.state import session
from dashboard.state.new_tables.carry_over import recommended_methods
from dashboard.state.workspace import Workspace
from engine.core.errors import EngineError
from engine.methods import MethodInfo, methods
from engine.methods.base import make_method
from engine.methods.default import DEFAULT_LARGE_METHOD
from engine.pipeline.plan import Plan
from engine.pipeline.planning.cost import expected_seconds

MAX_FAST_SECONDS = 2.0
"""Seconds up to which a method counts as fast."""


MIN_SLOW_SECONDS = 100.0
"""Seconds from which another method is named to those with many records."""


def forecast_seconds_and_obstacle(info: MethodInfo, ws: Workspace) -> tuple[float, str]:
    """Return a method's expected seconds over all runnable k, and an obstacle or "".

    The reason is empty where it can.
    """
    table = ws.table
    quasi = () if table is None else table.schema.quasi_identifiers
    if table is None or not quasi:
        return 0.0, ""
    kinds = {name: table.schema[name].kind for name in quasi}
    parameters = dict(ws.parameters.get(info.id, {}))
    seconds, wrong = 0.0, ""
    for k in ws.sizes:
        try:
            plan = Plan(
                method=info.id,
                k=k,
                parameters=parameters,
                strata=ws.shared_plan.strata,
                kinds=kinds,
            )
            make_method(info.id, k, parameters).check_size(table.n_records, len(quasi))
        except EngineError as error:
            wrong = wrong or error.message
        else:
            seconds += expected_seconds(plan, table)
    return seconds, wrong


def many_records_advice(ws: Workspace) -> str:
    """Return advice on methods if the open table has very many records, else ""."""
    table = ws.table
    if table is None or recommended_methods(table) != (DEFAULT_LARGE_METHOD,):
        return ""
    title, count = _(methods.info(DEFAULT_LARGE_METHOD).title), f"{table.n_records:,}"
    if ws.methods == (DEFAULT_LARGE_METHOD,):
        return _(
            "{title} is proposed, because there are {count} records: most other "
            "methods take long with so many."
        ).format(title=title, count=count)
    slow = [
        _(info.title)
        for info in map(methods.info, ws.methods)
        if forecast_seconds_and_obstacle(info, ws)[0] > MIN_SLOW_SECONDS
    ]
    if not slow or DEFAULT_LARGE_METHOD in ws.methods:
        return ""
    return n_(
        "{titles} takes long with {count} records: {title} is made for so many, and "
        "loses less than MDAV.",
        "{titles} take long with {count} records: {title} is made for so many, and "
        "loses less than MDAV.",
        len(slow),
    ).format(titles=", ".join(slow), count=count, title=title)


def list_fast_method_ids() -> tuple[str, ...]:
    """Return ids of methods expected to take at most 2 seconds on the open table."""
    ws = session.workspace()
    method_ids = []
    for info in methods.infos():
        seconds, wrong = forecast_seconds_and_obstacle(info, ws)
        if not wrong and seconds <= MAX_FAST_SECONDS:
            method_ids.append(info.id)
    return tuple(method_ids)
