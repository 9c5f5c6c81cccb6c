"""Page of sdcMicro's methods: their names and losses on the open table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from dashboard.app_pages.learn import classroom
from dashboard.charts.inputs import ResultFigures
from dashboard.i18n import text, text_learn
from dashboard.i18n.language import _
from dashboard.i18n.markdown import escape_text
from dashboard.jobs import jobs
from dashboard.learn import other_tools
from dashboard.results.figures import outcomes_and_failures, result_figures
from dashboard.state import session
from dashboard.state.workspace import Workspace
from dashboard.ui.browser_components import components
from dashboard.ui.header import learn_links
from dashboard.ui.headings import show_table_with_tooltips
from dashboard.ui.runs import durations, run_panel
from dashboard.ui.runs.obstacles import run_obstacles
from engine.core.errors import EngineError


def show_losses_of_sdcmicro_methods() -> None:
    """Show sdcMicro's names of the methods, and their losses on the open table."""
    classroom.show_part_title(_(text_learn.OTHER_TOOLS_TITLE), learn_links.OTHER_TOOLS)
    st.markdown(_(text_learn.OTHER_TOOLS_INTRO))
    ws = run_panel.collect_run_results()
    figures = _known_figures(ws) if components.has_table_or_explain(ws) else {}
    with st.container(border=True):
        best_there = other_tools.best_sdcmicro_method_and_relative_loss(figures)
        if best_there is not None:
            name, times = best_there
            st.markdown(
                _(
                    "**{name}** loses least of those there that keep k: {times} times "
                    "as much as the best here."
                ).format(name=escape_text(name), times=f"{times:.2f}")
            )
        number = st.column_config.NumberColumn
        show_table_with_tooltips(
            other_tools.method_loss_table(figures),
            session.widget_key("table", "other tools"),
            alt=_("Methods of other tools and what they lose on this table"),
            column_config={
                _("IL (%)"): number(format="%.2f"),
                _("Seconds"): number(format="%.3f"),
            },
        )
        st.caption(_(text.LOWER))
    components.show_sentence_or_list(
        other_tools.missing_method_sentences(),
        st.info,
        ":material/info:",
        _("Not here, and why:"),
    )


def _known_figures(ws: Workspace) -> Mapping[str, ResultFigures]:
    """Return what has run, by method; show the button, or how far the run is."""
    names = tuple(other_tools.TOOL_METHOD_NAMES)
    aside = replace(ws, methods=names, sizes=(ws.selected_k,))
    view = jobs.view_job(ws.job)
    if view is not None and view.is_running:
        with st.container(border=True):
            run_panel.show_run_progress()
    try:
        results = session.requested_results(aside)
        plans = session.resolve_plans(aside)
    except EngineError:
        results, plans = {}, ()
    if len(results) < len(plans) and not (view is not None and view.is_running):
        _offer(aside, len(plans) - len(results))
    elif not plans:
        components.show_sentence_or_list(
            run_obstacles(aside), st.warning, ":material/front_hand:", _("Before that:")
        )
    outcomes, failures = outcomes_and_failures(list(results.values()))
    run_panel.show_failures(failures)
    return {
        outcome.plan.method: result_figures(outcome)
        for outcome in outcomes
        if not outcome.plan.polish
    }


def _offer(aside: Workspace, count: int) -> None:
    """Offer to run what has not run yet."""
    plans, results = session.resolve_plans(aside), session.requested_results(aside)
    assert aside.table is not None
    todo = [plan for plan in plans if plan not in results]
    time = durations.duration_text(durations.expected_run_seconds(todo, aside.table))
    words = _("**{count} methods** on your table, k = {k}, {time}.")
    words = words.format(count=count, k=aside.selected_k, time=time)
    key = session.widget_key("run other tools")
    if run_panel.ask_to_start_run(words, _("Run them"), key):
        job = jobs.start_run(aside.table, plans, known_results=results)
        session.update_workspace(job=job, reference_job=job)
        st.rerun()
