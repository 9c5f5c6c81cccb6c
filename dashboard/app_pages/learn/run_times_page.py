"""Page of printed claims on run times of CAAT and KACA, with times measured here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from dashboard.app_pages.learn import classroom
from dashboard.charts.comparisons.run_time import draw_run_times
from dashboard.charts.theme import choose_method_styles
from dashboard.i18n import text_compare, text_learn
from dashboard.i18n.language import _
from dashboard.i18n.markdown import escape_text
from dashboard.jobs import jobs
from dashboard.learn import run_times as printed
from dashboard.results.figures import plan_title
from dashboard.results.run_times import method_timing_table, timing_series_titles
from dashboard.state import session
from dashboard.state.workspace import STARTS_TIMING_KEY, Workspace
from dashboard.ui.browser_components import components
from dashboard.ui.header import learn_links
from dashboard.ui.runs import durations, run_panel
from dashboard.ui.runs.obstacles import run_obstacles
from engine.analysis.curves.experiment import Experiment
from engine.analysis.curves.timing import MethodTiming, estimate_experiment_seconds
from engine.analysis.published.printed_times import (
    COMPARED_METHODS,
    N_STARTS,
    PRINTED_K_VALUES,
)
from engine.data.table import Table
from engine.pipeline.plan import Plan


def show_measured_and_printed_run_times() -> None:
    """Let people measure run times of methods, and show them with printed claims."""
    classroom.show_part_title(_(text_learn.RUN_TIMES_TITLE), learn_links.RUN_TIMES_PART)
    st.markdown(_(text_learn.RUN_TIMES_INTRO))
    ws = run_panel.collect_run_results()
    table, plans = _choose_table_and_plans(ws)
    view = jobs.view_job(ws.job)
    if view is not None and view.is_running:
        with st.container(border=True):
            run_panel.show_run_progress()
    elif plans:
        if view is not None and ws.job == ws.reference_job:
            run_panel.show_run_end(view)
        _offer(table, plans)
    timed = ws.timings.get(STARTS_TIMING_KEY)
    if timed is not None and timed.fingerprint == table.fingerprint:
        _show_times(timed.found)


def _choose_table_and_plans(ws: Workspace) -> tuple[Table, tuple[Plan, ...]]:
    """Let somebody choose table and methods; return the table and its plans."""
    left, right = st.columns([1, 2])
    names = right.multiselect(
        _("Methods"),
        printed.timeable_methods(),
        default=COMPARED_METHODS,
        format_func=lambda name: plan_title(Plan(method=name)),
        key=session.widget_key("run times", "methods"),
    )
    aside = replace(ws, methods=tuple(names), sizes=PRINTED_K_VALUES)
    own = ws.table is not None and not (names and run_obstacles(aside))
    tables = ["sample", "own"] if own else ["sample"]
    chosen = left.segmented_control(
        _("Table"),
        tables,
        default="sample",
        required=True,
        format_func=lambda one: _(text_learn.TIMED_TABLES[one]),
        key=session.widget_key("run times", "table"),
    )
    if chosen != "own" or ws.table is None:
        return printed.timed_sample_table(), printed.timed_sample_plans(names)
    plans = session.resolve_plans(aside) if names else ()
    return ws.table, tuple(plan for plan in plans if not plan.polish)


def _offer(table: Table, plans: Sequence[Plan]) -> None:
    experiment = printed.make_timing_experiment(plans[0], table)
    seconds = durations.OVERHEAD + estimate_experiment_seconds(experiment, plans, table)
    left, right = st.columns([3, 1], vertical_alignment="center")
    left.markdown(
        _("With {values} attributes, {starts} starts each: {time}.").format(
            values=", ".join(map(str, experiment.values)),
            starts=N_STARTS,
            time=durations.duration_text(seconds),
        )
    )
    if right.button(
        _("Measure run time"),
        type="primary",
        icon=":material/timer:",
        width="stretch",
        key=session.widget_key("run times", "go"),
    ):
        _start(table, plans, experiment)


def _start(table: Table, plans: Sequence[Plan], experiment: Experiment) -> None:
    job = jobs.start_timing(table, plans, experiment)
    session.update_workspace(job=job, reference_job=job)
    st.rerun()


def _show_times(timings: Sequence[MethodTiming]) -> None:
    lines = printed.time_claim_markdown_lines(timings)
    if lines:
        with st.container(border=True):
            st.subheader(_("What was printed, and what comes out"), anchor=False)
            st.markdown("\n".join(f"- {line}" for line in lines))
    top = max((max(one.seconds, default=0.0) for one in timings), default=0.0)
    sizes = sorted({one.k for one in timings})
    for column, k in zip(st.columns(len(sizes)), sizes, strict=True):
        with column:
            _show_figure(k, [one for one in timings if one.k == k], top)
    titles = timing_series_titles(timings)
    problems = (
        f"{titles[one.method]}: {escape_text(_(one.problem))}"
        for one in timings
        if one.problem
    )
    for words in dict.fromkeys(problems):
        st.caption(words)


def _show_figure(k: int, timings: Sequence[MethodTiming], top: float) -> None:
    titles = timing_series_titles(timings)
    axis_title = text_compare.AGAINST["attributes"][0]
    axis = _(axis_title)
    components.show_chart(
        "-".join(("run-times", str(k))),
        f"k = {k}",
        _(text_learn.RUN_TIMES_SHOW),
        lambda: draw_run_times(
            timings, titles, choose_method_styles(titles), axis, False, top
        ),
        lambda: method_timing_table(timings, titles),
        _("Lines of seconds against {what}, per method").format(what=axis),
        subtitle=_("seconds, mean of {count} starts").format(count=N_STARTS),
    )
