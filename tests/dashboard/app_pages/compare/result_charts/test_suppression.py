"""Loss against records left out is drawn for the selected result; the rail chooses."""

from dataclasses import replace
from types import MappingProxyType

from dashboard.app_pages.compare.rail.records import budget_text
from dashboard.app_pages.compare.result_charts.suppression import suppression_table
from dashboard.jobs import jobs
from dashboard.state import session
from dashboard.state.caches.memo import memo_key
from engine.analysis.curves.suppression_curve import BudgetResult
from tests.dashboard.pages import (
    charts,
    labelled,
    open_page,
    small_table,
    with_runs,
    workspace,
)

TITLE = "Loss against records left out"
FOUND = (BudgetResult(0.0, 0, 20.0, 15.0), BudgetResult(0.05, 3, 12.0, 9.0, used=3.0))


def panel(page):
    return labelled(page.expander, TITLE)


def test_it_begins_when_somebody_looks_and_can_be_cancelled():
    ws = with_runs(small_table(), methods=("mdav",), sizes=(3,))
    page = open_page("compare", ws)
    key = session.widget_key("left out")
    page.session_state[key] = True
    page.run()
    view = jobs.view_job(workspace(page).job)
    assert view.asked.left_out
    assert "Cancel" in [button.label for button in page.button]
    jobs.cancel_job(workspace(page).job)


def test_what_was_found_is_drawn_with_its_bound():
    ws = with_runs(small_table(), methods=("mdav",), sizes=(3,))
    (outcome,) = session.requested_outcomes(ws)
    key = memo_key(ws.table, outcome.plan)
    ws = replace(ws, left_out=MappingProxyType({key: FOUND}))
    page = open_page("compare", ws)
    page.session_state[session.widget_key("left out")] = True
    page.run()
    drawn = str(charts(panel(page))[0])
    assert "no groups lose less" in drawn
    assert suppression_table(FOUND)["Records left out"].tolist() == [0, 3]


def test_the_rail_says_and_sets_the_budget():
    ws = with_runs(small_table(), methods=("mdav",), sizes=(3,), suppress=3.0)
    page = open_page("compare", ws)
    field = labelled(page.number_input, "Records left")
    assert field.value == 5.0
    assert any(entry.value.startswith("3 of 60 records") for entry in page.caption)
    field.set_value(10.0).run()
    assert workspace(page).suppress == 0.1
    assert [budget_text(entry) for entry in (0.0, 0.005, 1.0, 8.0)] == [
        "none",
        "0.5 %",
        "1 record",
        "8 records",
    ]
