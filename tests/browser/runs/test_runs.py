"""A run on screen: seen from every page, found after a reload, stopped at once."""

import os
import signal
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Server
from tests.browser.driver import button, go_to, look, settle, start_search, tab

PROGRESS = "stProgress"


@pytest.fixture
def running(browser: Browser, server: Server) -> Iterator[Page]:
    """Give a page on which a long run has just been started."""
    with tab(browser, server.url) as page:
        start_search(page)
        yield page


def test_a_run_outlives_page_changes_and_reloads_and_is_cancelled(
    running: Page,
) -> None:
    for title in ("Data", "Inspect", "Compare"):
        go_to(running, title)
    expect(running.get_by_test_id(PROGRESS)).to_be_visible()
    running.reload()
    settle(running)
    expect(running.get_by_test_id(PROGRESS)).to_be_visible()
    expect(running.get_by_text("Iterated search, k = 3").first).to_be_visible()
    running.wait_for_selector(".js-plotly-plot")
    look(running, "running-protect-light-1280")
    # How soon the run ends then, test_jobs.py knows.
    button(running, "Cancel").click()
    expect(running.get_by_text("Cancelled.")).to_be_visible()
    expect(button(running, "Run")).to_be_visible()


def test_a_killed_worker_is_told(running: Page, server: Server) -> None:
    pids = server.workers()
    assert pids
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    expect(running.get_by_text("memory ran out")).to_be_visible()
    expect(button(running, "Run")).to_be_visible()
    assert list(server.temporary.glob("coterie-job-*")) == []
