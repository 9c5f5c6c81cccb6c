"""The Release page: only a file whose k was counted as written can be taken home."""

import json
from dataclasses import replace

import numpy as np
import pytest

from dashboard.app_pages.release import (
    delivery,
    sections,
    survival_table,
    written_file,
)
from dashboard.jobs import jobs
from dashboard.readers.readings import readings
from dashboard.results.facts import lost_words
from dashboard.state import session
from dashboard.ui import components, meanwhile
from engine.core.message import Message
from engine.data.kinds import Role
from engine.files import read_table
from engine.hierarchy import flat
from engine.pipeline.plan import Plan
from engine.release.checks import Check
from engine.release.verify import Written
from engine.release.writing import Writing
from engine.report.survival import digits
from tests.dashboard.pages import (
    button,
    offers_release,
    open_page,
    small_table,
    texts,
    with_runs,
    with_table,
    workspace,
    written,
)


@pytest.fixture(scope="module")
def ws():
    return with_runs(small_table())


def downloads(page):
    return [one.proto.label for one in page.get("download_button")]


def badge(page):
    """Return what the badge says, be it green or amber."""
    return (page.success or page.warning)[0].value


def test_before_the_first_run_it_offers_to_run():
    page = open_page("release", with_table(small_table()))
    assert not downloads(page)
    assert button(page, "Run")


def test_a_run_that_goes_on_is_followed_in_one_place(ws, monkeypatch):
    plans = session.plans(ws)
    found = dict(enumerate(session.results(ws).values()))
    view = jobs.JobView("running", 0.5, Message("MDAV"), ws.table, plans, found, "", 1)
    monkeypatch.setattr(jobs, "view", lambda job: view if job else None)
    page = open_page("release", replace(ws, job="one"))
    assert [one.label for one in page.button].count("Cancel") == 1


def test_k_is_verified_and_all_files_are_offered(ws):
    page = open_page("release", ws)
    assert "k = 5 verified on the file as written" in badge(page)
    assert downloads(page) == [
        r"Download firms\_protected.csv",
        "Report for those who receive it",
        "Report for yourself",
        "Plan (JSON)",
        "Groups (CSV)",
        "Guide for analysts (Markdown)",
        "Script (Python)",
        "Notebook (Jupyter)",
        "Report for yourself (JSON)",
        "Report for those who receive it (JSON)",
        "Description for archives (DDI)",
        "Description for catalogues (Croissant)",
    ]


def test_another_result_can_be_chosen_and_stays_chosen(ws):
    page = open_page("release", ws)
    wanted = session.outcomes(ws)[-1]
    page.selectbox[0].set_value(wanted.plan).run()
    assert not page.exception
    assert f"k = {wanted.plan.k} verified" in badge(page)
    page.switch_page("app_pages/data/view.py").run()
    page.switch_page("app_pages/release/view.py").run()
    assert session.selected(workspace(page)).plan == wanted.plan


def test_nothing_undecided_leaves_before_somebody_was_asked():
    table = small_table().assign(roles={"region": Role.UNDECIDED})
    page = open_page("release", with_runs(table))
    assert not downloads(page)
    assert "Nobody has said what 1 column is" in "".join(texts(page.markdown))
    button(page, "Leave all of them out").click().run()
    assert not page.exception
    assert workspace(page).table.schema["region"].role is Role.IDENTIFIER
    # It had not left before: the results stay.
    assert offers_release(page)


def test_undecided_columns_are_decided_one_by_one():
    roles = dict.fromkeys(("region", "debt"), Role.UNDECIDED)
    page = open_page("release", with_runs(small_table().assign(roles=roles)))
    key = next(one for one in page.segmented_control if one.label == "region")
    key.set_value(Role.OTHER).run()
    assert not page.exception
    schema = workspace(page).table.schema
    assert (schema["region"].role, schema["debt"].role) == (
        Role.OTHER,
        Role.UNDECIDED,
    )
    assert not downloads(page)


@pytest.fixture
def spoilt(monkeypatch):
    """Return runs of which the file as written has too small a k."""
    # A seed of its own: what was written is kept per session, data and plan.
    ws = with_runs(small_table(), seed=9)
    failed = (
        Check("records", "All records and columns are there", True, "60 and 4."),
        Check("k", "Every record shares its values", passed=False, detail="k = 2."),
    )
    found = Written(b"x", ws.table.origin, failed, 2)
    monkeypatch.setattr(written_file, "read_now", lambda *_: found)
    return ws


