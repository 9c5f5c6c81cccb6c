"""Release: what it covers, what survived, the file; all else folds away."""

import streamlit as st

from dashboard.app_pages.release import (
    badge,
    downloads,
    intruder,
    ledger_panel,
    sections,
    survival_table,
    verdict_box,
    written_file,
)
from dashboard.app_pages.release.checklist import checklist
from dashboard.app_pages.release.figures import release_figures
from dashboard.i18n import text
from dashboard.i18n.language import _
from dashboard.state import session
from dashboard.ui import check_certificate, components, run_panel, selection, undecided

components.page_header(_("Release"))
ws = run_panel.collect_results()
found = run_panel.selected_or_panel(ws)
if found is None:
    st.stop()
chosen, table = found
if undecided.decide(table):
    st.stop()
if run_panel.running(ws):
    run_panel.run_panel()
asked, chosen = chosen, ledger_panel.regrouped(chosen, table) or chosen
left, right = st.columns([3.2, 1.15], gap="medium")
with right:
    results = session.outcomes(ws)
    selection.choose(_("Result to release"), results, asked)
    st.caption(selection.reason_words(results, chosen))
    how = st.popover(_("How it is written"), icon=":material/tune:", width="stretch")
    with how:
        writing = sections.choose_writing(table)
    delivered, beside = written_file.deliver(chosen, table, writing), None
    if delivered is not None:
        delivered, beside = ledger_panel.checked(chosen, table, delivered)
        if delivered.written is None:
            how.warning(delivered.wrong, icon=":material/block:")
with left:
    if delivered is None:
        written_file.follow()
    else:
        judged = verdict_box.verdict_of(chosen, table, writing.shuffle)
        verdict_box.show(judged, chosen, table)
        badge.verdict(chosen, table, delivered)
        ledger_panel.offer(asked, table, beside)
        blocked = bool(delivered.wrong) or judged.colour == "red"
        reason = sections.override(chosen, delivered, judged) if blocked else ""
    survival_table.show(chosen)
    records = st.expander(
        _("Original beside protected"),
        icon=":material/compare:",
        key=session.key("original beside protected"),
        on_change="rerun",
    )
    if records.open:
        with records:
            components.original_and_protected(chosen, table)
    with st.expander(_("The same on the command line"), icon=":material/terminal:"):
        repeatable = chosen.repeatable_plan
        command = sections.command(repeatable, table, writing)
        command += ledger_panel.words_of_command(chosen is not asked)
        st.code(command, language="bash", wrap_lines=True)
        levels = _(text.COMMAND_LEVELS) if repeatable.hierarchies else ""
        st.caption(f"{_(text.COMMAND_SHOW)} {levels}".strip())
with right:
    if delivered is not None:
        downloads.downloads(chosen, table, delivered, writing, blocked, reason)
        sections.checks(delivered)
    with st.expander(_("What an intruder can do"), icon=":material/person_search:"):
        intruder.show(chosen, table)
    with st.expander(ledger_panel.title(), icon=":material/history_edu:"):
        ledger_panel.panel(beside)
    with st.expander(_("Check a certificate"), icon=":material/verified:"):
        check_certificate.show(chosen)
    with st.expander(_("What was done"), icon=":material/checklist:"):
        components.ticked(checklist(chosen, table))
    with st.expander(_("Figures"), icon=":material/analytics:"):
        release_figures(chosen)
