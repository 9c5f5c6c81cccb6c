"""Inspect: why this group, why this record, and how the groups came about."""

import streamlit as st

from dashboard import components, delivery, inspecting, running, state, text, why

components.page_header("Inspect", text.INSPECT_INTRO)
ws = state.workspace()
if not components.has_table(ws):
    st.stop()
outcomes = {outcome.plan: outcome for outcome in state.outcomes(ws)}
chosen = state.selected(ws)
if chosen is None or ws.table is None:
    st.info(
        "Nothing has run for the current choices yet.", icon=":material/play_circle:"
    )
    running.run_panel()
    st.stop()
table, outcome = ws.table, chosen
st.selectbox(
    "Result to look into",
    outcomes,
    format_func=lambda one: delivery.result_label(outcomes[one]),
    **state.bound("chosen", show=lambda _: outcome.plan),
)
answers = why.explainer(outcome, table)
if isinstance(answers, str):
    st.info(answers, icon=":material/info:")
    st.stop()
part = st.segmented_control(
    "Look at",
    list(inspecting.PARTS),
    default="A group",
    required=True,
    key=state.key("inspect part"),
    persist_state="session",
)
inspecting.PARTS[part or "A group"](answers, outcome, table)
