"""Compare page: choices at the left, results at the right."""

import streamlit as st

from dashboard.app_pages.compare import overview
from dashboard.app_pages.compare.pinned import side_by_side
from dashboard.app_pages.compare.rail.choices import show_choices_rail
from dashboard.app_pages.compare.result_charts import (
    column_charts,
    panels,
    run_time,
    suppression,
)
from dashboard.app_pages.compare.result_charts.comparison_view import (
    make_comparison_view,
)
from dashboard.app_pages.need.tried_releases import show_reference_points
from dashboard.i18n.language import _
from dashboard.results.figures import figures_with_best_bounds, outcomes_and_failures
from dashboard.results.scores import on_demand_scores_by_title
from dashboard.state import session
from dashboard.ui.browser_components import components
from dashboard.ui.runs import pinning, run_panel, search_progress, selection

components.announce_page_to_screen_readers(_("Compare"))
ws = run_panel.collect_run_results()
if not components.has_table_or_explain(ws) or ws.table is None:
    st.stop()
pair = pinning.pinned_pair() if ws.side_by_side else None
if pair is not None:
    pinning.show_end_pair_view_button("above")
    side_by_side.show_pinned_pair(pair, ws.table)
    selection.show_selection_bar(session.requested_outcomes(ws))
    st.stop()
# What lacks its bound only is drawn already.
found = {**run_panel.preliminary_outcomes_by_plan(ws), **session.requested_results(ws)}
outcomes, failures = outcomes_and_failures(list(found.values()))
rows = figures_with_best_bounds(outcomes)
unfinished = run_panel.are_results_incomplete(ws)
if unfinished or not outcomes:
    with st.sidebar:
        show_choices_rail(ws.table)
# One place for what comes and goes: charts that are drawn stay where they are.
with st.container():
    overview.show_recommendation(outcomes, unfinished)
    if unfinished:
        run_panel.show_run_panel()
    run_panel.show_failures(failures)
    overview.warn_of_results_without_verified_k(outcomes)
    overview.show_merging_costs(session.selected_or_recommended_outcome(ws))
    titles = overview.ask_methods_to_draw(rows) if outcomes else []
if not outcomes:
    st.stop()

now = make_comparison_view(outcomes, rows, titles, ws.table, ws.selected_k, ws.max_loss)
panels.show_first_chart_panel(now)
if not unfinished:  # what was chosen is there already: what it does goes first
    with st.sidebar:
        show_choices_rail(ws.table)
search_progress.show_search_curves(now.outcomes)
panels.show_second_chart_panel(now)
with st.container(key=session.widget_key("on screen", "columns")):
    column_charts.show_column_losses(now.outcomes, ws.selected_k)
with st.container(border=True):
    components.show_heading(
        _("All figures"), overview.results_table_tooltip(outcomes[0])
    )
    overview.show_selectable_results_table(rows, on_demand_scores_by_title(outcomes))
    with st.container(key=session.widget_key("on screen", "decision")):
        overview.show_whether_groups_can_lose_less(outcomes)
need = ws.need_answer
if need is not None and need.fingerprint == ws.table.fingerprint:
    show_reference_points(need.answer)
with st.container(key=session.widget_key("on screen", "left out")):
    suppression.show_loss_by_suppression(
        session.selected_or_recommended_outcome(ws) or outcomes[0], ws.table
    )
with st.container(key=session.widget_key("on screen", "time")):
    run_time.show_timing_experiment(ws.table)
