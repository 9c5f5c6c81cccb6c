"""Inputs for the values of k to run, the k to look at, and the loss allowed."""

from __future__ import annotations

import streamlit as st

from dashboard.i18n import text
from dashboard.i18n.language import _
from dashboard.state import session
from dashboard.state.new_tables.carry_over import USUAL_SIZES
from dashboard.ui.browser_components.live_slider import show_live_slider


def show_k_inputs() -> None:
    """Show inputs for the values of k to run and, of several, the k to look at."""
    ws = session.workspace()
    st.pills(
        _("k, minimum group size"),
        sorted({*USUAL_SIZES, *ws.sizes}),
        selection_mode="multi",
        help=_(text.K_HELP),
        **session.bind_widget("sizes", from_widget=lambda sizes: tuple(sorted(sizes))),
    )
    key = session.widget_key("another k")
    left, right = st.columns([2, 3], vertical_alignment="bottom")
    left.number_input(
        _("Another k"),
        min_value=2,
        value=None,
        step=1,
        placeholder=_("Another k"),
        help=_(text.K_HELP),
        label_visibility="collapsed",
        key=key,
        on_change=_add_k_and_empty_field,
        args=(key,),
    )
    sizes = sorted(ws.sizes)
    if len(sizes) > 1:
        with right:  # while it is dragged, every chart follows
            show_live_slider(
                "k",
                _("k that is looked at"),
                [f"k = {k}" for k in sizes],
                sizes.index(ws.selected_k),
                lambda at: session.update_workspace(focus=sizes[at]),
            )


def show_max_loss_input() -> None:
    """Show an input for the loss above which a result is not useful."""
    st.number_input(
        _("Most loss allowed, %"),
        0.0,
        100.0,
        step=5.0,
        format="%g",
        help=_("A result that loses more is not recommended, and its verdict is red."),
        **session.bind_widget("max_loss"),
    )


def _add_k_and_empty_field(key: str) -> None:
    """Add and select the value of k typed; the same one can be typed again then."""
    k, st.session_state[key] = st.session_state[key], None
    if k is not None:
        sizes = session.workspace().sizes
        session.update_workspace(sizes=tuple(sorted({*sizes, k})), focus=k)
