"""What is measured by itself: as much as takes little time, of nobody who said no."""

from dataclasses import replace

import pytest

from dashboard.jobs.assessment import AssessmentRequest
from dashboard.jobs.job_view import JobView
from dashboard.state import session
from dashboard.state.results.requested import requested_outcomes
from dashboard.ui import measures as shown
from engine.core.message import NO_MESSAGE
from engine.measures import MeasureCost, measures
from tests.dashboard.pages import small_table, with_runs


@pytest.fixture(scope="module")
def done():
    return with_runs(small_table(), methods=("mdav",), sizes=(3,), automatic=True)


def ended(ws, asked, state="done"):
    """Return the view of a measuring that has ended, with nothing found."""
    plans = tuple(outcome.plan for outcome in requested_outcomes(ws))
    return JobView(
        state, 1.0, NO_MESSAGE, ws.table, plans, {}, NO_MESSAGE, 1.0, asked=asked
    )


@pytest.fixture
def begun(done, monkeypatch):
    """Return how to begin beside an earlier job, and what that asked for."""

    def begin(view=None, ws=done):
        assessments = []
        monkeypatch.setattr(session, "workspace", lambda: ws)
        monkeypatch.setattr(session, "update_workspace", lambda **_changes: None)
        monkeypatch.setattr(shown.jobs, "view_job", lambda _job: view)
        monkeypatch.setattr(
            shown.jobs,
            "start_assessment",
            lambda _table, _of, what: assessments.append(what),
        )
        shown.autostart_quick_measures(requested_outcomes(done), done.table)
        return assessments

    return begin


def test_all_that_is_left_of_a_small_table_begins(done, begun):
    (assessment,) = begun()
    known_measures = set(requested_outcomes(done)[0].scores)
    assert set(assessment.measures) == set(measures) - known_measures
    assert assessment.by_itself


def test_the_fastest_ones_come_first_and_long_ones_wait(done, monkeypatch):
    slow = {"eigenvalues": MeasureCost(seconds=99.0), "means": MeasureCost(seconds=0.0)}
    infos = [
        replace(info, effort=slow.get(info.id, MeasureCost(seconds=0.01)))
        for info in measures.infos()
    ]
    info_by_id = {info.id: info for info in infos}
    monkeypatch.setattr(measures, "infos", lambda: infos)
    monkeypatch.setattr(measures, "info", info_by_id.__getitem__)
    soon = shown.find_quick_missing_measures(requested_outcomes(done))
    assert soon[0] == "means"
    assert "eigenvalues" not in soon
    assert len(soon) > 10


def test_it_begins_once_and_not_where_somebody_stopped_it(done, begun):
    everything = AssessmentRequest(measures=tuple(measures))
    assert begun(ended(done, AssessmentRequest(target="debt")))
    assert not begun(ended(done, everything))
    assert not begun(ended(done, everything, "cancelled"))
    assert not begun(ended(done, None, "failed"))
    assert not begun(ended(done, None, "running"))


def test_it_does_not_begin_where_nothing_does_by_itself(done, begun):
    assert not begun(ws=replace(done, automatic=False))


def test_the_expected_time_grows_with_the_table_up_to_a_sample():
    cost = MeasureCost(seconds=1.0, microseconds=2.0, records=1_000)
    assert cost.expected_seconds(500, 10) == pytest.approx(1.01)
    assert cost.expected_seconds(10**6, 10) == cost.expected_seconds(1_000, 10)
