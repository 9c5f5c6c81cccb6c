"""The Inspect page answers why, in words that are true of the outcome."""

import re
import time
from dataclasses import replace
from html import escape
from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest
import streamlit as st

from dashboard.jobs import jobs
from dashboard.results.attack_verdicts import attack_sentence, attack_verdict_and_sign
from dashboard.state import session
from dashboard.state.caches.memo import memo_key
from dashboard.state.results.job_results import copy_with_analyses
from engine.analysis import analyse
from engine.analysis.attacks import Knowledge, attacks
from engine.analysis.attacks.run import run_attacks_on_outcome
from engine.analysis.releases.ledger import Ledger
from engine.files import read_table
from engine.measures import measures
from tests.dashboard.pages import (
    button,
    open_page,
    small_table,
    texts,
    with_measures,
    with_runs,
    with_table,
    workspace,
)


@pytest.fixture(scope="module")
def ws():
    return with_runs(small_table())


def open_groups(ws):
    page = open_page("inspect", ws)
    page.segmented_control[0].set_value("A group").run()
    return page


def test_it_opens_on_the_group_that_loses_most(ws):
    page = open_groups(ws)
    page_text = " ".join(texts(page.markdown))
    number = page.number_input[0].value
    assert f"Group {number} of" in page_text
    assert "formed it as number" in page_text
    assert "What costs most here is" in page_text
    members = page.dataframe[0].value
    assert {"Record", "size", "size →", "sales", "sales →"} == set(members.columns)
    assert members["size →"].nunique() == 1


def test_another_group_can_be_looked_at(ws):
    page = open_groups(ws)
    page.number_input[0].set_value(2).run()
    assert "Group 2 of" in " ".join(texts(page.markdown))


def test_a_record_says_how_far_it_moved_and_where_else_it_could_be(ws):
    page = open_page("inspect", ws)
    page.segmented_control[0].set_value("A record").run()
    page.number_input[0].set_value(7).run()
    page_text = " ".join(texts(page.markdown))
    assert re.search(r"Record 7 is in \*\*group \d+\*\*", page_text)
    assert "belongs" in page_text or "better off" in page_text
    moves = page.dataframe[0].value
    assert moves["Attribute"].tolist() == ["size", "sales"]


def test_a_record_that_was_left_out_is_said_to_be():
    page = open_page("inspect", with_runs(small_table(missing=2), missing="drop"))
    page.segmented_control[0].set_value("A record").run()
    assert "left out for a missing value" in page.info[0].value
    page.number_input[0].set_value(3).run()
    assert not page.info


def test_an_outlier_that_was_left_out_is_said_to_be():
    ws = with_runs(small_table(), suppress=2)
    page = open_page("inspect", ws)
    page.segmented_control[0].set_value("A record").run()
    outcome = session.selected_or_recommended_outcome(ws)
    gone = set(range(60)) - set(outcome.release.rows.tolist())
    page.number_input[0].set_value(min(gone) + 1).run()
    assert "left out as an outlier" in page.info[0].value


def test_an_attribute_lists_the_groups_that_hurt_it_most(ws):
    page = open_page("inspect", ws)
    page.segmented_control[0].set_value("An attribute").run()
    every = page.dataframe[0].value["Share of all loss (%)"].tolist()
    assert every == sorted(every, reverse=True)
    page.selectbox[1].set_value("sales").run()
    assert len(page.dataframe[0].value) <= 10


def test_the_replay_is_drawn(ws):
    page = open_page("inspect", ws)
    page.segmented_control[0].set_value("Replay").run()
    assert "order is that in which the method formed" in " ".join(texts(page.caption))


def test_groups_of_single_attributes_are_not_explained_but_said_to_be():
    page = open_groups(with_runs(small_table(), methods=("individual-ranking",)))
    assert "grouped apart" in page.info[0].value


def test_before_the_first_run_it_offers_to_run():
    page = open_page("inspect", with_table(small_table()))
    assert "Nothing has run" in page.info[0].value
    assert page.button