def test_a_file_that_does_not_keep_k_is_blocked_with_the_reason(spoilt):
    page = open_page("release", spoilt)
    assert "k = 2, fewer than 5" in page.error[0].value
    assert not offers_release(page)
    assert not page.success


def test_every_check_is_shown_with_what_was_found(spoilt):
    said = texts(open_page("release", spoilt).markdown)
    (passed,) = [one for one in said if "All records and columns are there" in one]
    (failed,) = [one for one in said if "Every record shares its values.**" in one]
    assert ":green[" in passed
    assert "60 and 4." in passed
    assert ":red[" in failed
    assert "k = 2." in failed


def test_a_blocked_file_leaves_only_with_a_reason_that_was_confirmed(spoilt):
    page = open_page("release", spoilt)
    confirm = page.checkbox[0]
    assert confirm.disabled
    page.text_area[0].set_value("Agreed with the board").run()
    assert not offers_release(page)
    page.checkbox[0].check().run()
    assert not page.exception
    assert offers_release(page)
    assert page.error  # what is wrong is said all the same
    outcome = session.selected(workspace(page))
    another = next(o for o in session.outcomes(spoilt) if o.plan != outcome.plan)
    page.selectbox[0].set_value(another.plan).run()
    assert not offers_release(page)


def test_the_reason_is_written_into_both_reports(spoilt):
    outcome = session.selected(spoilt)
    delivered = delivery.delivery_of(written_file.read_now(), outcome)
    for audience in ("internal", "external"):
        content = sections.report(
            outcome, spoilt.table, delivered, "Agreed with the board", audience, ".html"
        )
        assert b"Agreed with the board" in content
        assert b"1 of 2 checks" in content


@pytest.mark.parametrize(
    ("format_id", "suffix", "begins"),
    [
        ("excel", ".xlsx", b"PK"),
        ("parquet", ".parquet", b"PAR1"),
        ("stata", ".dta", b"<"),
    ],
)
def test_a_release_can_be_written_in_another_format(ws, format_id, suffix, begins):
    page = open_page("release", ws)
    page.selectbox(key=session.key("release_format")).set_value(format_id).run()
    assert not page.exception
    assert "k = 5 verified on the file as written" in badge(page)
    assert f"firms_protected{suffix}" in page.code[0].value
    writing = Writing(format=format_id)
    delivered = written(session.selected(ws), ws.table, writing)
    assert delivered.content.startswith(begins)
    assert delivery.file_name(ws.table, writing) == f"firms_protected{suffix}"


def test_a_format_that_cannot_hold_a_column_is_said_before_anything_is_written():
    table = small_table()
    codes = np.arange(table.n_records) + 2**60
    table = read_table(
        table.frame.assign(code=codes),
        roles={name: table.schema[name].role for name in table.schema.names}
        | {"code": Role.OTHER},
    )
    page = open_page("release", with_runs(table))
    page.selectbox(key=session.key("release_format")).set_value("spss").run()
    assert not page.exception
    (said,) = {one.value for one in page.warning if "SPSS" in one.value}
    assert "Column 'code' holds whole numbers above 2^53" in said
    assert "write CSV or Parquet" in said
    assert not offers_release(page)


def test_the_badge_is_amber_where_other_columns_single_records_out(ws):
    page = open_page("release", ws)
    found = session.selected(ws).uniqueness
    assert found.singling_out == ("region",)
    assert not page.success
    told = found.unique or found.fewer
    assert badge(page).startswith(f"**{told} of 60 records")
    assert "region" in badge(page)


@pytest.mark.parametrize(
    ("label", "role"),
    [("Protect it too", "quasi-identifier"), ("Leave it out", "identifier")],
)
def test_one_button_mends_what_singles_records_out(ws, label, role):
    page = open_page("release", ws)
    button(page, label).click().run()
    assert not page.exception
    assert workspace(page).table.schema["region"].role == role
    job = workspace(page).job
    if role == "identifier":  # the chosen methods can go on with what is left
        assert jobs.view(job) is not None
    jobs.cancel(job)


