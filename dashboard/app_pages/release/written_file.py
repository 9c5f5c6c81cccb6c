"""The file as written: made once per session, where the file brought is read too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

import streamlit as st

from dashboard.app_pages.release.delivery import Delivery, delivery_of
from dashboard.i18n.language import _, current
from dashboard.i18n.markdown import plain
from dashboard.readers.readings import Reading, read_now, readings
from dashboard.readers.releases import given
from dashboard.server import audit
from dashboard.state import session
from dashboard.state.session_cache import BY_VALUES, per_session
from engine.core.errors import EngineError
from engine.core.message import Message
from engine.data.table import Table
from engine.pipeline.outcome import Outcome
from engine.release.verify import Written
from engine.release.writing import Writing

AT_ONCE = 500_000
"""Cells of a table up to which the page waits for its release: about a second."""

_BEGUN = session.key("release", "begun")


class _BeingWrittenError(Exception):
    """A release is not there yet."""


def deliver(outcome: Outcome, table: Table, writing: Writing) -> Delivery | None:
    """Return a release as it leaves; None while it is being written.

    It is worked out once per session.
    """

    def made() -> Written | Message:
        if table.n_records * len(table.schema.columns) > AT_ONCE:
            return _made_meanwhile(outcome, table, writing)
        asked, name = given(outcome, table, asdict(writing)), _name(table)
        with st.spinner(_("Writing the release and checking k")):
            found: Written | Message = read_now("release", asked, name)
        return found

    try:
        return _deliver(outcome, table, writing, current(), made)
    except _BeingWrittenError:
        return None
    except EngineError as error:  # next time it may be otherwise
        return Delivery(None, plain(_(error.message)))


@per_session(2)
def _deliver(
    outcome: Outcome,
    table: Table,
    writing: Writing,
    language: str,
    _made: Callable[[], Written | Message],
) -> Delivery:
    found = delivery_of(_made(), outcome)
    audit.record(
        "release",
        table=table.fingerprint,
        plan=outcome.plan.digest(),
        k=found.k,
        checks={check.id: check.passed for check in found.checks},
        sha256=audit.digest(found.content),
    )
    return found


def _name(table: Table) -> str:
    return table.origin.name or _("table")


def _made_meanwhile(
    outcome: Outcome, table: Table, writing: Writing
) -> Written | Message:
    """Return a release that was written while the page was shown, or begin to write it.

    Raises
    ------
    _BeingWrittenError
        If it is not there yet.
    EngineError
        If nothing came of it.
    """
    asked = BY_VALUES[Outcome](outcome), BY_VALUES[Table](table), writing
    begun, identifier = st.session_state.get(_BEGUN, (None, ""))
    found = readings().find(identifier) if begun == asked else None
    if found is None:
        whole = given(outcome, table, asdict(writing))
        begun = readings().start("release", whole, _name(table))
        st.session_state[_BEGUN] = asked, begun
        raise _BeingWrittenError
    if not found.wait(0.0):
        raise _BeingWrittenError
    readings().find(identifier)  # fetches it
    readings().cancel(identifier)
    del st.session_state[_BEGUN]
    if found.state != "done":
        raise EngineError(found.message)
    result: Written | Message = found.result
    return result


@st.fragment(run_every=0.5)
def follow() -> None:
    """Say that the release is being written, and show it when it has been."""
    found = _begun()
    if found is None or found.wait(0.0):
        st.rerun()
        return
    words = _("{stage}, {seconds} seconds so far").format(
        stage=_("Writing the release and checking k"), seconds=int(found.seconds)
    )
    st.info(words, icon=":material/hourglass_top:")


def _begun() -> Reading | None:
    """Return the release that this tab waits for."""
    return readings().find(st.session_state.get(_BEGUN, (None, ""))[1])
