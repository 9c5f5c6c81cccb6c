"""Pictures of the manual, taken from the running dashboard with the sample data.

Take them anew with ``python -m tests.browser.pictures``.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from dashboard.manual.chapters import MANUAL_FOLDER
from tests.browser.conftest import serving
from tests.browser.driver import (
    FLAGS,
    find_browser,
    go_to,
    settle,
    tab,
    wait_for_runs,
)


def keep(page: Page, name: str) -> None:
    """Keep what a window of 1280 by 800 shows."""
    page.mouse.move(0, 0)
    settle(page)
    page.screenshot(path=MANUAL_FOLDER / f"{name}.png")
    print(MANUAL_FOLDER / f"{name}.png")


def take(page: Page) -> None:
    """Go through the pages as somebody does who compares methods."""
    page.set_viewport_size({"width": 1280, "height": 800})
    settle(page)
    keep(page, "data")
    go_to(page, "Compare")
    wait_for_runs(page)
    keep(page, "compare")


if __name__ == "__main__":
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder)) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        with tab(browser, server.url) as page:
            take(page)
        browser.close()
