"""Records to release: a condition, and how many records it is true of."""

from __future__ import annotations

import streamlit as st

from dashboard.i18n.language import _, n_
from dashboard.i18n.markdown import plain
from dashboard.state import session
from dashboard.state.chosen_records import how_many
from dashboard.state.shared_choices import DECLARED
from engine.core.errors import EngineError
from engine.data.table import Table


def choose_records(table: Table) -> None:
    """Show the condition, and what it comes to in this table."""
    declared = DECLARED["only"]
    st.text_input(
        _("Release only the records of which this is true"),
        placeholder=_("region = north and age >= 18"),
        help=_(declared.help),
        **session.bound("only", show=lambda text: text or "", read=_condition),
    )
    only = session.workspace().choices.only
    try:
        count = how_many(table, only)
    except EngineError as error:
        st.error(plain(_(error.message)), icon=":material/error:")
        return
    words = n_("{count} of {all} records.", "{count} of {all} records.", count)
    st.caption(words.format(count=f"{count:,}", all=f"{table.n_records:,}"))


def _condition(text: str | None) -> str | None:
    return (text or "").strip() or None
