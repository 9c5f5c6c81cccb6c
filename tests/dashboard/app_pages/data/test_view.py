"""The Data page: a table opens, edits stay, problems are said in one sentence."""

from dataclasses import replace

import duckdb
import pytest

from dashboard.app_pages.data import summary
from dashboard.readers.readings import file_readings
from dashboard.readers.uniqueness import count_identifiable_records
from dashboard.ui.runs import background
from dashboard.ui.table import open_file
from engine.core.message import Message
from engine.data.kinds import Kind, Role
from engine.data.propose import suggest_schema
from tests.dashboard.pages import (
    button,
    change_columns,
    column_rows,
    labelled,
    offers_release,
    open_page,
    press,
    small_table,
    texts,
    upload,
    with_runs,
    with_table,
    workspace,
)

CSV = b"id;age;income\n" + b"".join(
    b"%d;%d;%d,5\n" % (number, 20 + number % 50, number * 7 % 90)
    for number in range(60)
)


def test_fixed_width_text_asks_for_its_layout():
    page = open_page()
    lines = b"".join(b"%3d%5d\n" % (20 + n % 50, n * 70 % 900) for n in range(60))
    upload(page, lines, "people.dat")
    assert "needs a layout" in page.error[0].value
    (field,) = page.text_area
    field.set_value("age 1-3, income 4-8").run()
    next(
        widget for widget in page.button if widget.label == "Read the file"
    ).click().run()
    assert not page.error
    assert workspace(page).table.schema.names == ("age", "income")
    assert not any(widget.label.startswith("Layout of") for widget in page.text_area)


def test_a_database_asks_which_table_and_takes_a_query(tmp_path):
    path = tmp_path / "a.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE one AS SELECT i, i * 7 AS n FROM range(60) r(i)"
        )
        connection.execute("CREATE TABLE two AS SELECT 3 AS a FROM range(30)")
    page = open_page()
    upload(page, path.read_bytes(), "a.duckdb")
    tables = labelled(page.selectbox, "Table")
    assert tables.options == ["one", "two"]
    tables.set_value("two").run()
    assert workspace(page).table.schema.names == ("a",)
    field = labelled(page.text_area, "Query")
    field.set_value("SELECT n FROM one WHERE n > 70").run()
    assert workspace(page).table.n_records == 49
    field = labelled(page.text_area, "Query")
    field.set_value("DROP TABLE one").run()
    assert "must be one SELECT" in page.error[0].value
    assert not workspace(page).is_set_aside  # it is the same file
    assert workspace(page).table.n_records == 49


def test_it_opens_on_the_business_survey_with_sensible_roles():
    page = open_page()
    schema = workspace(page).table.schema
    assert schema.title == "Business survey (synthetic)"
    assert schema.with_role(Role.IDENTIFIER)
    assert len(schema.quasi_identifiers) >= 5
    assert not page.error


def test_every_column_has_a_line_with_facts_and_a_reason():
    page = open_page()
    table = workspace(page).table
    lines = column_rows(page)
    assert [line["name"] for line in lines] == list(table.schema.names)
    assert [line["count"] for line in lines] == [
        f"{table.frame[name].nunique():,} values" for name in table.schema.names
    ]
    assert all(len(line["why"]) > 10 for line in lines)
    first = table.frame.iloc[0]
    for line in lines:
        assert line["values"].startswith(str(first[line["name"]]))


def test_an_upload_is_read_and_what_was_found_is_said():
    page = open_page()
    upload(page, CSV)
    table = workspace(page).table
    assert table.schema.names == ("id", "age", "income")
    assert table.frame["income"].dtype == float
    line = texts(page.markdown)[0]
    assert "people.csv" in line
    assert "semicolon" in line
    assert "comma" in line


def test_a_wrong_guess_can_be_changed_and_roles_stay():
    page = open_page()
    upload(page, CSV)
    key = next(box.key for box in page.selectbox if box.label == "Decimal sign")
    page.selectbox(key=key).set_value(".").run()
    assert workspace(page).table.origin.options["decimal"] == "."
    assert workspace(page).table.schema["age"].role is Role.QUASI_IDENTIFIER


