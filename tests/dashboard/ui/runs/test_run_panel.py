"""While methods run, a person sees how long, how far, what is done, and can stop."""

from dataclasses import replace

import pytest

from dashboard.jobs import jobs
from dashboard.jobs.assessment import AssessmentRequest
from dashboard.jobs.job_view import JobView, LiveSearchTrace
from dashboard.jobs.scheduling.scheduler import QueuePlace
from dashboard.state.workspace import resolve_plans
from dashboard.ui.runs import run_panel
from dashboard.ui.runs.durations import duration_text, progress_text, seconds_left
from engine.core.message import Message
from engine.pipeline.compare import compare
from engine.pipeline.plan import Plan
from engine.pipeline.run import IMPROVING_MESSAGE
from tests.dashboard.pages import (
    button,
    labelled,
    open_page,
    small_table,
    texts,
    with_table,
    workspace,
)

METHODS, SIZES = ("mdav", "md"), (3, 70)
"""With 60 records, every second plan fails."""

OWNER = Message("{method}, k = {k}", method="MD", k=3)
STAGE = Message("{owner}: {stage}", owner=OWNER, stage="Grouping")


@pytest.fixture
def half():
    """A run of four plans of which two are over, and one of these has failed."""
    ws = with_table(small_table(), methods=METHODS, sizes=SIZES)
    plans = resolve_plans(ws)
    results = dict(enumerate(compare(plans[:2], ws.table)))
    view = JobView("running", 0.4, STAGE, ws.table, plans, results, "", 20.0)
    return replace(ws, job="job"), view


@pytest.fixture
def show(monkeypatch):
    """Return what puts a run on screen; it can be looked at again later."""

    def put(view):
        monkeypatch.setattr(jobs, "view_job", lambda job_id: view if job_id else None)

    return put


def progress(page):
    return page.get("progress")[0].proto


def test_before_a_run_its_size_and_time_are_said():
    ws = with_table(small_table(), methods=METHODS, sizes=SIZES)
    page = open_page("compare", ws)
    sentence = "**2 methods × 2 values of k = 4 runs**, about 1 second."
    assert sentence in texts(page.markdown)


@pytest.mark.parametrize("name", ["compare", "inspect", "release"])
def test_during_a_run_method_k_stage_share_and_time_are_said(half, show, name):
    ws, view = half
    show(replace(view, results={}))
    page = open_page(name, ws)
    assert progress(page).text == f"{STAGE} (40%), about 30 seconds left"
    assert progress(page).value == 40
    assert not button(page, "Cancel").disabled


def test_a_run_is_followed_once_on_a_page(half, show, monkeypatch):
    ws, view = half
    show(view)
    panel = run_panel.show_run_panel

    def twice():
        panel()
        run_panel.show_run_progress()

    monkeypatch.setattr(run_panel, "show_run_panel", twice)
    page = open_page("compare", ws)
    assert [widget.label for widget in page.button].count("Cancel") == 1
    page.run()  # drawn anew, it is followed again
    assert [widget.label for widget in page.button].count("Cancel") == 1


def test_too_early_no_time_is_promised(half):
    _, view = half
    assert progress_text(replace(view, seconds=1.0)) == f"{STAGE} (40%)"
    assert progress_text(replace(view, share=0.01)) == f"{STAGE} (1%)"


def test_whoever_waits_reads_how_many_come_first_and_for_how_long(half):
    _, view = half
    words = progress_text(replace(view, queue_place=QueuePlace(7, 118.0)))
    assert words == "Waiting: 7 runs before yours, about 2 minutes"
    words = progress_text(replace(view, queue_place=QueuePlace(1, 4.2)))
    assert words == "Waiting: 1 run before yours, about 4 seconds"


@pytest.fixture
def intervals(monkeypatch):
    """Seconds between polls that pages have asked for."""
    asked_seconds = []
    fragment = run_panel.st.fragment

    def record(function, run_every):
        asked_seconds.append(run_every)
        return fragment(function, run_every=run_every)

    monkeypatch.setattr(run_panel.st, "fragment", record)
    return asked_seconds


