"""What tests do in a browser: open, wait, upload, read figures, look."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from tests.browser.following import follow, follower

PATIENCE = 120_000
"""Milliseconds after which a test gives up: machines that run tests are busy."""

SCREENSHOTS = Path(__file__).with_name("screenshots")

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # A name that is not ours but leads to us, as an attacker would arrange it.
    "--host-resolver-rules=MAP elsewhere.test 127.0.0.1",
]

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_ON_MACOS = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)

_LOCAL = ("127.0.0.1", "localhost")


def find_browser() -> str | None:
    """Return the path of an installed Chromium, or None."""
    told = os.environ.get("COTERIE_CHROMIUM")
    if told:
        return told
    found = [path for path in map(shutil.which, _NAMES) if path]
    found += [path for path in _ON_MACOS if Path(path).exists()]
    return found[0] if found else None


@contextmanager
def tab(
    browser: Browser,
    url: str,
    *,
    width: int = 1280,
    dark: bool = False,
    locale: str = "en-GB",
) -> Iterator[Page]:
    """Open the dashboard in a tab of its own; nothing may leave this machine.

    Raises
    ------
    AssertionError
        At the end, if a page asked another machine for something, or wrote an error
        to the console.
    """
    context = browser.new_context(
        viewport={"width": width, "height": 900 if width < 1500 else 1080},
        color_scheme="dark" if dark else "light",
        accept_downloads=True,
        locale=locale,
    )
    away = _watch_requests(context)
    errors: list[str] = []
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    # Here, and not once and for all: it is the same for every module of tests.
    expect.set_options(timeout=PATIENCE)
    follow(page)
    page.on("pageerror", lambda error: errors.append(str(error)))
    try:
        page.goto(url)
        settle(page)
        yield page
        assert away == []
        assert errors == []
    finally:
        context.close()


def _watch_requests(context: BrowserContext) -> list[str]:
    """Return a list that fills with what was asked of other machines."""
    away: list[str] = []

    def note(url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme in ("http", "https", "ws", "wss") and (
            parts.hostname not in (*_LOCAL, "elsewhere.test")
        ):
            away.append(url)

    context.on("request", lambda request: note(request.url))
    context.on("page", lambda page: page.on("websocket", lambda ws: note(ws.url)))
    return away


def settle(page: Page) -> None:
    """Wait until all that was done to the page is worked out and drawn."""
    follower(page).settle(180.0)


def go_to(page: Page, title: str) -> None:
    """Choose a page in the navigation."""
    page.get_by_test_id("stTopNavLinkContainer").get_by_text(title, exact=True).click()
    settle(page)


def upload(page: Page, path: Path, at: int = 0) -> None:
    """Give a file to the page's uploader."""
    give(page, page.get_by_test_id("stFileUploaderDropzoneInput").nth(at), path)


def give(page: Page, field: Locator, path: Path) -> None:
    """Give a file to a field, and wait until the page knows it."""
    before = follower(page).sent
    field.set_input_files(path)
    # The file goes first, and may take its time; then the page says that it is there.
    limit = time.monotonic() + 120.0
    while follower(page).sent == before:
        assert time.monotonic() < limit, f"{path.name} was not taken"
        page.wait_for_timeout(20)
    settle(page)


def button(page: Page, name: str) -> Locator:
    """Return the button with this name."""
    return page.get_by_role("button", name=name, exact=True)


def start_search(page: Page, beside: Sequence[str] = ()) -> None:
    """Start a search of ten minutes on the sample: it is still running whenever.

    Methods of fixed size `beside` it come first.
    """
    go_to(page, "Protect")
    button(page, "None").click()
    settle(page)
    for title in beside:
        page.get_by_text(title, exact=True).click()
        settle(page)
    page.get_by_text(re.compile("^Search: ")).click()
    page.get_by_text("Iterated search", exact=True).click()
    settle(page)
    page.get_by_text("Parameters", exact=True).click()
    seconds = page.get_by_label("Seconds", exact=True)
    seconds.fill("600")
    seconds.press("Enter")
    settle(page)
    button(page, "Run").click()
    expect(button(page, "Stop and keep the best")).to_be_visible()


def download(page: Page, name: str, folder: Path) -> Path:
    """Click a download button and return the file."""
    with page.expect_download() as coming:
        button(page, name).click()
    path = folder / coming.value.suggested_filename
    coming.value.save_as(path)
    return path


def open_files_to_keep(page: Page) -> None:
    """Open what the Release page offers beside the file and the reports."""
    button(page, "Plan, script, groups").click()
    settle(page)


def figures(page: Page) -> list[list[dict[str, Any]]]:
    """Return what each Plotly chart on the page shows: one dict per trace."""
    page.wait_for_selector(".js-plotly-plot")
    found: list[list[dict[str, Any]]] = page.evaluate(
        """() => Array.from(document.querySelectorAll('.js-plotly-plot'), plot =>
            plot._fullData.map(trace => ({
                name: trace.name, type: trace.type, visible: trace.visible,
                x: Array.from(trace.x ?? []), y: Array.from(trace.y ?? []),
            })))"""
    )
    return found


def cell(page: Page, column: int, row: int, grid: int = 0) -> str:
    """Return the text of one cell of a table, as screen readers get it."""
    found = page.get_by_test_id("stDataFrame").nth(grid)
    return found.locator(f"#glide-cell-{column}-{row}").inner_text()


def look(page: Page, name: str) -> None:
    """Keep a picture of the whole page where people have asked to look at it.

    They ask by ``COTERIE_PICTURES=1``: drawing a tall page again takes seconds.
    """
    if os.environ.get("COTERIE_PICTURES") != "1":
        return
    SCREENSHOTS.mkdir(exist_ok=True)
    size = page.viewport_size
    assert size is not None
    # The app scrolls inside a box: a tall window shows all of it.
    height = page.evaluate(
        "() => document.querySelector('[data-testid=stMain]').scrollHeight"
    )
    page.set_viewport_size({"width": size["width"], "height": max(900, height + 80)})
    settle(page)
    page.screenshot(path=SCREENSHOTS / f"{name}.png")
    page.set_viewport_size(size)
