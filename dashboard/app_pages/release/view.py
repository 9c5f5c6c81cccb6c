"""Release page: columns covered, their survival, and the file; the rest is folded."""

import streamlit as st

from dashboard.app_pages.release import (
    downloads,
    ledger_panel,
    release_status,
    sections,
    survival_table,
    verdict_box,
    written_file,
)
from dashboard.app_pages.release.checklist import column_checklist
from dashboard.i18n import text
from dashboard.i18n.language import _
from dashboard.state import session
from dashboard.ui.browser_components import check_certificate, components
from dashboard.ui.runs import run_panel, selection
from dashboard.ui.table import undecided_columns
from dashboard.ui.verdict import cached_verdict

components.announce_page_to_screen_readers(_("Release"))
ws = run_panel.collect_run_results()
if ws.reading is not None:  # nothing of the file before it is released by mistake
    st.info(_("Another file is being opened: wait for it, or cancel it."))
    st.stop()
found = run_panel.outcome_and_table_or_show_hint(ws)
if found is None:
    st.stop()
chosen, table = found
if undecided_columns.ask_roles_and_return_if_undecided(table):
    st.stop()
if run_panel.is_run_in_progress(ws):
    run_panel.show_run_panel()
asked, chosen = chosen, ledger_panel.find_regrouped_outcome(chosen, table) or chosen
left, right = st.columns([3.2, 1.15], gap="medium")
with right:
    results = session.requested_outcomes(ws)
    selection.show_result_selectbox(_("Result to release"), results, asked)
    st.caption(selection.recommendation_text(results, chosen))
    how = st.popover(_("How it is written"), icon=":material/tune:", width="stretch")
    with how:
        writing = sections.ask_writing_options(chosen, table)
    delivered, beside = written_file.get_checked_release(chosen, table, writing), None
    if delivered is not None:
        delivered, beside = ledger_panel.release_and_ledger_check(
            chosen, table, delivered
        )
        if delivered.written is None:
            how.warning(delivered.wrong, icon=":material/block:")
with left:
    if delivered is None:
        written_file.show_writing_progress_and_rerun()
    else:
        judged = cached_verdict(chosen, table, writing.shuffle)
        verdict_box.show_verdict_box(judged, chosen, table)
        release_status.show_release_status(chosen, table, delivered, judged)
        ledger_panel.offer_regrouping(asked, table, beside)
        blocked = bool(delivered.wrong) or judged.colour == "red"
        reason = (
            sections.ask_override_reason(chosen, delivered, judged) if blocked else ""
        )
    survival_table.show_survival_table(chosen)
    records = st.expander(
        _("Original beside protected"),
        icon=":material/compare:",
        key=session.widget_key("original beside protected"),
        on_change="rerun",
    )
    if records.open:
        with records:
            components.show_original_and_protected(chosen, table)
    with st.expander(_("The same on the command line"), icon=":material/terminal:"):
        repeatable = chosen.repeatable_plan
        command = sections.command_line_text(repeatable, table, writing)
        command += ledger_panel.ledger_command_options(chosen is not asked)
        st.code(command, language="bash", wrap_lines=True)
        levels = _(text.COMMAND_LEVELS) if repeatable.hierarchies else ""
        st.caption(f"{_(text.COMMAND_SHOW)} {levels}".strip())
with right:
    if delivered is not None:
        downloads.show_downloads(
            chosen, table, delivered, writing, blocked, reason, judged
        )
        sections.show_file_checks(delivered)
    with st.expander(_("What an intruder can do"), icon=":material/person_search:"):
        sections.show_attack_verdicts_or_risks(chosen, table)
    with st.expander(ledger_panel.ledger_title(), icon=":material/history_edu:"):
        ledger_panel.show_ledger_with_download_and_upload(beside)
    with st.expander(_("Check a certificate"), icon=":material/verified:"):
        check_certificate.show_certificate_check(chosen)
    with st.expander(_("What was done"), icon=":material/checklist:"):
        components.show_steps_with_signs(column_checklist(chosen, table))
    with st.expander(_("Figures"), icon=":material/analytics:"):
        sections.show_release_key_numbers(chosen)
