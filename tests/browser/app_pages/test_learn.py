"""Learn in a browser: lessons to project, the glossary, published tables run again."""

import csv
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from dashboard.class_file.page import LESSONS, class_page_html
from dashboard.learn.proof import N_PATIENTS
from dashboard.ui.header import learn_links
from tests import casc
from tests.browser.conftest import Server
from tests.browser.driver import (
    button,
    cell,
    enter,
    go_to,
    look,
    settle,
    tab,
    upload,
    wait_for_runs,
)
from tests.browser.test_accessibility import violations
from tests.browser.test_class_file import answers_of

RUN = "Run the published cells"


def open_tables(page: Page) -> None:
    """Go to the published tables."""
    go_to(page, "Learn")
    page.locator(f"a[href*='show={learn_links.PUBLISHED}']").first.click()
    settle(page)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_lessons_are_gone_through_as_a_teacher_does(
    browser: Browser, server: Server, dark: bool
) -> None:
    with tab(browser, f"{server.url}/learn", dark=dark) as page:
        page.set_viewport_size({"width": 1280, "height": 720})
        page.locator("[data-card=one-column]").click()
        cuts = page.locator(".cuts")
        cuts.get_by_role("button", name="Cut between 11 and 22").click()
        for name in ("6 and 11", "25 and 26", "42 and 45"):
            cuts.get_by_role("button", name=f"Cut between {name}").click()
        cuts.get_by_role("button", name="Cut between 31 and 42").click()
        expect(page.locator(".figure strong").first).to_have_text("4, 4, 4")
        expect(page.get_by_text("no groups lose less")).to_be_visible()
        for lesson in LESSONS[LESSONS.index("one-column") :]:
            section = page.locator(f"[data-lesson={lesson}]")
            expect(section).to_be_visible()
            page.wait_for_url(f"**/learn?show=class-{lesson}")
            expect(section.locator(".figure-box .picture, table").first).to_be_visible()
            assert violations(page) == []
            look(page, f"lesson-{lesson}-{'dark' if dark else 'light'}")
            page.get_by_role("link", name="Next lesson").click()
        expect(page.locator("[data-game]")).to_be_visible()


def test_the_lesson_on_effort_ends_with_a_proof_that_the_browser_checks(
    browser: Browser, server: Server
) -> None:
    with tab(browser, f"{server.url}/learn?show=class-effort") as page:
        page.get_by_role("slider").press("End")
        expect(page.get_by_text("The optimality gap is closed")).to_be_visible()
        button(page, "Check the proof in this browser").click()
        settle(page)
        verdict = page.get_by_text("Proven best possible.")
        expect(verdict).to_contain_text(f"{N_PATIENTS} records")
        assert violations(page) == []
        look(page, "lesson-proof")


@pytest.mark.parametrize(
    ("width", "dark"), [(390, True), (1920, False)], ids=["phone", "projector"]
)
def test_the_class_is_gone_through_on_the_page(
    browser: Browser, server: Server, width: int, dark: bool
) -> None:
    with tab(browser, f"{server.url}/learn", width=width, dark=dark) as page:
        cards = page.locator("[data-card]")
        expect(cards).to_have_count(len(LESSONS) + 1)
        look(page, f"class-cards-{width}")
        assert violations(page) == []
        page.locator("[data-card=loss]").click()
        lesson = page.locator("[data-lesson=loss]")
        expect(lesson).to_be_visible()
        page.wait_for_url("**/learn?show=class-loss")
        figure = lesson.locator(".figure strong").first
        before = figure.inner_text()
        lesson.get_by_role("slider").first.press("ArrowRight")
        expect(figure).not_to_have_text(before)
        answers = answers_of(lesson.locator("[data-exercise]"))
        assert sum(text.startswith("right") for text in answers.values()) == 1
        # What stands around it is drawn anew; what was done in it stays.
        after = figure.inner_text()
        page.get_by_text("The table that is open").click()
        expect(page.get_by_text("On your own table")).to_be_visible()
        expect(lesson.locator(".figure strong").first).not_to_have_text(after)
        lesson.get_by_role("slider").first.press("ArrowRight")
        answers_of(lesson.locator("[data-exercise]"))
        look(page, f"class-lesson-{width}")
        assert violations(page) == []
        page.get_by_role("link", name="All lessons").click()
        done = page.locator("[data-card=loss] .done")
        expect(done).to_have_text("Exercises right: 1 of 1")
        page.locator("[data-card=loss]").click()
        expect(lesson.get_by_role("slider")).to_have_value("4")
        expect(lesson.locator(".feedback")).not_to_be_empty()
        page.get_by_role("link", name="All lessons").click()
        page.locator("[data-card=game]").click()
        expect(page.get_by_role("button", name="Begin")).to_be_visible()
        assert violations(page) == []
        page.get_by_role("link", name="All lessons").click()
        page.get_by_role("link", name="Teacher's view").click()
        expect(page.locator("#teacher")).to_contain_text("League table of the game")
        assert violations(page) == []


