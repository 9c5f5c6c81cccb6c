"""The file as written: made once per session, and whether it has its k."""

from __future__ import annotations

import streamlit as st

from dashboard.app_pages.release.delivery import Delivery, written
from dashboard.i18n.language import _, current
from engine.data.table import Table
from engine.pipeline.outcome import Outcome
from engine.release.writing import Writing


def deliver(outcome: Outcome, table: Table, writing: Writing) -> Delivery:
    """Return a release as it leaves; worked out once per session."""
    plan = outcome.plan.digest()
    with st.spinner(_("Writing the release and checking k")):
        return _deliver(table.fingerprint, plan, writing, current(), outcome, table)


# Resources are kept as they are: a release is not copied at each look at it. One
# cache per session, keyed by the digests of data and plan.
@st.cache_resource(scope="session", max_entries=2, show_spinner=False)
def _deliver(
    fingerprint: str,
    plan: str,
    writing: Writing,
    language: str,
    _outcome: Outcome,
    _table: Table,
) -> Delivery:
    return written(_outcome, _table, writing)


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
