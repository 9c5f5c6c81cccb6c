"""What an old tool would have lost: its methods on one's own table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from dashboard.app_pages.learn import classroom
from dashboard.charts.inputs import Facts
from dashboard.i18n import text, text_learn
from dashboard.i18n.language import _
from dashboard.i18n.markdown import plain
from dashboard.jobs import jobs
from dashboard.learn import other_tools
from dashboard.results.facts import facts, split
from dashboard.state import session
from dashboard.state.workspace import Workspace
from dashboard.ui import components, durations, run_panel
from dashboard.ui.headings import show_table
from dashboard.ui.obstacles import obstacles
from engine.core.errors import EngineError


def show() -> None:
    """Show the names that people bring, and what each loses on the table."""
    classroom.title_beside(_(text_learn.OTHER_TOOLS_TITLE))
    st.markdown(_(text_learn.OTHER_TOOLS_INTRO))
    ws = run_panel.collect_results()
    found = _found(ws) if components.has_table(ws) else {}
    with st.container(border=True):
        best_there = other_tools.nearest(found)
        if best_there is not None:
            name, times = best_there
            st.markdown(
                _(text_learn.OTHER_TOOLS_BEST).format(
                    name=plain(name), times=f"{times:.2f}"
                )
            )
        number = st.column_config.NumberColumn
        show_table(
            other_tools.losses(found),
            session.key("table", "other tools"),
            alt=_("Methods of other tools and what they lose on this table"),
            column_config={
                _("IL (%)"): number(format="%.2f"),
                _("Seconds"): number(format="%.3f"),
            },
        )
        st.caption(_(text.LOWER))
    components.sentences(
        other_tools.missing_names(),
        st.info,
        ":material/info:",
        _("Not here, and why:"),
    )


def _aside(ws: Workspace) -> Workspace:
    """Return the workspace as if these methods had been chosen, at one k."""
    return replace(ws, methods=tuple(other_tools.NAMES), sizes=(ws.looked_at,))


def _found(ws: Workspace) -> Mapping[str, Facts]:
    """Return what has run, by method; show the button, or how far the run is."""
    aside = _aside(ws)
    view = jobs.view(ws.job)
    if view is not None and view.running:
        with st.container(border=True):
            run_panel.follow()
    try:
        known = session.results(aside)
        asked = session.plans(aside)
    except EngineError:
        known, asked = {}, ()
    if len(known) < len(asked) and not (view is not None and view.running):
        _offer(aside, len(asked) - len(known))
    elif not asked:
        components.sentences(
            obstacles(aside), st.warning, ":material/front_hand:", _("Before that:")
        )
    outcomes, failures = split(list(known.values()))
    run_panel.show_failures(failures)
    return {
        outcome.plan.method: facts(outcome)
        for outcome in outcomes
        if not outcome.plan.polish
    }


def _offer(aside: Workspace, count: int) -> None:
    """Offer to run what has not run yet."""
    asked, known = session.plans(aside), session.results(aside)
    assert aside.table is not None
    todo = [plan for plan in asked if plan not in known]
    words = durations.duration_words(durations.expected(todo, aside.table))
    left, right = st.columns([3, 1], vertical_alignment="center")
    left.markdown(
        _("**{count} methods** on your table, k = {k}, {time}.").format(
            count=count, k=aside.looked_at, time=words
        )
    )
    if right.button(
        _("Run them"),
        type="primary",
        icon=":material/play_arrow:",
        width="stretch",
        key=session.key("run other tools"),
    ):
        job = jobs.start(aside.table, asked, known=known)
        session.update(job=job, reference_job=job)
        st.rerun()