def test_measures_that_every_run_works_out_are_there_and_the_others_are_offered(ws):
    page = open_page("inspect", ws)
    page_text = " ".join(texts(page.markdown))
    assert "**Information loss (IL)**" in page_text
    assert "Not measured yet" in page_text
    labels = [widget.label for widget in page.button]
    assert "Measure risk and utility" in labels
    assert "All 4 results" in labels


def test_every_figure_comes_with_direction_meaning_and_comparison():
    ws = with_measures(with_runs(small_table(), methods=("mdav",), sizes=(3,)))
    page = open_page("inspect", ws)
    page_text, quiet = " ".join(texts(page.markdown)), " ".join(texts(page.caption))
    outcome = session.requested_outcomes(ws)[0]
    for info in measures.infos():
        assert info.id in outcome.scores
        assert f"**{info.title}**" in page_text
        assert info.summary in page_text
    assert "↓ lower is better" in quiet
    assert "↑ higher is better" in quiet
    assert "Compare with" in quiet
    assert "Measure risk and utility" not in [entry.label for entry in page.button]
    helps = [entry.proto.help for entry in page.markdown if entry.proto.help]
    assert any("doi" in entry for entry in helps)


def test_what_needs_no_attack_is_drawn_before_any_is_tried(monkeypatch):
    ws = with_runs(small_table(), methods=("mdav",), sizes=(3,), seed=86)
    ws = with_measures(ws, "record-linkage", "means")
    with monkeypatch.context() as patches:
        patches.setattr(
            "dashboard.ui.verdict.run_verdict_attacks", lambda *_: st.stop()
        )
        page = open_page("inspect", ws)
    early = " ".join(texts(page.markdown))
    assert early.count("Attacks are being tried.") == 2  # who, and what of them
    assert "**Record linkage by distance**" in early
    assert "Not measured yet" in early
    page.run()
    assert not page.exception
    later = " ".join(texts(page.markdown))
    assert "Attacks are being tried." not in later
    assert "An intruder who knows all of them exactly finds" in later
    page.run()
    assert " ".join(texts(page.markdown)) == later


def test_measuring_runs_apart_and_its_figures_stay():
    ws = with_runs(small_table(), methods=("mdav",), sizes=(3,), seed=5)
    page = open_page("inspect", ws)
    button(page, "Measure risk and utility").click().run()
    limit = time.monotonic() + 120
    while jobs.view_job(workspace(page).job).is_running:
        assert time.monotonic() < limit
        time.sleep(0.2)
    page.run()
    outcome = session.requested_outcomes(workspace(page))[0]
    assert set(outcome.scores) == set(measures)
    page.switch_page("app_pages/data/view.py").run()
    page.switch_page("app_pages/inspect/view.py").run()
    assert "**Record linkage by distance**" in " ".join(texts(page.markdown))


def test_an_analysis_shows_what_a_model_of_the_release_loses():
    ws = with_runs(small_table(), methods=("mdav",), sizes=(3,))
    outcome = session.requested_outcomes(ws)[0]
    analysis = analyse(outcome, ws.table, "debt", "linear")
    ws = copy_with_analyses(ws, ws.table, [outcome.plan], {0: analysis})
    page = open_page("inspect", ws)
    assert page.selectbox(key=session.widget_key("analysis target")).value == "debt"
    labels = [metric.label for metric in page.metric]
    assert labels[:2] == ["Fitted to the original", "Fitted to the release"]
    assert "Lost by the protection" in " ".join(texts(page.markdown))
    page.selectbox(key=session.widget_key("analysis model")).set_value("logistic").run()
    assert button(page, "Fit and compare")


def attacked(ws, knowledge=None):
    """Return the workspace as it is once the selected result was attacked."""
    outcome = session.selected_or_recommended_outcome(ws)
    knowledge = knowledge or Knowledge(("size", "sales"), "exact", ws.table.n_records)
    attack_outcomes = run_attacks_on_outcome(outcome, ws.table, knowledge)
    key = memo_key(ws.table, outcome.plan), knowledge
    return replace(
        ws, attacks=MappingProxyType({key: attack_outcomes}), part="Attack"
    ), attack_outcomes


