"""Ledger: every release of these records, so that the next one opens none of them."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from dashboard.app_pages.release.delivery import Delivery
from dashboard.i18n import text_attacks
from dashboard.i18n.language import _, n_
from dashboard.i18n.markdown import plain
from dashboard.jobs import jobs
from dashboard.jobs.assessment import Assessment
from dashboard.readers.readings import read_now
from dashboard.readers.releases import given
from dashboard.state import session
from dashboard.state.memo import key_of
from dashboard.state.session_cache import per_session
from dashboard.ui import run_panel
from engine.analysis.ledger import OPENS_NOTHING, Check, Ledger, Way
from engine.analysis.ledger_entry import Entry
from engine.core.errors import EngineError
from engine.core.message import Message
from engine.data.table import Table
from engine.methods import methods
from engine.pipeline.outcome import Outcome
from engine.release import checks
from engine.report.script import LEDGER

MOST_SHOWN = 20
"""Releases that are listed, the latest ones."""

WAYS: dict[Way, tuple[str, str]] = {
    "same": (text_attacks.SAME_GROUPS, text_attacks.SAME_GROUPS_HELP),
    "coarsen": (text_attacks.COARSER_GROUPS, text_attacks.COARSER_GROUPS_HELP),
}


def regrouped(outcome: Outcome, table: Table) -> Outcome | None:
    """Return the same run with groups of an earlier release, where that was chosen."""
    ws = session.workspace()
    return ws.regrouped.get((key_of(table, outcome.plan), ws.regroup))


def way_of(outcome: Outcome) -> str:
    """Return how a result's groups were taken from the ledger; empty if not."""
    made = session.workspace().regrouped
    return next((way for (_key, way), one in made.items() if one is outcome), "")


def checked(
    outcome: Outcome, table: Table, delivered: Delivery
) -> tuple[Delivery, Check | None]:
    """Return a delivery, which must not leave where it would open records.

    With it goes what it would open beside earlier ones; None for the first.
    """
    ledger = session.workspace().ledger
    if ledger is None or not ledger.entries or not delivered.content:
        return delivered, None
    try:
        found = _found(ledger, outcome, table)
    except EngineError as error:  # what nobody has checked does not leave either
        return _looked_at(delivered, False, error.message), None
    return _looked_at(delivered, not found.opened.size, found.sentence), found


def _looked_at(delivered: Delivery, passed: bool, found: Message) -> Delivery:
    """Return a delivery with one check more, which it must pass to leave."""
    check = checks.Check("ledger", OPENS_NOTHING, passed, found)
    wrong = delivered.wrong or ("" if passed else plain(_(found)))
    return replace(delivered, wrong=wrong, beside=(*delivered.beside, check))


def _found(ledger: Ledger, outcome: Outcome, table: Table) -> Check:
    with st.spinner(_("Checking the ledger")):
        digests = tuple(one.digest for one in ledger.entries)
        return _check(ledger, outcome, table, (ledger.key, *digests))


def _entry(ledger: Ledger, outcome: Outcome, table: Table, content: bytes) -> Entry:
    name = table.origin.name or _("table")
    return ledger.entry(outcome, table, f"{name}, k = {outcome.plan.k}", content)


@per_session(4)
def _check(
    _ledger: Ledger, outcome: Outcome, table: Table, digests: tuple[str, ...]
) -> Check:
    asked = given(outcome, table, content=_ledger.to_bytes())
    found = read_now("ledger-check", asked, LEDGER)
    assert isinstance(found, Check)
    return found


def enter(outcome: Outcome, table: Table, content: bytes) -> None:
    """Enter a release that leaves, unless the same file is entered already."""
    ledger = session.workspace().ledger or Ledger.new()
    entry = _entry(ledger, outcome, table, content)
    if not ledger.has(entry):
        session.update(ledger=ledger.with_entry(entry))


def offer(outcome: Outcome, table: Table, found: Check | None) -> None:
    """Show what can be released instead of what would open records."""
    if regrouped(outcome, table) is not None:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(
                _(text_attacks.REGROUPED[session.workspace().regroup]), width="stretch"
            )
            if st.button(_("Take the method's groups"), key=session.key("ungroup")):
                session.update(regroup="")
                st.rerun()
    view = jobs.view(session.workspace().job)
    asked = None if view is None else view.asked
    if view is not None and isinstance(asked, Assessment) and asked.regroup:
        if view.running:
            run_panel.follow()
            return
        run_panel.show_end(view)
    if found is None or found.opened.size == 0:
        return
    traits = methods.info(outcome.plan.method).traits
    if outcome.plan.blocks or traits.per_attribute or traits.probabilistic:
        st.caption(_(text_attacks.NO_REGROUPING))
        return
    st.caption(_(text_attacks.INSTEAD))
    with st.container(horizontal=True, vertical_alignment="center"):
        for way, (label, help_) in WAYS.items():
            if st.button(
                _(label),
                help=_(help_),
                icon=":material/join:",
                key=session.key("regroup", way),
                disabled=view is not None and view.busy,
            ):
                _regroup(outcome, table, way)


def _regroup(outcome: Outcome, table: Table, way: Way) -> None:
    ledger = session.workspace().ledger
    assert ledger is not None
    asked = Assessment(regroup=way, ledger=ledger.to_bytes().decode())
    session.update(job=jobs.measure(table, [outcome], asked), regroup=way)
    st.rerun()


def words_of_command(regroups: bool) -> str:
    """Return what the command line says of the ledger, where there is one."""
    ledger = session.workspace().ledger
    if ledger is None or not ledger.entries:
        return ""
    words = f" --ledger {LEDGER}"
    return f"{words} --regroup {session.workspace().regroup}" if regroups else words


def title() -> str:
    """Return what the fold of the ledger says."""
    ledger = session.workspace().ledger
    count = 0 if ledger is None else len(ledger.entries)
    if count == 0:
        return _("Ledger: first release")
    words = n_("Ledger: {count} release", "Ledger: {count} releases", count)
    return words.format(count=count)


def panel(found: Check | None) -> None:
    """Show the ledger: what it has, and the file to be kept and brought back."""
    ledger = session.workspace().ledger or Ledger.new()
    st.caption(_(text_attacks.LEDGER_SHOW))
    if found is not None and found.opened.size == 0 and found.n_releases:
        st.markdown(f":green[:material/check_circle:] {plain(_(found.sentence))}")
    for one in ledger.entries[-MOST_SHOWN:]:
        count = n_("{count} record", "{count} records", len(one.records))
        records = count.format(count=f"{len(one.records):,}")
        st.markdown(f"- {plain(one.name)}: {records}")
    if ledger.entries:
        st.download_button(
            _("Download the ledger"),
            ledger.to_bytes,
            file_name=LEDGER,
            mime="application/json",
            icon=":material/download:",
            on_click="ignore",
            key=session.key("download", "ledger"),
            width="stretch",
        )
    key = session.key("ledger", len(ledger.entries))
    st.file_uploader(
        _("Continue a ledger"),
        help=_(text_attacks.LEDGER_HELP),
        key=key,
        on_change=_bring,
        args=(key,),
    )
    wrong = st.session_state.pop(session.key("ledger", "wrong"), "")
    if wrong:
        st.error(wrong, icon=":material/error:")


def _bring(key: str) -> None:
    """Take over a ledger; releases of this session are entered in it as well."""
    file = st.session_state[key]
    if file is None:
        return
    try:
        found = read_now("ledger", file.getvalue(), file.name)
        session.update(ledger=found.joined(session.workspace().ledger))
    except EngineError as error:
        st.session_state[session.key("ledger", "wrong")] = plain(_(error.message))
