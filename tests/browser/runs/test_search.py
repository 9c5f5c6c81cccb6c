"""A search on screen: its curve grows, a click keeps the best, the curve stays."""

from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import Server
from tests.browser.driver import (
    button,
    chart,
    look,
    start_search,
    tab,
    traces,
    wait_for_results,
)


def live(page: Page) -> Locator:
    """Return the curve of the search that runs."""
    return page.locator(".st-key-widget-live-search")


def last_seconds(page: Page) -> float:
    return float(traces(live(page))[0]["x"][-1])


def test_a_search_is_seen_live_and_stopped_with_its_best(
    browser: Browser, server: Server
) -> None:
    with tab(browser, server.url) as page:
        start_search(page)
        while traces(live(page))[0]["y"][-1] is None:  # none has been formed yet
            page.wait_for_timeout(200)
        loss, bound = traces(live(page))
        assert bound["name"] == "Lower bound"
        assert loss["y"][-1] >= bound["y"][-1] > 0.0
        before = last_seconds(page)
        while last_seconds(page) <= before + 1.0:
            page.wait_for_timeout(200)
        look(page, "searching-light-1280")

        # One search per k: each is stopped on its own.
        for k in (3, 5, 10):
            expect(page.get_by_text(f"Iterated search, k = {k}").first).to_be_visible()
            button(page, "Stop and keep the best").click()
            expect(button(page, "Stopping")).not_to_be_visible()
        wait_for_results(page, ["Iterated search (seconds 600)"])
        expect(page.get_by_text("The searches", exact=True)).to_be_visible()
        names = [trace["name"] for trace in traces(chart(page, "search"))]
        assert [name for name in names if name != "Lower bound"] == [
            "Iterated search (seconds 600), k = 3",
            "Iterated search (seconds 600), k = 5",
            "Iterated search (seconds 600), k = 10",
        ]
        look(page, "searched-light-1280")
