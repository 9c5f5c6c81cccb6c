"""While a method takes its time, the others' results are there, and one has failed."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Server
from tests.browser.driver import button, figures, go_to, look, settle, start_search, tab

PROGRESS = "stProgress"


@pytest.mark.slow
def test_finished_methods_are_compared_while_a_search_goes_on(
    browser: Browser, server: Server
) -> None:
    with tab(browser, server.url) as page:
        go_to(page, "Protect")
        another = page.get_by_label("Another k", exact=True)
        another.fill("5000")  # more than there are records
        another.press("Enter")
        settle(page)
        start_search(page, beside=("MDAV", "LDF"))
        expect(page.get_by_text(re.compile("6 of 9 finished"))).to_be_visible()

        go_to(page, "Compare")
        bar = page.get_by_test_id(PROGRESS)
        expect(bar).to_contain_text("Iterated search, k = 3")
        expect(bar).to_contain_text("%")
        expect(page.get_by_text("MDAV, k = 5000: There are")).to_be_visible()
        expect(page.get_by_text("LDF, k = 5000: There are")).to_be_visible()
        names = {trace["name"] for chart in figures(page) for trace in chart}
        assert {"MDAV", "LDF"} <= names
        look(page, "running-compare-light-1280")

        button(page, "Cancel").click()
        expect(page.get_by_text("Cancelled.")).to_be_visible()
        settle(page)
        expect(button(page, "Run")).to_be_visible()
        names = {trace["name"] for chart in figures(page) for trace in chart}
        assert {"MDAV", "LDF"} <= names
