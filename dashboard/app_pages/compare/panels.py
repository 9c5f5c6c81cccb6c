"""The charts of a comparison: those of the first view, and those below it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from dashboard.app_pages.compare import group_charts, loss_charts, risk_map
from dashboard.charts.inputs import Facts
from dashboard.charts.theme import Style
from dashboard.state import session
from dashboard.ui import run_panel
from engine.data.table import Table
from engine.pipeline.outcome import Outcome


def first_view(
    rows: Sequence[Facts],
    outcomes: Sequence[Outcome],
    table: Table,
    styles: Mapping[str, Style],
    ringed: str,
) -> None:
    """Show loss and risk, and sizes and groups at the k that is looked at.

    Parameters
    ----------
    rows : sequence of Facts
        Results that are drawn.
    outcomes : sequence of Outcome
        The same.
    table : Table
    styles : mapping of str to Style
        By method.
    ringed : str
        Key of the recommended result.
    """
    ws = session.workspace()
    k = ws.looked_at
    others = () if run_panel.unfinished(ws) else tuple({*ws.sizes} - {k})
    left, right = st.columns(2, gap="small")
    with left:
        loss_charts.dots(rows, styles, k, ringed, others)
    with right:
        risk_map.show(outcomes, table, styles, ringed)
    left, right = st.columns(2, gap="small")
    with left:
        group_charts.sizes(rows, styles, k, others)
    with right:
        group_charts.one(outcomes, table, styles, k, others)


def more(
    rows: Sequence[Facts],
    outcomes: Sequence[Outcome],
    table: Table,
    styles: Mapping[str, Style],
    ringed: str,
) -> None:
    """Show loss against k, the certainty penalty, and the groups; takes the same."""
    penalties = any(row.generalised for row in rows)
    with st.container(key=session.key("second page")):
        left, right = st.columns(2, gap="small")
    with left:
        loss_charts.lines(rows, styles)
    with right:
        if penalties:
            k = session.workspace().looked_at
            loss_charts.penalties(rows, styles, k, ringed)
        else:
            risk_map.axes_of_map(outcomes, table)
    with st.container(key=session.key("on screen")):  # and not on paper
        if penalties:
            risk_map.axes_of_map(outcomes, table)
        group_charts.groups(outcomes, table, styles)
