"""The Release page: only a file whose k was counted as written can be taken home."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import streamlit as st

from dashboard.app_pages.data.plan_file import copy_with_plan_and_notes
from dashboard.app_pages.release import delivery, verdict_box
from dashboard.app_pages.release import downloads as release_downloads
from dashboard.app_pages.release.downloads import write_report
from dashboard.jobs import jobs
from dashboard.readers.readings import file_readings
from dashboard.state import session
from dashboard.state.results.job_results import copy_with_results
from dashboard.ui.runs import background
from dashboard.ui.runs.remedies import COMMON_SIZES
from engine.analysis.verdict import (
    Improvement,
    Verdict,
    VerdictLine,
    verdict_with_acceptance_reasons,
)
from engine.analysis.verdict.judge_release import judge_release
from engine.core.message import Message
from engine.data.kinds import Role
from engine.files import read_table
from engine.pipeline.compare import compare
from engine.pipeline.outcome import Outcome
from engine.release.writing import WritingOptions
from tests.dashboard.pages import (
    button,
    downloads,
    labelled,
    offers_release,
    open_page,
    small_table,
    texts,
    with_runs,
    with_table,
    workspace,
    written,
)


def with_results_of(ws):
    """Return a workspace with what it asks for."""
    plans = session.resolve_plans(ws)
    return copy_with_results(
        ws, ws.table, plans, dict(enumerate(compare(plans, ws.table)))
    )


def badge(page):
    """Return what the badge says, be it green, amber or neutral."""
    return (page.success or page.warning or page.info)[0].value


def test_before_the_first_run_it_offers_to_run():
    page = open_page("release", with_table(small_table()))
    assert not downloads(page)
    assert button(page, "Run")


def test_a_run_that_goes_on_is_followed_in_one_place(ws, monkeypatch):
    plans = session.resolve_plans(ws)
    outcomes = dict(enumerate(session.requested_results(ws).values()))
    view = jobs.JobView(
        "running", 0.5, Message("MDAV"), ws.table, plans, outcomes, "", 1
    )
    monkeypatch.setattr(jobs, "view_job", lambda job: view if job else None)
    page = open_page("release", replace(ws, job="one"))
    assert [widget.label for widget in page.button].count("Cancel") == 1


def test_k_is_verified_and_all_files_are_offered(seen):
    assert "k = 5 verified on the file as written" in badge(seen)
    assert downloads(seen) == [
        r"Download firms\_protected.csv",
        "Report for those who receive it",
        "One page to sign",
        "Guide for analysts (Markdown)",
        "Report for those who receive it (JSON)",
        "Description for archives (DDI)",
        "Description for catalogues (Croissant)",
        "Report for yourself",
        "Plan (JSON)",
        "Groups (CSV)",
        "Script (Python)",
        "Notebook (Jupyter)",
        "Report for yourself (JSON)",
    ]


def test_the_guide_is_about_the_model_that_somebody_names(ws, monkeypatch):
    offered = {}
    monkeypatch.setattr(
        release_downloads,
        "_offer",
        lambda _label, name, make, *_: offered.update({name: make}),
    )
    page = open_page("release", ws)
    field = labelled(page.text_input, "receive it")
    page = field.set_value("linear debt ~ nowhere").run()
    assert any("no column" in entry for entry in texts(page.warning))
    model = "linear debt ~ size + sales"
    page = page.text_input(key=field.key).set_value(model).run()
    guide = offered["how_to_analyse.md"]().decode()
    assert f"## Your model: `{model}`" in guide


def test_another_result_can_be_chosen_and_stays_chosen(ws):
    page = open_page("release", ws)
    outcome = session.requested_outcomes(ws)[-1]
    page.selectbox[0].set_value(outcome.plan).run()
    assert f"k = {outcome.plan.k} verified" in badge(page)
    page.switch_page("app_pages/data/view.py").run()
    page.switch_page("app_pages/release/view.py").run()
    assert session.selected_or_recommended_outcome(workspace(page)).plan == outcome.plan


def test_nothing_undecided_leaves_before_somebody_was_asked():
    table = small_table().assign(roles={"region": Role.UNDECIDED})
    page = open_page("release", with_runs(table))
    assert not downloads(page)
    assert "Nobody has said what 1 column is" in "".join(texts(page.markdown))
    button(page, "Leave all of them out").click().run()
    assert workspace(page).table.schema["region"].role is Role.IDENTIFIER
    # It had not left before: the results stay.
    assert offers_release(page)


def test_a_column_that_may_name_people_is_decided_here_too():
    who = np.random.default_rng(1).integers(0, 40, 240)
    frame = pd.DataFrame(
        {"patient": [f"P{entry:02}" for entry in who], "age": 20 + who % 30}
    )
    roles = {"patient": Role.UNDECIDED, "age": Role.QUASI_IDENTIFIER}
    page = open_page("release", with_runs(read_table(frame, roles=roles)))
    assert "Nobody has said what 1 column is" in "".join(texts(page.markdown))
    choice = labelled(page.segmented_control, "patient")
    choice.set_value(Role.IDENTIFIER).run()
    assert workspace(page).table.schema["patient"].role is Role.IDENTIFIER


def test_undecided_columns_are_decided_one_by_one():
    roles = dict.fromkeys(("region", "debt"), Role.UNDECIDED)
    page = open_page("release", with_runs(small_table().assign(roles=roles)))
    key = labelled(page.segmented_control, "region")
    key.set_value(Role.OTHER).run()
    schema = workspace(page).table.schema
    assert (schema["region"].role, schema["debt"].role) == (
        Role.OTHER,
        Role.UNDECIDED,
    )
    assert not downloads(page)


@pytest.mark.parametrize(
    ("format_id", "suffix", "begins"),
    [
        ("excel", ".xlsx", b"PK"),
        pytest.param("stata", ".dta", b"<", marks=pytest.mark.slow),
    ],
)
def test_a_release_can_be_written_in_another_format(ws, format_id, suffix, begins):
    page = open_page("release", ws)
    page.selectbox(key=session.widget_key("release_format")).set_value(format_id).run()
    assert "k = 5 verified on the file as written" in badge(page)
    assert f"firms_protected{suffix}" in page.code[0].value
    writing = WritingOptions(format=format_id)
    delivered = written(session.selected_or_recommended_outcome(ws), ws.table, writing)
    assert delivered.content.startswith(begins)
    assert delivery.release_file_name(ws.table, writing) == f"firms_protected{suffix}"


def test_a_format_that_cannot_hold_a_column_is_said_before_anything_is_written():
    table = small_table()
    moments = np.datetime64("2020-01-01") + np.arange(table.n_records)
    table = read_table(
        table.frame.assign(seen=moments.astype("M8[us]") + 1),
        roles={name: table.schema[name].role for name in table.schema.names}
        | {"seen": Role.OTHER},
    )
    page = open_page("release", with_runs(table))
    page.selectbox(key=session.widget_key("release_format")).set_value("spss").run()
    (warning,) = {element.value for element in page.warning if "SPSS" in element.value}
    assert "Column 'seen' holds times finer than milliseconds" in warning
    assert "write CSV or Parquet" in warning
    assert not offers_release(page)


def test_the_badge_is_amber_where_other_columns_single_records_out(ws, seen):
    uniqueness = session.selected_or_recommended_outcome(ws).uniqueness
    assert uniqueness.singling_out == ("region",)
    assert not seen.success
    count = uniqueness.unique or uniqueness.fewer
    assert badge(seen).startswith(f"**{count} of 60 records")
    assert "region" in badge(seen)


@pytest.mark.parametrize(
    ("label", "role", "column"),  # debt is confidential
    [
        ("Protect it too", "quasi-identifier", "region"),
        ("Leave it out", "identifier", "debt"),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in (
                ("Protect it too", "quasi-identifier", "debt"),
                ("Leave it out", "identifier", "region"),
            )
        ),
    ],
)
def test_one_button_mends_what_singles_records_out(label, role, column):
    other = {"region": "debt", "debt": "region"}[column]
    table = small_table().assign(roles={other: Role.IDENTIFIER})
    page = open_page("release", with_runs(table))
    button(page, label).click().run()
    assert workspace(page).table.schema[column].role == role
    job = workspace(page).job
    if role == "identifier":  # the chosen methods can go on with what is left
        assert jobs.view_job(job) is not None
    jobs.cancel_job(job)


def test_diagnoses_that_nobody_shares_are_kept_by_the_coloured_button():
    rng = np.random.default_rng(3)
    n = 150
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "diagnosis": [f"{'ABCDE'[i % 5]}{i:02d}.1" for i in rng.integers(0, 40, n)],
            "debt": rng.integers(1, 9, n) * 1000,
        }
    )
    roles = {"age": "quasi-identifier", "diagnosis": "confidential", "debt": "other"}
    page = open_page("release", with_runs(read_table(frame).assign(roles)))
    # what else singles people out is mended first
    assert button(page, "Protect it too").proto.type == "primary"
    roles["debt"] = "identifier"
    page = open_page("release", with_runs(read_table(frame).assign(roles)))
    keep = button(page, "Keep it as it is")
    assert keep.proto.type == "primary"
    keep.click().run()
    assert workspace(page).table.schema["diagnosis"].role is Role.CONFIDENTIAL
    assert any("what the file is about" in entry for entry in texts(page.markdown))
    coloured = [entry for entry in page.button if entry.proto.type == "primary"]
    assert not [entry.label for entry in coloured if "out" in entry.label]


def test_columns_that_cost_the_others_too_much_are_left_out_as_such():
    rng = np.random.default_rng(5)
    names = [f"amount {number}" for number in range(7)]
    frame = pd.DataFrame(rng.normal(50.0, 9.0, (80, 7)).round(1), columns=names)
    table = read_table(frame).assign(roles=dict.fromkeys(names, Role.QUASI_IDENTIFIER))
    page = open_page("release", with_runs(table))
    (mend,) = [
        entry for entry in page.button if "mend line:fewer-columns" in str(entry.key)
    ]
    mend.click().run()
    columns = workspace(page).table.schema.columns
    costly_columns = [entry for entry in columns if entry.role is Role.IDENTIFIER]
    assert costly_columns
    assert all(entry.is_costly for entry in costly_columns)
    jobs.cancel_job(workspace(page).job)


def test_little_that_is_left_of_a_file_is_amber_until_somebody_accepts_it():
    names = [f"amount {number}" for number in range(7)]
    frame = pd.DataFrame(np.arange(560.0).reshape(80, 7), columns=names)
    roles = dict.fromkeys(names, Role.QUASI_IDENTIFIER)
    table = read_table(frame).assign(roles=roles)
    table = replace(table, schema=table.schema.leave_out_costly(names[2:]))
    page = open_page("release", with_runs(table))
    accept = button(page, "Release without them")
    assert accept.proto.type == "primary"
    assert button(page, "Choose the columns that are needed.").proto.type != "primary"
    accept.click().run()
    assert any(
        "would lose most of what they say" in entry for entry in texts(page.markdown)
    )
    assert "Release without them" not in [entry.label for entry in page.button]


def test_a_badge_is_green_below_a_green_verdict_alone():
    gone = dict.fromkeys(("region", "debt"), Role.IDENTIFIER)
    table = small_table().assign(roles=gone)
    page = open_page("release", with_runs(table))
    assert "both protected values with at least 4 others" in page.success[0].value
    assert "Gone: name, region, debt." in page.success[0].value
    assert not page.warning
    in_order = with_runs(table, shuffle=False)  # of the file: amber
    page = open_page("release", in_order)
    assert "both protected values with at least 4 others" in page.info[0].value
    assert not page.success


def test_an_amber_line_may_be_left_so_with_a_reason_that_both_reports_give():
    gone = dict.fromkeys(("region", "debt"), Role.IDENTIFIER)
    table = small_table().assign(roles=gone)
    page = open_page("release", with_runs(table, shuffle=False))
    field = labelled(page.text_area, "Why it is left so")
    field.set_value("The order says nothing of firms").run()
    page_text = " ".join(texts(page.markdown))
    assert "Left so: The order says nothing of firms" in page_text
    assert "somebody has looked at 1 thing and left it so" in page_text
    assert "Shuffle the records" not in [entry.label for entry in page.button]
    now = workspace(page)
    outcome = session.selected_or_recommended_outcome(now)
    judged = verdict_with_acceptance_reasons(
        judge_release(outcome, now.table),
        {"left-out": "The order says nothing of firms"},
    )
    written = delivery.make_checked_release(Message("x"), outcome)
    for audience in ("internal", "external"):
        for suffix in (".html", ".json"):
            content = write_report(
                outcome, now.table, written, "", audience, suffix, judged
            )
            assert b"The order says nothing of firms" in content
            assert b"Is it still useful?" in content


def test_the_recommended_result_comes_first_and_says_why(ws, seen):
    assert session.selected_or_recommended_outcome(ws).plan.k == 5
    assert any(
        "Recommended. Loses least at k = 5" in text for text in texts(seen.caption)
    )


def test_verdict_recommendation_and_report_follow_the_loss_allowed(ws):
    """Also where the same result was judged by another limit before."""
    page = open_page("release", ws)
    outcome = session.selected_or_recommended_outcome(ws)
    assert 1.0 < outcome.information_loss < 30.0
    more = "of the differences are lost, more than the"
    for limit, is_red in ((30.0, False), (1.0, True), (99.0, False)):
        page.session_state["workspace"] = replace(workspace(page), max_loss=limit)
        page.run()
        page_text = " ".join(texts(page.markdown))
        assert (f"{more} {limit:g} % allowed" in page_text) is is_red
        recommended = " ".join(texts(page.caption))
        assert ("None is recommended" in recommended) is is_red
        assert ("more than 1 %" in recommended) is is_red
        best = session.selected_or_recommended_outcome(workspace(page))
        judged = judge_release(best, ws.table, max_loss=limit)
        written = delivery.make_checked_release(Message("x"), best)
        report = write_report(best, ws.table, written, "", "internal", ".html", judged)
        assert (f"{more} {limit:g} % allowed".encode() in report) is is_red


def test_records_are_shuffled_unless_it_is_switched_off(ws):
    page = open_page("release", ws)
    now = workspace(page)
    assert now.shuffle
    assert now.shuffle_seed is not None
    assert now.history.past == ()
    assert f"--shuffle --shuffle-seed {now.shuffle_seed}" in page.code[0].value
    outcome = session.selected_or_recommended_outcome(now)
    writing = WritingOptions(shuffle=True, seed=now.shuffle_seed)
    plain, mixed = (
        written(outcome, now.table, entry) for entry in (WritingOptions(), writing)
    )
    assert plain.content != mixed.content
    assert sorted(plain.content.splitlines()) == sorted(mixed.content.splitlines())
    assert outcome.groups_csv(now.table.n_records).count(b"\n") == 61
    page.toggle(key=session.widget_key("shuffle")).set_value(False).run()
    assert "--shuffle" not in page.code[0].value
    assert "Shuffle the records" in [entry.label for entry in page.button]


def test_a_plan_that_says_the_order_repeats_it(ws):
    plan = session.selected_or_recommended_outcome(ws).repeatable_plan.replace(
        order_seed=17
    )
    restored_ws, notes = copy_with_plan_and_notes(ws, plan)
    assert notes == ()
    assert (restored_ws.shuffle, restored_ws.shuffle_seed) == (True, 17)
    for other, seed in (
        (replace(restored_ws, shuffle_seed=18), "18"),
        (restored_ws, "17"),
    ):
        page = open_page("release", with_results_of(other))
        assert page.code[0].value.count("--shuffle-seed") == 1
        assert f"--shuffle-seed {seed}" in page.code[0].value
    page.toggle(key=session.widget_key("shuffle")).set_value(False).run()
    assert "--shuffle" not in page.code[0].value


def test_formulas_are_counted_and_neutralised_in_text_unless_switched_off():
    table = small_table()
    words = np.where(np.arange(table.n_records) % 2, "=1+1", "-5")
    table = read_table(
        table.frame.assign(note=words),
        roles={name: table.schema[name].role for name in table.schema.names}
        | {"note": Role.OTHER},
    )
    page, key = open_page("release", with_runs(table)), session.widget_key("neutralise")
    caption = next(entry for entry in texts(page.caption) if "formulas" in entry)
    assert "get an apostrophe: 'note' (30)" in caption
    assert "--neutralise-formulas" in page.code[0].value
    page.toggle(key=key).set_value(False).run()
    caption = next(entry for entry in texts(page.caption) if "formulas" in entry)
    assert "leave as they are: 'note' (30)" in caption
    assert "--neutralise-formulas" not in page.code[0].value
    page.selectbox(key=session.widget_key("release_format")).set_value("excel").run()
    assert not [entry for entry in texts(page.caption) if "formulas" in entry]
    assert key not in [entry.key for entry in page.toggle]


def test_the_version_of_stata_is_asked_for_where_it_matters(ws):
    page = open_page("release", ws)
    key = session.widget_key("stata_version")
    assert key not in page.session_state
    page.selectbox(key=session.widget_key("release_format")).set_value("stata").run()
    page.button_group(key=key).set_value(14).run()
    assert "--stata-version 14" in page.code[0].value


def test_a_proposed_seed_of_the_order_cannot_be_guessed(ws):
    seeds = set()
    for _ in range(2):
        page = open_page("release", ws)
        seeds.add(page.number_input(key=session.widget_key("shuffle_seed")).value)
    assert len(seeds) == 2


def test_the_page_does_not_wait_for_a_large_file(monkeypatch):
    monkeypatch.setattr(background, "MAX_SYNCHRONOUS_CELLS", 0)
    page = open_page("release", with_runs(small_table(), seed=11))
    assert "Writing the release" in page.info[0].value
    assert not downloads(page)
    assert page.code[0].value.startswith("coterie run")
    _asked, reading_id = page.session_state[background.background_key("release")]
    assert file_readings().find_reading(reading_id).wait(60)
    page.run()
    assert "k = 5 verified on the file as written" in badge(page)
    assert offers_release(page)
    assert file_readings().find_reading(reading_id) is None
    page.run()  # it is not written again
    assert offers_release(page)


def test_what_kept_a_large_file_from_being_written_is_said(monkeypatch):
    monkeypatch.setattr(background, "MAX_SYNCHRONOUS_CELLS", 0)
    page = open_page("release", with_runs(small_table(), seed=12))
    _asked, reading_id = page.session_state[background.background_key("release")]
    file_readings().find_reading(reading_id).fail(Message("No room."))
    page.run()
    assert page.error[0].value.endswith("No room.")
    assert not offers_release(page)


def test_the_command_line_names_the_file_that_is_open(ws, seen):
    table = ws.table
    assert "coterie run firms.csv" in seen.code[0].value
    other = replace(table, origin=replace(table.origin, name="others.csv"))
    page = open_page("release", replace(ws, table=other))
    assert "coterie run others.csv" in page.code[0].value


def test_a_polished_result_says_so_and_is_repeated_polished():
    ws = with_runs(small_table(), polish=True, methods=("mdav",), sizes=(3,))
    page = open_page("release", ws)
    polished = session.requested_outcomes(ws)[-1]
    page.selectbox[0].set_value(polished.plan).run()
    assert "Polished: local search" in " ".join(texts(page.markdown))
    assert "--polish" in page.code[0].value


def test_a_search_by_the_clock_is_repeated_by_its_steps():
    parameters = {"iterated": {"seconds": 0.2}}
    ws = with_runs(
        small_table(), methods=("iterated",), sizes=(3,), parameters=parameters
    )
    page = open_page("release", ws)
    steps = session.selected_or_recommended_outcome(ws).iterations[0]
    assert f"--param iterations={steps}" in page.code[0].value


@pytest.mark.parametrize(
    ("choices", "what"),
    [
        ({}, None),
        ({"blocks": (("size",), ("sales",))}, "blocks of attributes"),
        pytest.param(
            {"transforms": {"sales": "log"}}, "transforms", marks=pytest.mark.slow
        ),
    ],
)
def test_where_there_is_no_certificate_it_says_why_and_what_to_do(choices, what):
    frame = small_table().frame
    table = read_table(frame.to_csv(index=False).encode(), name="firms.csv")
    table = table.assign(roles=dict.fromkeys(table.schema.names, Role.OTHER))
    table = table.assign(roles=dict.fromkeys(("size", "sales"), Role.QUASI_IDENTIFIER))
    page = open_page("release", with_runs(table, sizes=(3,), **choices))
    page_text = " ".join(texts(page.caption))
    assert ("Certificate (JSON)" in downloads(page)) is (what is None)
    assert ("no certificate of a result with" in page_text) is (what is not None)
    assert what is None or f"with {what}: for one, choose a result without" in page_text


def test_the_verdict_heads_the_page_in_five_lines_with_one_coloured_mend(ws):
    page = open_page("release", replace(ws, shuffle=False))
    lines = [
        element.value
        for element in page.markdown
        if "**What was left out" in element.value
    ]
    assert len(lines) == 1
    questions = [
        "Who could be found?",
        "What could be guessed of somebody?",
        "Is it still useful?",
        "Does anything exact tell people apart?",
        "What was left out, and who decided?",
    ]
    page_text = "".join(texts(page.markdown))
    assert all(f"**{question}**" in page_text for question in questions)
    button(page, "Shuffle the records").click().run()
    assert workspace(page).shuffle
    assert workspace(page).shuffle_seed


@pytest.mark.parametrize("mend", ["larger-k", "fewer-columns", "another method"])
def test_every_button_without_columns_changes_k_or_the_method(monkeypatch, mend):
    """Another method where k does not hold; where there is no other k, no button."""
    keeps_k = mend != "another method"
    about = mend if keeps_k else "larger-k"
    ws = with_runs(small_table(), seed=6 + len(mend))  # of which no verdict is kept
    message = Message("Somebody is found.")
    line = VerdictLine("found", message, "red", message, Improvement(about, message))
    monkeypatch.setattr(
        "dashboard.ui.verdict.judge_release", lambda *_, **__: Verdict((line,))
    )
    monkeypatch.setattr(
        "dashboard.ui.verdict.judge_by_attacks", lambda verdict, *_: verdict
    )
    monkeypatch.setattr(verdict_box, "default_method", lambda _: "ldf")
    if not keeps_k:
        monkeypatch.setattr(Outcome, "k_verified", False)
    page = open_page("release", ws)
    k = session.selected_or_recommended_outcome(workspace(page)).plan.k
    key = session.widget_key("mend line", about)
    page.button(key=key).click().run()
    now, sizes = workspace(page), COMMON_SIZES
    larger = next(s for s in sizes if s > k)
    smaller = max(s for s in sizes if s < k)
    focus = {"larger-k": larger, "fewer-columns": smaller}.get(mend, ws.focus)
    assert now.focus == focus
    assert {*now.sizes} == {*ws.sizes} | ({focus} if keeps_k else set())
    assert {*now.methods} - {*ws.methods} == (set() if keeps_k else {"ldf"})
    monkeypatch.setattr(verdict_box, "next_larger_k", lambda _: None)
    monkeypatch.setattr(verdict_box, "next_smaller_k", lambda _: None)
    other_page = open_page("release", ws)
    assert (key in [widget.key for widget in other_page.button]) is not keeps_k


def test_a_red_line_keeps_the_file_until_somebody_answers_for_it(monkeypatch):
    monkeypatch.setattr("engine.analysis.verdict.usefulness.MIN_SPREAD", 2.0)
    page = open_page("release", with_runs(small_table(), seed=5))
    assert not offers_release(page)
    reason = labelled(page.text_area, "Reason")
    reason.set_value("For a class, on made-up firms").run()
    page.checkbox[0].check().run()
    assert offers_release(page)


def test_what_needs_no_attack_is_drawn_before_any_is_tried(monkeypatch):
    ws = with_runs(small_table(), methods=("mdav",), sizes=(3,), seed=53)
    with monkeypatch.context() as patches:
        patches.setattr(
            "dashboard.ui.verdict.run_verdict_attacks", lambda *_: st.stop()
        )
        page = open_page("release", ws)
    early = " ".join(texts(page.markdown))
    assert "### :gray[:material/hourglass_top:] Attacks are being tried." in early
    assert "**Who could be found?**" in early
    assert "An intruder who knows all of them exactly finds" not in early
    assert not offers_release(page)
    expanders = [each.label for each in page.expander]
    assert {"Original beside protected", "Figures"} <= {*expanders}
    assert page.code
    page.run()
    assert not page.exception
    later = " ".join(texts(page.markdown))
    assert "Attacks are being tried." not in later
    assert "An intruder who knows all of them exactly finds" in later
    assert offers_release(page)
    assert {*expanders} <= {each.label for each in page.expander}
    page.run()
    assert " ".join(texts(page.markdown)) == later
