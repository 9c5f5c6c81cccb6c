"""The Release page: only a file whose k was counted as written can be taken home."""

import json

import pytest

from dashboard import delivery, state
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
