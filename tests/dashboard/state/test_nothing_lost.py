"""Going back, changing a role, adding a method, correcting a file: work stays."""

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.state.new_tables.new_table import copy_with_table
from dashboard.state.results.job_results import copy_with_results
from dashboard.state.results.requested import requested_outcomes, requested_results
from dashboard.state.snapshots.snapshot import Upload
from dashboard.state.workspace import resolve_plans
from engine.files import read_table
from engine.pipeline.compare import compare
from tests.dashboard.pages import (
    APP,
    Tabs,
    button,
    change_columns,
    labelled,
    open_page,
    small_table,
    with_runs,
    workspace,
)
from tests.dashboard.projects.test_project import CSV, UPLOAD, opened
from tests.dashboard.ui.header.test_toolbar import press

CHOICES = {
    "scaling": "range",
    "seed": 9,
    "rounding": "precision",
    "constraints": ("size <= 5000", "debt >= 0"),
    "missing_columns": {"sales": "median"},
    "aggregations": {"size": "median"},
    "strata": "region",
    "small_strata": "merge",
    "parameters": {"vmdav": {"gamma": 0.5}},
    "ceilings": {"record-linkage": 0.2},
    "max_loss": 12.5,
    "shuffle": False,
}


def run(ws):
    plans = resolve_plans(ws)
    return copy_with_results(
        ws, ws.table, plans, dict(enumerate(compare(plans, ws.table)))
    )


def test_changing_a_role_and_back_finds_the_results_again():
    page = open_page(ws=with_runs(small_table()))
    before = requested_outcomes(workspace(page))
    change_columns(page, "debt", role="quasi-identifier")
    assert not requested_results(workspace(page))
    change_columns(page, "debt", role="confidential")
    assert requested_outcomes(workspace(page)) == before


def test_going_from_page_to_page_and_back_changes_nothing():
    page = open_page("compare", run(opened(**CHOICES)))
    before = workspace(page)
    for name in ("data", "compare", "inspect", "release", "learn", "data"):
        page.switch_page(f"app_pages/{name}/view.py").run()
    after = workspace(page)
    assert resolve_plans(after) == resolve_plans(before)
    assert after.history.past == ()
    assert requested_outcomes(after) == requested_outcomes(before)


def test_a_corrected_file_keeps_every_choice_that_applies():
    ws = run(opened(**CHOICES))
    corrected = CSV.replace(b"firm 7;", b"firm x;")
    after = copy_with_table(
        ws, read_table(corrected, name="new.csv"), Upload("new.csv", corrected)
    )
    for name, value in CHOICES.items():
        assert getattr(after, name) == value
    assert after.table.schema == ws.table.schema
    assert after.notes == ()
    assert (after.sizes, after.methods) == (ws.sizes, ws.methods)
    back = copy_with_table(after, read_table(CSV, name="firms.csv"), UPLOAD)
    assert requested_outcomes(back) == requested_outcomes(
        ws
    )  # the first file's results apply again


def test_undo_brings_back_what_a_new_file_has_taken():
    page = open_page(ws=opened(**CHOICES))
    page.file_uploader[0].set_value(("other.csv", b"a,b\n1,2\n3,4\n", "text/csv")).run()
    assert workspace(page).strata is None
    assert "opened other.csv" in button(page, "Undo").help
    press(page, "Undo")
    ws = workspace(page)
    assert ws.upload == UPLOAD
    for name, value in CHOICES.items():
        assert getattr(ws, name) == value


@pytest.mark.parametrize("name", ["inspect", "compare"])
def test_a_reload_keeps_choices_results_runs_and_undo(name, monkeypatch):
    tabs = Tabs(monkeypatch)
    page = open_page("compare", with_runs(small_table()))
    labelled(page.number_input, "Seed").set_value(5).run()
    second_page = AppTest.from_file(str(APP), default_timeout=60)
    tabs.loaded("second page", before="first page")
    second_page.run()
    second_page.switch_page(f"app_pages/{name}/view.py").run()
    assert workspace(second_page).seed == 5
    assert "seed 0 → 5" in button(second_page, "Undo").help
    press(second_page, "Undo")
    assert len(requested_outcomes(workspace(second_page))) == 4