def test_a_release_that_singles_nobody_out_is_green():
    table = small_table().assign(roles={"region": Role.IDENTIFIER})
    page = open_page("release", with_runs(table))
    assert "both protected values with at least 4 others" in page.success[0].value
    assert "Gone: name, region." in page.success[0].value
    assert not page.warning


def test_what_survived_is_shown_for_every_column_that_leaves(ws):
    page = open_page("release", ws)
    outcome = session.selected(ws)
    shown = next(one for one in page.get("html") if "What survived" in one.proto.body)
    for line in survival_table.lines(outcome):
        assert f">{line.name}</span>" in shown.proto.body
        assert line.words in shown.proto.body
    names = [line.name for line in survival_table.lines(outcome)]
    assert names == ["size", "sales", "region", "debt"]


def test_names_of_columns_are_no_html():
    line = survival_table.Line("<b>x", "text", "<i>", "a & b", (("kept", 1.0),), False)
    body = survival_table.html_of([line])
    assert "<b>x" not in body
    assert "&lt;b&gt;x" in body
    assert "a &amp; b" in body


def test_the_recommended_result_comes_first_and_says_why(ws):
    page = open_page("release", ws)
    assert session.selected(ws).plan.k == 5
    assert any(
        "Recommended. Loses least at k = 5" in one for one in texts(page.caption)
    )


def test_shuffling_shows_a_seed_and_both_reach_the_command(ws):
    page = open_page("release", ws)
    page.toggle(key=session.key("shuffle")).set_value(True).run()
    page.number_input(key=session.key("shuffle_seed")).set_value(17).run()
    page.toggle(key=session.key("neutralise")).set_value(True).run()
    assert not page.exception
    assert "Records come in a random order" in " ".join(texts(page.markdown))
    assert "--shuffle --shuffle-seed 17" in page.code[0].value
    assert "--neutralise-formulas" in page.code[0].value


def test_the_version_of_stata_is_asked_for_where_it_matters(ws):
    page = open_page("release", ws)
    key = session.key("stata_version")
    assert key not in page.session_state
    page.selectbox(key=session.key("release_format")).set_value("stata").run()
    page.button_group(key=key).set_value(14).run()
    assert not page.exception
    assert "--stata-version 14" in page.code[0].value


def test_a_proposed_seed_of_the_order_cannot_be_guessed(ws):
    seeds = set()
    for _ in range(3):
        page = open_page("release", ws)
        page.toggle(key=session.key("shuffle")).set_value(True).run()
        seeds.add(page.number_input(key=session.key("shuffle_seed")).value)
    assert len(seeds) == 3


def beside(ws):
    """Open the page, and what it folds of the records themselves."""
    page = open_page("release", ws)
    assert not page.dataframe
    page.session_state[session.key("original beside protected")] = True
    return page.run()


def test_original_and_protected_show_the_same_records(ws):
    page = beside(ws)
    before, after = (one.value for one in page.dataframe)
    assert len(before) == len(after) == 60
    assert before["region"].tolist() == after["region"].tolist()
    assert list(before) == list(after) == ["size", "sales", "debt", "region"]
    assert before["sales"].tolist() != after["sales"].tolist()


def test_of_very_many_columns_the_first_are_shown_beside_each_other(monkeypatch):
    monkeypatch.setattr(components, "MOST_COLUMNS", 2)
    page = beside(with_runs(small_table()))
    before, after = (one.value for one in page.dataframe)
    assert list(before) == list(after) == ["size", "sales"]
    assert "The first 2 of 4 columns." in texts(page.caption)


def test_the_page_does_not_wait_for_a_large_file(monkeypatch):
    monkeypatch.setattr(meanwhile, "AT_ONCE", 0)
    page = open_page("release", with_runs(small_table(), seed=11))
    assert "Writing the release" in page.info[0].value
    assert not downloads(page)
    assert page.code[0].value.startswith("coterie run")
    _asked, begun = page.session_state[meanwhile.key("release")]
    assert readings().find(begun).wait(60)
    page.run()
    assert "k = 5 verified on the file as written" in badge(page)
    assert offers_release(page)
    assert readings().find(begun) is None
    page.run()  # it is not written again
    assert offers_release(page)


