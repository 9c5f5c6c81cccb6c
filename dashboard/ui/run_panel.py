"""The run panel: what will run, how far it is, what came of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from dashboard.i18n import text_learn
from dashboard.i18n.language import _, n_
from dashboard.i18n.markdown import plain
from dashboard.jobs import jobs
from dashboard.jobs.jobs import JobView
from dashboard.results.facts import (
    lost_words,
    plan_label,
    split,
)
from dashboard.state import session
from dashboard.state.workspace import Workspace
from dashboard.ui import components, search_progress, table_health
from dashboard.ui.durations import duration_words, expected, progress_words
from dashboard.ui.missing_values import settle_missing
from dashboard.ui.obstacles import obstacles
from engine.core.errors import EngineError
from engine.data.table import Table
from engine.pipeline.compare import Failure, Result
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan

POLL_SECONDS = 0.35
"""Seconds between two polls of a running job; somebody waits for its first results."""

LISTED = 8
"""Results listed while a run goes on; of more, the last ones."""


def run_panel() -> None:
    """Show what will run and the button, or the progress, or what came of it."""
    ws = collect_results()
    view = jobs.view(ws.job)
    with st.container(border=True):
        if view is not None and view.busy:
            if ws.job == ws.reference_job:
                st.caption(_(text_learn.CELLS_RUN))
            follow()
            return
        if view is not None and ws.job != ws.reference_job and view.asked is None:
            show_end(view)
        _ready(ws)


def draw(page: Callable[[], None]) -> None:
    """Draw a page, and again where what ran has ended while it was drawn.

    What stands on it would lack what has come since, and go on lacking it.

    Parameters
    ----------
    page : callable
        Draws it.
    """
    before = session.workspace()
    st.session_state[_drawn()] = before, early_results(before)
    page()
    view = jobs.view(session.workspace().job)
    if view is not None and view.running:
        return  # whoever follows it collects what has come, and draws the page again
    if collect_results().memo is not before.memo:
        st.rerun()


def show_end(view: JobView) -> None:
    """Say so where a run did not come to its end."""
    if view.state == "failed":
        st.error(plain(_(view.message)), icon=":material/error:")
    if view.state == "cancelled":
        words = (
            _("Cancelled. What had finished is kept: {count} of {all} runs.")
            if view.asked is None
            else _("Cancelled. What had finished is kept: {count} of {all} results.")
        )
        st.info(
            words.format(count=len(view.results), all=len(view.plans)),
            icon=":material/cancel:",
        )


def collect_results() -> Workspace:
    """Return the workspace with all that the run has found so far."""
    ws = session.workspace()
    view = jobs.view(ws.job)
    return ws if view is None else session.collect(view)


def early_results(ws: Workspace) -> dict[Plan, Outcome]:
    """Return what the run has found whose bound, or better groups, are to come."""
    view = jobs.view(ws.job)
    if view is None or not view.early or ws.table is None:
        return {}
    if view.table.fingerprint != ws.table.fingerprint or obstacles(ws):
        return {}
    found = {view.plans[position]: one for position, one in view.early.items()}
    known = session.results(ws)
    return {
        plan: found[plan]
        for plan in session.plans(ws)
        if plan in found and plan not in known
    }


def selected_or_panel(ws: Workspace) -> tuple[Outcome, Table] | None:
    """Return the result to look at and its table; where there is none, offer to run."""
    if not components.has_table(ws):
        return None
    chosen = session.selected(ws)
    if chosen is None or ws.table is None:
        view = jobs.view(ws.job)
        if view is None or not view.running:
            st.info(
                _("Nothing has run for the current choices yet."),
                icon=":material/play_circle:",
            )
        run_panel()
        return None
    return chosen, ws.table


def _ready(ws: Workspace) -> None:
    """Show what the current choices ask for."""
    reasons = obstacles(ws)
    if reasons or ws.table is None:
        components.sentences(
            reasons, st.warning, ":material/front_hand:", _("Before the first run:")
        )
        if ws.table is not None:
            health = table_health.examine(ws.table)
            settle_missing(ws.table, health)
            if health.problems:
                st.page_link(
                    "app_pages/data/view.py",
                    label=_("To the Data page"),
                    icon=":material/table:",
                )
        return
    known = session.results(ws)
    todo = [plan for plan in session.plans(ws) if plan not in known]
    if not todo:
        show_failures(split(list(known.values()))[1])
        return
    left, right = st.columns([3, 1], vertical_alignment="center")
    words = _("**{runs}**, {time}.").format(
        runs=_multiplied(ws), time=duration_words(expected(todo, ws.table))
    )
    if known:
        done = n_(
            "{count} of them is done already.",
            "{count} of them are done already.",
            len(known),
        )
        words += " " + done.format(count=len(known))
    left.markdown(words)
    if right.button(
        _("Run"),
        type="primary",
        icon=":material/play_arrow:",
        width="stretch",
        key=session.key("run"),
    ):
        session.begin(jobs.start(ws.table, session.plans(ws), known=known))
        st.rerun()


def running(ws: Workspace) -> bool:
    """Return whether a run is in progress; measuring results that are there is none."""
    view = jobs.view(ws.job)
    return view is not None and view.running and view.asked is None


def unfinished(ws: Workspace) -> bool:
    """Return whether a run is in progress, or the current choices lack results.

    Measuring results that are there is no run.
    """
    if running(ws):
        return True
    try:
        asked = session.plans(ws)
    except EngineError:
        return True
    return not asked or len(session.results(ws)) < len(asked)


def follow(by_figures: bool = False) -> None:
    """Show how far the run is, at least twice a second, and what has finished.

    Once on a page: while it is drawn, a run may come to what another place shows.

    Parameters
    ----------
    by_figures : bool
        Whether the page is drawn again for each new figure of a result, too.
    """
    page, place = st.session_state.get(_drawn()), session.key("followed")
    if page is None or st.session_state.get(place) is not page:
        st.session_state[place] = page
        _follow(by_figures)


@st.fragment(run_every=POLL_SECONDS)
def _follow(by_figures: bool) -> None:
    ws = session.workspace()
    view = jobs.view(ws.job)
    if view is None or not view.running:
        st.rerun()
        return
    ws = session.collect(view)
    place = st.empty()
    widths = [4, 1] if view.search is None else [3, 1.5, 1]
    left, *middle, right = place.columns(widths, vertical_alignment="center")
    left.progress(view.share, progress_words(view))
    for column in middle:
        with column:
            search_progress.stop_button(view, ws.job)
    if right.button(
        _("Cancel"), icon=":material/stop:", width="stretch", key=session.key("cancel")
    ):
        jobs.cancel(ws.job)
        ended = jobs.view(ws.job)
        if ended is not None:
            with place.container():
                show_end(ended)
        return  # answered; the next look, a moment on, draws the whole page
    search_progress.show_running_search(view)
    if view.results:
        measured = view.asked is not None
        words = [_result_words(result, measured) for result in view.results.values()]
        shown = (
            _("{count} of {all} finished; the last ones: {results}")
            if len(words) > LISTED
            else _("{count} of {all} finished: {results}")
        )
        st.caption(
            shown.format(
                count=len(view.results),
                all=len(view.plans),
                results="; ".join(words[-LISTED:]),
            )
        )
    # Whatever has collected results since the page was begun: they are not on it.
    drawn, early = st.session_state[_drawn()]
    before, there = session.results(drawn), session.results(ws)
    fuller = by_figures and any(
        there.get(plan, one) is not one for plan, one in before.items()
    )
    news = any(early.get(plan) is not one for plan, one in early_results(ws).items())
    if len(before) == len(there) and not fuller and not news:
        return
    st.rerun()


def _drawn() -> str:
    """Return where is kept what the page was begun with.

    The workspace, and the results that were no more than early ones.
    """
    return session.key("drawn")


def show_failures(failures: Sequence[Failure]) -> None:
    """Say why plans failed: a reason once, however many have it."""
    names: dict[str, list[str]] = {}
    for failure in failures:
        why = plain(_(failure.message))
        names.setdefault(why, []).append(plan_label(failure.plan))
    components.sentences(
        [f"{'; '.join(those)}: {why}" for why, those in names.items()],
        st.warning,
        ":material/error:",
        _("These runs gave no result; the others are not affected:"),
    )


def _multiplied(ws: Workspace) -> str:
    number, sizes = len(ws.methods), len(ws.sizes)
    polished = sum(map(ws.polishes, ws.methods))
    words = n_("{count} method", "{count} methods", number).format(count=number)
    if polished == number:
        words = _("({methods} + all polished)").format(methods=words)
    elif polished:
        words = _("({methods} + {count} of them polished)").format(
            methods=words, count=polished
        )
    values = n_("{count} value of k", "{count} values of k", sizes)
    count = (number + polished) * sizes
    runs = n_("{count} run", "{count} runs", count).format(count=f"{count:,}")
    return f"{words} × {values.format(count=sizes)} = {runs}"


def _result_words(result: Result, measured: bool) -> str:
    name = plan_label(result.plan)
    if measured:
        return name
    if isinstance(result, Failure):
        return _("{name}: no result").format(name=name)
    return f"{name}: {lost_words(result)}"
