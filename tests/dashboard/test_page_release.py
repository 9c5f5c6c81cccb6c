"""The Release page: only a file whose k was counted as written can be taken home."""

import json

import pytest

from dashboard import delivery, state
from engine.hierarchy import flat
from engine.plan import Plan
from engine.verify import Check, Written
from tests.dashboard.pages import (
    button,
    open_page,
    small_table,
    texts,
    with_runs,
    with_table,
    workspace,
)


@pytest.fixture(scope="module")
def ws():
    return with_runs(small_table())


def downloads(page):
    return [one.proto.label for one in page.get("download_button")]


def test_before_the_first_run_it_offers_to_run():
    page = open_page("release", with_table(small_table()))
    assert not downloads(page)
    assert button(page, "Run")


def test_k_is_verified_and_three_files_are_offered(ws):
    page = open_page("release", ws)
    assert "k = 3 verified on the file as written" in page.success[0].value
    assert downloads(page) == [
        "Download the protected file",
        "Plan (JSON)",
        "Groups (CSV)",
    ]


def test_another_result_can_be_chosen_and_stays_chosen(ws):
    page = open_page("release", ws)
    wanted = state.outcomes(ws)[-1]
    page.selectbox[0].set_value(wanted.plan).run()
    assert not page.exception
    assert f"k = {wanted.plan.k} verified" in page.success[0].value
    page.switch_page("app_pages/data.py").run()
    page.switch_page("app_pages/release.py").run()
    assert state.selected(workspace(page)).plan == wanted.plan


def test_a_file_that_does_not_keep_k_is_blocked_with_the_reason(monkeypatch):
    # A seed of its own: what was written is kept per session, data and plan.
    ws = with_runs(small_table(), seed=9)
    failed = (Check("k", "k", passed=False, detail="k = 2"),)
    spoilt = Written(b"x", ws.table.origin, failed, 2)
    monkeypatch.setattr(delivery, "write_and_check", lambda *_: spoilt)
    page = open_page("release", ws)
    assert "k = 2, fewer than 3" in page.error[0].value
    assert "Download the protected file" not in downloads(page)
    assert not page.success


def test_original_and_protected_show_the_same_records(ws):
    page = open_page("release", ws)
    before, after = (one.value for one in page.dataframe)
    assert len(before) == len(after) == 60
    assert before["region"].tolist() == after["region"].tolist()
    assert "name" in before.columns
    assert "name" not in after.columns
    assert before["sales"].tolist() != after["sales"].tolist()


def test_the_checklist_names_what_was_done_to_every_column(ws):
    page = open_page("release", ws)
    said = " ".join(texts(page.markdown))
    for words in (
        "Left out as identifiers: **name**",
        "Protected: **size**, **sales**",
        "Confidential, released as they are: **debt**",
        "Released as they are: **region**",
    ):
        assert words in said


def test_records_left_out_are_counted():
    ws = with_runs(small_table(missing=4), missing="drop")
    page = open_page("release", ws)
    assert "Records left out for missing values: 4." in " ".join(texts(page.markdown))
    assert len(page.dataframe[0].value) == len(page.dataframe[1].value) == 56


def test_the_command_line_names_every_choice(ws):
    page = open_page("release", ws)
    command = page.code[0].value
    assert command.startswith("coterie run firms.csv")
    for words in ("--quasi-identifiers size,sales", "--k 3", "--method mdav"):
        assert words in command


def test_a_polished_result_says_so_and_is_repeated_polished():
    ws = with_runs(small_table(), polish=True, methods=("mdav",), sizes=(3,))
    page = open_page("release", ws)
    polished = state.outcomes(ws)[-1]
    page.selectbox[0].set_value(polished.plan).run()
    assert "Polished: local search" in " ".join(texts(page.markdown))
    assert "--polish" in page.code[0].value


