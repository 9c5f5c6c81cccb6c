"""The class on Learn: its parts, the own table, and the file to take along."""

import pandas as pd
import pytest

import sample_data
from dashboard.app_pages.learn import class_download, class_lessons
from dashboard.class_file.own_table import MAX_RECORDS, sample_certified_release
from dashboard.class_file.page import LESSONS
from dashboard.i18n import text_lessons
from dashboard.state import session
from dashboard.ui.header import learn_links
from engine.cli import main as coterie
from engine.core.errors import InputError
from engine.files import read_table
from tests.dashboard.app_pages.learn.lessons import class_data, links, open_lesson
from tests.dashboard.pages import texts, with_table, workspace

CERTIFICATE_KEY = session.widget_key("class file", "certificate")


def numbers(rows=200):
    """A table of two amounts, with names of nobody."""
    return read_table(
        pd.DataFrame(
            {
                "height": [150 + 0.37 * i for i in range(rows)],
                "weight": [50 + (i * 7919 % 997) / 13 for i in range(rows)],
            }
        )
        .to_csv(index=False)
        .encode(),
        name="growth.csv",
    )


def control(page, *name):
    return page.button_group(key=session.widget_key(*name))


def choose_own(page):
    return control(page, "class", "table").set_value("own").run()


def choose_own_file(page, kind):
    control(page, "class file", "table").set_value("own").run()
    page.radio(key=session.widget_key("class file", "kind")).set_value(kind).run()
    return page


def downloads(page):
    key = session.widget_key("class file")
    return [button for button in page.get("download_button") if button.key == key]


def test_learn_opens_with_the_cards_on_made_up_people():
    page_data = class_data(open_lesson())
    assert page_data["part"] == ""
    assert page_data["own"] is None
    assert len(page_data["people"]) == 40


@pytest.mark.parametrize("part", [LESSONS[0], LESSONS[5], LESSONS[-1], "game"])
def test_every_part_has_an_address_and_leads_to_the_ones_beside_it(part):
    page = open_lesson(f"class-{part}")
    assert class_data(page)["part"] == part
    order = [*LESSONS, "game"]
    place = order.index(part)
    beside = order[max(place - 1, 0) : place] + order[place + 1 : place + 2]
    queries = {query for _label, query in links(page)}
    assert queries == {""} | {f"show=class-{name}" for name in beside}


def test_the_start_page_leads_to_what_stands_beside_the_lessons():
    queries = {query for _label, query in links(open_lesson())}
    parts = ("published", "run-times", "other-tools", "glossary")
    assert queries == {f"show={name}" for name in parts}


@pytest.mark.parametrize(
    ("show", "part"), [*learn_links.EARLIER_LESSONS.items(), ("intruder", "intruder")]
)
def test_addresses_given_out_before_lead_to_the_lesson(show, part):
    assert class_data(open_lesson(show))["part"] == part


@pytest.mark.parametrize(
    "asked", [{"show": "class-"}, {"show": "class-nothing"}, {"term": "zxcv"}]
)
def test_an_address_that_leads_nowhere_says_so(asked):
    page = open_lesson(**asked)
    assert texts(page.info) == [text_lessons.UNKNOWN]
    assert {query for _label, query in links(page)} == {""}


def test_the_address_to_pass_on_leads_to_no_table(monkeypatch):
    monkeypatch.setattr(
        type(learn_links.st.context), "url", "http://here/learn?work=secret&show=k"
    )
    address = "http://here/learn?show=class-loss"
    assert learn_links.learn_address(show="class-loss") == address
    assert address in [element.value for element in open_lesson("class-loss").code]


def test_a_lesson_has_the_page_to_itself():
    """Undo and the rest are above every page but these: they need all the room."""
    labels = [widget.label for widget in open_lesson("class-loss").button]
    assert "Undo" not in labels
    assert "Undo" in [widget.label for widget in open_lesson().button]


def test_an_own_table_stays_as_it_is():
    ws = with_table(numbers())
    page = choose_own(open_lesson("class-loss", ws))
    assert workspace(page).table is ws.table


def test_the_lesson_on_effort_has_its_proof():
    labels = [widget.label for widget in open_lesson("class-effort").button]
    assert "Check the proof in this browser" in labels
    files = [widget.label for widget in open_lesson("effort").get("download_button")]
    assert files == ["Certificate (JSON)", "Patients (CSV)"]


