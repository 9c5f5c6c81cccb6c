"""The Inspect page answers why, in words that are true of the outcome."""

import re

from tests.dashboard.pages import (
    open_page,
    small_table,
    texts,
    with_runs,
    with_table,
)


def test_it_opens_on_the_group_that_loses_most():
    page = open_page("inspect", with_runs(small_table()))
    said = " ".join(texts(page.markdown))
    number = page.number_input[0].value
    assert f"Group {number} of" in said
    assert "formed it as number" in said
    assert "What costs most here is" in said
    members = page.dataframe[0].value
    assert {"Record", "size", "size →", "sales", "sales →"} == set(members.columns)
    assert members["size →"].nunique() == 1


def test_another_group_can_be_looked_at():
    page = open_page("inspect", with_runs(small_table()))
    page.number_input[0].set_value(2).run()
    assert not page.exception
    assert "Group 2 of" in " ".join(texts(page.markdown))


def test_a_record_says_how_far_it_moved_and_where_else_it_could_be():
    page = open_page("inspect", with_runs(small_table()))
    page.segmented_control[0].set_value("A record").run()
    page.number_input[0].set_value(7).run()
    assert not page.exception
    said = " ".join(texts(page.markdown))
    assert re.search(r"Record 7 is in \*\*group \d+\*\*", said)
    assert "belongs" in said or "better off" in said
    moves = page.dataframe[0].value
    assert moves["Attribute"].tolist() == ["size", "sales"]


def test_a_record_that_was_left_out_is_said_to_be():
    page = open_page("inspect", with_runs(small_table(missing=2), missing="drop"))
    page.segmented_control[0].set_value("A record").run()
    assert "left out for a missing value" in page.info[0].value
    page.number_input[0].set_value(3).run()
    assert not page.info


def test_an_attribute_lists_the_groups_that_hurt_it_most():
    page = open_page("inspect", with_runs(small_table()))
    page.segmented_control[0].set_value("An attribute").run()
    every = page.dataframe[0].value["Share of all loss (%)"].tolist()
    assert every == sorted(every, reverse=True)
    page.selectbox[1].set_value("sales").run()
    assert not page.exception
    assert len(page.dataframe[0].value) <= 10


def test_the_replay_is_drawn():
    page = open_page("inspect", with_runs(small_table()))
    page.segmented_control[0].set_value("Replay").run()
    assert not page.exception
    assert "order is that in which the method formed" in " ".join(texts(page.caption))


def test_groups_of_single_attributes_are_not_explained_but_said_to_be():
    page = open_page(
        "inspect", with_runs(small_table(), methods=("individual-ranking",))
    )
    assert "grouped apart" in page.info[0].value


def test_before_the_first_run_it_offers_to_run():
    page = open_page("inspect", with_table(small_table()))
    assert "Nothing has run" in page.info[0].value
    assert page.button
