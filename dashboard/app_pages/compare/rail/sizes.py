"""Values of k: those that are compared, and the one that is looked at."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from dashboard.i18n import text
from dashboard.i18n.language import _
from dashboard.state import session
from dashboard.state.carry_over import FIRST
from dashboard.ui.live_slider import live_slider


def choose_sizes(places: Mapping[int, str]) -> None:
    """Show the values of k: presets, a field for another one, and which is drawn.

    `places` are what the page is called at each k, where it has its charts ahead.
    """
    ws = session.workspace()
    st.pills(
        _("k, minimum group size"),
        sorted({*FIRST, *ws.sizes}),
        selection_mode="multi",
        help=_(text.K_HELP),
        **session.bound("sizes", read=lambda sizes: tuple(sorted(sizes))),
    )
    key = session.key("another k")
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
        on_change=lambda: add_size(st.session_state[key]),
    )
    sizes = sorted(ws.sizes)
    if len(sizes) > 1:
        with right:  # while it is dragged, every chart follows
            live_slider(
                "k",
                _("k that is looked at"),
                [f"k = {k}" for k in sizes],
                sizes.index(ws.looked_at),
                lambda at: session.update(focus=sizes[at]),
                small=True,
                places=[places.get(k, "") for k in sizes],
            )


def add_size(size: int | None) -> None:
    """Add a value of k to those that are chosen, and look at it."""
    if size is not None:
        sizes = session.workspace().sizes
        session.update(sizes=tuple(sorted({*sizes, size})), focus=size)
