"""What is seen without a click: when charts come, how many, how they follow k."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

import numpy as np
import pandas as pd

from tests.benchmarks.smoke import size

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FILES = size((1_200, 10_000, 200_000), (300,))
"""Records of the files that are uploaded, of ten columns."""

FOLLOWED = size(10_000, 0)
"""Records up to which a chart is to follow k at once."""

CHANGES = size(20, 2)
"""Changes of k that are timed."""

WINDOWS = {
    "1280 x 800": (1280, 800),
    "1920 x 1080": (1920, 1080),
    "1280 x 800 at 200 %": (640, 400),
    "390 x 844": (390, 844),
}

FIRST = """() => document.querySelector(
    '.st-key-widget-chart-information-loss .trace')"""
"""Whether the first chart is drawn."""

REFINED = """() => !document.querySelector('[data-testid=stMain]')
    .innerText.includes('Still improving')"""
"""Whether what is drawn is no longer of groups that a search begins with."""

SIZES = 3
"""Values of k that are asked for."""

RESTS = """sizes => {
    const plot = document.querySelector(
        '.st-key-widget-chart-information-loss .js-plotly-plot');
    const drawn = (plot?._fullData ?? [])
        .flatMap(trace => Array.from(trace.customdata ?? []))
        .filter(about => about[0]).length;
    const asked = sizes * document.querySelectorAll(
        '[class*=st-key-widget-method-line] input:checked').length;
    const run = document.querySelector('.st-key-widget-run button');
    return !document.querySelector('[data-testid=stProgress]')
        && document.querySelector('[data-test-script-state=notRunning]')
        && (run ? 'run' : asked && drawn >= asked && 'all');
}"""
"""Whether nothing runs, and all results are drawn, or somebody must ask for more."""

WHOLE = """() => [...document.querySelectorAll(
    '[class*=st-key-widget-chart-] .js-plotly-plot')].filter(plot => {
        const box = plot.getBoundingClientRect();
        return plot.querySelector('.trace') && box.top >= 100 && box.left >= 0
            && box.bottom <= innerHeight && box.right <= innerWidth;
    }).length"""
"""How many charts lie wholly in the window, below the two lines of every page."""

FOLLOW = """() => new Promise(done => {
    let from = Infinity;
    const begin = {capture: true, once: true};
    addEventListener('keydown', one => from = one.timeStamp, begin);
    const plot = name => document.querySelector(
        `.st-key-widget-chart-${name} .js-plotly-plot`);
    const words = () => ['group-sizes', 'groups-of-one'].map(name =>
        plot(name)?._fullLayout?.annotations?.map(one => one.text).join() ?? '');
    const before = words();
    const look = () => {
        const all = words().every((now, at) => now && now !== before[at]);
        if (all || performance.now() - from > 30000)
            requestAnimationFrame(() => done(performance.now() - from));
        else requestAnimationFrame(look);
    };
    look();
})"""
"""Milliseconds until sizes and groups are drawn for another k, from the next key on."""


def people(records: int, folder: Path) -> Path:
    """Write a file of ten columns that go together, nothing of which needs a person."""
    rng = np.random.default_rng(0)
    hidden = rng.lognormal(0.0, 0.6, (records, 2))
    values = hidden @ rng.random((2, 10)) + 0.3 * rng.random((records, 10))
    names = [f"income_{number}" for number in range(10)]
    path = folder / f"{records} records.csv"
    pd.DataFrame(values.round(3), columns=names).to_csv(path, index=False)
    return path


Waits = tuple[float, float, float]
"""Seconds to the first chart, until it gets no better, and to all results."""


def waits(page: Page, records: int) -> Waits:
    """Return seconds from an upload to the first charts and to all that is recommended.

    It comes while the sample's own run may be going on. The one click between, on what
    leads on, is made as soon as it can be.
    """
    from tests.browser.driver import button, upload

    with tempfile.TemporaryDirectory() as folder:
        path = people(records, Path(folder))
        clock = time.perf_counter()
        upload(page, path)
    return _results(page, clock, button(page, "Choose protection").click)


def sample(page: Page) -> Waits:
    """Return the same for the sample, from the click that leads to it."""
    from tests.browser.driver import button

    return _results(page, time.perf_counter(), button(page, "Choose protection").click)


def first_charts(browser: Browser) -> Iterator[tuple[str, str]]:
    """Yield how long the sample's first chart takes after a start, in words, and it.

    Once with nothing compiled, and once with all that the first time has compiled.
    """
    from tests.browser.conftest import serving
    from tests.browser.driver import button, tab

    with tempfile.TemporaryDirectory() as cache:
        empty = size({"NUMBA_CACHE_DIR": cache}, {})
        for what in ("nothing compiled", "all compiled"):
            with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, empty):
                start = time.perf_counter()
                with (
                    serving(Path(folder)) as server,
                    tab(browser, server.url) as page,
                ):
                    clicked = time.perf_counter()
                    button(page, "Choose protection").click()
                    page.wait_for_function(FIRST)
                    now = time.perf_counter()
                    figure = f"{now - start:.2f} s; {now - clicked:.2f} s from a click"
                    yield f"from a start to the first chart, {what}", figure
                    _rest(page)


def _results(page: Page, clock: float, lead: Callable[[], None]) -> Waits:
    """Return seconds to the first charts and to all; what takes long is asked for."""
    lead()
    page.wait_for_function(FIRST)
    first = time.perf_counter() - clock
    page.wait_for_function(REFINED)
    refined = time.perf_counter() - clock
    _rest(page)
    return first, refined, time.perf_counter() - clock


def _rest(page: Page) -> None:
    """Wait for all results; ask for those that take long."""
    from tests.browser.driver import button

    if page.wait_for_function(RESTS, arg=SIZES).json_value() == "run":
        button(page, "Run").click()
        button(page, "Run").wait_for(state="detached")
        page.wait_for_function(RESTS, arg=SIZES)


def changes(page: Page) -> list[float]:
    """Return milliseconds from a key on the slider of k to the charts of that k."""
    from tests.browser.driver import settle

    slider = page.get_by_role("slider", name="k that is looked at").first
    milliseconds = []
    for number in range(CHANGES):
        settle(page)
        slider.focus()
        waiting = page.evaluate_handle(f"() => ({{ seen: ({FOLLOW})() }})")
        page.keyboard.press("ArrowRight" if number % 2 else "ArrowLeft")
        milliseconds.append(float(waiting.evaluate("one => one.seen")))
    return milliseconds


TICKED = """before => new Promise(done => {
    let from = Infinity;
    const begin = {capture: true, once: true};
    addEventListener('click', one => from = one.timeStamp, begin);
    const look = () => {
        const plot = document.querySelector(
            '.st-key-widget-chart-information-loss .js-plotly-plot');
        const lines = plot?._fullLayout?.yaxis?.ticktext?.length;
        const other = lines !== undefined && lines !== before;
        if (other || performance.now() - from > 30000)
            requestAnimationFrame(() => done(performance.now() - from));
        else requestAnimationFrame(look);
    };
    look();
})"""
"""Milliseconds until the chart of losses has other lines, from the next click on."""


def ticks(page: Page) -> list[float]:
    """Return milliseconds from a tick at a method to the chart that has it or not.

    Its results are known: with others, the time of the run comes on top.
    """
    from tests.browser.driver import rail, settle, traces, wait_for_runs

    line = rail(page).locator("[class*=st-key-widget-method-line]").last
    plot = page.locator(".st-key-widget-chart-information-loss")
    milliseconds = []
    for _ in range(CHANGES):
        wait_for_runs(page)
        settle(page)
        traces(plot)
        lines = plot.locator(".js-plotly-plot").evaluate(
            "plot => plot._fullLayout.yaxis.ticktext.length"
        )
        waiting = page.evaluate_handle(
            f"lines => ({{ seen: ({TICKED})(lines) }})", lines
        )
        line.locator("label").first.click()
        milliseconds.append(float(waiting.evaluate("one => one.seen")))
    return milliseconds


def whole_charts(page: Page) -> Iterator[tuple[str, int]]:
    """Yield how many charts lie wholly in the window, at each size."""
    from tests.browser.driver import settle

    for words, (width, height) in WINDOWS.items():
        page.set_viewport_size({"width": width, "height": height})
        settle(page)
        page.evaluate("document.querySelector('[data-testid=stMain]').scrollTo(0, 0)")
        yield words, int(page.evaluate(WHOLE))


def clicks(page: Page, records: int = 0) -> int:
    """Return the clicks on what stands out until a release is downloaded.

    It is the sample's, or that of a file of so many records: giving it takes two, on
    what opens the dialogue and on the file.
    """
    from tests.browser.driver import (
        button,
        give_reason,
        release_button,
        upload,
        wait_for_runs,
    )

    n_clicks = 0
    if records:
        with tempfile.TemporaryDirectory() as folder:
            upload(page, people(records, Path(folder)))
        n_clicks += 2
    for name in ("Choose protection", "Choose a release"):
        button(page, name).click()
        n_clicks += 1
        wait_for_runs(page)
    with page.expect_download():
        give_reason(page)
        release_button(page).click()
    return n_clicks + 1


def figures(browser: Browser, address: str) -> Iterator[tuple[str, str]]:
    """Yield what was measured, in words, and the figure."""
    from tests.browser.driver import settle, tab

    for _ in range(size(1, 0)):  # scripts and compiled kernels are for next time
        with tab(browser, address) as page:
            sample(page)
    with tab(browser, address) as page:
        first, _, all_ = sample(page)
        yield "the sample: to the first chart", f"{first:.2f} s"
        yield "... to all that is recommended", f"{all_:.2f} s"
        settle(page)
        yield from _followed(page, "the sample")
        for words, count in whole_charts(page):
            yield f"charts whole in the first view, {words}", str(count)
    with tab(browser, address) as page:
        yield "clicks from the start to the sample's release", str(clicks(page))
    with tab(browser, address) as page:
        yield "clicks from the start to a file's release", str(clicks(page, FILES[0]))
    for records in FILES:
        with tab(browser, address) as page:
            first, refined, all_ = waits(page, records)
            name = f"a file of {records:,} x 10"
            yield f"{name}: to the first chart", f"{first:.2f} s"
            yield "... until it gets no better", f"{refined:.2f} s"
            yield "... to all that is recommended", f"{all_:.2f} s"
            if records <= FOLLOWED:
                yield from _followed(page, name)


def _followed(page: Page, name: str) -> Iterator[tuple[str, str]]:
    for what, times in (
        ("from a key on k's slider to the charts of that k", changes(page)),
        ("from a tick at a method to its line in the chart", ticks(page)),
    ):
        sorted_times = sorted(times)
        median, ceiling = (
            sorted_times[len(sorted_times) // 2],
            sorted_times[int(0.95 * (len(sorted_times) - 1))],
        )
        yield f"{name}: {what}", f"{median:.0f} ms; 95 % under {ceiling:.0f} ms"
