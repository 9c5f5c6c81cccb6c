"""The figures of the release in a line."""

from __future__ import annotations

import streamlit as st

from dashboard.i18n import text
from dashboard.i18n.language import _
from dashboard.learn.glossary import help_of
from dashboard.results.facts import basis, facts
from engine.pipeline.outcome import Outcome


def release_figures(outcome: Outcome) -> None:
    """Show a result's figures in a line."""
    row = facts(outcome)
    low, high = min(row.sizes), max(row.sizes)
    nothing = _("no numbers")
    loss = f"{row.loss:.2f} %" if row.has_numbers else nothing
    bound = f"{row.bound:.2f} %" if row.has_numbers else nothing
    span = _("{low} to {high}").format(low=low, high=high)
    shown = (
        (_("Records"), f"{row.n_records:,}", help_of("record")),
        (_("Groups"), f"{row.n_groups:,}", help_of("group")),
        (
            _("Group size"),
            f"{low}" if low == high else span,
            help_of("group-size"),
        ),
        (_("Information loss"), loss, help_of("information-loss")),
        (_("Lower bound"), bound, help_of("lower-bound"))
        if row.drawn is None
        else (
            _("Below {k}").format(k=row.k),
            f"{100 * row.drawn.share_below:.1f} %",
            help_of("below-k"),
        ),
        (
            _("Certainty penalty"),
            f"{row.penalty:.2f} %",
            help_of("certainty-penalty"),
        ),
    )
    for column, (label, value, help_) in zip(st.columns(6), shown, strict=True):
        column.metric(label, value, help=help_, border=True)
    measured_on = (
        _("Information loss is measured {basis}.").format(basis=basis(outcome))
        if row.has_numbers
        else _(text.NO_NUMBERS)
    )
    st.caption(f"{_(text.LOWER)} {measured_on}")
