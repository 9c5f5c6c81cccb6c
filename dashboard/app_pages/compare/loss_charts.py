"""Charts of what the results lose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from dashboard.app_pages.compare.tables import loss_table, penalty_table
from dashboard.charts.inputs import Facts
from dashboard.charts.loss import loss_bars, loss_lines, penalty_bars
from dashboard.charts.theme import Style
from dashboard.i18n import text, text_compare
from dashboard.i18n.language import _
from dashboard.learn.glossary import caption_of
from dashboard.ui import components, selection


def show(rows: Sequence[Facts], styles: Mapping[str, Style], note: str) -> None:
    """Show information loss where there are numbers, and NCP where it says more.

    Parameters
    ----------
    rows : sequence of Facts
    styles : mapping of str to Style
        By method.
    note : str
        How losses are to be read.
    """
    if all(row.has_numbers for row in rows):
        wide, narrow = st.columns(2)
        with wide:
            components.chart(
                "information-loss",
                _("Information loss"),
                f"{_(text.BARS_SHOW)} {note} {_(text_compare.CLICK_SHOW)}",
                lambda: loss_bars(rows, styles),
                lambda: loss_table(rows),
                _("Bars of information loss per method and k, with the lower bound"),
                pick=selection.pick,
            )
        with narrow:
            components.chart(
                "loss-against-k",
                _("Information loss against k"),
                f"{_(text.LINES_SHOW)} {note}",
                lambda: loss_lines(rows, styles),
                lambda: loss_table(rows),
                _("Lines of information loss against k, with the lower bound"),
                pick=selection.pick,
            )
    if any(row.generalised for row in rows):
        components.chart(
            "certainty-penalty",
            _("Certainty penalty"),
            caption_of("certainty-penalty"),
            lambda: penalty_bars(rows, styles),
            lambda: penalty_table(rows),
            _("Bars of the certainty penalty per method and k"),
            pick=selection.pick,
        )
