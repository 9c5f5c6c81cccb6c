"""Release: choose a result, see the file as written checked, take it home."""

import streamlit as st

from dashboard import components, state
from dashboard.execution import running
from dashboard.release import delivery, releasing
from dashboard.release.checklist import checklist
from dashboard.results import measuring, result_parts, selecting
from dashboard.words import text, text_measures
from dashboard.words.language import _
from engine.report.command_line import command_line

components.page_header(_("Release"), _(text.RELEASE_INTRO))
ws = running.caught_up()
found = running.selected_or_panel(ws)
if found is None:
    st.stop()
chosen, table = found
selecting.choose(_("Result to release"), state.outcomes(ws), chosen)
writing = releasing.choose_writing(table)
delivered = delivery.deliver(chosen, table, writing)
delivery.verdict(chosen, delivered)
reason = releasing.override(chosen, delivered)
releasing.downloads(chosen, table, delivered, writing, reason)
measuring.offer([chosen], table, aside=_(text_measures.UNMEASURED))

left, right = st.columns(2, gap="large")
with left:
    st.subheader(_("Checks of the file as written"), anchor=False)
    releasing.checks(delivered)
with right:
    st.subheader(_("What was done"), anchor=False)
    components.ticked(checklist(chosen, table))
result_parts.release_figures(chosen)
st.subheader(_("Original beside protected"), anchor=False)
components.beside(chosen, table)
st.subheader(_("The same on the command line"), anchor=False)
repeatable = chosen.repeatable_plan
st.code(command_line(repeatable, table, writing), language="bash", wrap_lines=True)
levels = _(text.COMMAND_LEVELS) if repeatable.hierarchies else ""
st.caption(f"{_(text.COMMAND_SHOW)} {levels}".strip())