@pytest.mark.parametrize(
    ("content", "name", "says"),
    [
        (b"", "empty.csv", "empty"),
        (b"a,b\n", "header.csv", "no records"),
        (bytes(range(256)) * 9, "binary.csv", "binary.csv"),
        (b"PAR1 not really", "broken.parquet", "broken.parquet"),
    ],
)
def test_a_bad_file_is_one_sentence_and_nothing_is_lost(content, name, says):
    page = open_page()
    before = workspace(page).table
    upload(page, content, name)
    assert len(page.error) == 1
    assert says in page.error[0].value
    assert workspace(page).table is before
    (warning,) = page.warning
    assert f"**{name}** was not opened. **Business survey" in warning.value
    assert "First records" not in texts(page.subheader)
    press(page, "Bring it back")
    assert not page.error
    assert not page.warning
    assert len(column_rows(page)) == len(before.schema.names)


@pytest.mark.parametrize("name", ["need", "compare", "inspect", "release"])
def test_what_a_failed_upload_sets_aside_is_not_released(name):
    page = open_page("data", with_runs(small_table()))
    upload(page, b"", "mine.csv")
    page.switch_page(f"app_pages/{name}/view.py").run()
    assert not offers_release(page)
    assert not page.get("download_button")
    assert "**mine.csv** was not opened" in page.warning[0].value
    assert "**firms.csv** is set aside" in texts(page.markdown)
    coloured = [
        widget.label for widget in page.button if widget.proto.type == "primary"
    ]
    assert coloured == ["Bring it back"]
    press(page, "Bring it back")
    assert not page.warning or "mine.csv" not in page.warning[0].value
    assert offers_release(page) == (name == "release")


def test_nothing_is_released_while_another_file_is_read(monkeypatch):
    monkeypatch.setattr(open_file, "show_reading_progress_and_open_file", lambda: None)
    page = open_page("release", replace(with_runs(small_table()), reading="new"))
    assert "Another file is being opened" in page.info[0].value
    assert not page.get("download_button")


def test_a_good_file_after_a_bad_one_clears_the_message():
    page = open_page()
    upload(page, b"")
    upload(page, CSV)
    assert not page.error
    assert not page.warning


def test_several_columns_change_together():
    page = open_page(ws=with_table(small_table()))
    change_columns(page, "size", "region", role="confidential")
    schema = workspace(page).table.schema
    assert schema.with_role(Role.CONFIDENTIAL) == ("size", "region", "debt")
    assert schema["sales"].role is Role.QUASI_IDENTIFIER
    change_columns(page, "size", "sales", kind="ordinal")
    kinds = {
        column.name: column.kind for column in workspace(page).table.schema.columns
    }
    assert kinds["size"] is kinds["sales"] is Kind.ORDINAL
    assert kinds["debt"] is Kind.CONTINUOUS


def test_columns_go_back_to_what_was_proposed():
    table = small_table()
    page = open_page(ws=with_table(table))
    change_columns(page, "name", "size", role="other")
    change_columns(page, "name", proposed=True)
    schema = workspace(page).table.schema
    assert schema["name"].role is suggest_schema(table.frame)["name"].role
    assert schema["size"].role is Role.OTHER


def test_a_column_of_another_tab_s_table_is_left_out():
    page = open_page(ws=with_table(small_table()))
    change_columns(page, "debt", "not here", role="other")
    assert workspace(page).table.schema["debt"].role is Role.OTHER


