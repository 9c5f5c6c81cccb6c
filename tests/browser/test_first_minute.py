"""Somebody who reads nothing clicks what stands out, until a file is there."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

from playwright.sync_api import Browser, Download, Page, expect

from tests.browser.conftest import Server
from tests.browser.driver import look, settle, tab

NOT_PROTECTED = ("bank_debt",)


def click_what_stands_out(page: Page) -> str:
    """Click the first coloured button, and return its name."""
    coloured = page.locator("[data-testid=stBaseButton-primary]:enabled").first
    words = coloured.inner_text().split("\n")
    coloured.click()
    settle(page)
    # Whoever sees something running waits for it.
    expect(page.get_by_test_id("stProgress")).to_have_count(0)
    settle(page)
    return next(word for word in words if " " in word or word.istitle())


def test_five_clicks_on_what_stands_out_end_with_a_protected_file(
    browser: Browser, server: Server, tmp_path: Path
) -> None:
    clicked: list[str] = []
    came: list[Download] = []
    with tab(browser, server.url, width=1920, dark=True) as page:
        page.on("download", lambda download: came.append(download))
        page.wait_for_function("() => window.Plotly")  # before there is a chart
        while not came and len(clicked) < 6:
            look(page, f"newcomer-{len(clicked)}-dark-1920")
            clicked.append(click_what_stands_out(page))
        release = tmp_path / "release.csv"
        came[0].save_as(release)
    assert len(clicked) <= 5, clicked
    with release.open(newline="") as file:
        after = list(csv.DictReader(file))
    assert len(after) == 1200
    kept = [name for name in after[0] if name not in NOT_PROTECTED]
    together = Counter(tuple(row[name] for name in kept) for row in after)
    assert min(together.values()) >= 5
