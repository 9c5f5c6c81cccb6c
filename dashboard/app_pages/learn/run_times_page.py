"""Run times as printed: CAAT and KACA against the number of quasi-identifiers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from dashboard.app_pages.learn import classroom
from dashboard.charts.run_time import run_times
from dashboard.charts.theme import method_styles
from dashboard.i18n import text_compare, text_learn
from dashboard.i18n.language import _
from dashboard.i18n.markdown import plain
from dashboard.jobs import jobs
from dashboard.learn import run_times as printed
from dashboard.results.facts import plan_title
from dashboard.results.times import time_table, time_titles
from dashboard.state import session
from dashboard.state.workspace import BY_STARTS, Workspace
from dashboard.ui import components, durations, run_panel
from dashboard.ui.obstacles import obstacles
from engine.analysis.experiment import Experiment
from engine.analysis.printed_times import METHODS, SIZES, STARTS
from engine.analysis.timing import Timing, expected_time
from engine.data.table import Table
from engine.pipeline.plan import Plan


def show() -> None:
    """Show the printed claims beside the times on the sample, or on one's own table."""
    classroom.title_beside(_(text_learn.RUN_TIMES_TITLE))
    st.markdown(_(text_learn.RUN_TIMES_INTRO))
    ws = run_panel.collect_results()
    table, plans = _asked(ws)
    view = jobs.view(ws.job)
    if view is not None and view.running:
        with st.container(border=True):
            run_panel.follow()
    elif plans:
        if view is not None and ws.job == ws.reference_job:
            run_panel.show_end(view)
        _offer(table, plans)
    timed = ws.timings.get(BY_STARTS)
    if timed is not None and timed.fingerprint == table.fingerprint:
        _show(timed.found)


def _asked(ws: Workspace) -> tuple[Table, tuple[Plan, ...]]:
    """Let somebody choose table and methods; return the table and its plans."""
    left, right = st.columns([1, 2])
    names = right.multiselect(
        _("Methods"),
        printed.choices(),
        default=METHODS,
        format_func=lambda name: plan_title(Plan(method=name)),
        key=session.key("run times", "methods"),
    )
    aside = replace(ws, methods=tuple(names), sizes=SIZES)
    own = ws.table is not None and not (names and obstacles(aside))
    tables = ["sample", "own"] if own else ["sample"]
    chosen = left.segmented_control(
        _("Table"),
        tables,
        default="sample",
        required=True,
        format_func=lambda one: _(text_learn.TIMED_TABLES[one]),
        key=session.key("run times", "table"),
    )
    if chosen != "own" or ws.table is None:
        return printed.sample(), printed.sample_plans(names)
    plans = session.plans(aside) if names else ()
    return ws.table, tuple(plan for plan in plans if not plan.polish)


def _offer(table: Table, plans: Sequence[Plan]) -> None:
    experiment = printed.experiment(plans[0], table)
    seconds = durations.OVERHEAD + expected_time(experiment, plans, table)
    left, right = st.columns([3, 1], vertical_alignment="center")
    left.markdown(
        _("With {values} attributes, {starts} starts each: {time}.").format(
            values=", ".join(map(str, experiment.values)),
            starts=STARTS,
            time=durations.duration_words(seconds),
        )
    )
    if right.button(
        _("Measure run time"),
        type="primary",
        icon=":material/timer:",
        width="stretch",
        key=session.key("run times", "go"),
    ):
        _start(table, plans, experiment)


def _start(table: Table, plans: Sequence[Plan], experiment: Experiment) -> None:
    job = jobs.time_methods(table, plans, experiment)
    session.update(job=job, reference_job=job)
    st.rerun()


def _show(found: Sequence[Timing]) -> None:
    lines = printed.verdicts(found)
    if lines:
        with st.container(border=True):
            st.subheader(_("What was printed, and what comes out"), anchor=False)
            st.markdown("\n".join(f"- {line}" for line in lines))
    top = max((max(one.seconds, default=0.0) for one in found), default=0.0)
    sizes = sorted({one.k for one in found})
    for column, k in zip(st.columns(len(sizes)), sizes, strict=True):
        with column:
            _figure(k, [one for one in found if one.k == k], top)
    titles = time_titles(found)
    problems = (
        f"{titles[one.method]}: {plain(_(one.problem))}" for one in found if one.problem
    )
    for words in dict.fromkeys(problems):
        st.caption(words)


def _figure(k: int, found: Sequence[Timing], top: float) -> None:
    titles = time_titles(found)
    axis = _(text_compare.AGAINST["attributes"][0])
    components.chart(
        "-".join(("run-times", str(k))),
        f"k = {k}",
        _(text_learn.RUN_TIMES_SHOW),
        lambda: run_times(found, titles, method_styles(titles), axis, False, top),
        lambda: time_table(found, titles),
        _("Lines of seconds against {what}, per method").format(what=axis),
        aside=_("seconds, mean of {count} starts").format(count=STARTS),
    )
