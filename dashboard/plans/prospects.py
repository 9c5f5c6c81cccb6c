"""What would run, and what stands in the way of it."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dashboard import state
from dashboard.data import inspection
from dashboard.data.inspection import listed
from dashboard.data.missing import too_few_alike, unsettled
from dashboard.plans.fitting import categories, for_mixed, recommended
from dashboard.state import Workspace
from dashboard.words.language import _, n_
from engine.core.errors import EngineError
from engine.core.message import Message
from engine.data.table import Table
from engine.methods import MethodInfo, methods
from engine.methods.base import make_method
from engine.methods.default import FOR_MANY
from engine.pipeline.cost import expected_seconds
from engine.pipeline.plan import Plan
from engine.pipeline.prepare import check_categories, content

FAST = 2.0
"""Seconds up to which a method counts as fast."""

SLOW = 100.0
"""Seconds from which another method is named to those with many records."""


def obstacles(ws: Workspace) -> list[str]:
    """Return what must be settled before anything can run, in sentences."""
    if ws.table is None:
        return [_("There is no table yet: open one on the Data page.")]
    health = inspection.examine(ws.table)
    found = list(health.problems)
    if unsettled(ws, health):
        found.append(
            _(
                "Some records lack a value in a quasi-identifier: say below what "
                "should happen to them."
            )
        )
    if too_few_alike(ws, health):
        found.append(_("Some gaps cannot be kept: say below what else should happen."))
    if not ws.methods:
        found.append(_("No method is chosen: tick at least one below."))
    wrong = numbers_only(ws)
    if wrong:
        found.append(
            n_(
                "{titles} groups by numbers only, but {holds}: use methods for mixed "
                "data, or give these columns another role.",
                "{titles} group by numbers only, but {holds}: use methods for mixed "
                "data, or give these columns another role.",
                len(wrong),
            ).format(
                titles=", ".join(_(methods.info(name).title) for name in wrong),
                holds=_few(categories(ws.table)),
            )
        )
    if not ws.sizes:
        found.append(_("No k is chosen: choose at least one below."))
    if not found:
        try:
            state.plans(ws)
        except EngineError as error:
            found.append(str(error))
    return found


def numbers_only(ws: Workspace) -> list[str]:
    """Return the chosen methods that cannot take the table's categories."""
    if ws.table is None or not categories(ws.table):
        return []
    return [name for name in ws.methods if not methods.info(name).traits.mixed]


def _few(names: Sequence[str], most: int = 3) -> str:
    """Say which columns hold categories."""
    if len(names) > most + 1:
        return _("{columns} and {count} more columns hold categories").format(
            columns=", ".join(map(repr, names[:most])), count=len(names) - most
        )
    return n_(
        "{columns} holds categories", "{columns} hold categories", len(names)
    ).format(columns=listed(names))


def offer_mixed(ws: Workspace) -> None:
    """Show the button that leaves out methods which cannot take categories."""
    wrong = numbers_only(ws)
    if not wrong:
        return
    able = tuple(name for name in ws.methods if name not in wrong) or for_mixed()
    st.button(
        _("Use methods for mixed data"),
        type="primary",
        icon=":material/category:",
        key=state.key("use mixed"),
        on_click=_use,
        args=(able,),
    )


def _use(names: tuple[str, ...]) -> None:
    state.update(methods=names)


def prospect(info: MethodInfo, ws: Workspace) -> tuple[float, str]:
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
                strata=ws.strata,
                kinds=kinds,
            )
            check_categories(plan, table, lambda column: _content(table, column))
            make_method(info.id, k, parameters).check(table.n_records, len(quasi))
        except EngineError as error:
            wrong = wrong or str(error)
        else:
            seconds += expected_seconds(plan, table)
    return seconds, wrong


def _content(table: Table, column: pd.Series) -> Message:
    return _counted(table.fingerprint, str(column.name), column)


@st.cache_data(scope="session", max_entries=64, show_spinner=False)
def _counted(fingerprint: str, name: str, _column: pd.Series) -> Message:
    """Return what a column of categories holds: every method asks, of each k."""
    return content(_column)


def many_records(ws: Workspace) -> str:
    """Return what to know about methods for very many records, or nothing."""
    table = ws.table
    if table is None or recommended(table) != (FOR_MANY,):
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
        if prospect(info, ws)[0] > SLOW
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
    ws = state.workspace()
    found = []
    for info in infos:
        seconds, wrong = prospect(info, ws)
        if not wrong and seconds <= FAST:
            found.append(info.id)
    return tuple(found)
