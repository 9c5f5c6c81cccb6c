"""Inspect: how risky and how useful a result is, and why its groups are as they are."""

import streamlit as st

from dashboard.app_pages.inspect import attack, before_after, sections
from dashboard.i18n import text
from dashboard.i18n.language import _
from dashboard.state import session
from dashboard.ui import components, learn_links, measures, run_panel, selection

ATTACK = "Attack"
BEFORE_AFTER = "Before"

components.page_header(_("Inspect"))
ws = run_panel.collect_results()
found = run_panel.selected_or_panel(ws)
if found is None:
    st.stop()
outcome, table = found
outcomes = session.outcomes(ws)
with st.container(horizontal=True, vertical_alignment="center", gap="small"):
    part = st.segmented_control(
        _("Look at"),
        [sections.MEASURES, BEFORE_AFTER, ATTACK, *sections.PARTS],
        format_func=lambda one: _(text.INSPECT_PARTS[one]),
        required=True,
        label_visibility="collapsed",
        help=_(text.PART_HELP),
        **session.bound("part", show=lambda kept: kept or sections.MEASURES),
    )
    selection.choose(
        _("Result to look into"), outcomes, outcome, label_visibility="collapsed"
    )
    learn_links.method_link(outcome.plan.method)
    selection.back_button()
if part == ATTACK:
    attack.show_attack(outcome, table)
    st.stop()
if part == BEFORE_AFTER:
    before_after.show_before_after(outcome, table)
    st.stop()
if part not in sections.PARTS:
    measures.section(outcome, outcomes, table)
    st.stop()
answers = sections.explainer(outcome, table)
if isinstance(answers, str):
    st.info(answers, icon=":material/info:")
    st.stop()
sections.PARTS[part](answers, outcome, table)
