"""A run on screen: seen from every page, found after a reload, stopped at once."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Server
from tests.browser.driver import button, go_to, look, settle, tab, upload

PROGRESS = "stProgress"


@pytest.fixture(scope="module")
def big_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some minutes of work for DBA-2: noise leaves no short cut."""
    values = np.random.default_rng(0).uniform(size=(100_000, 10)).round(6)
    path = tmp_path_factory.mktemp("data") / "big.csv"
    names = [f"turnover_{year}" for year in range(2010, 2020)]
    pd.DataFrame(values, columns=names).to_csv(path, index=False)
    return path


@pytest.fixture
def running(browser: Browser, server: Server, big_file: Path) -> Iterator[Page]:
    """Give a page on which a long run has just been started."""
    with tab(browser, server.url) as page:
        upload(page, big_file)
        expect(page.get_by_text("100,000 records").first).to_be_visible()
        go_to(page, "Protect")
        button(page, "None").click()
        settle(page)
        page.get_by_text("DBA-2", exact=True).click()
        settle(page)
        button(page, "Run").click()
        expect(page.get_by_test_id(PROGRESS)).to_be_visible()
        yield page


def cancel(page: Page) -> float:
    """Press Cancel and return the seconds until the screen says so."""
    started = time.monotonic()
    button(page, "Cancel").click()
    expect(page.get_by_text("Cancelled.")).to_be_visible()
    return time.monotonic() - started


def test_cancel_answers_on_screen(running: Page) -> None:
    running.wait_for_timeout(3000)
    look(running, "running-protect-light-1280")
    # Within a second, says test_jobs.py; a busy machine's browser draws more slowly.
    assert cancel(running) < 5.0
    expect(button(running, "Run")).to_be_visible()


def test_a_reload_finds_the_run(running: Page) -> None:
    running.wait_for_timeout(2000)
    running.reload()
    settle(running)
    expect(running.get_by_test_id(PROGRESS)).to_be_visible()
    expect(running.get_by_text("DBA-2, k = 3").first).to_be_visible()
    cancel(running)


def test_a_page_change_does_not_stop_the_run(running: Page) -> None:
    for title in ("Data", "Compare", "Protect"):
        go_to(running, title)
        running.wait_for_timeout(1000)
    expect(running.get_by_test_id(PROGRESS)).to_be_visible()
    cancel(running)


def test_a_killed_worker_is_told(running: Page, server: Server) -> None:
    running.wait_for_timeout(2000)
    found = subprocess.run(
        ["ps", "-ax", "-o", "pid=,ppid=,args="], capture_output=True, text=True
    )
    workers = [line.split() for line in found.stdout.splitlines()]
    mine = [
        int(words[0])
        for words in workers
        if words[1] == str(server.process.pid) and "dashboard.worker" in words
    ]
    assert mine
    for pid in mine:
        os.kill(pid, signal.SIGKILL)
    expect(running.get_by_text("memory ran out")).to_be_visible()
    expect(button(running, "Run")).to_be_visible()
    assert list(server.temporary.glob("coterie-job-*")) == []
