"""Comparison charts on the Compare page, laid out in two panels."""

from __future__ import annotations

import streamlit as st

from dashboard.app_pages.compare.result_charts import (
    group_charts,
    loss_charts,
    risk_map,
)
from dashboard.app_pages.compare.result_charts.comparison_view import ComparisonView
from dashboard.state import session


def show_first_chart_panel(comparison: ComparisonView) -> None:
    """Show charts of losses, risks and group sizes, and the groups of one result."""
    left, right = st.columns(2, gap="small")
    with left:
        loss_charts.show_loss_dots(comparison)
    with right:
        risk_map.show_risk_map(comparison)
    left, right = st.columns(2, gap="small")
    with left:
        group_charts.show_group_sizes(comparison)
    with right:
        group_charts.show_groups_of_one_result(comparison)


def show_second_chart_panel(comparison: ComparisonView) -> None:
    """Show loss lines, any certainty penalties, risk map inputs and all groups."""
    penalties = any(row.generalised for row in comparison.rows)
    with st.container(key=session.widget_key("second page")):
        left, right = st.columns(2, gap="small")
    with left:
        loss_charts.show_loss_lines(comparison)
    with right:
        if penalties:
            loss_charts.show_certainty_penalties(comparison)
        else:
            risk_map.show_risk_map_axis_inputs(comparison.outcomes, comparison.table)
    with st.container(key=session.widget_key("on screen")):  # and not on paper
        if penalties:
            risk_map.show_risk_map_axis_inputs(comparison.outcomes, comparison.table)
        group_charts.show_groups_of_all_results(comparison)
