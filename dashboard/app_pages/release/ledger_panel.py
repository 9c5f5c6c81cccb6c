"""Ledger panel: earlier releases of the same records, checks, and groups to reuse."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from dashboard.app_pages.release.delivery import CheckedRelease
from dashboard.i18n import text_attacks
from dashboard.i18n.language import _, n_
from dashboard.i18n.markdown import escape_text
from dashboard.jobs import jobs
from dashboard.jobs.assessment import AssessmentRequest
from dashboard.readers.readings import read_file_and_wait
from dashboard.readers.releases import make_outcome_input_writer
from dashboard.state import session
from dashboard.state.caches.memo import memo_key
from dashboard.state.caches.session_cache import cache_in_session
from dashboard.ui.runs import run_panel
from engine.analysis.releases.disclosure_check import LedgerDisclosureCheck
from engine.analysis.releases.ledger import (
    NO_EARLIER_GROUPS,
    OPENS_NOTHING_CHECK,
    Ledger,
    Regrouping,
)
from engine.core.errors import EngineError
from engine.core.message import Message
from engine.data.table import Table
from engine.methods import methods
from engine.pipeline.outcome import Outcome
from engine.release import checks
from engine.report.script import LEDGER_FILE

MAX_SHOWN_RELEASES = 20
"""Releases that are listed, the latest ones."""

REGROUPING_TEXTS: dict[Regrouping, tuple[str, str]] = {
    "same": (text_attacks.SAME_GROUPS, text_attacks.SAME_GROUPS_HELP),
    "coarsen": (text_attacks.COARSER_GROUPS, text_attacks.COARSER_GROUPS_HELP),
}


def find_regrouped_outcome(outcome: Outcome, table: Table) -> Outcome | None:
    """Return a result remade with earlier releases' groups as chosen, or None."""
    ws = session.workspace()
    return ws.regrouped.get((memo_key(table, outcome.plan), ws.regroup))


def regrouping_kind(outcome: Outcome) -> str:
    """Return how a result reuses groups of the ledger, "same" or "coarsen", or ""."""
    results = session.workspace().regrouped
    return next((way for (_key, way), other in results.items() if other is outcome), "")


def release_and_ledger_check(
    outcome: Outcome, table: Table, checked_release: CheckedRelease
) -> tuple[CheckedRelease, LedgerDisclosureCheck | None]:
    """Return the release with any ledger check added, and its findings or None.

    None for a first release, and where it cannot be written or nothing can be checked.
    """
    ledger = session.workspace().ledger
    if ledger is None or not ledger.entries or not checked_release.content:
        return checked_release, None
    try:
        with st.spinner(_("Checking the ledger")):
            digests = tuple(entry.digest for entry in ledger.entries)
            check = _check(ledger, outcome, table, (ledger.key, *digests))
    except EngineError as error:  # what nobody has checked does not leave either
        return _add_check(checked_release, False, error.message), None
    return _add_check(checked_release, not check.n_opened, check.to_message), check


def _add_check(
    delivered: CheckedRelease, passed: bool, finding: Message
) -> CheckedRelease:
    """Return a delivery with one check more, which it must pass to leave."""
    check = checks.ReleaseCheck("ledger", OPENS_NOTHING_CHECK, passed, finding)
    wrong = delivered.wrong or ("" if passed else escape_text(_(finding)))
    return replace(delivered, wrong=wrong, beside=(*delivered.beside, check))


@cache_in_session(4)
def _check(
    _ledger: Ledger, outcome: Outcome, table: Table, digests: tuple[str, ...]
) -> LedgerDisclosureCheck:
    input_writer = make_outcome_input_writer(outcome, table, content=_ledger.to_bytes())
    check = read_file_and_wait("ledger-check", input_writer, LEDGER_FILE)
    assert isinstance(check, LedgerDisclosureCheck)
    return check


def add_to_workspace_ledger(
    outcome: Outcome, table: Table, release_bytes: bytes
) -> None:
    """Add a release to the workspace's ledger, unless it already has the same file."""
    ledger = session.workspace().ledger or Ledger.new()
    name = table.origin.name or _("table")
    title = f"{name}, k = {outcome.plan.k}"
    entry = ledger.entry_for(outcome, table, title, release_bytes)
    if not ledger.has_entry(entry):
        session.update_workspace(ledger=ledger.with_entry(entry))


