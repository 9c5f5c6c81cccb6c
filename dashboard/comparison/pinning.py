"""Pinned results: two at most, kept whatever is chosen, to be set side by side."""

from __future__ import annotations

import streamlit as st

from dashboard import state
from dashboard.results.facts import plan_label
from dashboard.words import text_compare
from dashboard.words.language import _
from engine.core.errors import EngineError
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan

MOST = 2
"""Results that are set side by side."""


def pinned() -> list[Outcome]:
    """Return the pinned results that are still known for this table."""
    ws = state.workspace()
    if ws.table is None:
        return []
    found = []
    for plan in ws.pinned:
        try:
            results = state.results_of(ws, ws.table, [plan])
        except EngineError:  # pinned on a table with other columns
            continue
        found += [one for one in results.values() if isinstance(one, Outcome)]
    return found


def pair() -> tuple[Outcome, Outcome] | None:
    """Return the two pinned results; None while there are fewer."""
    found = pinned()
    return (found[0], found[1]) if len(found) == MOST else None


def pin_button(plan: Plan) -> None:
    """Show the button that pins a result, or lets it go."""
    known = [outcome.plan for outcome in pinned()]
    if plan in known:
        st.button(
            _("Unpin"),
            icon=":material/keep_off:",
            key=state.key("pin"),
            on_click=unpin,
            args=(plan,),
        )
        return
    st.button(
        _("Pin"),
        icon=":material/keep:",
        key=state.key("pin"),
        help=_(text_compare.PIN_HELP),
        on_click=pin,
        args=(plan,),
    )


def pin(plan: Plan) -> None:
    """Pin a result; of two that are pinned already, the newer one gives way."""
    known = [outcome.plan for outcome in pinned() if outcome.plan != plan]
    state.update(pinned=(*known[: MOST - 1], plan))


def unpin(plan: Plan) -> None:
    """Let a pinned result go."""
    left = tuple(one for one in state.workspace().pinned if one != plan)
    state.update(pinned=left, beside=False)


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
    if state.workspace().beside:
        all_results("below")
        return
    st.button(
        _("Side by side"),
        icon=":material/compare:",
        key=state.key("beside"),
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
        key=state.key("all results", where),
        width="content" if where == "below" else "stretch",
        on_click=show_alone,
        args=(False,),
    )


def show_alone(wanted: bool) -> None:
    """Have the Compare page show the two pinned results alone, or all results."""
    state.update(beside=wanted)
