"""Choice of the suppression budget for outliers."""

from __future__ import annotations

import streamlit as st

from dashboard.app_pages.compare.rail.declared import show_choice
from dashboard.i18n import text_attacks
from dashboard.i18n.language import _, n_
from dashboard.state import session
from engine.data.kinds import Kind
from engine.data.table import Table
from engine.pipeline.suppress import resolve_budget

MAX_BUDGET_PERCENT = 50.0
"""Per cent of the records, at most."""


def show_outlier_budget(table: Table) -> None:
    """Show which share of the records may be left out."""
    n = max(1, table.n_records)

    def in_per_cent(budget: float) -> float:
        share = budget if budget < 1.0 else budget / n
        return min(MAX_BUDGET_PERCENT, round(100.0 * share, 4))

    st.number_input(
        _("Records left out, in % at most"),
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
    if any(
        table.schema[name].kind is Kind.NOMINAL
        for name in table.schema.quasi_identifiers
    ):
        show_choice("suppress_cells")
    count = resolve_budget(session.workspace().shared_plan.suppress, n)
    words = n_("{count} of {all} records.", "{count} of {all} records.", count)
    here = words.format(count=f"{count:,}", all=f"{n:,}")
    st.caption(f"{here} {_(text_attacks.OUTLIERS_SHOW)}")


def budget_text(budget: float) -> str:
    """Return what a budget is, for the line that folds it."""
    if budget == 0.0:
        return _("none")
    if budget < 1.0:
        return f"{100.0 * budget:g} %"
    words = n_("{count} record", "{count} records", int(budget))
    return words.format(count=f"{int(budget):,}")
