"""Lessons as pages: an address each, one control, one picture, true figures."""

import re
from functools import cache

import numpy as np
import pytest

from dashboard.app_pages.learn.classroom import FIGURES
from dashboard.app_pages.learn.course import LESSONS
from dashboard.i18n import text, text_lessons
from dashboard.learn.lessons import effort, fuzzy, groups, intruder, scaling
from dashboard.state import session
from dashboard.ui import learn_links
from engine.files import read_table
from tests.dashboard.app_pages.learn.lessons import links, open_lesson
from tests.dashboard.app_pages.learn.small_figures import lesson_figures
from tests.dashboard.pages import (
    charts,
    drawn,
    small_table,
    texts,
    with_table,
    workspace,
)

# Per lesson, places of its control: where it begins, and another one.
PLACES = {
    "k": ("3", "9"),
    "scaling": ("none", "zscore"),
    "group-sizes": ("mdav", "optimal"),
    "one-column": ("mdav", "hansen-mukherjee"),
    "fuzzy-groups": ("1.5", "10.0"),
    "fuzziness": ("m2", "lambda1"),
    "rules": ("1.5", "0.5"),
    "intruder": ("4", "8"),
    "two-files": ("2", "5"),
    "bound": ("0", "500"),
}


@cache
def first_seen(name):
    """Return a lesson as it opens, for tests that only look at it."""
    return open_lesson(name)


def metric(page, label):
    return next(one.value for one in page.metric if one.label == label)


def test_every_lesson_has_its_places_here():
    assert list(PLACES) == [lesson.id for lesson in LESSONS]


@pytest.mark.slow
def test_every_card_has_its_lessons_picture_in_small():
    found = lesson_figures()
    held = {path.stem: path.read_text("utf-8") for path in FIGURES.glob("*.svg")}
    assert held.keys() == found.keys()
    # The last digits of a coordinate are the machine's.
    for name in found:
        numbers = [
            [int(n) for n in re.findall(r"-?\d+", figures[name])]
            for figures in (found, held)
        ]
        assert np.allclose(*numbers, atol=1), name


def test_the_start_page_leads_to_every_lesson_the_tables_and_the_glossary():
    asked = {query for _label, query in links(open_lesson())}
    wanted = [lesson.id for lesson in LESSONS] + [
        "published",
        "run-times",
        "other-tools",
        "glossary",
    ]
    assert asked == {f"show={name}" for name in wanted}


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.id)
def test_a_lesson_has_its_title_few_sentences_and_one_picture(lesson):
    page = first_seen(lesson.id)
    assert [lesson.title in one.value for one in page.header] == [True]
    pictures = drawn(page)
    assert 1 <= len(pictures) <= 2
    assert all(told["alt"] for _name, told in pictures)
    axes = [
        axis
        for figure in charts(page)
        for name, axis in figure["layout"].items()
        if re.fullmatch(r"[xy]axis\d*", name) and axis.get("title", {}).get("text")
    ]
    # A projector's: as large as the rest.
    assert all(axis["title"]["font"]["size"] >= 16 for axis in axes)
    parts = [one.proto.body for one in page.get("html")]
    said = " ".join(part for part in parts if not part.startswith("<style>"))
    sentences = re.findall(r"[.?!](?=\s|$)", re.sub(r"<[^>]+>", " ", said))
    assert 1 <= len(sentences) <= 6
    lower = [*texts(page.caption), *(one.delta for one in page.metric)]
    assert (text.LOWER in lower) == (lesson.id != "rules")
    controls = [*page.get("bidi_component"), *page.get("button_group")]
    # Two parts have nothing to be seen: they tell the browser the page's language, and
    # where the navigation's own link leads.
    unseen = {session.widget_key("saying"), session.widget_key("learn home")}
    shown = {name for name, _told in pictures}
    seen = [one for one in controls if one.proto.id not in shown]
    assert len([one for one in seen if one.key not in unseen]) == 1


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.id)
def test_lessons_lead_to_the_ones_beside_them(lesson):
    names = [one.id for one in LESSONS] + ["published"]
    place = names.index(lesson.id)
    wanted = {"", f"show={names[place + 1]}"}
    if place:
        wanted.add(f"show={names[place - 1]}")
    assert {query for _label, query in links(first_seen(lesson.id))} == wanted


