"""A search on screen: followed live, ended early, and its curve beside the result."""

import pytest

from dashboard.jobs import jobs
from dashboard.state import session
from engine.core.message import Message
from tests.dashboard.pages import (
    chart,
    charts,
    open_page,
    small_table,
    texts,
    with_runs,
    with_table,
)


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
    return [widget.label for widget in page.button]


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
    frame = page.dataframe[0].value
    assert frame["IL (%)"].iloc[-1] == pytest.approx(outcome.information_loss)


def test_without_a_search_there_is_no_curve():
    page = open_page("compare", with_runs(small_table(), methods=("mdav",)))
    assert not any("Curve" in text for text in texts(page.subheader))
    assert len(charts(page)) == 6
