"""Chart panels of a comparison: the first view, and those below."""

from __future__ import annotations

import streamlit as st

from dashboard.app_pages.compare import group_charts, loss_charts, risk_map
from dashboard.app_pages.compare.shown import ComparisonView
from dashboard.state import session


def show_first_view(now: ComparisonView) -> None:
    """Show loss and risk, and sizes and groups at the k that is looked at."""
    left, right = st.columns(2, gap="small")
    with left:
        loss_charts.show_loss_dots(now)
    with right:
        risk_map.show_risk_map(now)
    left, right = st.columns(2, gap="small")
    with left:
        group_charts.show_sizes(now)
    with right:
        group_charts.show_single_groups(now)


def show_more_panels(now: ComparisonView) -> None:
    """Show loss against k, the certainty penalty, and the groups."""
    penalties = any(row.generalised for row in now.rows)
    with st.container(key=session.widget_key("second page")):
        left, right = st.columns(2, gap="small")
    with left:
        loss_charts.show_loss_lines(now)
    with right:
        if penalties:
            loss_charts.show_penalties(now)
        else:
            risk_map.choose_map_axes(now.outcomes, now.table)
    with st.container(key=session.widget_key("on screen")):  # and not on paper
        if penalties:
            risk_map.choose_map_axes(now.outcomes, now.table)
        group_charts.show_all_groups(now)
