"""Protect: choose k and methods, see what will run, run it."""

import streamlit as st

from dashboard import choices, components, prospects, running, state, text, widgets
from engine.methods import FAMILIES, methods


def choose_methods() -> None:
    """Show all methods as cards, family by family."""
    chosen = state.workspace().methods
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader("Methods", anchor=False, width="content")
        widgets.quick_choices(methods.infos())
    for family, meaning in FAMILIES.items():
        infos = [info for info in methods.infos() if info.family == family]
        if not infos:
            continue
        count = sum(info.id in chosen for info in infos)
        with st.expander(
            f"**{family.capitalize()}**: {meaning[0].lower()}{meaning[1:]}"
            f" · {count} of {len(infos)} chosen",
            expanded=bool(count),
            key=state.key("family", family),
        ):
            for start in range(0, len(infos), 3):
                for column, info in zip(
                    st.columns(3), infos[start : start + 3], strict=False
                ):
                    with column:
                        seconds, wrong = prospects.prospect(info, state.workspace())
                        widgets.method_card(info, running.in_words(seconds), wrong)


components.page_header("Protect", text.PROTECT_INTRO)
ws = state.workspace()
if not components.has_table(ws) or ws.table is None:
    st.stop()
running.run_panel()
choices.choose_sizes()
choices.choose_polish()
choose_methods()
choices.more_choices(ws.table)
