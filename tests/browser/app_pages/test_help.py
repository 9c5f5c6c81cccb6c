"""Help in a browser: links stay in the tab and lead down to their headings."""

import re
import time

from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Server
from tests.browser.driver import go_to, look, settle, tab
from tests.browser.pictures import WALKED_CHAPTER, walk_ten_minutes


def search(page: Page, words: str) -> None:
    field = page.get_by_label("Search", exact=True)
    field.fill(words)
    field.press("Enter")
    settle(page)


def comes_to_the_top(page: Page, title: str) -> None:
    """Wait until a heading stands right below the navigation."""
    heading = page.get_by_role("heading", name=title, exact=True)
    limit = time.monotonic() + 60.0
    while not 40 < (heading.bounding_box() or {"y": 0.0})["y"] < 200:
        assert time.monotonic() < limit, heading.bounding_box()
        page.wait_for_timeout(50)


def test_a_place_found_opens_the_chapter_at_its_heading(
    browser: Browser, server: Server
) -> None:
    with tab(browser, server.url) as page:
        go_to(page, "Help")
        search(page, "certainty penalty")
        place = page.get_by_role("link", name="Measures › Certainty penalty (NCP)")
        for _again in range(2):  # also where the address stays the same
            place.click()
            settle(page)
            comes_to_the_top(page, "Certainty penalty (NCP)")
            page.mouse.wheel(0, -5000)
            page.wait_for_timeout(0)
        assert re.search(r"chapter=measures&at=certainty-penalty-ncp", page.url)
        look(page, "help-1280")


def test_links_stay_in_the_tab_and_keep_the_work(
    browser: Browser, server: Server
) -> None:
    with tab(browser, server.url, dark=True) as page:
        go_to(page, "Help")
        page.get_by_role("link", name="Files and reports", exact=True).click()
        settle(page)
        page.locator("a[href*='at=common-values']").first.click()
        settle(page)
        comes_to_the_top(page, "Common values")
        assert len(page.context.pages) == 1
        page.get_by_role("link", name="Fuzzy groups", exact=True).last.click()
        settle(page)
        title = page.get_by_role("heading", name="Fuzzy groups", exact=True)
        expect(title).to_be_in_viewport()
        look(page, "help-dark-1280")


def test_the_ten_minutes_can_be_walked_and_their_pictures_are_dark_on_dark_pages(
    browser: Browser, server: Server
) -> None:
    with tab(browser, server.url, dark=True) as page:
        walked = list(walk_ten_minutes(page))
        assert walked == ["data", "compare", "release"]
        page.goto(f"{server.url}/help?chapter={WALKED_CHAPTER}")
        settle(page)
        images = page.get_by_test_id("stImage").locator("img")
        expect(images).to_have_count(len(walked))
        page.wait_for_function(  # the background of dark pages, not of light ones
            """() => [...document.querySelectorAll("[data-testid=stImage] img")].every(
                image => {
                    if (!image.complete || !image.naturalWidth) return false;
                    const canvas = new OffscreenCanvas(1, 1).getContext("2d");
                    canvas.drawImage(image, 0, 0);
                    return canvas.getImageData(0, 0, 1, 1).data[0] < 64;
                })"""
        )


def test_on_a_phone_the_chapter_that_is_read_is_seen_among_the_others(
    browser: Browser, server: Server
) -> None:
    with tab(browser, f"{server.url}/help?chapter=serving", width=390) as page:
        name = page.locator(".st-key-widget-chapters strong")
        expect(name).to_be_in_viewport(ratio=1)