def test_whoever_waits_for_minutes_asks_less_often(half, show, intervals):
    ws, view = half
    for queue_place in (None, QueuePlace(7, 118.0), QueuePlace(1, 0.2)):
        show(replace(view, queue_place=queue_place))
        open_page("compare", ws)
    assert intervals == [run_panel.POLL_SECONDS, 3.0, run_panel.POLL_SECONDS]


@pytest.mark.parametrize(("is_poll", "asked"), [(True, [3.0, 0.5]), (False, [3.0])])
def test_polls_are_frequent_again_once_the_turn_has_come_and_the_page_is_drawn(
    half, show, intervals, monkeypatch, is_poll, asked
):
    ws, view = half
    show(view)
    seconds = iter([3.0])
    monkeypatch.setattr(run_panel, "poll_seconds", lambda view: next(seconds, 0.5))
    if is_poll:
        follow = run_panel._follow

        def poll(*arguments):
            run_panel.st.session_state[run_panel._polled_key()] = True
            follow(*arguments)

        monkeypatch.setattr(run_panel, "_follow", poll)
    open_page("compare", ws)
    assert intervals == asked


def test_where_methods_are_compiled_first_it_is_said_and_not_reckoned_with(half):
    _, view = half
    words = progress_text(replace(view, preparing=True))
    assert words.startswith("Preparing the methods, once after installing: about ")
    words = progress_text(replace(view, preparing=True, prepared=1e6))
    assert words == "Preparing the methods, once after installing: longer than usual"
    later = replace(view, seconds=view.seconds + 40.0, prepared=40.0)
    assert seconds_left(later) == seconds_left(view)


def test_a_method_that_is_its_own_stage_is_named_once(half):
    _, view = half
    stage = Message("{owner}: {stage}", owner=OWNER, stage="MD")
    assert progress_text(replace(view, seconds=1.0, stage=stage)) == "MD, k = 3 (40%)"


def test_a_search_takes_the_seconds_it_was_given(half):
    _, view = half
    plan = Plan(method="iterated", k=3, parameters={"seconds": 100.0})
    search = LiveSearchTrace(1, 40.0, ())
    view = replace(view, plans=(view.plans[0], plan), results={}, search=search)
    assert 55.0 < seconds_left(view) < 65.0
    view = replace(view, plans=(plan, plan), results={0: None}, search=None)
    assert 95.0 < seconds_left(view) < 105.0
    measuring = replace(view, asked=AssessmentRequest(("record-linkage",)))
    assert seconds_left(measuring) == pytest.approx(30.0)


def test_finished_methods_appear_while_others_run(half, show):
    ws, view = half
    show(view)
    page = open_page("compare", ws)
    assert len(workspace(page).memo) == 2
    assert progress(page).value == 40
    assert "2 of 4 finished" in " ".join(texts(page.caption))
    assert any("Group sizes" in text for text in texts(page.subheader))


def test_what_had_finished_is_kept_after_cancel_and_can_be_gone_on_with(half, show):
    ws, view = half
    show(replace(view, state="cancelled"))
    page = open_page("compare", ws)
    sentence = "Cancelled. What had finished is kept: 2 of 4 runs."
    assert sentence in texts(page.info)
    assert "2 of them are done already." in " ".join(texts(page.markdown))
    assert not button(page, "Run").disabled


def test_a_run_that_broke_off_says_why_and_keeps_what_had_finished(half, show):
    ws, view = half
    show(replace(view, state="failed", message="There was not enough memory."))
    page = open_page("compare", ws)
    assert "There was not enough memory." in texts(page.error)
    assert len(workspace(page).memo) == 2


def test_cancel_asks_for_it_at_once(half, show, monkeypatch):
    ws, view = half
    show(view)
    cancelled_jobs = []
    monkeypatch.setattr(jobs, "cancel_job", cancelled_jobs.append)
    page = open_page("compare", ws)
    button(page, "Cancel").click().run()
    assert cancelled_jobs == ["job"]


def test_cancel_is_heard_when_the_time_between_polls_changes(half, show, monkeypatch):
    ws, view = half
    show(view)
    page = open_page("compare", ws)
    cancelled_jobs = []
    monkeypatch.setattr(jobs, "cancel_job", cancelled_jobs.append)
    seconds = iter([3.0])
    monkeypatch.setattr(run_panel, "poll_seconds", lambda view: next(seconds, 0.5))
    button(page, "Cancel").click().run()
    assert cancelled_jobs == ["job"]


