"""Pinning of at most two results for comparison."""

from __future__ import annotations

import streamlit as st

from dashboard.i18n import text_compare
from dashboard.i18n.language import _
from dashboard.results.figures import plan_label
from dashboard.state import session
from engine.core.errors import EngineError
from engine.pipeline.outcome import Outcome
from engine.pipeline.planning.resolve_plan import ResolvedPlan

MAX_PINNED = 2
"""Results that are set side by side."""


def pinned_outcomes() -> list[Outcome]:
    """Return the pinned results that are still known for the open table."""
    ws = session.workspace()
    if ws.table is None:
        return []
    outcomes = []
    for plan in ws.pinned:
        try:
            results = session.results_for_plans(ws, ws.table, [plan])
        except EngineError:  # pinned on a table with other columns
            continue
        outcomes += [entry for entry in results.values() if isinstance(entry, Outcome)]
    return outcomes


def pinned_pair() -> tuple[Outcome, Outcome] | None:
    """Return the two pinned results; None if fewer are pinned and still known."""
    outcomes = pinned_outcomes()
    return (outcomes[0], outcomes[1]) if len(outcomes) == MAX_PINNED else None


def show_pin_button(plan: ResolvedPlan) -> None:
    """Show the button that pins or unpins a plan's result."""
    pinned_plans = [outcome.plan for outcome in pinned_outcomes()]
    if plan in pinned_plans:
        st.button(
            _("Unpin"),
            icon=":material/keep_off:",
            key=session.widget_key("pin"),
            on_click=unpin_result,
            args=(plan,),
        )
        return
    st.button(
        _("Pin"),
        icon=":material/keep:",
        key=session.widget_key("pin"),
        help=_(
            "Keeps this result at hand, whatever you choose and run next. Pin two to "
            "see them side by side."
        ),
        on_click=pin_result,
        args=(plan,),
    )


def pin_result(plan: ResolvedPlan) -> None:
    """Pin a plan's result; of others pinned and still known, only the oldest stays."""
    plans = [outcome.plan for outcome in pinned_outcomes() if outcome.plan != plan]
    session.update_workspace(pinned=(*plans[: MAX_PINNED - 1], plan))


def unpin_result(plan: ResolvedPlan) -> None:
    """Unpin a plan's result, and end the side-by-side view."""
    pins = tuple(pin for pin in session.workspace().pinned if pin != plan)
    session.update_workspace(pinned=pins, side_by_side=False)


def show_pinned_result_or_pair_button() -> None:
    """Show the one pinned result's name; of two, a button to or from the pair."""
    plans = [outcome.plan for outcome in pinned_outcomes()]
    if not plans:
        return
    names = " · ".join(map(plan_label, plans))
    if len(plans) < MAX_PINNED:
        words = _("Pinned: {names}").format(names=f"**{names}**")
        st.markdown(words, width="content", help=_(text_compare.PIN_ANOTHER))
        return
    if session.workspace().side_by_side:
        show_end_pair_view_button("below")
        return
    st.button(
        _("Side by side"),
        icon=":material/compare:",
        key=session.widget_key("beside"),
        type="primary",
        help=names,
        on_click=session.update_on_click,
        kwargs={"side_by_side": True},
    )


def show_end_pair_view_button(location: str) -> None:
    """Show the button that ends the side-by-side view."""
    st.button(
        _("All results"),
        icon=":material/arrow_back:",
        key=session.widget_key("all results", location),
        width="content" if location == "below" else "stretch",
        on_click=session.update_on_click,
        kwargs={"side_by_side": False},
    )
