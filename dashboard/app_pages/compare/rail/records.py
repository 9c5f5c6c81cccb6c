"""Inputs for which records are released: a condition, and a budget for suppression."""

from __future__ import annotations

import streamlit as st

from dashboard.app_pages.compare.rail.field_widgets import show_shared_choice_widget
from dashboard.i18n import text_attacks
from dashboard.i18n.language import _, n_
from dashboard.i18n.markdown import escape_text
from dashboard.state import session
from dashboard.state.new_tables.matching_records import count_matching_records
from dashboard.state.shared_choices import SHARED_CHOICES
from dashboard.state.workspace import counted_person_columns
from engine.core.errors import EngineError
from engine.data.kinds import Kind
from engine.data.persons import code_persons, count_persons
from engine.data.table import Table
from engine.pipeline.grouping.suppress import budget_as_count

MAX_BUDGET_PERCENT = 50.0
"""Per cent of the records, at most."""


def show_record_condition(table: Table) -> None:
    """Show the input for a condition on records, and how many meet it, or an error."""
    st.text_input(
        _("Release only the records of which this is true"),
        placeholder=_("region = north and age >= 18"),
        help=_(SHARED_CHOICES["only"].help),
        **session.bind_widget(
            "only",
            to_widget=lambda text: text or "",
            from_widget=lambda text: (text or "").strip() or None,
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


def show_suppression_budget_inputs(table: Table) -> None:
    """Show inputs for a budget of suppressed records or persons, and what it counts."""
    n = max(1, table.n_records)
    ws = session.workspace()
    columns = counted_person_columns(ws)
    by_person = bool(columns) and ws.shared_plan.suppress_by == "person"
    if by_person:
        n = max(1, count_persons(code_persons(table.frame, columns)))

    def in_per_cent(budget: float) -> float:
        share = budget if budget < 1.0 else budget / n
        return min(MAX_BUDGET_PERCENT, round(100.0 * share, 4))

    st.number_input(
        _("People left out, in % at most")
        if by_person
        else _("Records left out, in % at most"),
        0.0,
        MAX_BUDGET_PERCENT,
        step=0.5,
        format="%g",
        help=_(text_attacks.OUTLIERS_SHOW),
        **session.bind_widget(
            "suppress",
            to_widget=in_per_cent,
            from_widget=lambda share: (share or 0.0) / 100.0,
        ),
    )
    if columns or ws.shared_plan.suppress_by == "person":
        show_shared_choice_widget("suppress_by")
    if not by_person and any(
        table.schema[name].kind is Kind.NOMINAL
        for name in table.schema.quasi_identifiers
    ):
        show_shared_choice_widget("suppress_cells")
    count = budget_as_count(ws.shared_plan.suppress, n)
    words = n_("{count} of {all} records.", "{count} of {all} records.", count)
    if by_person:
        words = n_("{count} of {all} people.", "{count} of {all} people.", count)
    count_text = words.format(count=f"{count:,}", all=f"{n:,}")
    st.caption(f"{count_text} {_(text_attacks.OUTLIERS_SHOW)}")


def budget_text(budget: float) -> str:
    """Return a suppression budget in words: none, a percentage or a record count."""
    if budget == 0.0:
        return _("none")
    if budget < 1.0:
        return f"{100.0 * budget:g} %"
    words = n_("{count} record", "{count} records", int(budget))
    return words.format(count=f"{int(budget):,}")
