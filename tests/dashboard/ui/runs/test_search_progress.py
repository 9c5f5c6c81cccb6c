"""A search on screen: followed live, ended early, and its curve beside the result."""

import time

import pytest

from dashboard.jobs import jobs
from dashboard.state import session
from engine.core.message import Message
from tests.dashboard.pages import (
    button,
    chart,
    charts,
    open_page,
    small_table,
    texts,
    with_runs,
    with_table,
    workspace,
)

LONG = {"iterated": {"seconds": 600.0}}


@pytest.fixture(scope="module")
def searched():
    """Return a workspace in which a search and a method without one have run."""
    parameters = {"iterated": {"iterations": 300}}
    methods = ("mdav", "iterated")
    return with_runs(small_table(), methods=methods, sizes=(3,), parameters=parameters)


def curve(page):
    """Return the curve of the searches that are over."""
    return chart(page, "search")


def labels(page):
    return [one.label for one in page.button]


def wait(page, condition, seconds=300.0):
    limit = time.monotonic() + seconds
    while not condition(jobs.view_job(workspace(page).job)):
        assert time.monotonic() < limit
        time.sleep(0.1)
    page.run()
    assert not page.exception


def has_loss(view):
    return view.search and view.search.points and view.search.points[-1].loss


@pytest.mark.slow
def test_a_search_is_drawn_while_it_runs_and_stops_with_its_best():
    ws = with_table(
        small_table(), methods=("iterated",), sizes=(3,), parameters=LONG, seed=3
    )
    page = open_page("compare", ws)
    button(page, "Run").click().run()
    wait(page, has_loss)
    (chart,) = [one for one in charts(page) if len(one["data"]) == 2]
    loss, bound = chart["data"]
    assert loss["name"] == "Iterated search (seconds 600), k = 3"
    assert loss["y"][-1] >= bound["y"][-1]
    assert any("no grouping can lose less than" in one for one in texts(page.caption))
    assert "Cancel" in labels(page)

    button(page, "Stop and keep the best").click().run()
    wait(page, lambda view: not view.is_running)
    (outcome,) = session.requested_outcomes(workspace(page))
    assert any("stopped early" in warning for warning in outcome.warnings)
    assert "**Recommended: " in " ".join(texts(page.markdown))
    chart = curve(page)  # it stays
    assert chart["data"][0]["y"][-1] == pytest.approx(outcome.information_loss)
    page.switch_page("app_pages/release/view.py").run()
    assert "was stopped early" in " ".join(texts(page.markdown))


def test_what_is_no_search_offers_only_to_cancel(monkeypatch):
    view = jobs.JobView("running", 0.5, Message("MDAV"), small_table(), (), {}, "", 1.0)
    monkeypatch.setattr(jobs, "view_job", lambda job: view if job else None)
    page = open_page("compare", with_table(small_table(), job="job"))
    assert "Cancel" in labels(page)
    assert "Stop and keep the best" not in labels(page)
    assert not charts(page)


def test_the_curve_stands_beside_the_results_of_its_k(searched):
    page = open_page("compare", searched)
    last = curve(page)
    outcome = session.requested_outcomes(searched)[1]
    assert [trace["name"] for trace in last["data"]] == [
        "Iterated search (steps 300), k = 3",
        "Lower bound",
    ]
    assert last["data"][0]["y"][-1] == pytest.approx(outcome.information_loss)
    page.button_group(key=session.widget_key("view", "search")).set_value("Table").run()
    assert not page.exception
    frame = page.dataframe[0].value
    assert frame["IL (%)"].iloc[-1] == pytest.approx(outcome.information_loss)


def test_without_a_search_there_is_no_curve():
    page = open_page("compare", with_runs(small_table(), methods=("mdav",)))
    assert not any("Curve" in text for text in texts(page.subheader))
    assert len(charts(page)) == 6
