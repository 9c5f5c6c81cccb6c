"""Page of printed claims on run times of CAAT and KACA, with times measured here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import streamlit as st

import sample_data
from dashboard.app_pages.learn import classroom
from dashboard.charts.comparisons.run_time import draw_run_times
from dashboard.charts.theme import choose_method_styles
from dashboard.i18n import text_compare, text_learn
from dashboard.i18n.language import _
from dashboard.jobs import jobs
from dashboard.results.figures import plan_title
from dashboard.results.run_times import method_timing_table, timing_series_titles
from dashboard.state import session
from dashboard.state.results.findings import STARTS_TIMING_KEY
from dashboard.state.workspace import Workspace
from dashboard.ui.browser_components import components
from dashboard.ui.header import learn_links
from dashboard.ui.runs import durations, run_panel
from dashboard.ui.runs.obstacles import run_obstacles
from engine.analysis.curves.experiment import Experiment, default_experiment_values
from engine.analysis.curves.timing import MethodTiming, estimate_experiment_seconds
from engine.analysis.published import printed_times
from engine.data.table import Table
from engine.methods import methods
from engine.pipeline.plan import Plan

TIMED_SAMPLE = "hospital_discharges"
"""Numbers and categories with hierarchies, as CAAT and KACA are for."""


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
        timeable_methods(),
        default=printed_times.COMPARED_METHODS,
        format_func=lambda name: plan_title(Plan(method=name)),
        key=session.widget_key("run times", "methods"),
    )
    aside = replace(ws, methods=tuple(names), sizes=printed_times.PRINTED_K_VALUES)
    has_own_table = ws.table is not None and not (names and run_obstacles(aside))
    tables = ["sample", "own"] if has_own_table else ["sample"]
    chosen = left.segmented_control(
        _("Table"),
        tables,
        default="sample",
        required=True,
        format_func=lambda table_name: _(text_learn.TIMED_TABLES[table_name]),
        key=session.widget_key("run times", "table"),
    )
    if chosen != "own" or ws.table is None:
        return default_timing_table(), timed_sample_plans(names)
    plans = session.resolve_plans(aside) if names else ()
    return ws.table, tuple(plan for plan in plans if not plan.polish)


def _offer(table: Table, plans: Sequence[Plan]) -> None:
    experiment = make_timing_experiment(plans[0], table)
    seconds = durations.OVERHEAD + estimate_experiment_seconds(experiment, plans, table)
    words = _("With {values} attributes, {starts} starts each: {time}.").format(
        values=", ".join(map(str, experiment.values)),
        starts=printed_times.N_STARTS,
        time=durations.duration_text(seconds),
    )
    key = session.widget_key("run times", "go")
    label, icon = _("Measure run time"), ":material/timer:"
    if run_panel.ask_to_start_run(words, label, key, icon):
        job = jobs.start_timing(table, plans, experiment)
        session.update_workspace(job=job, reference_job=job)
        st.rerun()


def _show_times(timings: Sequence[MethodTiming]) -> None:
    lines = time_claim_markdown_lines(timings)
    if lines:
        with st.container(border=True):
            st.subheader(_("What was printed, and what comes out"), anchor=False)
            st.markdown("\n".join(f"- {line}" for line in lines))
    top = max((max(timing.seconds, default=0.0) for timing in timings), default=0.0)
    sizes = sorted({timing.k for timing in timings})
    for column, k in zip(st.columns(len(sizes)), sizes, strict=True):
        with column:
            _show_figure(k, [timing for timing in timings if timing.k == k], top)
    run_panel.show_timing_problems(timings)


def _show_figure(k: int, timings: Sequence[MethodTiming], top: float) -> None:
    titles = timing_series_titles(timings)
    axis = _(text_compare.AGAINST["attributes"][0])
    components.show_chart(
        "-".join(("run-times", str(k))),
        f"k = {k}",
        _(
            "Seconds for grouping, the mean of ten random starts; bars reach from the "
            "shortest to the longest. Both figures have the same scale."
        ),
        lambda: draw_run_times(
            timings, titles, choose_method_styles(titles), axis, False, top
        ),
        lambda: method_timing_table(timings, titles),
        _("Lines of seconds against {what}, per method").format(what=axis),
        subtitle=_("seconds, mean of {count} starts").format(
            count=printed_times.N_STARTS
        ),
    )


@cache
def default_timing_table() -> Table:
    """Return the sample table on which methods are timed unless another is chosen."""
    return sample_data.load(TIMED_SAMPLE)


def timed_sample_plans(method_ids: Sequence[str]) -> tuple[Plan, ...]:
    """Return plans of methods on the sample table, at each k of the publication."""
    quasi = default_timing_table().schema.quasi_identifiers
    return tuple(
        Plan(method=name, k=k, quasi_identifiers=quasi, missing="drop")
        for name in method_ids
        for k in printed_times.PRINTED_K_VALUES
    )


def make_timing_experiment(plan: Plan, table: Table) -> Experiment:
    """Return an experiment on run time by number of attributes, with several starts."""
    return Experiment(
        "attributes",
        default_experiment_values("attributes", plan, table),
        printed_times.N_STARTS,
        starts=True,
    )


def timeable_methods() -> list[str]:
    """Return ids of methods that this page can time, those of the publication first."""
    others = (
        info.id
        for info in methods.infos()
        if not info.traits.time_budget and not info.traits.univariate
    )
    return list(dict.fromkeys((*printed_times.COMPARED_METHODS, *others)))


def time_claim_markdown_lines(timings: Sequence[MethodTiming]) -> list[str]:
    """Return a Markdown line for each printed claim that these timings can test."""
    icons = {True: ":material/check_circle:", False: ":material/error_outline:"}
    return [
        f"{icons[row.holds]} **{_(row.verdict_text)}**: {_(row.printed)} {_(row.found)}"
        for row in printed_times.compare_time_claims(timings)
    ]
