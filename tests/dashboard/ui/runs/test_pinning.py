"""Pinned results stay whatever else is chosen, and are shown side by side."""

from dataclasses import replace

import pytest

from dashboard.state import session
from dashboard.state.workspace import requested_outcomes
from tests.dashboard.pages import (
    button,
    charts,
    open_page,
    small_table,
    with_runs,
    workspace,
)


def mixed():
    return small_table().assign(roles={"region": "quasi-identifier"})


@pytest.mark.parametrize(
    ("table", "methods", "attributes"),
    [
        (small_table(), ("mdav", "md"), ["size", "sales"]),
        (mixed(), ("caat", "mdav-mixed"), ["size", "sales", "region"]),
        (small_table(), ("mdav", "fuzzy"), ["size", "sales"]),
    ],
    ids=["numbers", "mixed", "probabilistic"],
)
def test_two_results_are_shown_side_by_side(table, methods, attributes):
    ws = with_runs(table, methods=methods, sizes=(3,))
    one, other = requested_outcomes(ws)
    both = replace(ws, pinned=(one.plan, other.plan), side_by_side=True)
    page = open_page("compare", both)
    assert not page.exception
    spreads, correlations, _sizes = charts(page)
    headings = [note["text"] for note in spreads["layout"]["annotations"]]
    assert headings == [f"<b>{name}</b>" for name in attributes]
    assert len(spreads["data"]) == 3 * len(attributes)
    assert len(correlations["data"]) == 2
    figures = page.dataframe[0].value
    marked = figures.iloc[:, 1:3].map(lambda words: words.startswith("✓"))
    assert marked.any(axis=None)
    assert not marked.all(axis=1).any()
    button(page, "All results").click().run()
    assert len(charts(page)) > 3


def test_pinning_two_leads_to_both_and_a_third_takes_the_newer_place():
    ws = with_runs(small_table())
    plans = [one.plan for one in requested_outcomes(ws)]
    page = open_page("compare", ws)
    for plan in plans[:3]:
        page.selectbox(key=session.widget_key("chosen")).set_value(plan).run()
        button(page, "Pin").click().run()
    assert workspace(page).pinned == (plans[0], plans[2])
    button(page, "Side by side").click().run()
    assert not page.exception
    said = " ".join(one.value for one in page.markdown)
    assert "A · MDAV, k = 3" in said
    assert "B · MD, k = 3" in said
    button(page, "Unpin").click().run()
    assert workspace(page).pinned == (plans[2],)
    assert not workspace(page).side_by_side


def test_a_pinned_result_stays_when_other_methods_and_scalings_are_chosen():
    ws = with_runs(small_table(), methods=("mdav",), sizes=(3,))
    first = requested_outcomes(ws)[0].plan
    again = with_runs(small_table(), methods=("mdav",), sizes=(3,), scaling="range")
    second = requested_outcomes(again)[0].plan
    both = replace(
        again, memo={**ws.memo, **again.memo}, pinned=(first, second), side_by_side=True
    )
    page = open_page("compare", both)
    assert not page.exception
    said = " ".join(one.value for one in page.caption)
    assert "scaling: z-score" in said
    assert "scaling: range" in said
    assert "must not be compared" in said


def test_what_was_pinned_on_another_table_is_left_out():
    ws = with_runs(small_table(), methods=("mdav",), sizes=(3,))
    pinned = (requested_outcomes(ws)[0].plan,)
    other = small_table(80).assign(roles={"sales": "other"})
    elsewhere = replace(with_runs(other, methods=("mdav",), sizes=(3,)), pinned=pinned)
    page = open_page("compare", elsewhere)
    assert not page.exception
    assert "Pinned" not in " ".join(one.value for one in page.markdown)
