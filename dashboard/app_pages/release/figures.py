"""The figures of the release, with the digits that mean something."""

from __future__ import annotations

import streamlit as st

from dashboard.i18n import text
from dashboard.i18n.language import _
from dashboard.learn.glossary import help_of
from dashboard.results.digits import shown
from dashboard.results.facts import basis, facts
from engine.pipeline.outcome import Outcome


def release_figures(outcome: Outcome) -> None:
    """Show a result's figures, one a line."""
    row = facts(outcome)
    low, high = min(row.sizes), max(row.sizes)
    span = _("{low} to {high}").format(low=low, high=high)
    lines = (
        (_("Records"), f"{row.n_records:,}", help_of("record")),
        (_("Groups"), f"{row.n_groups:,}", help_of("group")),
        (_("Group size"), f"{low}" if low == high else span, help_of("group-size")),
        (_("Information loss"), f"{shown(row.loss)} %", help_of("information-loss")),
        (_("Lower bound"), f"{shown(row.bound)} %", help_of("lower-bound"))
        if row.drawn is None
        else (
            _("Below {k}").format(k=row.k),
            f"{100 * row.drawn.share_below:.1f} %",
            help_of("below-k"),
        ),
        (
            _("Certainty penalty"),
            f"{shown(row.penalty)} %",
            help_of("certainty-penalty"),
        ),
    )
    for label, value, help_ in lines:
        st.markdown(f"{label}: **{value}**", help=help_)
    measured_on = _("Information loss is measured {basis}.").format(
        basis=basis(outcome)
    )
    st.caption(f"{_(text.LOWER)} {measured_on}")