def test_a_class_file_is_downloaded_with_its_number(
    browser: Browser, server: Server, tmp_path: Path
) -> None:
    with tab(browser, f"{server.url}/learn") as page:
        page.get_by_text("Take a class along (HTML)").click()
        number = page.get_by_role("spinbutton", name="Number of the class")
        number.fill("11")
        number.press("Enter")
        settle(page)
        with page.expect_download() as coming:
            page.get_by_role("button", name="Download").click()
        saved = tmp_path / "class.html"
        coming.value.save_as(saved)
        assert coming.value.suggested_filename == "class_11.html"
    assert saved.read_text(encoding="utf-8") == class_page_html(11)


def test_help_leads_to_the_glossary_and_back_within_the_tab(
    browser: Browser, server: Server
) -> None:
    with tab(browser, server.url) as page:
        go_to(page, "Compare")
        wait_for_runs(page)
        page.get_by_role("link", name="About MDAV", exact=True).first.click()
        settle(page)
        expect(page.get_by_role("heading", name="MDAV", exact=True)).to_be_visible()
        assert "term=mdav" in page.url
        source = page.get_by_role("link", name="doi:10.1109/ICDM.2010.111")
        expect(source).to_be_visible()  # and nothing is asked of it until it is clicked
        page.get_by_role("link", name="Glossary").click()
        settle(page)
        search = page.get_by_role("textbox", name="Search")
        result = page.get_by_role("link", name="Certainty penalty (NCP)")
        enter(page, search, "certainty penalty", result)
        result.click()
        settle(page)
        expect(page.get_by_text("Lower is better.")).to_be_visible()
        look(page, "glossary-entry")
        page.get_by_role("link", name="Compare").last.click()
        settle(page)
        expect(page.get_by_text("k, minimum group size").first).to_be_visible()


def test_published_figures_are_seen_beside_ours(
    browser: Browser, server: Server, tmp_path: Path
) -> None:
    path = casc.path("tarragona")
    with tab(browser, server.url, width=1920, dark=True) as page:
        open_tables(page)
        expect(page.get_by_text("Printed values", exact=True)).to_be_visible()
        look(page, "learn-0-empty-dark-1920")
        upload(page, path)
        expect(page.get_by_text("Tarragona is open")).to_be_visible()
        button(page, RUN).click()
        settle(page)
        go_to(page, "Help")
        open_tables(page)
        expect(page.get_by_text("What the figures say")).to_be_visible(timeout=240_000)
        expect(page.get_by_test_id("stProgress")).to_have_count(0, timeout=240_000)
        settle(page)
        look(page, "learn-1-tarragona-dark-1920")
        assert cell(page, 0, 1) == "MDAV-1"
        printed, our_figure = cell(page, 2, 1), cell(page, 3, 1)
        assert casc.printed(float(our_figure), printed) == printed
        assert cell(page, 5, 1) == "equal to every printed digit"
        expect(page.locator(".js-plotly-plot")).to_have_count(4)
        page.reload()
        settle(page)
        expect(page.get_by_text("What the figures say")).to_be_visible()
        assert button(page, RUN).count() == 0
        with page.expect_download() as coming:
            page.get_by_test_id("stDownloadButton").first.locator("button").click()
        saved = tmp_path / "cells.csv"
        coming.value.save_as(saved)
    with saved.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    exact = [row for row in rows if row["Method"] in ("MDAV-1", "DBA-1", "LDF")]
    assert len(exact) == 12
    for row in exact:
        assert row["Printed IL (%)"] == row["Our IL (%)"]


def test_pictures_of_lessons_stay_readable_where_the_page_turns_dark(
    browser: Browser, server: Server
) -> None:
    with tab(browser, f"{server.url}/learn?show=class-intruder") as page:
        word = page.locator("[data-lesson] .picture .value").first
        for scheme, colour in (
            ("light", "rgb(26, 31, 38)"),
            ("dark", "rgb(233, 236, 239)"),
            ("light", "rgb(26, 31, 38)"),
        ):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            expect(word).to_have_css("fill", colour)
