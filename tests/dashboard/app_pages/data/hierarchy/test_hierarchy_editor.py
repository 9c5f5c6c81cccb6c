"""Hierarchies are built, edited, read and kept on the Data page."""

import pandas as pd
import pytest

import sample_data
from dashboard.state import session
from engine.data.kinds import Kind, Role
from engine.data.schema import Column, Schema
from engine.data.table import Table
from engine.files import read_table
from engine.hierarchy import Hierarchy, flat_hierarchy
from tests.dashboard.pages import button, labelled, open_page, sample, texts, workspace
from tests.dashboard.pages import with_table as workspace_with

AREAS = ["4350", "4351", "4411", "4412", "5000", "5001"]


def patients(**columns):
    """Return a table with a quasi-identifier of each sort that has a hierarchy."""
    n = 60
    frame = pd.DataFrame(
        {
            "area": [AREAS[i % 6] for i in range(n)],
            "age": [20 + i for i in range(n)],
            "day": pd.date_range("2023-01-01", periods=n, freq="9D"),
            "pain": [["mild", "none", "severe"][i % 3] for i in range(n)],
            "cost": [100 + i for i in range(n)],
        }
    )
    schema = Schema(
        (
            Column("area", Kind.NOMINAL, Role.QUASI_IDENTIFIER),
            Column("age", Kind.CONTINUOUS, Role.QUASI_IDENTIFIER),
            Column("day", Kind.ORDINAL, Role.QUASI_IDENTIFIER),
            Column("pain", Kind.ORDINAL, Role.OTHER),
            Column("cost", Kind.CONTINUOUS, Role.CONFIDENTIAL),
        )
    )
    return Table.from_frame(frame.assign(**columns), schema)


def opened(hierarchies=None, **columns):
    table = patients(**columns).assign(hierarchies=hierarchies)
    return open_page(ws=workspace_with(table, methods=("mdav-mixed",)))


def tree_of(page, name):
    return workspace(page).table.schema[name].hierarchy


def choose(page, name):
    """Choose the column whose hierarchy is looked at."""
    labelled(page.selectbox, "Column").set_value(name).run()


def build_from(page, way):
    labelled(page.button_group, "Build it from").set_value(way).run()


def press(page, label):
    button(page, label).click().run()


def level_tables(page):
    return [frame for frame in page.dataframe if "Root" in frame.value.columns]


def edit(page, column, row, turn=0, **cells):
    """Change cells of the level table, as typing into it does."""
    key = session.widget_key("hierarchy", "levels table", column, 0, turn)
    page.session_state[key] = {
        "edited_rows": {row: {name.replace("_", " "): cells[name] for name in cells}},
        "added_rows": [],
        "deleted_rows": [],
    }
    page.run()


@pytest.mark.parametrize(
    ("column", "row"),
    [
        ("area", ("4350", "435*", "43**", "4***", "*")),
        ("age", ("20", "[20, 24]", "[20, 29]", "[20, 39]", "*")),
        ("day", ("2023-01-01", "2023-01", "2023-Q1", "2023", "*")),
        ("pain", ("mild", "*")),
    ],
)
def test_what_is_proposed_is_built_with_one_click(column, row):
    page = opened()
    choose(page, column)
    press(page, "Build")
    assert tree_of(page, column).rows[0] == row
    assert tuple(level_tables(page)[0].value.iloc[0])[-len(row) :] == row


def test_the_first_column_is_one_that_has_a_hierarchy():
    page = opened({"age": flat_hierarchy(range(20, 80))})
    box = labelled(page.selectbox, "Column")
    assert box.value == "age"
    assert box.options == ["area", "age", "day", "pain", "cost"]


def test_the_column_looked_at_is_remembered_on_other_pages():
    page = opened()
    choose(page, "day")
    page.switch_page("app_pages/compare/view.py").run()
    page.switch_page("app_pages/data/view.py").run()
    box = labelled(page.selectbox, "Column")
    assert box.value == "day"


def test_widths_that_do_not_fit_are_said_while_they_are_typed():
    page = opened()
    choose(page, "age")
    widths = labelled(page.text_input, "Widths")
    widths.set_value("5, 12").run()
    assert "width 5 do not fit" in page.error[0].value
    assert button(page, "Build").disabled
    widths.set_value("6, 12").run()
    assert not page.error
    press(page, "Build")
    assert tree_of(page, "age").rows[0] == ("20", "[18, 23]", "[12, 23]", "*")


def test_cut_points_make_one_level():
    page = opened()
    choose(page, "age")
    labelled(page.selectbox, "Intervals").set_value("Cut points").run()
    assert button(page, "Build").disabled
    cuts = labelled(page.text_input, "New int")
    cuts.set_value("40, 65").run()
    press(page, "Build")
    assert {row[1] for row in tree_of(page, "age").rows} == {"<40", "[40, 64]", ">=65"}