def test_what_kept_a_large_file_from_being_written_is_said(monkeypatch):
    monkeypatch.setattr(meanwhile, "AT_ONCE", 0)
    page = open_page("release", with_runs(small_table(), seed=12))
    _asked, begun = page.session_state[meanwhile.key("release")]
    readings().find(begun).fail(Message("No room."))
    page.run()
    assert page.error[0].value.endswith("No room.")
    assert not offers_release(page)


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
    page = beside(ws)
    assert "Records left out for missing values: 4." in " ".join(texts(page.markdown))
    assert len(page.dataframe[0].value) == len(page.dataframe[1].value) == 56


def test_the_command_line_names_the_file_that_is_open(ws):
    table = ws.table
    assert "coterie run firms.csv" in open_page("release", ws).code[0].value
    other = replace(table, origin=replace(table.origin, name="others.csv"))
    page = open_page("release", replace(ws, table=other))
    assert "coterie run others.csv" in page.code[0].value


def test_the_command_line_names_every_choice(ws):
    page = open_page("release", ws)
    command = page.code[0].value
    assert command.startswith("coterie run firms.csv")
    for words in ("--quasi-identifiers size,sales", "--k 5", "--method mdav"):
        assert words in command


def test_a_polished_result_says_so_and_is_repeated_polished():
    ws = with_runs(small_table(), polish=True, methods=("mdav",), sizes=(3,))
    page = open_page("release", ws)
    polished = session.outcomes(ws)[-1]
    page.selectbox[0].set_value(polished.plan).run()
    assert "Polished: local search" in " ".join(texts(page.markdown))
    assert "--polish" in page.code[0].value


def test_a_search_by_the_clock_is_repeated_by_its_steps():
    parameters = {"iterated": {"seconds": 0.2}}
    ws = with_runs(
        small_table(), methods=("iterated",), sizes=(3,), parameters=parameters
    )
    page = open_page("release", ws)
    steps = session.selected(ws).iterations[0]
    assert f"--param iterations={steps}" in page.code[0].value


def test_the_plan_that_is_offered_repeats_the_run(ws):
    outcome = session.selected(ws)
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
    page = beside(mixed(interval_columns=True))
    before, after = (one.value for one in page.dataframe)
    assert list(before)[:3] == ["size", "sales", "region"]
    assert list(after)[:3] == ["size", "size_from", "size_to"]
    assert after["size"].str.fullmatch(r"\d+|\[\d+, \d+\]").all()
    assert (after["size_from"] <= after["size_to"]).all()
    assert "ends of intervals" in " ".join(texts(page.markdown))


def test_gaps_that_are_kept_stay_gaps():
    page = beside(mixed(missing="keep"))
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


def test_a_table_without_numbers_shows_its_loss_and_its_penalty():
    table = small_table().assign(
        roles={"region": "quasi-identifier", "size": "other", "sales": "other"}
    )
    ws = with_runs(table, methods=("caat",), sizes=(3,))
    page = open_page("release", ws)
    said = texts(page.markdown)
    (outcome,) = session.outcomes(ws)
    assert f"Information loss: **{digits(outcome.information_loss)} %**" in said
    [penalty] = [one for one in said if one.startswith("Certainty penalty: ")]
    assert penalty.endswith(" %**")
    assert lost_words(outcome) in page.selectbox[0].options[0]
    assert "nan" not in " ".join([*said, *texts(page.caption)])


def test_blocks_that_break_k_are_not_released_and_the_reason_is_said():
    ws = with_runs(small_table(), methods=("mdav",), sizes=(3,), blocks=(("sales",),))
    page = open_page("release", ws)
    assert "Blocks of columns were grouped apart" in page.error[0].value
    said = " ".join(texts(page.markdown))
    assert "shared by 1 record at the least, fewer than k = 3" in said
    assert "with at least 0 others" not in said
    assert not offers_release(page)


def test_what_merging_groups_has_cost_is_said():
    ws = with_runs(small_table(), methods=("mdav",), sizes=(3,), p_sensitive=3)
    page = open_page("release", ws)
    said = " ".join(texts(page.markdown))
    assert "p = 3" in said
    assert "merged" in said
    assert "--p-sensitive 3" in page.code[0].value
