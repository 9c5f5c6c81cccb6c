"""The charts of a comparison: those of the first view, and those below it."""

from __future__ import annotations

import streamlit as st

from dashboard.app_pages.compare import group_charts, loss_charts, risk_map
from dashboard.app_pages.compare.shown import Shown
from dashboard.state import session


def first_view(now: Shown) -> None:
    """Show loss and risk, and sizes and groups at the k that is looked at."""
    left, right = st.columns(2, gap="small")
    with left:
        loss_charts.dots(now)
    with right:
        risk_map.show(now)
    left, right = st.columns(2, gap="small")
    with left:
        group_charts.sizes(now)
    with right:
        group_charts.one(now)


def more(now: Shown) -> None:
    """Show loss against k, the certainty penalty, and the groups."""
    penalties = any(row.generalised for row in now.rows)
    with st.container(key=session.key("second page")):
        left, right = st.columns(2, gap="small")
    with left:
        loss_charts.lines(now)
    with right:
        if penalties:
            loss_charts.penalties(now)
        else:
            risk_map.axes_of_map(now.outcomes, now.table)
    with st.container(key=session.key("on screen")):  # and not on paper
        if penalties:
            risk_map.axes_of_map(now.outcomes, now.table)
        group_charts.groups(now)