def test_words_cannot_become_intervals_and_the_sentence_names_the_value():
    page = opened()
    choose(page, "pain")
    build_from(page, "intervals")
    assert "'mild' is no number" in page.error[0].value


def test_an_edited_cell_is_kept_at_once():
    page = opened({"pain": Hierarchy((("mild", "a", "*"), ("none", "b", "*")))})
    choose(page, "pain")
    edit(page, "pain", 1, Level_1="a")
    assert tree_of(page, "pain").rows[1] == ("none", "a", "*")


def test_an_edit_that_leaves_no_tree_is_said_and_can_be_undone():
    tree = Hierarchy(
        (("mild", "x", "p", "*"), ("none", "x", "p", "*"), ("severe", "y", "q", "*"))
    )
    page = opened({"pain": tree})
    edit(page, "pain", 0, Level_2="q")
    assert "'x' at level 1" in page.error[0].value
    assert tree_of(page, "pain") == tree
    press(page, "Undo these edits")
    assert not page.error
    assert tree_of(page, "pain") == tree


def test_the_order_of_ordinal_words_is_that_of_the_rows():
    page = opened({"pain": flat_hierarchy(["mild", "none", "severe"])})
    edit(page, "pain", 1, Place=1)
    assert tree_of(page, "pain").leaves == ("none", "mild", "severe")
    assert level_tables(page)[0].value["Value"].tolist() == ["none", "mild", "severe"]


def test_levels_are_added_and_removed():
    page = opened({"area": flat_hierarchy(AREAS)})
    press(page, "Add a level below the root")
    assert tree_of(page, "area").rows[0] == ("4350", "4350", "*")
    press(page, "Remove level 1")
    assert tree_of(page, "area") == flat_hierarchy(AREAS)


def test_what_was_built_over_can_come_back():
    hierarchy = Hierarchy(tuple((area, area[:1], "*") for area in AREAS))
    page = opened({"area": hierarchy})
    press(page, "Build anew")
    assert tree_of(page, "area").height == 4
    press(page, "Undo")
    assert tree_of(page, "area") == hierarchy
    press(page, "Remove")
    assert tree_of(page, "area") is None
    press(page, "Undo")
    assert tree_of(page, "area") == hierarchy


def upload_levels(page, content):
    build_from(page, "file")
    at = labelled(page.file_uploader, "CSV level file")
    at.set_value(("levels.csv", content, "text/csv"))
    page.run()


def test_a_level_file_is_read():
    page = opened()
    lines = "".join(f"{area};{area[0]};*\n" for area in AREAS)
    upload_levels(page, lines.encode())
    assert tree_of(page, "area").rows[-1] == ("5001", "5", "*")
    assert not page.error


def test_a_bad_level_file_is_one_sentence_and_nothing_is_lost():
    page = opened({"area": flat_hierarchy(AREAS)})
    upload_levels(page, b"4350;4;*\n4351;4;all\n")
    assert [error.value for error in page.error] == [
        r"The hierarchy has two roots, '\*' and 'all': end every row with the same "
        r"label, for instance '\*'."
    ]
    assert tree_of(page, "area") == flat_hierarchy(AREAS)


def test_values_that_a_hierarchy_lacks_are_named_and_added():
    page = opened({"area": flat_hierarchy(AREAS[:4])})
    assert any("'5000', '5001'" in error.value for error in page.error)
    press(page, "Add as rows")
    assert set(tree_of(page, "area").leaves) == set(AREAS)
    assert not page.error


def test_a_column_with_very_many_values_is_shown_but_not_edited():
    many = [f"{i:05d}" for i in range(2500)]
    frame = pd.DataFrame({"area": many, "x": range(2500)})
    table = read_table(frame).assign(
        {"area": "quasi-identifier", "x": "quasi-identifier"},
        {"area": "nominal"},
        {"area": flat_hierarchy(many)},
    )
    page = open_page(ws=workspace_with(table))
    assert any("not edited on screen" in text for text in texts(page.caption))
    build_from(page, "dates")
    press(page, "Build anew")
    assert "'00000' is no date" in page.error[0].value


def test_a_table_of_numbers_is_not_asked_for_hierarchies():
    table = sample_data.load("business_survey")
    words = [c.name for c in table.schema.columns if c.kind is Kind.NOMINAL]
    numbers = table.assign(dict.fromkeys(words, Role.OTHER))
    page = open_page(ws=workspace_with(numbers))
    box = labelled(page.expander, "Hierarchies")
    assert not box.proto.expanded


def test_the_hospital_sample_shows_a_tree():
    page = open_page(ws=sample("hospital_discharges"))
    assert (
        tree_of(page, "postcode").uncovered_values(
            workspace(page).table.frame["postcode"]
        )
        == ()
    )
    assert tree_of(page, "diagnosis").rows[0] == ("A09", "A00-A09", "A00-B99", "*")
    assert "01101" in level_tables(page)[0].value["Value"].tolist()