def test_nothing_goes_on_until_nothing_is_undecided():
    table = small_table().assign({"region": "undecided", "debt": "undecided"})
    page = open_page(ws=with_table(table))
    assert button(page, "Choose protection").disabled
    assert any("2 questions are open" in text for text in texts(page.caption))
    assert "region: 2 values" in texts(page.subheader)
    button(page, "Yes, protect it").click().run()
    assert workspace(page).table.schema["region"].role is Role.QUASI_IDENTIFIER
    assert any(text.startswith("debt: ") for text in texts(page.subheader))
    button(page, "No, it may leave").click().run()
    assert workspace(page).table.schema["debt"].role is Role.OTHER
    assert not button(page, "Choose protection").disabled
    button(page, "Undo").click().run()
    assert button(page, "Choose protection").disabled


@pytest.mark.parametrize(
    ("answer", "role"),
    [("Protect all", Role.QUASI_IDENTIFIER), ("Remove all", Role.IDENTIFIER)],
)
def test_all_that_is_undecided_is_decided_at_once(answer, role):
    table = small_table().assign({"region": "undecided", "debt": "undecided"})
    page = open_page(ws=with_table(table))
    button(page, answer).click().run()
    schema = workspace(page).table.schema
    assert schema["region"].role is schema["debt"].role is role
    assert schema["size"].role is Role.QUASI_IDENTIFIER
    assert not button(page, "Choose protection").disabled


@pytest.mark.parametrize(
    ("roles", "kinds", "says"),
    [
        ({"size": "other", "sales": "other"}, {}, "mark at least one column"),
        ({"region": "quasi-identifier"}, {"region": "ordinal"}, "'region'"),
        (
            {"debt": "weight", "sales": "weight"},
            {},
            "'sales' and 'debt' all have the role weight",
        ),
    ],
)
def test_roles_and_kinds_that_cannot_be_are_told_with_what_to_do(roles, kinds, says):
    page = open_page(ws=with_table(small_table().assign(roles, kinds)))
    assert says in page.error[0].value


def test_missing_values_are_counted_located_and_settled_on_the_spot():
    page = open_page(ws=with_table(small_table(missing=4)))
    line = next(text for text in texts(page.markdown) if "lack a value" in text)
    assert "4 records" in line
    assert "sales (4, first in record 1)" in line
    choice = labelled(page.button_group, "Or another way")
    choice.set_value("median").run()
    assert workspace(page).missing == "median"


def test_weights_that_cannot_weigh_are_said_where_the_role_is_given():
    page = open_page(ws=with_table(small_table()))
    change_columns(page, "debt", role="weight")
    assert workspace(page).table.schema.with_role(Role.WEIGHT) == ("debt",)
    table = small_table().assign(roles={"region": "weight"})
    page = open_page(ws=with_table(table))
    assert "'region' holds no numbers, so it cannot weigh" in page.error[0].value


def test_records_of_a_large_table_are_counted_in_a_process(monkeypatch):
    # Columns of its own: what was counted is kept per session, data and columns.
    table = small_table().assign({"size": "other", "debt": "quasi-identifier"})
    expected = count_identifiable_records(table)
    monkeypatch.setattr(background, "MAX_SYNCHRONOUS_CELLS", 0)
    monkeypatch.setattr(summary, "count_identifiable_records", None)
    page = open_page("data", with_table(table))
    assert "Counting records that are alike" in page.info[0].value
    _asked, reading_id = page.session_state[background.background_key("standing")]
    assert file_readings().find_reading(reading_id).wait(60)
    page.run()
    assert not page.info
    assert file_readings().find_reading(reading_id) is None
    bodies = [entry.proto.body for entry in page.get("html")]
    assert any(f"<strong>{expected.unique:,}</strong>" in entry for entry in bodies)
    page.run()  # it is not counted again
    assert not page.info


def test_what_kept_records_from_being_counted_is_said(monkeypatch):
    monkeypatch.setattr(background, "MAX_SYNCHRONOUS_CELLS", 0)
    table = small_table().assign({"debt": "quasi-identifier"})
    page = open_page("data", with_table(table))
    _asked, reading_id = page.session_state[background.background_key("standing")]
    file_readings().find_reading(reading_id).fail(Message("No room."))
    page.run()
    assert page.info[0].value == "No room."
