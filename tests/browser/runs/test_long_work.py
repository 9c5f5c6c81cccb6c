"""While a method takes its time, the others' results are there, and one has failed."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Server
from tests.browser.driver import (
    add_size,
    button,
    go_to,
    look,
    results,
    settle,
    start_search,
    tab,
)

PROGRESS = "stProgress"


def expect_results(page: Page) -> None:
    found = {method for method, _k in results(page)}
    assert found == {"LDF", "CBFS"}


def test_finished_methods_are_compared_while_a_search_goes_on(
    browser: Browser, server: Server
) -> None:
    with tab(browser, server.url) as page:
        go_to(page, "Compare")
        add_size(page, 5000)  # more than there are records
        start_search(page, beside=("LDF", "CBFS"))
        expect(page.get_by_text(re.compile("8 of 12 finished"))).to_be_visible()

        bar = page.get_by_test_id(PROGRESS)
        expect(bar).to_contain_text("Iterated search, k = 3")
        expect(bar).to_contain_text("%")
        failed = "LDF, k = 5000; CBFS, k = 5000: There are"  # a reason is said once
        expect(page.get_by_text(failed)).to_be_visible()
        expect_results(page)
        look(page, "running-compare-light-1280")

        button(page, "Cancel").click()
        expect(page.get_by_text("Cancelled.")).to_be_visible()
        settle(page)
        expect(button(page, "Run")).to_be_visible()
        expect_results(page)
