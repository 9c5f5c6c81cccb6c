"""Every page has undo and redo, which say what they would do, and the runs so far."""

import pytest

import sample_data
from dashboard.i18n.markdown import escape_text
from dashboard.manual import read_manual_chapters_by_name
from dashboard.state import session
from dashboard.state.results.runs import run_title
from dashboard.ui.header.toolbar import HOW_TO_BY_PAGE
from engine.data.kinds import Role
from tests.dashboard.pages import (
    APP,
    button,
    change_columns,
    column_rows,
    labelled,
    open_page,
    press,
    small_table,
    texts,
    with_table,
    workspace,
)
from tests.dashboard.runs import ran

PAGES = ("data", "need", "compare", "inspect", "release", "learn", "help")


@pytest.mark.parametrize("name", PAGES)
def test_every_page_has_undo_redo_and_a_question_mark_that_leads_to_the_manual(name):
    page = open_page(name, with_table(small_table()))
    assert button(page, "Undo").disabled
    assert button(page, "Redo").disabled
    links = [part.proto for part in page.get("page_link")]
    help_queries = [
        part.query_string for part in links if part.icon == ":material/help:"
    ]
    if name == "help":
        assert help_queries == []
        return
    chapter, anchor = HOW_TO_BY_PAGE[name]
    sections = read_manual_chapters_by_name()[chapter].sections
    assert anchor in [part.anchor for part in sections]
    assert help_queries == [f"chapter={chapter}" + (f"&at={anchor}" if anchor else "")]


def test_all_pages_are_looked_at():
    pages = {path.parent.name for path in (APP.parent / "app_pages").glob("*/view.py")}
    assert set(HOW_TO_BY_PAGE) == pages - {"help"}
    assert set(PAGES) == pages


def test_a_k_taken_out_is_undone_and_redone():
    page = open_page("compare", with_table(small_table()))
    sizes = labelled(page.button_group, "group size")
    sizes.set_value([3]).run()
    assert "k 3, 5 → 3" in button(page, "Undo").help
    press(page, "Undo")
    assert workspace(page).sizes == (3, 5)
    sizes = labelled(page.button_group, "group size")
    assert sizes.value == [3, 5]
    assert "k 3, 5 → 3" in button(page, "Redo").help
    press(page, "Redo")
    assert workspace(page).sizes == (3,)


def test_a_role_is_undone_also_in_the_table_that_was_edited():
    page = open_page(ws=with_table(small_table()))
    change_columns(page, "debt", role="quasi-identifier")
    page.switch_page("app_pages/compare/view.py").run()
    press(page, "Undo")
    page.switch_page("app_pages/data/view.py").run()
    assert workspace(page).table.schema["debt"].role is Role.CONFIDENTIAL
    assert column_rows(page)[4]["fate"] == "Confidential"


def test_a_sample_that_was_opened_is_undone():
    page = open_page()
    before = workspace(page).table
    page.selectbox[0].set_value("hospital_discharges").run()
    assert "opened Hospital discharges" in button(page, "Undo").help
    press(page, "Undo")
    assert workspace(page).table.fingerprint == before.fingerprint
    assert workspace(page).sample == sample_data.DEFAULT_SAMPLE
    assert page.selectbox[0].value == sample_data.DEFAULT_SAMPLE


def test_signs_of_markdown_in_names_are_shown_as_they_are():
    assert escape_text("a_b*c [d] $x$") == r"a\_b\*c \[d\] \$x\$"


def test_the_runs_are_listed_renamed_gone_back_to_and_deleted():
    ws = ran(with_table(small_table()))
    page = open_page("compare", ws)
    sizes = labelled(page.button_group, "group size")
    sizes.set_value([3]).run()
    press(page, "Runs")
    name = labelled(page.text_input, "Name of run 1")
    assert name.value == "Run 1 · firms.csv, 2 methods × 2 k"
    name.set_value("First try").run()
    assert run_title(workspace(page).runs[0]) == "First try"
    press(page, "Runs")
    caption_text = " ".join(texts(page.caption))
    assert "60 records" in caption_text
    assert "4 results" in caption_text
    page.toggle(key=session.widget_key("run", 1, "compare")).set_value(True).run()
    press(page, "Runs")
    press(page, "Go back to it")
    assert workspace(page).sizes == (3, 5)
    assert "k 3 → 3, 5" in button(page, "Undo").help
    press(page, "Runs")
    press(page, "Delete")
    assert workspace(page).runs == ()
