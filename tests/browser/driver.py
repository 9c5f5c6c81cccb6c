"""What tests do in a browser: open, wait, upload, read figures, look."""

import os
import re
import shutil
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import (
    Browser,
    BrowserContext,
    Locator,
    Page,
    TimeoutError,
    expect,
)

from dashboard.state.new_tables.new_table import copy_with_sample
from dashboard.state.workspace import Workspace
from engine.methods import methods
from sample_data import DEFAULT_SAMPLE
from tests.browser.following import follow, follower

PATIENCE = 180_000
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
    setting = os.environ.get("COTERIE_CHROMIUM")
    if setting:
        return setting
    paths = [path for path in map(shutil.which, _NAMES) if path]
    paths += [path for path in _ON_MACOS if Path(path).exists()]
    return paths[0] if paths else None


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
    foreign_urls = _watch_requests(context)
    errors: list[str] = []
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    # Here, and not once and for all: it is the same for every module of tests.
    expect.set_options(timeout=PATIENCE)
    follow(page)
    page.on("pageerror", lambda error: errors.append(error.stack or str(error)))
    try:
        page.goto(url)
        settle(page)
        yield page
        assert foreign_urls == []
        assert errors == [], "\n".join(errors)
    finally:
        context.close()


def _watch_requests(context: BrowserContext) -> list[str]:
    """Return a list that fills with what was asked of other machines."""
    foreign_urls: list[str] = []

    def note(url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme in ("http", "https", "ws", "wss") and (
            parts.hostname not in (*_LOCAL, "elsewhere.test")
        ):
            foreign_urls.append(url)

    context.on("request", lambda request: note(request.url))
    context.on("page", lambda page: page.on("websocket", lambda ws: note(ws.url)))
    return foreign_urls


def wait_until_whole(page: Page, side: str) -> None:
    """Wait until all of the page is seen without scrolling, by width or height.

    Places that stay empty are there until a page has been drawn.
    """
    page.wait_for_function(
        f"""() => {{
            const main = document.querySelector("[data-testid=stMain]");
            return main.scroll{side} <= main.client{side};
        }}"""
    )


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


def rail(page: Page) -> Locator:
    """Return the choices that stand beside the results on the Compare page."""
    return page.get_by_test_id("stSidebar")


def enter(page: Page, field: Locator, text: str, shown: Locator) -> None:
    """Type into a field until what follows from it is shown.

    A field can miss what is typed where the browser is busy drawing.
    """
    limit = time.monotonic() + PATIENCE / 1000
    while shown.count() == 0:
        assert time.monotonic() < limit, f"{text!r} was not taken"
        field.fill("")
        field.fill(text)
        field.press("Enter")
        settle(page)


def add_size(page: Page, k: int) -> None:
    """Type another k into the rail until it is among those chosen."""
    chosen = rail(page).get_by_role("button", name=str(k), exact=True)
    enter(page, page.get_by_label("Another k", exact=True), str(k), chosen)


def unfold(page: Page, title: str) -> None:
    """Open a line of the rail."""
    rail(page).locator("summary").filter(has_text=title).first.click()
    settle(page)


def run_by_hand(page: Page) -> None:
    """Have nothing run by itself from now on, but at a click on Run."""
    unfold(page, "More ·")
    rail(page).get_by_text("Run by itself").click()
    settle(page)


def wait_for_runs(page: Page) -> None:
    """Wait until nothing runs, and all that came of it is drawn."""
    progress = page.get_by_test_id("stProgress")
    settle(page)  # what runs by itself has begun by then
    limit = time.monotonic() + PATIENCE / 1000
    while True:
        expect(progress).to_have_count(0, timeout=PATIENCE)
        settle(page)
        # While a page is drawn anew with first results, it can be gone for a moment.
        if progress.count() == 0:
            return
        assert time.monotonic() < limit, "it was still running"


def wait_for_results(
    page: Page, methods: Iterable[str], sizes: Iterable[int] = (3, 5, 10)
) -> dict[tuple[str, int], float]:
    """Wait on the Compare page for just these results; return what each loses.

    Nobody needs to click where all takes little time.
    """
    wait_for_runs(page)
    pattern = re.compile("Recommended:|None is recommended")
    expect(page.get_by_text(pattern).first).to_be_visible()
    pairs = set(product(methods, sizes))
    limit = time.monotonic() + PATIENCE / 1000
    # The last ones are drawn a moment after the progress has gone.
    while set(losses := results(page)) < pairs and time.monotonic() < limit:
        wait_for_runs(page)
    assert set(losses) == pairs, set(losses) ^ pairs
    return losses


def results(page: Page) -> dict[tuple[str, int], float]:
    """Return what each result loses, by method and k, as the first chart has it."""
    return {
        (trace["name"], k): loss
        for trace in traces(chart(page, "information-loss"))
        for (key, k, *_), loss in zip(trace["about"], trace["x"], strict=True)
        if key  # and no bound
    }


def recommended(sample: str = DEFAULT_SAMPLE) -> set[str]:
    """Return the methods that a sample begins with."""
    return {
        methods.info(method_id).title
        for method_id in copy_with_sample(Workspace(), sample).methods
    }


def choose_methods(page: Page, *titles: str) -> None:
    """Choose these methods and no others."""
    wait_for_runs(page)
    lines = rail(page).locator("[class*=st-key-widget-method-line]")
    boxes = lines.get_by_role("checkbox")
    chosen = [
        box.get_attribute("aria-label") for box in boxes.all() if box.is_checked()
    ]
    gone = [title for title in chosen if title and title not in titles]
    # In the order that is asked for: methods run as they were chosen.
    for title in (*gone, *(title for title in titles if title not in chosen)):
        if boxes.and_(page.get_by_label(title, exact=True)).count():
            lines.get_by_text(title, exact=True).click()
        else:
            add_method(page, title)
        wait_for_runs(page)  # lines change their order as results come


def add_method(page: Page, name: str, title: str = "") -> None:
    """Choose a method that is not listed, by any of its names.

    A list closes where the page is drawn anew.
    """
    start = re.compile(rf"^{re.escape(title or name)}( ·|$)")
    added = rail(page).get_by_role("checkbox", name=title or name, exact=True)
    limit = time.monotonic() + PATIENCE / 1000
    while added.count() == 0:
        assert time.monotonic() < limit, f"{name!r} was not taken"
        page.get_by_role("combobox", name="Add a method").click()
        page.keyboard.type(name)
        with suppress(TimeoutError):
            page.get_by_role("option", name=start).click(timeout=3_000)
        settle(page)


def start_search(page: Page) -> None:
    """Start a search of ten minutes on the sample: it is still running whenever."""
    go_to(page, "Compare")
    wait_for_runs(page)
    run_by_hand(page)
    choose_methods(page, "Iterated search")
    unfold(page, "Parameters ·")
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


def download_release(page: Page, folder: Path) -> Path:
    """Download the protected file, whatever it is called, and return it."""
    give_reason(page)
    with page.expect_download() as coming:
        release_button(page).click()
    path = folder / coming.value.suggested_filename
    coming.value.save_as(path)
    return path


def give_reason(page: Page) -> None:
    """Say why a release leaves although its verdict is red, where it is."""
    asks = page.get_by_text("Release it all the same")
    expect(asks.or_(release_button(page)).first).to_be_visible()
    if release_button(page).count() or not asks.count():
        return
    asks.click()
    reason = page.get_by_label("Reason", exact=True)
    reason.fill("Because it is a test.")
    reason.press("Control+Enter")
    settle(page)
    page.get_by_text("I have read what failed").click()
    settle(page)


def release_button(page: Page) -> Locator:
    """Return the button that downloads the protected file."""
    return page.locator(".st-key-widget-download-release").get_by_role("button")


def open_files_to_keep(page: Page) -> None:
    """Open what the Release page offers beside the file and the reports."""
    button(page, "Plan, script, certificate").click()
    settle(page)


def open_files_to_hand_over(page: Page) -> None:
    """Open what the Release page offers for those who receive the file."""
    button(page, "Guide, descriptions").click()
    settle(page)


def chart(page: Page, name: str) -> Locator:
    """Return a chart by its name."""
    return page.locator(f".st-key-widget-chart-{name}")


_FIGURE = """plot => plot._fullData?.map(trace => ({
    name: trace.name, type: trace.type, key: trace.meta?.key ?? null,
    x: Array.from(trace.x ?? []), y: Array.from(trace.y ?? []),
    text: Array.from(trace.text ?? []),
    about: Array.from(trace.customdata ?? [], one => Array.from(one)),
})) ?? null"""


def traces(place: Locator) -> list[dict[str, Any]]:
    """Return what the Plotly chart in a place shows: one dict per trace."""
    shown_traces: list[dict[str, Any]] | None
    plot = place.locator(".js-plotly-plot").first
    plot.locator(".trace").first.wait_for(state="attached")
    deadline = time.monotonic() + PATIENCE / 1000
    # A chart that is drawn anew has its marks before it has its figure.
    while (shown_traces := plot.evaluate(_FIGURE)) is None:
        assert time.monotonic() < deadline, "the chart has no figure"
        place.page.wait_for_timeout(50)
    return shown_traces


def cell(page: Page, column: int, row: int, grid: int = 0) -> str:
    """Return the text of one cell of a table, as screen readers get it."""
    table = page.get_by_test_id("stDataFrame").nth(grid)
    return table.locator(f"#glide-cell-{column}-{row}").inner_text()


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
