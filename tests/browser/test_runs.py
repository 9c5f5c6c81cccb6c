"""A run on screen: seen from every page, found after a reload, stopped at once."""

from __future__ import annotations

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


def cancel(page: Page) -> None:
    """Press Cancel and see that the screen says so; how soon, test_jobs.py knows."""
    button(page, "Cancel").click()
    expect(page.get_by_text("Cancelled.")).to_be_visible()


def test_cancel_answers_on_screen(running: Page) -> None:
    running.wait_for_selector(".js-plotly-plot")
    look(running, "running-protect-light-1280")
    cancel(running)
    expect(button(running, "Run")).to_be_visible()


def test_a_reload_finds_the_run(running: Page) -> None:
    running.reload()
    settle(running)
    expect(running.get_by_test_id(PROGRESS)).to_be_visible()
    expect(running.get_by_text("Iterated search, k = 3").first).to_be_visible()
    cancel(running)


def test_a_page_change_does_not_stop_the_run(running: Page) -> None:
    for title in ("Data", "Compare", "Protect"):
        go_to(running, title)
    expect(running.get_by_test_id(PROGRESS)).to_be_visible()
    cancel(running)


def test_a_killed_worker_is_told(running: Page, server: Server) -> None:
    mine = server.workers()
    assert mine
    for pid in mine:
        os.kill(pid, signal.SIGKILL)
    expect(running.get_by_text("memory ran out")).to_be_visible()
    expect(button(running, "Run")).to_be_visible()
    assert list(server.temporary.glob("coterie-job-*")) == []