def test_one_button_tries_every_attack_in_a_worker():
    page = open_page("inspect", with_runs(small_table(), methods=("mdav",)))
    page.segmented_control[0].set_value("Attack").run()
    assert "will be tried" in " ".join(texts(page.caption))
    button(page, "Attack").click().run()
    job = workspace(page).job
    assert jobs.view_job(job).asked.knowledge == Knowledge(("size", "sales"), about=60)
    jobs.cancel_job(job)


def test_every_attack_is_said_with_verdict_bar_and_control():
    ws, attack_outcomes = attacked(
        with_runs(small_table(), methods=("mdav",), sizes=(3,))
    )
    page = open_page("inspect", ws)
    page_body = page.get("html")[0].proto.body
    for info in attacks.infos():
        assert escape(info.does) in page_body
    for attack_outcome in attack_outcomes:
        assert escape(attack_sentence(attack_outcome, 3)) in page_body
    assert button(page, "Attack").disabled
    page.selectbox(key=session.widget_key("intruder_exactness")).set_value("near").run()
    assert not button(page, "Attack").disabled


def test_a_record_that_falls_leads_to_why_and_to_what_would_mend_it():
    table = small_table()
    ws, attack_outcomes = attacked(with_runs(table, methods=("mdav",), sizes=(3,)))
    attack_outcome = next(
        each for each in attack_outcomes if each.fallen.size and each.has_succeeded
    )
    page = open_page("inspect", ws)
    page.selectbox(key=session.widget_key("attack looked at")).set_value(
        attack_outcome.attack
    ).run()
    row = int(attack_outcome.fallen[0]) + 1
    values = " ".join([*texts(page.markdown), *texts(page.caption)])
    assert str(table.frame["sales"].iloc[row - 1]) not in values
    page.button_group(
        key=session.widget_key("fallen", attack_outcome.attack)
    ).set_value(row).run()
    assert (workspace(page).part, workspace(page).record) == ("A record", row)


def test_what_would_mend_it_sets_the_choice_and_leads_there():
    ws, attack_outcomes = attacked(
        with_runs(small_table(120), methods=("mdav",), sizes=(3,))
    )
    sign_by_attack = {
        each.attack: attack_verdict_and_sign(each, 3)[1] for each in attack_outcomes
    }
    page = open_page("inspect", ws)
    chosen = page.selectbox(key=session.widget_key("attack looked at"))
    for attack, sign in sign_by_attack.items():
        page = chosen.set_value(attack).run()
        labels = [each.label for each in page.button]
        assert ("A larger k: 4" in labels) == (sign in ("watch", "bad"))
    assert {"good", "watch"} <= {*sign_by_attack.values()}
    attack = next(name for name, sign in sign_by_attack.items() if sign == "watch")
    chosen.set_value(attack).run()
    button(page, "A larger k: 4").click().run()
    assert workspace(page).sizes == (3, 4)


ODD = {
    "twelve records": pd.DataFrame(
        {"a": np.arange(12.0) ** 2, "b": [3.0, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8]}
    ),
    "dates": pd.DataFrame({"day": pd.date_range("2020-01-01", periods=40, freq="37D")}),
    "constants": pd.DataFrame({"a": np.ones(30), "b": np.arange(30.0)}),
}


@pytest.mark.parametrize("what", ODD)
def test_odd_tables_are_attacked_and_released_beside_earlier_ones(what):
    frame = ODD[what]
    table = read_table(frame, roles=dict.fromkeys(frame, "quasi-identifier"))
    ws = with_runs(table, methods=("mdav",), sizes=(3, 4))
    knowledge = Knowledge(tuple(frame), about=table.n_records)
    ws, attack_outcomes = attacked(ws, knowledge)
    assert len(attack_outcomes) == len(list(attacks))
    page = open_page("inspect", ws)
    first, second = session.requested_outcomes(ws)
    ledger = Ledger.new()
    ledger = ledger.with_entry(ledger.entry_for(first, table, "first", b"first"))
    page = open_page("release", replace(ws, ledger=ledger, chosen=second.plan))
    assert "Ledger: 1 release" in [expander.label for expander in page.expander]
