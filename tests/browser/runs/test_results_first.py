"""Results come before any click, are seen without scrolling, and can be called off."""

import re

from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Server
from tests.browser.driver import (
    add_method,
    add_size,
    button,
    chart,
    go_to,
    rail,
    recommended,
    results,
    settle,
    tab,
    wait_for_results,
    wait_for_runs,
)

FIRST_VIEW = ("information-loss", "risk-utility", "group-sizes", "groups-of-one")

BELOW = ("loss-against-k", "certainty-penalty")
"""What follows, in a large window without scrolling."""


def expect_in_window(page: Page, name: str) -> None:
    """Wait until a chart of the first view lies wholly in the window."""
    drawn = chart(page, name).locator(".main-svg").first
    expect(drawn).to_be_in_viewport(ratio=1)


def test_all_that_is_recommended_has_run_before_anybody_clicks(
    browser: Browser, server: Server
) -> None:
    with tab(browser, server.url) as page:
        page.set_viewport_size({"width": 1280, "height": 800})
        go_to(page, "Compare")
        wait_for_results(page, recommended())
        assert button(page, "Run").count() == 0
        for name in FIRST_VIEW[:3]:
            expect_in_window(page, name)
        page.set_viewport_size({"width": 1920, "height": 1080})
        settle(page)
        for name in (*FIRST_VIEW, *BELOW):
            expect_in_window(page, name)


def test_a_page_is_as_wide_as_the_window_once_its_choices_are_folded(
    browser: Browser, server: Server
) -> None:
    left_edge = "() => document.querySelector('main').getBoundingClientRect().left"
    with tab(browser, server.url) as page:
        page.set_viewport_size({"width": 1280, "height": 800})
        go_to(page, "Compare")
        wait_for_results(page, recommended())
        assert page.evaluate(left_edge) > 0
        page.get_by_label("Sidebar", exact=True).hover()
        page.get_by_label("Collapse sidebar").click()
        page.wait_for_function(f"() => ({left_edge})() === 0")


WATCH = """() => {
    const plot = document.querySelector(
        '.st-key-widget-chart-information-loss .js-plotly-plot');
    const { top } = plot.getBoundingClientRect();
    window.moved = 0;
    const look = () => {
        const now = plot.isConnected ? plot.getBoundingClientRect().top : Infinity;
        window.moved = Math.max(window.moved, Math.abs(now - top));
        requestAnimationFrame(look);
    };
    look();
}"""
"""Keep how far the first chart has been from its place, or that another came for it."""

ONE_LINE = 30
"""Pixels that charts may move as the recommendation takes another line."""


def test_charts_stay_where_they_are_while_figures_arrive(
    browser: Browser, server: Server
) -> None:
    with tab(browser, server.url) as page:
        go_to(page, "Compare")
        wait_for_results(page, recommended())
        page.evaluate(WATCH)
        add_size(page, 4)
        expect(page.get_by_label("Another k", exact=True)).to_have_value("")
        wait_for_results(page, recommended(), (3, 4, 5, 10))
        assert page.evaluate("window.moved") <= ONE_LINE


WORDS = """name => [...document.querySelectorAll(
    `.st-key-widget-chart-${name} .main-svg text`)].map(each => each.textContent)"""

SAME_WORDS = f"([name, words]) => String(({WORDS})(name)) === String(words)"

OTHER_WORDS = f"([name, words]) => String(({WORDS})(name)) !== String(words)"

FITS = """name => {
    const box = document.querySelector(`.st-key-widget-chart-${name} .coterie-plot`);
    return [...box.querySelectorAll('.main-svg')]
        .every(each => each.clientWidth === box.clientWidth);
}"""


def move(page: Page, key: str) -> None:
    """Press a key on the slider of k; wait until charts have followed."""
    sizes = FIRST_VIEW[2]
    before = page.evaluate(WORDS, sizes)
    page.get_by_role("slider", name="k that is looked at").first.focus()
    page.keyboard.press(key)
    page.wait_for_function(OTHER_WORDS, arg=[sizes, before])
    settle(page)


def test_charts_follow_k_and_show_what_a_reload_shows(
    browser: Browser, server: Server
) -> None:
    with tab(browser, server.url) as page:
        go_to(page, "Compare")
        wait_for_results(page, recommended())
        for name in FIRST_VIEW[:3]:
            expect_in_window(page, name)
        move(page, "ArrowLeft")
        followed = {name: page.evaluate(WORDS, name) for name in FIRST_VIEW[:3]}
        page.reload()
        go_to(page, "Compare")
        wait_for_results(page, recommended())
        for name, words in followed.items():
            expect_in_window(page, name)
            page.wait_for_function(SAME_WORDS, arg=[name, words])
        page.set_viewport_size({"width": 1100, "height": 900})
        for key in ("ArrowRight", "ArrowLeft"):
            move(page, key)
            for name in FIRST_VIEW:
                page.wait_for_function(FITS, arg=name)


def test_two_pages_of_paper_hold_the_answer_its_charts_and_all_figures(
    browser: Browser, server: Server
) -> None:
    with tab(browser, server.url) as page:
        go_to(page, "Compare")
        wait_for_results(page, recommended())
        printed = page.pdf(prefer_css_page_size=True)
        assert re.findall(rb"/Count (\d+)", printed) == [b"2"]
        page.emulate_media(media="print")
        for name in (*FIRST_VIEW, *BELOW):
            expect(chart(page, name)).to_be_visible()
        expect(page.get_by_text("All figures")).to_be_visible()
        expect(button(page, "Choose a release")).not_to_be_visible()
        expect(rail(page)).not_to_be_visible()


def test_a_run_that_began_by_itself_and_is_cancelled_does_not_begin_again(
    browser: Browser, server: Server
) -> None:
    with tab(browser, server.url) as page:
        go_to(page, "Compare")
        before = wait_for_results(page, recommended())
        with server.workers_held():  # the run may take less than a click
            add_size(page, 7)
            button(page, "Cancel").click()
            expect(page.get_by_text("Cancelled.")).to_be_visible()
        for title in ("Data", "Compare"):
            go_to(page, title)
            wait_for_runs(page)
        assert results(page) == before
        page.reload()
        wait_for_runs(page)
        assert results(page) == before
        expect(button(page, "Run")).to_be_visible()

        # Other choices are another matter.
        rail(page).get_by_role("button", name="7", exact=True).click()
        add_method(page, "MD")
        wait_for_results(page, {*recommended(), "MD"})
