"""Run panel: obstacles or start button, progress, results so far, how the run ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from dashboard.charts.comparisons.run_time import timing_series_id
from dashboard.i18n import text_learn
from dashboard.i18n.language import _, n_
from dashboard.i18n.markdown import escape_text
from dashboard.jobs import jobs
from dashboard.jobs.job_view import JobView
from dashboard.results.figures import loss_text, outcomes_and_failures, plan_label
from dashboard.results.run_times import timing_series_titles
from dashboard.state import session
from dashboard.state.caches import idle_values
from dashboard.state.new_tables.feasibility import reason_for_infeasible_k
from dashboard.state.workspace import Workspace
from dashboard.ui.browser_components import components
from dashboard.ui.runs import durations, search_progress
from dashboard.ui.runs.obstacles import run_obstacles
from dashboard.ui.table import table_health
from dashboard.ui.table.missing_values import ask_missing_value_treatment
from engine.analysis.curves.timing import MethodTiming
from engine.core.errors import EngineError
from engine.data.table import Table
from engine.pipeline.compare import Failure, Result
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan

POLL_SECONDS = 0.35
"""Seconds between two polls of a running job; somebody waits for its first results."""

MAX_POLL_SECONDS = 3.0
"""Seconds between two polls of a job that waits for minutes: each is a script run."""

_POLLS_PER_WAIT = 10
"""Polls of a job until its turn, as long as the limits above allow."""

_MAX_POLL_RATIO = 3.0
"""How far the time between polls may be off before the page is drawn anew."""

MAX_LISTED_RESULTS = 8
"""Results listed while a run goes on; of more, the last ones."""


def show_run_panel() -> None:
    """Show a run's progress, or how the last ended and a start button or warnings."""
    ws = collect_run_results()
    view = jobs.view_job(ws.job)
    if view is not None and view.is_busy:
        with make_progress_container():
            if ws.job == ws.reference_job:
                st.caption(_(text_learn.CELLS_RUN))
            show_run_progress()
        return
    with st.container(border=True):
        if view is not None and ws.job != ws.reference_job and view.asked is None:
            show_run_end(view)
        _show_pending(ws)


def make_progress_container() -> st.delta_generator.DeltaGenerator:
    """Return a container for a run's progress.

    Where results are on the page it lies over its lower edge: they stay where they are.
    The curve of a search has its place on the page.
    """
    view = jobs.view_job(session.workspace().job)
    is_search = view is not None and view.search is not None
    name = "searching" if is_search else "running"
    return st.container(border=True, key=session.widget_key(name))


def draw_page_and_rerun_if_outdated(draw: Callable[[], None]) -> None:
    """Draw a page; rerun it if results arrived while drawing and no job is running.

    What stands on it would lack what has come since, and go on lacking it.

    Parameters
    ----------
    draw : callable
        Draws it.
    """
    before = session.workspace()
    st.session_state[_drawn_key()] = before, preliminary_outcomes_by_plan(before)
    idle_values.restart_idle_countdown()
    draw()
    jobs.prestart_worker()  # the next run is soon there
    view = jobs.view_job(session.workspace().job)
    if view is not None and view.is_running:
        return  # whoever follows it collects what has come, and draws the page again
    if collect_run_results().memo is not before.memo:
        st.rerun()


def show_run_end(job_view: JobView) -> None:
    """Show a message if a run failed or was cancelled."""
    if job_view.state == "failed":
        st.error(escape_text(_(job_view.message)), icon=":material/error:")
    if job_view.state == "cancelled":
        words = (
            _("Cancelled. What had finished is kept: {count} of {all} runs.")
            if job_view.asked is None
            else _("Cancelled. What had finished is kept: {count} of {all} results.")
        )
        st.info(
            words.format(count=len(job_view.results), all=len(job_view.plans)),
            icon=":material/cancel:",
        )


def collect_run_results() -> Workspace:
    """Add the current job's results so far to the workspace, and return it."""
    ws = session.workspace()
    view = jobs.view_job(ws.job)
    return ws if view is None else session.merge_job_results(view)


