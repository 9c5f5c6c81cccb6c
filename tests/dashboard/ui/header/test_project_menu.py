"""A project is saved and opened on every page, and waits for its data."""

import pytest

from dashboard.projects.project import project_to_bytes
from dashboard.state.new_tables.new_table import copy_with_sample
from dashboard.state.results import run_log
from dashboard.state.results.requested import requested_outcomes, requested_results
from dashboard.state.workspace import Workspace
from engine.data.kinds import Role
from tests.dashboard.pages import (
    button,
    labelled,
    open_page,
    press,
    sample,
    texts,
    upload,
    workspace,
)
from tests.dashboard.projects.firms import CSV, opened
from tests.dashboard.runs import ran


@pytest.fixture(scope="module")
def done():
    return run_log.copy_with_renamed_run(ran(opened()), 1, "First try")


def open_project(page, content):
    press(page, "Project")
    uploader = labelled(page.file_uploader, "Open a project")
    uploader.set_value(("Spring.coterie", content, "application/zip")).run()


def saved(page):
    """Return what the button would download."""
    press(page, "Project")
    label = "Save the project"
    save_button = next(
        widget for widget in page.get("download_button") if widget.proto.label == label
    )
    assert save_button.proto.label == label
    ws = workspace(page)
    return project_to_bytes(ws, ws.project)


@pytest.mark.parametrize("name", ["data", "release"])
def test_a_page_saves_and_opens_a_project(done, name):
    page = open_page(name, sample())
    assert saved(page)
    open_project(page, project_to_bytes(done, "Spring", with_data=True))
    success_text = "The project **Spring** is open. 4 results are back."
    assert success_text in texts(page.success)
    assert len(requested_outcomes(workspace(page))) == 4
    page.run()  # drawn anew for whatever reason
    assert success_text in texts(page.success)
    other = "learn" if name == "data" else "data"
    page.switch_page(f"app_pages/{other}/view.py").run()
    assert success_text not in texts(page.success)


def test_a_project_is_undone_like_any_choice(done):
    page = open_page("compare", sample())
    open_project(page, project_to_bytes(done, "Spring", with_data=True))
    assert "opened firms" in button(page, "Undo").help
    press(page, "Undo")
    assert workspace(page).sample == sample().sample
    press(page, "Redo")
    assert len(requested_results(workspace(page))) == 4


def test_the_name_is_kept():
    page = open_page("data", sample())
    press(page, "Project")
    name = labelled(page.text_input, "Name of the project")
    assert name.value == "Business survey (synthetic)"
    name.set_value("Autumn").run()
    assert workspace(page).project == "Autumn"
    assert workspace(page).history.past == ()


def test_without_its_data_a_project_shows_figures_and_waits(done):
    page = open_page("data", sample())
    open_project(page, project_to_bytes(done, "Spring"))
    assert "The project waits for its data: open firms.csv" in page.success[0].value
    assert "**firms.csv**, 90 records" in page.info[0].value
    table = page.dataframe[0].value
    assert table["Method"].tolist() == ["MDAV", "MDAV", "Individual ranking"] * 1 + [
        "Individual ranking"
    ]
    assert table["Lost (%)"].tolist() == [
        outcome.information_loss for outcome in requested_outcomes(done)
    ]
    assert "First try" in texts(page.subheader)
    for other in ("compare", "inspect", "release"):
        page.switch_page(f"app_pages/{other}/view.py").run()
        assert "waits for its data: open firms.csv" in " ".join(texts(page.info))
    page.switch_page("app_pages/data/view.py").run()
    upload(page, CSV, "firms.csv")
    assert "project's data. 4 results are back." in page.success[0].value
    assert workspace(page).table.schema["debt"].role is Role.CONFIDENTIAL
    assert workspace(page).table.schema["region"].role is Role.OTHER
    assert len(requested_outcomes(workspace(page))) == 4
    press(page, "Undo")
    assert workspace(page).sample == sample().sample


def test_another_file_is_said_and_may_be_used_with_the_projects_choices(done):
    page = open_page("data", copy_with_sample(Workspace()))
    open_project(page, project_to_bytes(done, "Spring"))
    upload(page, CSV.replace(b"firm 7;", b"firm x;"), "corrected.csv")
    assert "not the file that the project was made with" in page.error[0].value
    assert workspace(page).table is None
    press(page, "Use the project's choices on corrected.csv")
    assert not page.error
    assert workspace(page).table.schema["debt"].role is Role.CONFIDENTIAL
    assert workspace(page).methods == ("mdav", "individual-ranking")
    assert not requested_results(workspace(page))


def test_names_that_a_stranger_gave_are_shown_letter_by_letter(done):
    trap = "![x](http://elsewhere.test/x.png)"
    page = open_page("data", sample())
    open_project(
        page, project_to_bytes(run_log.copy_with_renamed_run(done, 1, trap), trap)
    )
    escaped_text = "!\\[x\\](http\\://\u2060elsewhere.test/x.png)"
    assert escaped_text in page.success[0].value
    assert escaped_text in texts(page.subheader)
    press(page, "Runs")
    assert all(trap not in text for text in texts(page.caption))


def test_a_project_dropped_where_tables_are_opened_is_opened(done):
    page = open_page("data", sample())
    upload(page, project_to_bytes(done, "Spring", with_data=True), "Spring.coterie")
    assert workspace(page).project == "Spring"
    assert len(requested_outcomes(workspace(page))) == 4


@pytest.mark.parametrize("content", [b"", b"no zip", b"PK\x03\x04"])
def test_a_file_that_is_no_project_is_one_sentence_and_changes_nothing(content):
    page = open_page("compare", sample())
    before = workspace(page)
    open_project(page, content)
    assert len(page.error) == 1
    assert "was not opened" in page.error[0].value
    assert "Spring.coterie** was not opened" in page.warning[0].value
    assert workspace(page).is_set_aside
    press(page, "Bring it back")
    assert workspace(page).table is before.table
    assert not page.warning
    assert workspace(page).history.past == ()


def test_a_damaged_project_dropped_on_the_data_page_sets_aside_what_is_open():
    page = open_page("data", sample())
    before = workspace(page).table
    upload(page, b"", "nothing.csv")
    assert "is empty" in page.error[0].value
    upload(page, b"no zip", "Spring.coterie")
    (error,) = page.error  # and no longer what was wrong with the file before
    assert "not a whole Coterie project" in error.value
    assert "Spring.coterie** was not opened" in page.warning[0].value
    assert workspace(page).table is before