def offer_regrouping(
    outcome: Outcome, table: Table, ledger_check: LedgerDisclosureCheck | None
) -> None:
    """Offer groups of earlier releases, if the result's groups would open records."""
    if find_regrouped_outcome(outcome, table) is not None:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(
                _(text_attacks.REGROUPED[session.workspace().regroup]), width="stretch"
            )
            if st.button(
                _("Take the method's groups"), key=session.widget_key("ungroup")
            ):
                session.update_workspace(regroup="")
                st.rerun()
    view = jobs.view_job(session.workspace().job)
    request = None if view is None else view.asked
    if view is not None and isinstance(request, AssessmentRequest) and request.regroup:
        if view.is_running:
            run_panel.show_run_progress()
            return
        run_panel.show_run_end(view)
    if ledger_check is None or ledger_check.n_opened == 0 or ledger_check.n_differing:
        return
    traits = methods.info(outcome.plan.method).traits
    if outcome.plan.blocks or traits.per_attribute or traits.probabilistic:
        st.caption(_(text_attacks.NO_REGROUPING))
        return
    if not ledger_check.has_earlier_groups:
        st.caption(_(NO_EARLIER_GROUPS))
        return
    st.caption(_("What can leave instead, and opens no record:"))
    with st.container(horizontal=True, vertical_alignment="center"):
        for way, (label, help_) in REGROUPING_TEXTS.items():
            if st.button(
                _(label),
                help=_(help_),
                icon=":material/join:",
                key=session.widget_key("regroup", way),
                disabled=view is not None and view.is_busy,
            ):
                _regroup_result(outcome, table, way)


def _regroup_result(outcome: Outcome, table: Table, way: Regrouping) -> None:
    ledger = session.workspace().ledger
    assert ledger is not None
    request = AssessmentRequest(regroup=way, ledger=ledger.to_bytes().decode())
    session.update_workspace(
        job=jobs.start_assessment(table, [outcome], request), regroup=way
    )
    st.rerun()


def ledger_command_options(with_regrouping: bool) -> str:
    """Return the command line's ledger options; empty if the ledger has no release."""
    ledger = session.workspace().ledger
    if ledger is None or not ledger.entries:
        return ""
    words = f" --ledger {LEDGER_FILE}"
    return (
        f"{words} --regroup {session.workspace().regroup}" if with_regrouping else words
    )


def ledger_title() -> str:
    """Return the title of the ledger's panel, with its number of releases if any."""
    ledger = session.workspace().ledger
    count = 0 if ledger is None else len(ledger.entries)
    if count == 0:
        return _("Ledger: first release")
    words = n_("Ledger: {count} release", "Ledger: {count} releases", count)
    return words.format(count=count)


def show_ledger_with_download_and_upload(
    ledger_check: LedgerDisclosureCheck | None,
) -> None:
    """Show the ledger's latest releases, its download, an uploader to continue one."""
    ledger = session.workspace().ledger or Ledger.new()
    st.caption(_(text_attacks.LEDGER_SHOW))
    if (
        ledger_check is not None
        and ledger_check.n_opened == 0
        and ledger_check.n_releases
    ):
        st.markdown(
            f":green[:material/check_circle:] {escape_text(_(ledger_check.to_message))}"
        )
    for entry in ledger.entries[-MAX_SHOWN_RELEASES:]:
        count = n_("{count} record", "{count} records", len(entry.records))
        records = count.format(count=f"{len(entry.records):,}")
        st.markdown(f"- {escape_text(entry.name)}: {records}")
    if ledger.entries:
        st.download_button(
            _("Download the ledger"),
            ledger.to_bytes,
            file_name=LEDGER_FILE,
            mime="application/json",
            icon=":material/download:",
            on_click="ignore",
            key=session.widget_key("download", "ledger"),
            width="stretch",
        )
    key = session.widget_key("ledger", len(ledger.entries))
    st.file_uploader(
        _("Continue a ledger"),
        help=_(
            "A file .coterie-ledger of an earlier session, or of the command line. It "
            "holds groups and hashes, no values. Open it before you release."
        ),
        key=key,
        on_change=_merge_uploaded,
        args=(key,),
    )
    wrong = st.session_state.pop(session.widget_key("ledger", "wrong"), "")
    if wrong:
        st.error(wrong, icon=":material/error:")


def _merge_uploaded(key: str) -> None:
    """Take over a ledger; releases of this session are entered in it as well."""
    file = st.session_state[key]
    if file is None:
        return
    try:
        ledger = read_file_and_wait("ledger", file.getvalue(), file.name)
        session.update_workspace(ledger=ledger.merge_with(session.workspace().ledger))
    except EngineError as error:
        st.session_state[session.widget_key("ledger", "wrong")] = escape_text(
            _(error.message)
        )