def test_choices_can_be_changed_and_undone_while_it_runs(half, show):
    ws, view = half
    show(view)
    page = open_page("compare", ws)
    sizes = labelled(page.button_group, "group size")
    sizes.set_value([3]).run()
    assert workspace(page).job == "job"
    button(page, "Undo").click().run()
    assert workspace(page).sizes == SIZES
    assert workspace(page).job == "job"
    assert progress(page).value == 40


CURVES = {
    # (share of the time, share of the work) of runs on 20,000 and 200,000 records
    "mdav": ((0.2, 0.35), (0.4, 0.46), (0.5, 0.52), (0.7, 0.69), (0.8, 0.77)),
    "refined": ((0.1, 0.02), (0.3, 0.29), (0.5, 0.57), (0.7, 0.73), (0.9, 0.91)),
    "blocked": ((0.1, 0.08), (0.2, 0.23), (0.3, 0.32), (0.5, 0.58), (0.8, 0.85)),
}


@pytest.mark.parametrize("curve", CURVES.values(), ids=CURVES)
@pytest.mark.parametrize("wrong", [0.55, 1.0, 1.6])
def test_the_time_left_never_grows_by_more_than_a_quarter(
    half, monkeypatch, curve, wrong
):
    """Though parts go unevenly, where the estimate is nearly right."""
    _, view = half
    monkeypatch.setattr(
        "dashboard.ui.runs.durations.expected_run_seconds", lambda *_: 100.0 * wrong
    )
    min_seconds = float("inf")
    for spent, share in curve:
        now = replace(view, todo=view.plans, share=share, seconds=100.0 * spent)
        remaining_seconds = seconds_left(now)
        assert remaining_seconds < 1.25 * min_seconds
        min_seconds = min(min_seconds, remaining_seconds)


def test_an_estimate_that_is_far_off_is_not_believed(half, monkeypatch):
    _, view = half
    for before in (1.0, 5000.0):
        monkeypatch.setattr(
            "dashboard.ui.runs.durations.expected_run_seconds", lambda *_, b=before: b
        )
        now = replace(view, todo=view.plans, share=0.4, seconds=20.0)
        assert seconds_left(now) == pytest.approx(30.0)


def test_what_lacks_its_bound_is_drawn_and_is_no_result_yet(half, show):
    ws, view = half
    first = {0: view.results[0]}
    show(replace(view, results={}, early=first))
    page = open_page("compare", ws)
    figures = [
        chart_key for chart_key in drawn(page) if "information-loss" in chart_key
    ]
    assert len(figures) == 1
    assert not workspace(page).memo  # cancelled now, it would run again
    show(replace(view, results={}, early={}))
    assert not drawn(open_page("compare", ws))


def test_what_better_groups_will_replace_says_so_and_leads_nowhere(half, show):
    ws, view = half
    first = view.results[0]
    early_results = {0: replace(first, warnings=(*first.warnings, IMPROVING_MESSAGE))}
    show(replace(view, results={}, early=early_results))
    page = open_page("compare", ws)
    assert any(
        "Still improving: MDAV, k = 3" in element.value for element in page.markdown
    )
    assert not {"Inspect", "Release"} & {element.label for element in page.button}
    assert "Choose a release" not in {element.label for element in page.button}
    show(replace(view, results={0: first}))
    page = open_page("compare", ws)
    assert not any("Still improving" in element.value for element in page.markdown)
    assert "Choose a release" in {element.label for element in page.button}


def drawn(page):
    """Return the keys of the charts on a page."""
    return [
        component.proto.id
        for component in page.get("bidi_component")
        if "chart" in component.proto.id
    ]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.0, "under a second"),
        (0.99, "under a second"),
        (1.4, "about 1 second"),
        (59, "about 59 seconds"),
        (150, "about 2 minutes"),
        (7200, "about 2 hours"),
        (1e6, "about 12 days"),
    ],
)
def test_expected_times_are_said_in_words(seconds, words):
    assert duration_text(seconds) == words
