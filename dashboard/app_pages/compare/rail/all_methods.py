"""List of all methods by family, to choose several at a glance."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from dashboard.i18n.language import _
from dashboard.state import session
from engine.methods import FAMILY_TITLES, MethodInfo, methods


def show_method_picker(
    describe_method: Callable[[MethodInfo], str], toggle_method: Callable[[str], None]
) -> None:
    """Show a button that opens the list of all methods, to tick any of them.

    Parameters
    ----------
    describe_method : callable
        What is said of a method where somebody points at it.
    toggle_method : callable
        Takes a method in or out.
    """
    place = st.popover(
        _("All {count}").format(count=len(methods.infos())),
        key=session.widget_key("all methods"),
        type="tertiary",
        on_change="rerun",
    )
    if not place.open:
        return
    chosen = session.workspace().methods
    with place:
        for family, title in FAMILY_TITLES.items():
            st.caption(f"**{_(title)}**")
            with st.container(horizontal=True, gap="small"):
                for info in methods.infos():
                    if info.family != family:
                        continue
                    key = session.widget_key("any method", info.id)
                    st.session_state[key] = info.id in chosen
                    st.checkbox(
                        _(info.title),
                        key=key,
                        help=describe_method(info),
                        on_change=toggle_method,
                        args=(info.id,),
                    )
