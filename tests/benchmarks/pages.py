"""The dashboard in a real browser: comparisons, changes of page, the first view."""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from engine import read_table
from engine.data.kinds import Kind, Role
from engine.data.schema import Column, Schema
from engine.data.table import Table
from tests.benchmarks import data, first_view
from tests.benchmarks.smoke import size

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

METHODS = size(("md", "mdav", "cbfs", "vmdav", "ldf", "mdav-generic"), ("md", "mdav"))
SIZES = size((3, 5, 10), (3, 5))
LARGE = size(100_000, 500)

FAST = ("pca-projection", "npn-mhm", "blocked")
"""Methods that group 100,000 records in seconds."""

ROUNDS = size(3, 1)

CHARTS = 6
"""Charts on the Compare page before anybody asks for risks."""

DRAWN = """count => [...document.querySelectorAll(
    '[class*=st-key-widget-chart-] .js-plotly-plot')]
    .filter(plot => plot.querySelector('.trace, .hm')).length >= count
    && document.querySelector('[data-test-script-state=notRunning]')"""
"""Whether so many charts are on the page, and all of it has been sent."""


def census() -> Table:
    """Return Census, 1,080 x 13, or a table like it where it is not there."""
    folder = data.casc_folder()
    if folder is None:
        return _table(pd.DataFrame(data.heavy(1080, 13)).add_prefix("x"))
    table = read_table(folder / "census.csv")
    return table.assign(
        roles={c.name: Role.QUASI_IDENTIFIER for c in table.schema.columns}
    )


def large() -> Table:
    """Return many records of four attributes that go together."""
    rng = np.random.default_rng(0)
    hidden = rng.lognormal(0.0, 0.6, (LARGE, 2))
    values = hidden @ rng.random((2, 4)) + 0.3 * rng.random((LARGE, 4))
    return _table(pd.DataFrame(values.round(3), columns=list("abcd")))


def _table(frame: pd.DataFrame) -> Table:
    columns = (
        Column(str(name), Kind.CONTINUOUS, Role.QUASI_IDENTIFIER) for name in frame
    )
    return Table.from_frame(frame, Schema(tuple(columns)))


def serve(which: str, port: str) -> None:
    """Serve the dashboard with a table in it, until the process is ended."""
    from dashboard.places.launch import ServerOptions, launch_dashboard
    from dashboard.state import session
    from dashboard.state.results.job_results import copy_with_results
    from dashboard.state.workspace import Workspace, resolve_plans
    from engine.pipeline.compare import compare

    # What is timed begins with a click.
    ws = Workspace(table=census(), methods=METHODS, sizes=SIZES, automatic=False)
    if which == "large":
        table = large()
        ws = Workspace(table=table, methods=FAST, sizes=(3, 10), automatic=False)
        plans = resolve_plans(ws)
        ws = copy_with_results(ws, table, plans, dict(enumerate(compare(plans, table))))
    session.copy_with_sample = lambda *_: ws  # type: ignore[assignment]
    launch_dashboard(ServerOptions(port=int(port)))


@contextmanager
def _served(which: str) -> Iterator[str]:
    from tests.browser.conftest import free_port

    port = free_port()
    program = f"from tests.benchmarks import pages; pages.serve({which!r}, '{port}')"
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        env=os.environ | {"STREAMLIT_SERVER_HEADLESS": "true"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(20)


@contextmanager
def opened(address: str) -> Iterator[Page]:
    """Open the dashboard, once there is one, with all of its scripts loaded."""
    import urllib.request

    from tests.browser.driver import tab

    limit = time.monotonic() + 120.0
    while True:
        try:
            urllib.request.urlopen(f"{address}/_stcore/health", timeout=5).close()
            break
        except OSError:
            if time.monotonic() > limit:
                raise
            time.sleep(0.2)
    with _chromium() as browser, tab(browser, address) as page:
        yield page


@contextmanager
def _chromium() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    from tests.browser.driver import FLAGS, find_browser

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        yield browser
        browser.close()


def _until(page: Page, act: Callable[[], None], charts: int) -> float:
    """Return the seconds from an action until this many charts are drawn."""
    clock = time.perf_counter()
    act()
    page.wait_for_function(DRAWN, arg=charts)
    return time.perf_counter() - clock


def _page(page: Page, title: str) -> Callable[[], None]:
    link = page.get_by_test_id("stTopNavLinkContainer").get_by_text(title, exact=True)
    return link.click


def _changes(page: Page, charts: int) -> float:
    """Return the median of some changes from another page to Compare, in seconds."""
    from tests.browser.driver import go_to

    seconds = []
    for _ in range(ROUNDS):
        go_to(page, "Data")
        seconds.append(_until(page, _page(page, "Compare"), charts))
    return statistics.median(seconds)


def _comparison(address: str) -> tuple[float, float, float]:
    """Return seconds to the first result, to all charts, and of a change of page."""
    from tests.browser.driver import button, go_to, results, wait_for_runs

    with opened(address) as page:
        go_to(page, "Compare")
        clock = time.perf_counter()
        button(page, "Run").click()
        page.get_by_text(re.compile("Recommended:|None is rec")).first.wait_for()
        first = time.perf_counter() - clock
        page.get_by_test_id("stProgress").wait_for(state="detached")
        _until(page, lambda: None, CHARTS)
        run = time.perf_counter() - clock
        wait_for_runs(page)
        assert len(results(page)) == len(METHODS) * len(SIZES)
        return first, run, _changes(page, CHARTS)


def main() -> None:
    """Print seconds; on a machine that does nothing else."""
    rows: dict[str, float] = {}
    with _served("census") as address:
        for _ in range(size(2, 1)):  # compiled kernels and scripts are for next time
            first, run, change = _comparison(address)
    runs = f"{len(METHODS)} methods x {len(SIZES)} k"
    rows[f"{runs} on Census: click on Run to the first result"] = first
    rows["... to all results, in all charts"] = run
    results = len(METHODS) * len(SIZES)
    rows[f"change to the Compare page, {results} results of 1,080 records"] = change
    with _served("large") as address, opened(address) as page:
        _until(page, _page(page, "Compare"), CHARTS)
        rows[f"the same, {2 * len(FAST)} results of {LARGE:,} records"] = _changes(
            page, CHARTS
        )
    print("| what | s |\n| --- | --- |")
    for what, seconds in rows.items():
        print(f"| {what} | {seconds:.2f} |")
    print("\n| before any choice, or at one | |\n| --- | --- |")
    with _chromium() as browser:
        for what, figure in first_view.first_charts(browser):
            print(f"| {what} | {figure} |", flush=True)
    with _dashboard() as address, _chromium() as browser:
        for what, figure in first_view.figures(browser, address):
            print(f"| {what} | {figure} |", flush=True)


@contextmanager
def _dashboard() -> Iterator[str]:
    """Serve the dashboard as people start it; yield its address."""
    from tests.browser.conftest import serving

    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as server:
        yield server.url
