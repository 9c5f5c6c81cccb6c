"""The file as written: made once per session, where the file brought is read too."""

from __future__ import annotations

from dataclasses import asdict

import streamlit as st

from dashboard.app_pages.release.delivery import Delivery, delivery_of
from dashboard.i18n.language import _, current
from dashboard.i18n.markdown import plain
from dashboard.readers.readings import read_now
from dashboard.readers.releases import given
from dashboard.server import audit
from dashboard.state.session_cache import per_session
from engine.core.errors import EngineError
from engine.data.table import Table
from engine.pipeline.outcome import Outcome
from engine.release.writing import Writing


def deliver(outcome: Outcome, table: Table, writing: Writing) -> Delivery:
    """Return a release as it leaves; worked out once per session."""
    with st.spinner(_("Writing the release and checking k")):
        try:
            return _deliver(outcome, table, writing, current())
        except EngineError as error:  # next time it may be otherwise
            return Delivery(None, plain(_(error.message)))


@per_session(2)
def _deliver(
    outcome: Outcome, table: Table, writing: Writing, language: str
) -> Delivery:
    asked = given(outcome, table, asdict(writing))
    made = read_now("release", asked, table.origin.name or _("table"))
    found = delivery_of(made, outcome)
    audit.record(
        "release",
        table=table.fingerprint,
        plan=outcome.plan.digest(),
        k=found.k,
        checks={check.id: check.passed for check in found.checks},
        sha256=audit.digest(found.content),
    )
    return found
