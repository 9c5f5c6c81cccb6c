"""Written and checked release; that of a large table is made in the background."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

import streamlit as st

from dashboard.app_pages.release.delivery import CheckedRelease, make_checked_release
from dashboard.audit import events
from dashboard.audit.log import AuditError
from dashboard.i18n.language import _, current
from dashboard.i18n.markdown import escape_text
from dashboard.readers.readings import read_file_and_wait
from dashboard.readers.releases import make_outcome_input_writer
from dashboard.server import sign_in
from dashboard.state.caches.session_cache import HASH_BY_VALUES, cache_in_session
from dashboard.ui.runs import background
from engine.core.errors import EngineError
from engine.core.message import Message
from engine.data.table import Table
from engine.pipeline.outcome import Outcome
from engine.release.verify import WrittenRelease
from engine.release.writing import WritingOptions


def get_checked_release(
    outcome: Outcome, table: Table, writing_options: WritingOptions
) -> CheckedRelease | None:
    """Return the checked release, entered in any audit log; None while it is written.

    It is worked out once per session. Where it cannot be logged the page says so, and
    ends there.
    """

    def made() -> WrittenRelease | Message:
        whole = make_outcome_input_writer(outcome, table, asdict(writing_options))
        name = table.origin.name or _("table")
        answer: WrittenRelease | Message
        if (
            table.n_records * len(table.schema.columns)
            > background.MAX_SYNCHRONOUS_CELLS
        ):
            key_parts = (
                HASH_BY_VALUES[Outcome](outcome),
                HASH_BY_VALUES[Table](table),
                writing_options,
            )
            answer = background.take_result_or_start_and_raise(
                "release", key_parts, whole, name
            )
        else:
            with st.spinner(_stage_text()):
                answer = read_file_and_wait("release", whole, name)
        return answer

    try:
        return _deliver(outcome, table, writing_options, current(), made)
    except background.NotReadyError:
        return None
    except AuditError as error:
        st.error(escape_text(_(error.message)), icon=":material/block:")
        st.stop()
    except EngineError as error:  # next time it may be otherwise
        return CheckedRelease(None, escape_text(_(error.message)))


@cache_in_session(2)
def _deliver(
    outcome: Outcome,
    table: Table,
    writing: WritingOptions,
    language: str,
    _made: Callable[[], WrittenRelease | Message],
) -> CheckedRelease:
    checked_release = make_checked_release(_made(), outcome)
    events.log_event(
        "release",
        sign_in.signed_in_person_id(),
        table=table.fingerprint,
        plan=outcome.plan.digest(),
        k=checked_release.counted_k,
        checks={check.id: check.passed for check in checked_release.all_checks},
        sha256=events.sha256_hex(checked_release.content),
    )
    return checked_release


def show_writing_progress_and_rerun() -> None:
    """Show that the release is being written; rerun the page when it is ready."""
    background.show_elapsed_until_done("release", _stage_text())


def _stage_text() -> str:
    return _("Writing the release and checking k")
