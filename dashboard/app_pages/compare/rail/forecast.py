"""How long methods should take on the table, and which cannot run."""

from __future__ import annotations

from collections.abc import Sequence

from dashboard.i18n.language import _, n_
from dashboard.state import session
from dashboard.state.carry_over import recommended_methods
from dashboard.state.workspace import Workspace
from engine.core.errors import EngineError
from engine.methods import MethodInfo, methods
from engine.methods.base import make_method
from engine.methods.default import FOR_MANY
from engine.pipeline.cost import expected_seconds
from engine.pipeline.plan import Plan

FAST = 2.0
"""Seconds up to which a method counts as fast."""


SLOW = 100.0
"""Seconds from which another method is named to those with many records."""


def estimate(info: MethodInfo, ws: Workspace) -> tuple[float, str]:
    """Return a method's expected seconds for all k, and why it cannot run.

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
                strata=ws.choices.strata,
                kinds=kinds,
            )
            make_method(info.id, k, parameters).check(table.n_records, len(quasi))
        except EngineError as error:
            wrong = wrong or error.message
        else:
            seconds += expected_seconds(plan, table)
    return seconds, wrong


def many_records(ws: Workspace) -> str:
    """Return what to know about methods for very many records, or nothing."""
    table = ws.table
    if table is None or recommended_methods(table) != (FOR_MANY,):
        return ""
    title, count = _(methods.info(FOR_MANY).title), f"{table.n_records:,}"
    if ws.methods == (FOR_MANY,):
        return _(
            "{title} is proposed, because there are {count} records: most other "
            "methods take long with so many."
        ).format(title=title, count=count)
    slow = [
        _(info.title)
        for info in map(methods.info, ws.methods)
        if estimate(info, ws)[0] > SLOW
    ]
    if not slow or FOR_MANY in ws.methods:
        return ""
    return n_(
        "{titles} takes long with {count} records: {title} is made for so many, and "
        "loses less than MDAV.",
        "{titles} take long with {count} records: {title} is made for so many, and "
        "loses less than MDAV.",
        len(slow),
    ).format(titles=", ".join(slow), count=count, title=title)


def fast_methods(infos: Sequence[MethodInfo]) -> tuple[str, ...]:
    """Return the methods that can run on the table and take little time."""
    ws = session.workspace()
    found = []
    for info in infos:
        seconds, wrong = estimate(info, ws)
        if not wrong and seconds <= FAST:
            found.append(info.id)
    return tuple(found)
