"""Inspect page: choice of the result and of the part to show."""

import streamlit as st

from dashboard.app_pages.inspect import attack, before_after, sections
from dashboard.i18n import text
from dashboard.i18n.language import _
from dashboard.state import session
from dashboard.ui import measures
from dashboard.ui.browser_components import components
from dashboard.ui.header import learn_links
from dashboard.ui.runs import run_panel, selection

ATTACK_PART = "Attack"
BEFORE_AFTER_PART = "Before"

components.announce_page_to_screen_readers(_("Inspect"))
ws = run_panel.collect_run_results()
found = run_panel.outcome_and_table_or_show_hint(ws)
if found is None:
    st.stop()
outcome, table = found
outcomes = session.requested_outcomes(ws)
with st.container(horizontal=True, vertical_alignment="center", gap="small"):
    part = st.segmented_control(
        _("Look at"),
        [
            sections.MEASURES_PART,
            BEFORE_AFTER_PART,
            ATTACK_PART,
            *sections.INSPECT_PARTS,
        ],
        format_func=lambda one: _(text.INSPECT_PARTS[one]),
        required=True,
        label_visibility="collapsed",
        help=_(
            "All figures of the result; what an intruder can do with it; why one "
            "group, one record or one attribute is as it is; or how the groups were "
            "formed, one after the other."
        ),
        **session.bind_widget(
            "part", to_widget=lambda kept: kept or sections.MEASURES_PART
        ),
    )
    selection.show_result_selectbox(
        _("Result to look into"), outcomes, outcome, label_visibility="collapsed"
    )
    learn_links.show_link_to_method(outcome.plan.method)
    selection.show_back_button()
if part == ATTACK_PART:
    attack.show_attacks(outcome, table)
    st.stop()
if part == BEFORE_AFTER_PART:
    before_after.show_before_and_after(outcome, table)
    st.stop()
if part not in sections.INSPECT_PARTS:
    measures.show_measures(outcome, outcomes, table)
    st.stop()
answers = sections.cached_explainer_or_reason(outcome, table)
if isinstance(answers, str):
    st.info(answers, icon=":material/info:")
    st.stop()
sections.INSPECT_PARTS[part](answers, outcome, table)