def preliminary_outcomes_by_plan(ws: Workspace) -> dict[Plan, Outcome]:
    """Return preliminary outcomes of current plans without a result yet, by plan."""
    view = jobs.view_job(ws.job)
    if view is None or not view.early or ws.table is None:
        return {}
    if view.table.fingerprint != ws.table.fingerprint or run_obstacles(ws):
        return {}
    outcomes = {view.plans[position]: entry for position, entry in view.early.items()}
    results = session.requested_results(ws)
    return {
        plan: outcomes[plan]
        for plan in session.resolve_plans(ws)
        if plan in outcomes and plan not in results
    }


def outcome_and_table_or_show_hint(ws: Workspace) -> tuple[Outcome, Table] | None:
    """Return the selected or recommended result and its table, or a hint and None."""
    if not components.has_table_or_explain(ws):
        return None
    chosen = session.selected_or_recommended_outcome(ws)
    if chosen is None or ws.table is None:
        view = jobs.view_job(ws.job)
        if view is None or not view.is_running:
            st.info(
                _("Nothing has run for the current choices yet."),
                icon=":material/play_circle:",
            )
        show_run_panel()
        return None
    return chosen, ws.table


def _show_pending(ws: Workspace) -> None:
    """Show what the current choices ask for."""
    reasons = run_obstacles(ws)
    if reasons or ws.table is None:
        components.show_sentence_or_list(
            reasons, st.warning, ":material/front_hand:", _("Before the first run:")
        )
        if ws.table is not None:
            health = table_health.cached_table_health(ws.table)
            ask_missing_value_treatment(ws.table, health)
            if health.problems:
                st.page_link(
                    "app_pages/data/view.py",
                    label=_("To the Data page"),
                    icon=":material/table:",
                )
        return
    results = session.requested_results(ws)
    todo = [plan for plan in session.resolve_plans(ws) if plan not in results]
    if not todo:
        show_failures(outcomes_and_failures(list(results.values()))[1])
        return
    has_missing_values = bool(table_health.cached_table_health(ws.table).missing)
    too_few = reason_for_infeasible_k(ws, max(ws.sizes), has_missing_values)
    if too_few:  # of the smaller k, groups can be formed
        st.warning(too_few, icon=":material/front_hand:")
    words = _("**{runs}**, {time}.").format(
        runs=_multiplication_text(ws),
        time=durations.duration_text(durations.expected_run_seconds(todo, ws.table)),
    )
    if results:
        done = n_(
            "{count} of them is done already.",
            "{count} of them are done already.",
            len(results),
        )
        words += " " + done.format(count=len(results))
    if ask_to_start_run(words, _("Run"), session.widget_key("run")):
        session.set_current_job(
            jobs.start_run(ws.table, session.resolve_plans(ws), known_results=results)
        )
        st.rerun()


def ask_to_start_run(
    words: str, label: str, key: str, icon: str = ":material/play_arrow:"
) -> bool:
    """Show what a run would take, and a button to start it; return whether clicked."""
    left, right = st.columns([3, 1], vertical_alignment="center")
    left.markdown(words)
    return right.button(label, key=key, type="primary", icon=icon, width="stretch")


def is_run_in_progress(ws: Workspace) -> bool:
    """Return whether plans are being run; False if only measures are computed."""
    view = jobs.view_job(ws.job)
    return view is not None and view.is_running and view.asked is None


def are_results_incomplete(ws: Workspace) -> bool:
    """Return whether a run is in progress, or the current choices lack any result.

    Measuring results that are there is no run.
    """
    if is_run_in_progress(ws):
        return True
    try:
        plans = session.resolve_plans(ws)
    except EngineError:
        return True
    return not plans or len(session.requested_results(ws)) < len(plans)


def show_run_progress(rerun_on_new_figures: bool = False) -> None:
    """Show the current job's progress, refreshed while it runs; once per page drawing.

    Once on a page: while it is drawn, a run may come to what another place shows.

    Parameters
    ----------
    rerun_on_new_figures : bool
        Whether the page is drawn again for each new figure of a result, too.
    """
    page, place = st.session_state.get(_drawn_key()), session.widget_key("followed")
    if page is None or st.session_state.get(place) is not page:
        st.session_state[place] = page
        st.session_state.pop(_polled_key(), None)
        seconds = poll_seconds(jobs.view_job(session.workspace().job))
        st.fragment(_follow, run_every=seconds)(rerun_on_new_figures, seconds)


