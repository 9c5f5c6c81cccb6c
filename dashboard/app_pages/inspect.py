"""Inspect: how risky and how useful a result is, and why its groups are as they are."""

import streamlit as st

from dashboard import (
    addresses,
    components,
    delivery,
    inspecting,
    measuring,
    running,
    selecting,
    state,
    text,
    why,
)
from dashboard.language import _

place = components.page_header(_("Inspect"), _(text.INSPECT_INTRO))
ws = running.caught_up()
if not components.has_table(ws):
    st.stop()
outcomes = {outcome.plan: outcome for outcome in state.outcomes(ws)}
chosen = state.selected(ws)
if chosen is None or ws.table is None:
    st.info(
        _("Nothing has run for the current choices yet."),
        icon=":material/play_circle:",
    )
    running.run_panel()
    st.stop()
table, outcome = ws.table, chosen
with place:
    selecting.way_back()
with st.container(horizontal=True, vertical_alignment="bottom"):
    st.selectbox(
        _("Result to look into"),
        outcomes,
        format_func=lambda one: delivery.result_label(outcomes[one]),
        help=_(text.RESULT_HELP),
        **state.bound("chosen", show=lambda kept: outcome.plan),
    )
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
    measuring.section(outcome, list(outcomes.values()), table)
    st.stop()
answers = why.explainer(outcome, table)
if isinstance(answers, str):
    st.info(answers, icon=":material/info:")
    st.stop()
inspecting.PARTS[part](answers, outcome, table)
