"""Pinned results: two at most, kept whatever is chosen, to be set side by side."""

from __future__ import annotations

import streamlit as st

from dashboard.i18n import text_compare
from dashboard.i18n.language import _
from dashboard.results.facts import plan_label
from dashboard.state import session
from engine.core.errors import EngineError
from engine.pipeline.outcome import Outcome
from engine.pipeline.resolved import ResolvedPlan

MOST = 2
"""Results that are set side by side."""


def pinned() -> list[Outcome]:
    """Return the pinned results that are still known for this table."""
    ws = session.workspace()
    if ws.table is None:
        return []
    found = []
    for plan in ws.pinned:
        try:
            results = session.results_of(ws, ws.table, [plan])
        except EngineError:  # pinned on a table with other columns
            continue
        found += [one for one in results.values() if isinstance(one, Outcome)]
    return found


def pair() -> tuple[Outcome, Outcome] | None:
    """Return the two pinned results; None while there are fewer."""
    found = pinned()
    return (found[0], found[1]) if len(found) == MOST else None


def pin_button(plan: ResolvedPlan) -> None:
    """Show the button that pins a result, or lets it go."""
    known = [outcome.plan for outcome in pinned()]
    if plan in known:
        st.button(
            _("Unpin"),
            icon=":material/keep_off:",
            key=session.key("pin"),
            on_click=unpin,
            args=(plan,),
        )
        return
    st.button(
        _("Pin"),
        icon=":material/keep:",
        key=session.key("pin"),
        help=_(text_compare.PIN_HELP),
        on_click=pin,
        args=(plan,),
    )


def pin(plan: ResolvedPlan) -> None:
    """Pin a result; of two that are pinned already, the newer one gives way."""
    known = [outcome.plan for outcome in pinned() if outcome.plan != plan]
    session.update(pinned=(*known[: MOST - 1], plan))


def unpin(plan: ResolvedPlan) -> None:
    """Let a pinned result go."""
    left = tuple(one for one in session.workspace().pinned if one != plan)
    session.update(pinned=left, side_by_side=False)


def pinned_words() -> None:
    """Say what is pinned, and lead to the two side by side."""
    plans = [outcome.plan for outcome in pinned()]
    if not plans:
        return
    names = " · ".join(map(plan_label, plans))
    if len(plans) < MOST:
        words = _("Pinned: {names}").format(names=f"**{names}**")
        st.markdown(words, width="content", help=_(text_compare.PIN_ANOTHER))
        return
    if session.workspace().side_by_side:
        all_results("below")
        return
    st.button(
        _("Side by side"),
        icon=":material/compare:",
        key=session.key("beside"),
        type="primary",
        help=names,
        on_click=show_alone,
        args=(True,),
    )


def all_results(where: str) -> None:
    """Show the button that leads from the two back to all results."""
    st.button(
        _("All results"),
        icon=":material/arrow_back:",
        key=session.key("all results", where),
        width="content" if where == "below" else "stretch",
        on_click=show_alone,
        args=(False,),
    )


def show_alone(wanted: bool) -> None:
    """Have the Compare page show the two pinned results alone, or all results."""
    session.update(side_by_side=wanted)