def poll_seconds(view: JobView | None) -> float:
    """Return the seconds between two polls of a job: fewer while its turn is near."""
    if view is None or view.queue_place is None:
        return POLL_SECONDS
    seconds = view.queue_place.seconds / _POLLS_PER_WAIT
    return min(max(seconds, POLL_SECONDS), MAX_POLL_SECONDS)


def _follow(by_figures: bool, seconds: float) -> None:
    ws = session.workspace()
    view = jobs.view_job(ws.job)
    # What comes while the page is drawn is for the next poll: it is drawn to its end.
    is_poll = st.session_state.get(_polled_key(), False)
    st.session_state[_polled_key()] = True
    if view is None or not view.is_running:
        if is_poll:
            st.rerun()
        return
    ws = session.merge_job_results(view)
    place = st.empty()
    widths = [4, 1] if view.search is None else [3, 1.5, 1]
    left, *middle, right = place.columns(widths, vertical_alignment="center")
    left.progress(view.share, durations.progress_text(view))
    for column in middle:
        with column:
            search_progress.show_stop_button(view, ws.job)
    if right.button(
        _("Cancel"),
        icon=":material/stop:",
        width="stretch",
        key=session.widget_key("cancel"),
    ):
        jobs.cancel_job(ws.job)
        end_view = jobs.view_job(ws.job)
        if end_view is not None:
            with place.container():
                show_run_end(end_view)
        return  # answered; the next look, a moment on, draws the whole page
    search_progress.show_running_search(view)
    if view.results:
        measured = view.asked is not None
        words = [_result_text(result, measured) for result in view.results.values()]
        template = (
            _("{count} of {all} finished; the last ones: {results}")
            if len(words) > MAX_LISTED_RESULTS
            else _("{count} of {all} finished: {results}")
        )
        st.caption(
            template.format(
                count=len(view.results),
                all=len(view.plans),
                results="; ".join(words[-MAX_LISTED_RESULTS:]),
            )
        )
    # Whatever has collected results since the page was begun: they are not on it.
    drawn, early = st.session_state[_drawn_key()]
    before, after = session.requested_results(drawn), session.requested_results(ws)
    fuller = by_figures and any(
        after.get(plan, outcome) is not outcome for plan, outcome in before.items()
    )
    news = any(
        early.get(plan) is not outcome
        for plan, outcome in preliminary_outcomes_by_plan(ws).items()
    )
    ratio = poll_seconds(view) / seconds
    is_timely = 1.0 / _MAX_POLL_RATIO <= ratio <= _MAX_POLL_RATIO
    is_outdated = len(before) != len(after) or fuller or news or not is_timely
    if is_poll and is_outdated:
        st.rerun()


def _drawn_key() -> str:
    """Return where is kept what the page was begun with.

    The workspace, and the results that were no more than early ones.
    """
    return session.widget_key("drawn")


def _polled_key() -> str:
    """Return where is kept whether the job has been polled since the page was drawn."""
    return session.widget_key("polled")


def show_failures(failures: Sequence[Failure]) -> None:
    """Show why plans failed, each reason once with its plans."""
    names: dict[str, list[str]] = {}
    for failure in failures:
        why = escape_text(_(failure.message))
        names.setdefault(why, []).append(plan_label(failure.plan))
    components.show_sentence_or_list(
        [f"{'; '.join(those)}: {why}" for why, those in names.items()],
        st.warning,
        ":material/error:",
        _("These runs gave no result; the others are not affected:"),
    )


def show_timing_problems(timings: Sequence[MethodTiming]) -> None:
    """Say which methods could not be timed, and why."""
    titles = timing_series_titles(timings)
    problems = (
        f"{titles[timing_series_id(timing)]}: {escape_text(_(timing.problem))}"
        for timing in timings
        if timing.problem
    )
    for words in dict.fromkeys(problems):
        st.caption(words)


def _multiplication_text(ws: Workspace) -> str:
    number, sizes = len(ws.methods), len(ws.sizes)
    polished = sum(map(ws.is_refined, ws.methods))
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


def _result_text(result: Result, measured: bool) -> str:
    name = plan_label(result.plan)
    if measured:
        return name
    if isinstance(result, Failure):
        return _("{name}: no result").format(name=name)
    return f"{name}: {loss_text(result)}"
