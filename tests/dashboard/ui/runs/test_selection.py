"""One selection for all charts: where it comes from, what it shows, where it leads."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from dashboard.state import session
from dashboard.state.results.requested import (
    requested_outcomes,
    requested_results,
    selected_or_recommended_outcome,
)
from dashboard.ui.browser_components.chart_tools import css_class_of_widget
from dashboard.ui.runs import selection
from tests.dashboard.pages import (
    button,
    chart,
    charts,
    open_page,
    small_table,
    with_runs,
    workspace,
)


@pytest.fixture(scope="module")
def ws():
    return with_runs(small_table())


@pytest.fixture
def kept(ws, monkeypatch):
    """Return a function that gives the workspace after each change."""
    now = [ws]

    def update(**changes):
        now[0] = replace(now[0], **changes)
        return now[0]

    monkeypatch.setattr(session, "workspace", lambda: now[0])
    monkeypatch.setattr(session, "update_workspace", update)
    return lambda: now[0]


def labels(page):
    return [widget.label for widget in page.button]


def plan_of(ws, method, k):
    return next(
        outcome.plan
        for outcome in requested_outcomes(ws)
        if (outcome.plan.method, outcome.plan.k) == (method, k)
    )


def test_a_click_on_a_result_selects_it_and_a_second_one_lets_it_go(ws, kept):
    plan = plan_of(ws, "md", 5)
    selection.toggle_clicked_result({"key": plan.digest(), "rest": [5, 12.0]})
    assert kept().chosen == plan
    selection.toggle_clicked_result({"key": plan.digest(), "rest": [5, 12.0]})
    assert kept().chosen is None


def test_a_name_in_a_legend_selects_the_method_with_the_k_looked_at(ws, kept):
    selection.toggle_clicked_result({"method": "MD"})
    assert kept().chosen == plan_of(ws, "md", 3)
    selection.toggle_clicked_result(
        {"key": plan_of(ws, "mdav", 5).digest(), "rest": []}
    )
    selection.toggle_clicked_result({"method": "MD"})
    assert kept().chosen == plan_of(ws, "md", 5)


def test_what_is_not_there_any_more_changes_nothing(kept):
    before = kept()
    for pick in (
        selection.toggle_clicked_result,
        selection.select_clicked_record,
        selection.select_clicked_group_size,
    ):
        pick({"key": "gone", "rest": [1, 1]})
        pick({"method": "Gone"})
    assert kept() == before or kept().chosen is None


def test_a_click_on_a_record_points_at_it_and_at_its_group(ws, kept):
    outcome = requested_outcomes(ws)[0]
    group = int(outcome.partition.labels[6]) + 1
    selection.select_clicked_record({"key": outcome.plan.digest(), "rest": [7, group]})
    assert kept().chosen == outcome.plan
    assert selection.clicked_row_and_group(outcome) == (7, group)
    assert selection.clicked_row_and_group(requested_outcomes(ws)[1]) == (0, 0)


def test_a_click_on_a_centre_points_at_the_group(ws, kept):
    outcome = requested_outcomes(ws)[0]
    selection.select_clicked_record({"key": outcome.plan.digest(), "rest": [0, 4]})
    assert selection.clicked_row_and_group(outcome) == (0, 4)


def test_a_click_on_a_bar_of_sizes_points_at_a_group_of_such_a_size(ws, kept):
    outcome = requested_outcomes(ws)[0]
    largest = int(outcome.partition.sizes.max())
    selection.select_clicked_group_size(
        {"key": outcome.plan.digest(), "rest": [largest, largest]}
    )
    _, group = selection.clicked_row_and_group(outcome)
    assert outcome.partition.sizes[group - 1] == largest


def test_without_a_selection_the_bar_asks_for_one(ws):
    page = open_page("compare", ws)
    select = page.selectbox(key=session.widget_key("chosen"))
    assert select.value is None
    assert len(select.options) == 4
    assert "Clear" not in labels(page)


def test_the_bar_selects_by_keyboard_and_clears(ws):
    page = open_page("compare", ws)
    plan = plan_of(ws, "md", 5)
    page.selectbox(key=session.widget_key("chosen")).set_value(plan).run()
    assert workspace(page).chosen == plan
    assert {"Inspect", "Pin", "Release", "Clear"} <= set(labels(page))
    (words,) = chart(page, "groups-of-one")["layout"]["annotations"]
    assert words["text"] == "<b>MD, k = 5</b>"
    button(page, "Clear").click().run()
    assert workspace(page).chosen is None
    assert page.selectbox(key=session.widget_key("chosen")).value is None


@pytest.mark.parametrize(
    ("title", "there"),
    [("Inspect", "Back to all results"), ("Release", "Leave them out")],
)
def test_the_selected_result_leads_to_other_pages_and_back(ws, title, there):
    plan = plan_of(ws, "md", 3)
    page = open_page("compare", replace(ws, chosen=plan))
    button(page, title).click().run()
    assert there in labels(page)
    assert page.selectbox(key=session.widget_key("chosen")).value == plan


def test_there_is_a_way_back_and_the_selection_stays(ws):
    plan = plan_of(ws, "md", 3)
    page = open_page("inspect", replace(ws, chosen=plan))
    button(page, "Back to all results").click().run()
    assert charts(page)
    assert page.selectbox(key=session.widget_key("chosen")).value == plan


def test_a_record_that_was_clicked_leads_to_why_it_is_where_it_is(ws):
    outcome = requested_outcomes(ws)[2]
    group = int(outcome.partition.labels[16]) + 1
    pointing = replace(ws, chosen=outcome.plan, pointed="record", record=17)
    page = open_page("compare", pointing)
    button(page, "Why record 17").click().run()
    markdown_text = " ".join(element.value for element in page.markdown)
    assert f"Record 17 is in **group {group}**" in markdown_text
    page.switch_page("app_pages/inspect/view.py").run()
    button(page, f"Why group {group}").click().run()
    markdown_text = " ".join(element.value for element in page.markdown)
    assert f"Group {group} of" in markdown_text


def test_a_group_that_was_clicked_leads_to_its_story_and_its_replay(ws):
    outcome = requested_outcomes(ws)[0]
    pointing = replace(
        ws, chosen=outcome.plan, pointed="group", groups={outcome.plan.digest(): 5}
    )
    page = open_page("compare", pointing)
    button(page, "Why group 5").click().run()
    assert page.number_input[0].value == 5
    page = open_page("compare", pointing)
    button(page, "Replay").click().run()
    assert workspace(page).part == "Replay"
    (replayed,) = charts(page)
    active = replayed["layout"]["sliders"][0]["active"]
    assert active == 5


def test_the_selected_row_of_the_table_is_that_of_the_selection(ws):
    plan = plan_of(ws, "mdav", 5)
    page = open_page("compare", replace(ws, chosen=plan))
    marked = page.session_state[session.widget_key("table", "comparison")]["selection"][
        "rows"
    ]
    frame = page.dataframe[-1].value
    assert frame.iloc[list(marked)][["Method", "k"]].to_numpy().tolist() == [
        ["MDAV", 5]
    ]


def test_a_row_selects_its_result_and_an_echo_of_it_changes_nothing(ws, kept):
    keys = [outcome.plan.digest() for outcome in requested_outcomes(ws)]

    def told(rows, marked):
        table = SimpleNamespace(selection=SimpleNamespace(rows=rows))
        selection.select_table_row(keys, marked, table)

    told([2], marked=[])
    assert kept().chosen == requested_outcomes(ws)[2].plan
    selection.select_clicked_record({"key": keys[2], "rest": [7, 3]})
    told([2], marked=[2])
    assert kept().pointed == "record"
    told([], marked=[2])
    assert kept().chosen is None


def test_a_table_without_a_mark_lets_no_selection_go(ws, kept):
    """A browser tells of the table with every choice made elsewhere."""
    keys = [outcome.plan.digest() for outcome in requested_outcomes(ws)]
    selection.toggle_clicked_result({"key": keys[1], "rest": []})
    nothing = SimpleNamespace(selection=SimpleNamespace(rows=[]))
    selection.select_table_row(keys, [], nothing)
    assert kept().chosen == requested_outcomes(ws)[1].plan


def test_keys_are_found_in_the_page_by_their_class():
    assert (
        css_class_of_widget("widget:chart:group-sizes")
        == "st-key-widget-chart-group-sizes"
    )


def test_what_is_recommended_meanwhile_is_nobodys_choice(ws):
    page = open_page("release", replace(ws, chosen=None))
    outcome = selected_or_recommended_outcome(ws)
    box = page.selectbox(key=session.widget_key("chosen", outcome.plan.digest()))
    assert box.value == outcome.plan
    assert workspace(page).chosen is None
    other = next(plan for plan in requested_results(ws) if plan != outcome.plan)
    box.set_value(other).run()
    assert workspace(page).chosen == other
    assert page.selectbox(key=session.widget_key("chosen")).value == other
