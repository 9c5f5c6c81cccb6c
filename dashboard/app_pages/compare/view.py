"""Compare: every choice at the left, what it does at the right, at once."""

import streamlit as st

from dashboard.app_pages.compare import (
    column_charts,
    decision,
    left_out,
    next_choices,
    overview,
    panels,
    run_time,
    side_by_side,
)
from dashboard.app_pages.compare.rail.choices import rail
from dashboard.app_pages.compare.shown import shown
from dashboard.i18n.language import _
from dashboard.results.facts import split, with_best_bounds
from dashboard.results.scores import on_request
from dashboard.state import session
from dashboard.ui import components, pinning, run_panel, search_progress, selection

components.page_header(_("Compare"))
ws = run_panel.collect_results()
if not components.has_table(ws) or ws.table is None:
    st.stop()
pair = pinning.pair() if ws.side_by_side else None
if pair is not None:
    pinning.all_results("above")
    side_by_side.show(pair, ws.table)
    selection.bar(session.outcomes(ws))
    st.stop()
# What lacks its bound only is drawn already.
found = {**run_panel.early_results(ws), **session.results(ws)}
outcomes, failures = split(list(found.values()))
rows = with_best_bounds(outcomes)
unfinished = run_panel.unfinished(ws)
if unfinished or not outcomes:
    with st.sidebar:
        rail(ws.table)
# One place for what comes and goes: charts that are drawn stay where they are.
with st.container():
    overview.answer(outcomes)
    if unfinished:
        run_panel.run_panel()
    run_panel.show_failures(failures)
    overview.weak_results(outcomes)
    overview.prices(session.selected(ws))
    titles = overview.drawn_methods(rows) if outcomes else []
if not outcomes:
    st.stop()

now = shown(outcomes, rows, titles, ws.table, ws.looked_at)
panels.first_view(now)
if not unfinished:  # what was chosen is there already: what it does goes first
    with st.sidebar:
        rail(ws.table, next_choices.places(now))
search_progress.show_curves(now.outcomes)
panels.more(now)
with st.container(key=session.key("on screen", "columns")):
    column_charts.show(now.outcomes, ws.looked_at)
with st.container(border=True):
    components.heading(_("All figures"), overview.figures_help(outcomes[0]))
    overview.figures(rows, on_request(outcomes))
    with st.container(key=session.key("on screen", "decision")):
        decision.ask(outcomes)
with st.container(key=session.key("on screen", "left out")):
    left_out.show(session.selected(ws) or outcomes[0], ws.table)
with st.container(key=session.key("on screen", "time")):
    run_time.show(ws.table)
if not unfinished:
    next_choices.send(now)