def test_a_search_by_the_clock_is_repeated_by_its_steps():
    parameters = {"iterated": {"seconds": 0.2}}
    ws = with_runs(
        small_table(), methods=("iterated",), sizes=(3,), parameters=parameters
    )
    page = open_page("release", ws)
    steps = state.selected(ws).iterations[0]
    assert f"--param iterations={steps}" in page.code[0].value


def test_the_plan_that_is_offered_repeats_the_run(ws):
    outcome = state.selected(ws)
    plan = Plan.from_json(outcome.plan.to_json())
    assert plan == outcome.plan
    assert json.loads(plan.to_json())["quasi_identifiers"] == ["size", "sales"]


def mixed(**choices):
    """Return runs on a table with categories, a hierarchy, gaps and weights."""
    table = small_table(missing=4)
    table = table.assign(
        roles={"region": "quasi-identifier", "debt": "other"},
        hierarchies={"region": flat(table.frame["region"])},
    )
    choices = {"methods": ("caat",), "sizes": (3,), "missing": "median"} | choices
    return with_runs(table, **choices)


def test_the_checklist_says_what_each_column_became():
    page = open_page("release", mixed(aggregations={"size": "median"}))
    said = " ".join(texts(page.markdown))
    assert "share the median of **size**; the interval of **sales**" in said
    assert "the nearest common ancestor of **region**" in said
    assert "Missing values filled with the median: 'sales' 4" in said


def test_intervals_and_their_ends_stand_beside_the_original():
    page = open_page("release", mixed(interval_columns=True))
    before, after = (one.value for one in page.dataframe)
    assert list(before)[:3] == ["size", "sales", "region"]
    assert list(after)[:3] == ["size", "size_from", "size_to"]
    assert after["size"].str.fullmatch(r"\d+|\[\d+, \d+\]").all()
    assert (after["size_from"] <= after["size_to"]).all()
    assert "ends of intervals" in " ".join(texts(page.markdown))


def test_gaps_that_are_kept_stay_gaps():
    page = open_page("release", mixed(missing="keep"))
    before, after = (one.value for one in page.dataframe)
    assert after["sales"].isna().tolist() == before["sales"].isna().tolist()
    assert after["sales"].isna().sum() == 4
    assert "stay missing" in " ".join(texts(page.markdown))


def test_weights_are_named_and_not_among_the_rest():
    table = small_table().assign(roles={"debt": "weight"})
    page = open_page("release", with_runs(table, methods=("mdav",), sizes=(3,)))
    said = " ".join(texts(page.markdown))
    assert "Weighs the records, and is released as it is: **debt**" in said
    assert "Released as they are: **region**." in said
    assert "weighted by debt" in " ".join(texts(page.caption))


def test_hierarchies_are_offered_beside_the_command_that_names_them():
    page = open_page("release", mixed())
    assert "Hierarchies (CSV)" in downloads(page)
    assert "--hierarchy region=region_hierarchy.csv" in page.code[0].value
    assert "hierarchies' files" in " ".join(texts(page.caption))


def test_a_table_without_numbers_shows_its_penalty():
    table = small_table().assign(
        roles={"region": "quasi-identifier", "size": "other", "sales": "other"}
    )
    page = open_page("release", with_runs(table, methods=("caat",), sizes=(3,)))
    figures = {one.label: one.value for one in page.metric}
    assert figures["Information loss"] == "no numbers"
    assert figures["Certainty penalty"].endswith(" %")
    assert "NCP" in page.selectbox[0].options[0]
    assert "nan" not in " ".join(
        [*texts(page.markdown), *texts(page.caption), *figures.values()]
    )


def test_blocks_that_break_k_are_not_released_and_the_reason_is_said():
    ws = with_runs(small_table(), methods=("mdav",), sizes=(3,), blocks=(("sales",),))
    page = open_page("release", ws)
    assert "Blocks of columns were grouped apart" in page.error[0].value
    said = " ".join(texts(page.markdown))
    assert "shared by 1 record at the least, fewer than k = 3" in said
    assert "with at least 0 others" not in said
    assert "Download the protected file" not in downloads(page)
