"""The file as written: made once per session."""

from __future__ import annotations

import streamlit as st

from dashboard.app_pages.release.delivery import Delivery, written
from dashboard.i18n.language import _, current
from dashboard.server import audit
from dashboard.state.session_cache import per_session
from engine.data.table import Table
from engine.pipeline.outcome import Outcome
from engine.release.writing import Writing


def deliver(outcome: Outcome, table: Table, writing: Writing) -> Delivery:
    """Return a release as it leaves; worked out once per session."""
    with st.spinner(_("Writing the release and checking k")):
        return _deliver(outcome, table, writing, current())


@per_session(2)
def _deliver(
    outcome: Outcome, table: Table, writing: Writing, language: str
) -> Delivery:
    found = written(outcome, table, writing)
    audit.record(
        "release",
        table=table.fingerprint,
        plan=outcome.plan.digest(),
        k=found.k,
        checks={check.id: check.passed for check in found.checks},
        sha256=audit.digest(found.content),
    )
    return found
