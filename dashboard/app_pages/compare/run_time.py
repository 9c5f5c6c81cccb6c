"""Run time on the table that is open: an experiment against k, records, attributes."""

from __future__ import annotations

from typing import cast

import streamlit as st

from dashboard.charts.run_time import run_times, series_of
from dashboard.charts.theme import method_styles
from dashboard.i18n import text_compare
from dashboard.i18n.language import _, n_
from dashboard.jobs import jobs
from dashboard.results.times import time_table, time_titles
from dashboard.state import session
from dashboard.state.workspace import Timed
from dashboard.ui import components, durations, run_panel
from engine.analysis.experiment import Against, Experiment, usual_values
from engine.analysis.timing import expected_time
from engine.data.table import Table
from engine.methods import methods
from engine.pipeline.plan import Plan


def show(table: Table) -> None:
    """Show what was timed, and let somebody time the chosen methods; folded."""
    ws = session.workspace()
    known = {
        against: timed
        for against, timed in ws.timings.items()
        if timed.fingerprint == table.fingerprint
    }
    view = jobs.view(ws.job)
    running = view is not None and view.running and isinstance(view.asked, Experiment)
    place = st.expander(
        _("Run time on this table"), key=session.key("run time"), on_change="rerun"
    )
    if not place.open and not running:
        return
    with place:
        chosen = st.segmented_control(
            _("Seconds against"),
            list(text_compare.AGAINST),
            format_func=lambda one: _(text_compare.AGAINST[one][1]),
            default="records",
            required=True,
            key=session.key("run time", "against"),
            persist_state="session",
            help=_(text_compare.RUN_TIME_SHOWS),
        )
        against = cast("Against", chosen or "records")
        if running and run_panel.unfinished(ws):
            st.caption(_(text_compare.RUN_TIME_ABOVE))
        elif running:
            run_panel.follow()
        else:
            if view is not None and isinstance(view.asked, Experiment):
                run_panel.show_end(view)
            _offer(against, table)
        if against in known:
            _chart(against, known[against])


def _timed_plans() -> list[Plan]:
    """Return a plan for each chosen method that does not go by the clock."""
    ws = session.workspace()
    plans = [plan for plan in session.plans(ws) if plan.k == ws.looked_at]
    return [plan for plan in plans if not methods.info(plan.method).traits.time_budget]


def _offer(against: Against, table: Table) -> None:
    plans = _timed_plans()
    if not plans:
        st.info(_(text_compare.NOTHING_TO_TIME), icon=":material/timer_off:")
        return
    values = usual_values(against, plans[0], table)
    experiment = Experiment(against, values)
    seconds = durations.OVERHEAD + expected_time(experiment, plans, table)
    with st.container(horizontal=True, vertical_alignment="center"):
        count = n_("{count} method", "{count} methods", len(plans))
        st.markdown(
            _("{methods} at {values}, {repeats} times each: {time}.").format(
                methods=count.format(count=len(plans)),
                values=", ".join(f"{value:,}" for value in values),
                repeats=experiment.repeats,
                time=durations.duration_words(seconds),
            ),
            width="stretch",
        )
        if st.button(
            _("Measure run time"),
            icon=":material/timer:",
            key=session.key("run time", "go"),
            disabled=run_panel.running(session.workspace()),
        ):
            session.update(job=jobs.time_methods(table, plans, experiment))
            st.rerun()


def _chart(against: Against, timed: Timed) -> None:
    found = timed.found
    titles = time_titles(found)
    styles = method_styles(titles)
    axis = _(text_compare.AGAINST[against][0])
    components.chart(
        "run-time",
        _("Run time"),
        _(text_compare.RUN_TIME_SHOWS),
        lambda: run_times(found, titles, styles, axis, against == "records"),
        lambda: time_table(found, titles),
        _("Lines of seconds against {what}, per method").format(what=axis),
        aside=_("seconds, shortest of {count}").format(
            count=max(len(one.seconds) for one in found)
        ),
    )
    problems = (
        f"{titles[series_of(one)]}: {_(one.problem)}" for one in found if one.problem
    )
    for words in dict.fromkeys(problems):
        st.caption(words)
