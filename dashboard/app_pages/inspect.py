"""Inspect: how risky and how useful a result is, and why its groups are as they are."""

import streamlit as st

from dashboard import components, state
from dashboard.execution import running
from dashboard.explanation import inspecting, why
from dashboard.learn import addresses
from dashboard.results import measuring, selecting
from dashboard.words import text
from dashboard.words.language import _

place = components.page_header(_("Inspect"), _(text.INSPECT_INTRO))
ws = running.caught_up()
found = running.selected_or_panel(ws)
if found is None:
    st.stop()
outcome, table = found
outcomes = state.outcomes(ws)
with place:
    selecting.way_back()
with st.container(horizontal=True, vertical_alignment="bottom"):
    selecting.choose(_("Result to look into"), outcomes, outcome)
    addresses.method_link(outcome.plan.method)
part = st.segmented_control(
    _("Look at"),
    [inspecting.MEASURES, *inspecting.PARTS],
    format_func=lambda one: _(text.INSPECT_PARTS[one]),
    required=True,
    help=_(text.PART_HELP),
    **state.bound("part", show=lambda kept: kept or inspecting.MEASURES),
)
if part not in inspecting.PARTS:
    measuring.section(outcome, outcomes, table)
    st.stop()
answers = why.explainer(outcome, table)
if isinstance(answers, str):
    st.info(answers, icon=":material/info:")
    st.stop()
inspecting.PARTS[part](answers, outcome, table)
