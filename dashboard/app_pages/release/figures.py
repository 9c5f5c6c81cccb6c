"""Figures of the release, with significant digits."""

from __future__ import annotations

import streamlit as st

from dashboard.i18n import text
from dashboard.i18n.language import _
from dashboard.learn.glossary import glossary_tooltip
from dashboard.results.digits import format_short
from dashboard.results.figures import loss_basis, result_figures
from engine.pipeline.outcome import Outcome


def show_release_key_numbers(outcome: Outcome) -> None:
    """Show a result's key numbers, one a line, with significant digits."""
    row = result_figures(outcome)
    low, high = min(row.sizes), max(row.sizes)
    span = _("{low} to {high}").format(low=low, high=high)
    lines = (
        (_("Records"), f"{row.n_records:,}", glossary_tooltip("record")),
        (_("Groups"), f"{row.n_groups:,}", glossary_tooltip("group")),
        (
            _("Group size"),
            f"{low}" if low == high else span,
            glossary_tooltip("group-size"),
        ),
        (
            _("Information loss"),
            f"{format_short(row.loss)} %",
            glossary_tooltip("information-loss"),
        ),
        (
            _("Lower bound"),
            f"{format_short(row.bound)} %",
            glossary_tooltip("lower-bound"),
        )
        if row.drawn is None
        else (
            _("Below {k}").format(k=row.k),
            f"{100 * row.drawn.share_below:.1f} %",
            glossary_tooltip("below-k"),
        ),
        (
            _("Certainty penalty"),
            f"{format_short(row.penalty)} %",
            glossary_tooltip("certainty-penalty"),
        ),
    )
    for label, value, help_ in lines:
        st.markdown(f"{label}: **{value}**", help=help_)
    measured_on = _("Information loss is measured {basis}.").format(
        basis=loss_basis(outcome)
    )
    st.caption(f"{_(text.LOWER)} {measured_on}")
