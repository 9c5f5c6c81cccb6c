"""Protect: choose k and methods, see what will run, run it."""

import streamlit as st

from dashboard.app_pages.protect import choices, forecast, method_cards
from dashboard.i18n import text
from dashboard.i18n.language import _
from dashboard.state import session
from dashboard.ui import components, run_panel
from engine.methods import FAMILIES, methods


def choose_methods() -> None:
    """Show all methods as cards, family by family."""
    chosen = session.workspace().methods
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader(_("Methods"), anchor=False, width="content")
        method_cards.quick_choices(methods.infos())
    for family in FAMILIES:
        infos = [info for info in methods.infos() if info.family == family]
        if not infos:
            continue
        count = sum(info.id in chosen for info in infos)
        meaning = _(FAMILIES[family])
        with st.expander(
            _("**{family}**: {meaning} · {count} of {all} chosen").format(
                family=_(family.capitalize()),
                meaning=meaning[0].lower() + meaning[1:],
                count=count,
                all=len(infos),
            ),
            expanded=bool(count),
            key=session.key("family", family),
        ):
            for start in range(0, len(infos), 3):
                for column, info in zip(
                    st.columns(3), infos[start : start + 3], strict=False
                ):
                    with column:
                        seconds, wrong = forecast.estimate(info, session.workspace())
                        method_cards.method_card(
                            info, run_panel.duration_words(seconds), wrong
                        )


components.page_header(_("Protect"), _(text.PROTECT_INTRO))
ws = session.workspace()
if not components.has_table(ws) or ws.table is None:
    st.stop()
run_panel.run_panel()
note = forecast.many_records(ws)
if note:
    st.info(note, icon=":material/speed:")
choices.choose_sizes()
components.choose_polish()
choose_methods()
choices.more_choices(ws.table)
