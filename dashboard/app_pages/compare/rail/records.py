"""Record condition, with the number of records that meet it."""

from __future__ import annotations

import streamlit as st

from dashboard.i18n.language import _, n_
from dashboard.i18n.markdown import escape_text
from dashboard.state import session
from dashboard.state.new_tables.matching_records import count_matching_records
from dashboard.state.shared_choices import SHARED_CHOICES
from engine.core.errors import EngineError
from engine.data.table import Table


def show_record_condition(table: Table) -> None:
    """Show the input for the condition of records, and how many records meet it."""
    declared = SHARED_CHOICES["only"]
    st.text_input(
        _("Release only the records of which this is true"),
        placeholder=_("region = north and age >= 18"),
        help=_(declared.help),
        **session.bind_widget(
            "only", to_widget=lambda text: text or "", from_widget=_checked_condition
        ),
    )
    only = session.workspace().shared_plan.only
    try:
        count = count_matching_records(table, only)
    except EngineError as error:
        st.error(escape_text(_(error.message)), icon=":material/error:")
        return
    words = n_("{count} of {all} records.", "{count} of {all} records.", count)
    st.caption(words.format(count=f"{count:,}", all=f"{table.n_records:,}"))


def _checked_condition(text: str | None) -> str | None:
    return (text or "").strip() or None
