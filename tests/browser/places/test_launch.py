"""What `coterie` opens: ready, private, and as it was after a reload."""

import pytest
from playwright.sync_api import Browser, Route, expect

from tests.browser.conftest import Server
from tests.browser.driver import (
    settle,
    tab,
    wait_until_whole,
)


def test_the_sample_is_ready_and_settings_beside_the_app_are_read(
    browser: Browser, server: Server
) -> None:
    with tab(browser, server.url) as page:
        expect(page.get_by_text("Business survey").first).to_be_visible()
        expect(page.get_by_test_id("stException")).to_have_count(0)
        expect(page.get_by_text("Deploy", exact=True)).to_have_count(0)
        expect(page.get_by_test_id("stFileUploaderDropzone")).to_contain_text("1GB")


def test_a_browser_that_cannot_draw_the_page_says_what_to_do(
    browser: Browser, server: Server
) -> None:
    context = browser.new_context()
    page = context.new_page()

    def grow_old(route: Route) -> None:
        """Take from the browser what old ones lack: a selector, and modules."""
        answer = route.fetch()
        body = answer.text().replace(":has(*)", ":unheard-of")
        body = body.replace('type="module"', 'type="unheard-of"')
        route.fulfill(response=answer, body=body)

    warning = page.get_by_text("This browser is too old for Coterie")
    page.route(f"{server.url}/", grow_old)
    page.goto(server.url)
    expect(warning).to_be_visible()
    page.unroute(f"{server.url}/")
    page.route("**/static/js/*", lambda route: route.abort())
    page.goto(server.url)
    expect(warning).to_be_hidden()  # whatever keeps it from being drawn, it is not old
    page.unroute("**/static/js/*")
    page.goto(server.url)
    expect(page.get_by_text("Business survey").first).to_be_visible()
    expect(warning).to_have_count(0)
    context.close()


def test_the_last_browser_of_old_windows_draws_the_page(
    browser: Browser, server: Server
) -> None:
    context = browser.new_context()
    context.add_init_script(_AS_IN_CHROME_109)
    page = context.new_page()
    broken: list[str] = []
    page.on("pageerror", lambda error: broken.append(str(error)))
    page.goto(server.url)
    expect(page.get_by_text("Business survey").first).to_be_visible()
    assert broken == []
    context.close()


_AS_IN_CHROME_109 = """
const later = [
  [Array.prototype, "toSorted toReversed toSpliced with"],
  [Array, "fromAsync"], [Promise, "withResolvers try"], [Object, "groupBy"],
  [Map, "groupBy"], [URL, "canParse parse"], [AbortSignal, "any"],
  [String.prototype, "isWellFormed toWellFormed"],
  [Set.prototype, "union intersection difference isSubsetOf isSupersetOf"],
  [HTMLElement.prototype, "showPopover hidePopover togglePopover"],
  [window, "Iterator"],
]
for (const [owner, names] of later)
  for (const name of names.split(" ")) delete owner[name]
"""
"""What its scripts do without; what its styles do without is not imitated."""


def test_a_page_of_another_name_gets_nothing(browser: Browser, server: Server) -> None:
    context = browser.new_context()
    page = context.new_page()
    answer = page.goto(f"http://elsewhere.test:{server.port}")
    assert answer is not None
    assert answer.status == 400
    assert page.get_by_text("Business survey").count() == 0
    context.close()


@pytest.mark.parametrize("width", [390, 640])
def test_every_address_opens_at_once_and_no_page_is_wider_than_its_window(
    browser: Browser, server: Server, width: int
) -> None:
    refused: list[str] = []
    with tab(browser, server.url, width=width) as page:
        page.on(
            "response",
            lambda response: (
                refused.append(response.url) if response.status >= 400 else None
            ),
        )
        for name in ("data", "need", "compare", "inspect", "release", "learn", "help"):
            page.goto(f"{server.url}/{name}")
            settle(page)
            wait_until_whole(page, "Width")
    assert refused == []
