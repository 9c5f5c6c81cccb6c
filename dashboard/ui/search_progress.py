"""Progress of a search: its curve while it runs, and the button that ends it early."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dashboard.charts.search import search_curves
from dashboard.charts.theme import DRAWN, method_styles
from dashboard.i18n import text
from dashboard.i18n.language import _
from dashboard.jobs import jobs
from dashboard.jobs.jobs import JobView
from dashboard.results.curves import curve, curve_table, curve_words, curves
from dashboard.state import session
from dashboard.ui import components
from dashboard.ui.plots import plot
from engine.pipeline.outcome import Outcome

_LIVE_HEIGHT = 280


def stop_button(view: JobView, job_id: str | None) -> None:
    """Show the button that ends the search in progress with the best so far."""
    if view.search is None:
        return
    stopping = view.search.stopping
    # A click is answered in the callback: the next look shows that it was heard.
    st.button(
        _("Stopping") if stopping else _("Stop and keep the best"),
        icon=":material/flag:",
        width="stretch",
        help=_(text.STOP_HELP),
        disabled=stopping,
        key=session.key("enough"),
        on_click=jobs.enough,
        args=(job_id,),
    )


def show_running_search(view: JobView) -> None:
    """Show the curve of the search in progress, if there is one."""
    search = view.search
    if search is None or not search.points:
        return
    found = curve(view.plans[search.position], search.points, search.seconds)
    st.caption(curve_words(found))
    plot(
        search_curves([found], method_styles([found.method]), _LIVE_HEIGHT),
        session.key("live search"),
        _("Information loss and lower bound of the running search against seconds"),
    )


def show_curves(outcomes: Sequence[Outcome]) -> None:
    """Show the curves of those outcomes that came from a search."""
    found = curves(outcomes)[:DRAWN]
    if not found:
        return
    components.chart(
        "search",
        _("The search") if len(found) == 1 else _("The searches"),
        f"{_(text.SEARCH_SHOW)} {_(text.LOWER)}",
        lambda: search_curves(found, method_styles(each.method for each in found)),
        lambda: curve_table(found),
        _("Lines of information loss and lower bound against seconds, per search"),
    )
