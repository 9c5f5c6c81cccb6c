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
from dashboard.i18n.language import _
from dashboard.state import session
from dashboard.ui.browser_components import check_certificate, components
from dashboard.ui.runs import run_panel, selection
from dashboard.ui.table import undecided_columns
from dashboard.ui.verdict import cached_verdict, verdict_and_lines_awaiting_attacks

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
        judged, waiting = verdict_and_lines_awaiting_attacks(
            chosen, table, writing.shuffle
        )
        verdict_place, status_place = st.empty(), st.container()
        with verdict_place.container():
            verdict_box.show_lines_known_without_attacks(judged, waiting)
        ledger_panel.offer_regrouping(asked, table, beside)
        override_place = st.container()
    survival_table.show_survival_table(chosen)
    sections.show_records_when_open(chosen, table)
    with st.expander(_("The same on the command line"), icon=":material/terminal:"):
        is_regrouped = chosen is not asked
        sections.show_command_line(chosen, table, writing, is_regrouped)
with right:
    downloads_place = st.container()
    if delivered is not None:
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
if delivered is not None:  # which may wait for attacks, as nothing above does
    judged = cached_verdict(chosen, table, writing.shuffle) if waiting else judged
    with verdict_place.container():
        verdict_box.show_verdict_box(judged, chosen, table)
    with status_place:
        release_status.show_release_status(chosen, table, delivered, judged)
    blocked, reason = bool(delivered.wrong) or judged.colour == "red", ""
    if blocked:
        with override_place:
            reason = sections.ask_override_reason(chosen, delivered, judged)
    with downloads_place:
        downloads.show_downloads(
            chosen, table, delivered, writing, blocked, reason, judged
        )
