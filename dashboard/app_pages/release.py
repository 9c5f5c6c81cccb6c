"""Release: choose a result, see k verified on the file as written, take it home."""

import streamlit as st

from dashboard import components, delivery, result_parts, running, state, text
from dashboard.checklist import checklist
from engine.command_line import command_line

components.page_header("Release", text.RELEASE_INTRO)
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

table, plan = ws.table, chosen.plan
repeatable = chosen.repeatable_plan
st.selectbox(
    "Result to release",
    outcomes,
    format_func=lambda one: delivery.result_label(outcomes[one]),
    **state.bound("chosen", show=lambda _: plan),
)
delivered = delivery.deliver(chosen, table)
delivery.verdict(chosen, delivered)

with st.container(horizontal=True):
    if not delivered.wrong:
        st.download_button(
            "Download the protected file",
            delivered.content,
            file_name=delivery.file_name(table),
            mime=delivery.mime(table),
            type="primary",
            icon=":material/download:",
            on_click="ignore",
            key=state.key("download release"),
        )
    st.download_button(
        "Plan (JSON)",
        repeatable.to_json(),
        file_name="plan.json",
        mime="application/json",
        icon=":material/description:",
        help=text.PLAN_HELP,
        on_click="ignore",
        key=state.key("download plan"),
    )
    st.download_button(
        "Groups (CSV)",
        delivery.groups_csv(chosen, table),
        file_name="groups.csv",
        mime="text/csv",
        icon=":material/group_work:",
        help=text.GROUPS_HELP,
        on_click="ignore",
        key=state.key("download groups"),
    )
    levels = delivery.hierarchy_download(repeatable)
    if levels is not None:
        st.download_button(
            "Hierarchies (CSV)",
            levels[1],
            file_name=levels[0],
            icon=":material/account_tree:",
            help=text.HIERARCHY_FILES_HELP,
            on_click="ignore",
            key=state.key("download hierarchies"),
        )

result_parts.release_figures(chosen)
st.subheader("Original beside protected", anchor=False)
components.beside(chosen, table)
left, right = st.columns(2, gap="large")
with left:
    st.subheader("What was done", anchor=False)
    components.ticked(checklist(chosen, table))
with right:
    st.subheader("The same on the command line", anchor=False)
    st.code(command_line(repeatable, table), language="bash", wrap_lines=True)
    st.caption(text.COMMAND_SHOW + (text.COMMAND_LEVELS if levels else ""))
