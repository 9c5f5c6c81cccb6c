"""The file as written: made once per session, where the file brought is read too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

import streamlit as st

from dashboard.app_pages.release.delivery import Delivery, delivery_of
from dashboard.i18n.language import _, current
from dashboard.i18n.markdown import plain
from dashboard.readers.readings import read_now
from dashboard.readers.releases import given
from dashboard.server import audit
from dashboard.state.session_cache import BY_VALUES, per_session
from dashboard.ui import meanwhile
from engine.core.errors import EngineError
from engine.core.message import Message
from engine.data.table import Table
from engine.pipeline.outcome import Outcome
from engine.release.verify import Written
from engine.release.writing import Writing


def deliver(outcome: Outcome, table: Table, writing: Writing) -> Delivery | None:
    """Return a release as it leaves; None while it is being written.

    It is worked out once per session.
    """

    def made() -> Written | Message:
        whole = given(outcome, table, asdict(writing))
        name = table.origin.name or _("table")
        found: Written | Message
        if table.n_records * len(table.schema.columns) > meanwhile.AT_ONCE:
            asked = BY_VALUES[Outcome](outcome), BY_VALUES[Table](table), writing
            found = meanwhile.made_meanwhile("release", asked, whole, name)
        else:
            with st.spinner(_stage()):
                found = read_now("release", whole, name)
        return found

    try:
        return _deliver(outcome, table, writing, current(), made)
    except meanwhile.NotThereYetError:
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


def follow() -> None:
    """Say that the release is being written, and show it when it has been."""
    meanwhile.follow("release", _stage())


def _stage() -> str:
    return _("Writing the release and checking k")
