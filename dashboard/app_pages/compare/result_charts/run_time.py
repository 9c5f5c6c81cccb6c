"""Run times of methods measured on the open table: chart, and button to start them."""

from __future__ import annotations

from typing import cast

import streamlit as st

from dashboard.charts.comparisons.run_time import draw_run_times
from dashboard.charts.theme import choose_method_styles
from dashboard.i18n import text_compare
from dashboard.i18n.language import _, n_
from dashboard.jobs import jobs
from dashboard.results.run_times import method_timing_table, timing_series_titles
from dashboard.state import session
from dashboard.state.results.findings import MeasuredTimings
from dashboard.ui.browser_components import components
from dashboard.ui.runs import durations, run_panel
from engine.analysis.curves.experiment import (
    Against,
    Experiment,
    default_experiment_values,
)
from engine.analysis.curves.timing import estimate_experiment_seconds
from engine.data.table import Table
from engine.methods import methods
from engine.pipeline.plan import Plan


def show_timing_experiment(table: Table) -> None:
    """Show measured run times, and a button that times the chosen methods; folded."""
    ws = session.workspace()
    timings = {
        against: timed
        for against, timed in ws.timings.items()
        if timed.fingerprint == table.fingerprint
    }
    view = jobs.view_job(ws.job)
    running = (
        view is not None and view.is_running and isinstance(view.asked, Experiment)
    )
    place = st.expander(
        _("Run time on this table"),
        key=session.widget_key("run time"),
        on_change="rerun",
    )
    if not place.open and not running:
        return
    with place:
        chosen = st.segmented_control(
            _("Seconds against"),
            list(text_compare.AGAINST),
            format_func=lambda quantity: _(text_compare.AGAINST[quantity][1]),
            default="records",
            required=True,
            key=session.widget_key("run time", "against"),
            persist_state="session",
            help=_(text_compare.RUN_TIME_SHOWS),
        )
        against = cast("Against", chosen or "records")
        if running and run_panel.are_results_incomplete(ws):
            st.caption(_("Run time is being measured; how far it is stands above."))
        elif running:
            run_panel.show_run_progress()
        else:
            if view is not None and isinstance(view.asked, Experiment):
                run_panel.show_run_end(view)
            _offer(against, table)
        if against in timings:
            _draw_chart(against, timings[against])


def _plans_to_time() -> list[Plan]:
    """Return a plan for each chosen method that does not go by the clock."""
    ws = session.workspace()
    plans = [plan for plan in session.resolve_plans(ws) if plan.k == ws.selected_k]
    return [plan for plan in plans if not methods.info(plan.method).traits.time_budget]


def _offer(against: Against, table: Table) -> None:
    plans = _plans_to_time()
    if not plans:
        st.info(_(text_compare.NOTHING_TO_TIME), icon=":material/timer_off:")
        return
    values = default_experiment_values(against, plans[0], table)
    experiment = Experiment(against, values)
    seconds = durations.OVERHEAD + estimate_experiment_seconds(experiment, plans, table)
    with st.container(horizontal=True, vertical_alignment="center"):
        count = n_("{count} method", "{count} methods", len(plans))
        st.markdown(
            _("{methods} at {values}, {repeats} times each: {time}.").format(
                methods=count.format(count=len(plans)),
                values=", ".join(f"{value:,}" for value in values),
                repeats=experiment.repeats,
                time=durations.duration_text(seconds),
            ),
            width="stretch",
        )
        if st.button(
            _("Measure run time"),
            icon=":material/timer:",
            key=session.widget_key("run time", "go"),
            disabled=run_panel.is_run_in_progress(session.workspace()),
        ):
            session.update_workspace(job=jobs.start_timing(table, plans, experiment))
            st.rerun()


def _draw_chart(against: Against, timed: MeasuredTimings) -> None:
    timings = timed.found
    titles = timing_series_titles(timings)
    styles = choose_method_styles(titles)
    axis = _(text_compare.AGAINST[against][0])
    components.show_chart(
        "run-time",
        _("Run time"),
        _(text_compare.RUN_TIME_SHOWS),
        lambda: draw_run_times(timings, titles, styles, axis, against == "records"),
        lambda: method_timing_table(timings, titles),
        _("Lines of seconds against {what}, per method").format(what=axis),
        subtitle=_("seconds, shortest of {count}").format(
            count=max(len(timing.seconds) for timing in timings)
        ),
    )
    run_panel.show_timing_problems(timings)
