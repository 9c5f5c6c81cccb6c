"""Release: choose a result, see the file as written checked, take it home."""

import streamlit as st

from dashboard.app_pages.release import sections, written_file
from dashboard.app_pages.release.checklist import checklist
from dashboard.app_pages.release.figures import release_figures
from dashboard.i18n import text, text_measures
from dashboard.i18n.language import _
from dashboard.state import session
from dashboard.ui import components, measures, run_panel, selection, undecided
from engine.report.command_line import command_line

components.page_header(_("Release"), _(text.RELEASE_INTRO))
ws = run_panel.collect_results()
found = run_panel.selected_or_panel(ws)
if found is None:
    st.stop()
chosen, table = found
if undecided.decide(table):
    st.stop()
selection.choose(_("Result to release"), session.outcomes(ws), chosen)
writing = sections.choose_writing(table)
delivered = written_file.deliver(chosen, table, writing)
written_file.verdict(chosen, delivered)
reason = sections.override(chosen, delivered)
sections.downloads(chosen, table, delivered, writing, reason)
measures.offer([chosen], table, aside=_(text_measures.UNMEASURED))

left, right = st.columns(2, gap="large")
with left:
    st.subheader(_("Checks of the file as written"), anchor=False)
    sections.checks(delivered)
with right:
    st.subheader(_("What was done"), anchor=False)
    components.ticked(checklist(chosen, table))
release_figures(chosen)
st.subheader(_("Original beside protected"), anchor=False)
components.original_and_protected(chosen, table)
st.subheader(_("The same on the command line"), anchor=False)
repeatable = chosen.repeatable_plan
st.code(command_line(repeatable, table, writing), language="bash", wrap_lines=True)
levels = _(text.COMMAND_LEVELS) if repeatable.hierarchies else ""
st.caption(f"{_(text.COMMAND_SHOW)} {levels}".strip())
