"""Obstacles to a run: what has to be settled before."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dashboard.i18n.language import _, n_
from dashboard.state import session
from dashboard.state.carry_over import methods_for_mixed, nominal_quasi_identifiers
from dashboard.state.workspace import Workspace
from dashboard.ui import table_health
from dashboard.ui.missing_values import too_few_alike, unsettled
from dashboard.ui.table_health import listed
from engine.core.errors import EngineError
from engine.methods import methods


def obstacles(ws: Workspace) -> list[str]:
    """Return what must be settled before anything can run, in sentences."""
    if ws.table is None:
        return [_("There is no table yet: open one on the Data page.")]
    health = table_health.examine(ws.table)
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
                holds=_few(nominal_quasi_identifiers(ws.table)),
            )
        )
    if not ws.sizes:
        found.append(_("No k is chosen: choose at least one below."))
    if not found:
        try:
            session.plans(ws)
        except EngineError as error:
            found.append(_(error.message))
    return found


def numbers_only(ws: Workspace) -> list[str]:
    """Return the chosen methods that cannot take the table's categories."""
    if ws.table is None or not nominal_quasi_identifiers(ws.table):
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
    able = (
        tuple(name for name in ws.methods if name not in wrong) or methods_for_mixed()
    )
    st.button(
        _("Use methods for mixed data"),
        type="primary",
        icon=":material/category:",
        key=session.key("use mixed"),
        on_click=_use,
        args=(able,),
    )


def _use(names: tuple[str, ...]) -> None:
    session.update(methods=names)
