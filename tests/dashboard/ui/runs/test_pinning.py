"""Pinned results stay whatever else is chosen, and are shown side by side."""

from dataclasses import replace

import pytest

from dashboard.state import session
from dashboard.state.results.requested import requested_outcomes
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
    first_outcome, other = requested_outcomes(ws)
    both = replace(ws, pinned=(first_outcome.plan, other.plan), side_by_side=True)
    page = open_page("compare", both)
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
    plans = [entry.plan for entry in requested_outcomes(ws)]
    page = open_page("compare", ws)
    for plan in plans[:3]:
        page.selectbox(key=session.widget_key("chosen")).set_value(plan).run()
        button(page, "Pin").click().run()
    assert workspace(page).pinned == (plans[0], plans[2])
    button(page, "Side by side").click().run()
    markdown_text = " ".join(entry.value for entry in page.markdown)
    assert "A · MDAV, k = 3" in markdown_text
    assert "B · MD, k = 3" in markdown_text
    button(page, "Unpin").click().run()
    assert workspace(page).pinned == (plans[2],)
    assert not workspace(page).side_by_side


def test_a_pinned_result_stays_when_other_methods_and_scalings_are_chosen():
    ws = with_runs(small_table(), methods=("mdav",), sizes=(3,))
    first = requested_outcomes(ws)[0].plan
    range_workspace = with_runs(
        small_table(), methods=("mdav",), sizes=(3,), scaling="range"
    )
    second = requested_outcomes(range_workspace)[0].plan
    both = replace(
        range_workspace,
        memo={**ws.memo, **range_workspace.memo},
        pinned=(first, second),
        side_by_side=True,
    )
    page = open_page("compare", both)
    caption_text = " ".join(element.value for element in page.caption)
    assert "scaling: z-score" in caption_text
    assert "scaling: range" in caption_text
    assert "must not be compared" in caption_text


def test_what_was_pinned_on_another_table_is_left_out():
    ws = with_runs(small_table(), methods=("mdav",), sizes=(3,))
    pinned = (requested_outcomes(ws)[0].plan,)
    other = small_table(80).assign(roles={"sales": "other"})
    other_workspace = replace(
        with_runs(other, methods=("mdav",), sizes=(3,)), pinned=pinned
    )
    page = open_page("compare", other_workspace)
    assert "Pinned" not in " ".join(element.value for element in page.markdown)
