"""Curves of running and finished searches, and the button that stops one early."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dashboard.charts.search import draw_search_curves
from dashboard.charts.theme import MAX_DRAWN_METHODS, choose_method_styles
from dashboard.i18n import text
from dashboard.i18n.language import _
from dashboard.jobs import jobs
from dashboard.jobs.job_view import JobView
from dashboard.results.curves import (
    curve_summary,
    make_search_curve,
    search_curve_table,
    search_curves_of_outcomes,
)
from dashboard.state import session
from dashboard.ui.browser_components import components
from dashboard.ui.browser_components.plots import show_plot
from engine.pipeline.outcome import Outcome

_LIVE_HEIGHT = 280


def show_stop_button(job_view: JobView, job_id: str | None) -> None:
    """Show the button that ends a search early and takes the best groups so far."""
    if job_view.search is None:
        return
    stopping = job_view.search.stopping
    # A click is answered in the callback: the next look shows that it was heard.
    st.button(
        _("Stopping") if stopping else _("Stop and keep the best"),
        icon=":material/flag:",
        width="stretch",
        help=_(
            "Ends this search now. The best groups found so far become its result; "
            "runs after it go on."
        ),
        disabled=stopping,
        key=session.widget_key("enough"),
        on_click=jobs.request_early_stop,
        args=(job_id,),
    )


def show_running_search(job_view: JobView) -> None:
    """Plot loss and bound of a running search over time, if it has points."""
    search = job_view.search
    if search is None or not search.points:
        return
    curve = make_search_curve(
        job_view.plans[search.position], search.points, search.seconds
    )
    st.caption(curve_summary(curve))
    show_plot(
        draw_search_curves([curve], choose_method_styles([curve.method]), _LIVE_HEIGHT),
        session.widget_key("live search"),
        _("Information loss and lower bound of the running search against seconds"),
    )


def show_search_curves(outcomes: Sequence[Outcome]) -> None:
    """Plot loss and bound over time of outcomes found by a search, the first six."""
    curves = search_curves_of_outcomes(outcomes)[:MAX_DRAWN_METHODS]
    if not curves:
        return
    components.show_chart(
        "search",
        _("The search") if len(curves) == 1 else _("The searches"),
        f"{_(text.SEARCH_SHOW)} {_(text.LOWER)}",
        lambda: draw_search_curves(
            curves, choose_method_styles(each.method for each in curves)
        ),
        lambda: search_curve_table(curves),
        _("Lines of information loss and lower bound against seconds, per search"),
    )
