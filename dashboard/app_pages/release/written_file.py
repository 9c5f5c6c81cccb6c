"""The file as written: made once per session, and whether it has its k."""

from __future__ import annotations

import streamlit as st

from dashboard.app_pages.release.delivery import Delivery, written
from dashboard.i18n.language import _, current
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
    return written(outcome, table, writing)


def verdict(outcome: Outcome, delivered: Delivery) -> None:
    """Say whether the file may leave, and what it promises."""
    drawn = outcome.probabilistic
    if delivered.wrong:
        words = _("**Not for release.** {reason}").format(reason=delivered.wrong)
        st.error(words, icon=":material/block:")
    elif drawn is not None:
        words = _("**{kind}.** {warning} Release it only if that is enough.").format(
            kind=_(drawn.words).capitalize(), warning=_(drawn.warning)
        )
        st.warning(words, icon=":material/casino:")
    else:
        words = _(
            "**k = {k} verified on the file as written.** It was read back: every "
            "combination of quasi-identifiers occurs at least {count} times."
        ).format(k=outcome.plan.k, count=delivered.k)
        st.success(words, icon=":material/verified_user:")