@pytest.mark.parametrize("name", PLACES)
def test_the_control_changes_picture_and_address_says_where_it_is(name):
    first, other = PLACES[name]
    pages = first_seen(name), open_lesson(name, first), open_lesson(name, other)
    one, same, other = map(charts, pages)
    assert one == same != other


def test_the_control_stays_when_one_comes_back():
    page = open_lesson("k", "9")
    assert metric(page, "Groups") == str(groups.group_patients(9).sizes.size)
    del page.query_params["at"]
    page.query_params["show"] = "scaling"
    page.run()
    page.query_params["show"] = "k"
    page.run()
    assert metric(page, "Groups") == str(groups.group_patients(9).sizes.size)
    assert page.query_params["at"] == "9"


@pytest.mark.parametrize("at", ["x", "1", "21", "-3"])
def test_a_place_that_the_control_does_not_have_is_as_none(at):
    page = open_lesson("k", at)
    assert metric(page, "Groups") == str(groups.group_patients(3).sizes.size)


def test_a_choice_is_kept_in_the_address():
    page = open_lesson("group-sizes")
    assert metric(page, "Information loss") == "12.60 %"
    page.button_group[0].set_value("optimal").run()
    assert metric(page, "Information loss") == "0.063 %"
    assert page.query_params["at"] == "optimal"
    assert metric(page, "Group sizes") == "3, 3, 4"


def test_figures_shown_are_those_worked_out():
    page = open_lesson("fuzzy-groups", "10.0")
    drawn = fuzzy.draw_centres_at_random(10.0)
    assert metric(page, "Information loss") == f"{drawn.loss:.2f} %"
    assert (
        metric(page, "In groups below 3") == f"{drawn.n_below_k} of {fuzzy.N_RECORDS}"
    )
    page = open_lesson("bound", "0")
    assert metric(page, "Gap") == f"{effort.effort_result(0).gap:.1f} %"
    page = open_lesson("bound", "500")
    assert metric(page, "Gap") == "0.0 %"
    parts = [one.proto.body for one in page.get("html")]
    said = " ".join(part for part in parts if not part.startswith("<style>"))
    assert "<b>proven</b>" in said


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.id)
def test_every_picture_can_be_read_as_a_table(lesson):
    (frame,) = (one.value for one in first_seen(lesson.id).dataframe)
    assert len(frame) > 1
    if lesson.id == "bound":
        assert list(frame["IL (%)"]) == [
            effort.effort_result(s).loss for s in effort.EFFORT_STEPS
        ]
    if lesson.id == "intruder":
        shares = [intruder.attack_firms(known, 3).share for known in (1, 2, 3, 4)]
        assert list(frame["k = 3 (%)"]) == shares


def test_the_scaling_lesson_takes_an_open_reference_table():
    frame = small_table(834).frame[["size", "sales", "debt"]]
    for number in range(10):
        frame[f"v{number}"] = (frame["size"] * (number + 3)) % 17
    table = read_table(frame)
    ws = with_table(small_table(), reference=table)
    page = open_lesson("scaling", "none", ws)
    assert any("your copy of Tarragona" in one for one in texts(page.caption))
    now = scaling.compare_methods_on_scaling(table, "none")
    (shares,) = (one.value for one in page.dataframe)
    assert list(shares.iloc[:, 1]) == list(now.shares.values())


def test_an_own_table_stays_as_it_is():
    ws = with_table(small_table())
    page = open_lesson("k", "5", ws)
    assert workspace(page).table is ws.table


@pytest.mark.parametrize("asked", [{"show": "zxcv"}, {"term": "zxcv"}])
def test_an_address_that_leads_nowhere_says_so(asked):
    page = open_lesson(**{"name": asked.get("show", "")} | asked)
    assert [one.value for one in page.info] == [text_lessons.UNKNOWN]
    assert {query for _label, query in links(page)} == {""}


def test_the_address_to_pass_on_leads_to_no_table(monkeypatch):
    monkeypatch.setattr(
        type(learn_links.st.context), "url", "http://here/learn?work=secret&show=k"
    )
    assert learn_links.learn_address(show="k") == "http://here/learn?show=k"


def test_a_lesson_has_the_page_to_itself():
    """Undo and the rest are above every page but these: they need all the room."""
    labels = [one.label for one in open_lesson("k").button]
    assert "Undo" not in labels
    assert "Undo" in [one.label for one in open_lesson().button]