def test_a_part_that_is_none_is_not_gone_to(monkeypatch):
    parts = []
    monkeypatch.setattr(
        class_lessons.learn_links, "set_class_part_in_address", parts.append
    )
    for part in ("loss", "nothing", "", 3, None):
        monkeypatch.setattr(
            class_lessons,
            "read_component_value",
            lambda _key, _name, shape, part=part: (
                part if isinstance(part, shape) else None
            ),
        )
        class_lessons._go_to_part("any")
    assert parts == ["loss", ""]


def test_the_open_table_is_drawn_where_it_is_chosen_and_from_page_to_page():
    page = choose_own(open_lesson(ws=with_table(numbers())))
    lesson_table = class_data(page)["own"]
    assert lesson_table["columns"] == ["height", "weight"]
    assert (len(lesson_table["values"]), lesson_table["records"]) == (MAX_RECORDS, 200)
    page.query_params["show"] = "class-loss"
    page.run()
    assert class_data(page)["own"] == lesson_table


def test_columns_by_which_somebody_is_recognised_come_first():
    table = sample_data.load("business_survey")
    lesson_table = class_lessons.sample_table_for_lessons.__wrapped__(table)
    assert set(lesson_table.columns) <= set(table.schema.quasi_identifiers)


def test_a_table_without_amounts_is_not_offered_and_that_is_said():
    frame = pd.DataFrame({"sex": ["f", "m"] * 20, "town": list("abcd") * 10})
    table = read_table(frame.to_csv(index=False).encode(), name="towns.csv")
    page = open_lesson(ws=with_table(table))
    assert class_data(page)["own"] is None
    assert any("two columns of numbers" in text for text in texts(page.caption))


def test_made_up_people_can_be_taken_along_at_once():
    (button,) = downloads(open_lesson())
    assert button.label == "Download"
    content = class_download._write_class_file("en", 7, (), None)
    assert content.startswith(b"<!DOCTYPE html>")
    assert class_download._write_class_file("en", 8, (), None) != content


def test_the_file_has_the_lessons_that_are_chosen():
    page = open_lesson()
    lessons = page.multiselect(key=session.widget_key("class file", "lessons"))
    assert len(lessons.options) == len(LESSONS)
    lessons.set_value(["mdav", "names"]).run()
    content = class_download._write_class_file("en", 7, lessons.value, None)
    assert b'"lessons":["names","mdav"]' in content


def test_own_records_leave_only_with_a_source():
    page = open_lesson(ws=with_table(numbers()))
    control(page, "class file", "table").set_value("own").run()
    assert downloads(page) == []
    choose_own_file(page, "public")
    assert downloads(page) == []
    source = page.text_input(key=session.widget_key("class file", "source"))
    source.set_value("   ").run()
    assert downloads(page) == []
    source.set_value("Galton 1886").run()
    assert len(downloads(page)) == 1
    assert any("60 of 200 records" in text for text in texts(page.info))


def test_names_are_refused_whatever_the_source():
    page = open_lesson(ws=with_table(sample_data.load("business_survey")))
    choose_own_file(page, "public")
    source = page.text_input(key=session.widget_key("class file", "source"))
    source.set_value("made up").run()
    assert downloads(page) == []
    assert "seems to name people" in page.error[0].value


def test_a_release_needs_its_own_certificate(tmp_path):
    original, release = tmp_path / "o.csv", tmp_path / "r.csv"
    original.write_bytes(numbers(40).frame.to_csv(index=False).encode())
    certificate = tmp_path / "c.json"
    words = ["run", str(original), "--all-numeric", "--k", "4"]
    words += ["--output", str(release), "--certificate", str(certificate)]
    assert coterie(words) == 0
    deep = b'{"a":' + b"[" * 100_000
    for table, content, is_held in (
        (release, certificate.read_bytes(), True),
        (original, certificate.read_bytes(), False),
        (release, b"{}", False),
        (release, deep, False),
    ):
        page = open_lesson(ws=with_table(read_table(table)))
        choose_own_file(page, "release")
        assert downloads(page) == []
        page.file_uploader(key=CERTIFICATE_KEY).set_value(
            ("c.json", content, "application/json")
        ).run()
        assert len(downloads(page)) == is_held
        assert bool(page.error) != is_held


def test_columns_that_a_process_makes_up_are_not_drawn():
    table = read_table(numbers(40).frame.assign(sex=["m", "f", "x", "y"] * 10))
    made_up = ["height", "height", "sex", "none"]
    with pytest.raises(InputError, match="needs two columns of numbers"):
        sample_certified_release(table, lambda: made_up, "c.json", 0)
