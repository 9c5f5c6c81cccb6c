"""Clicks that come faster than pages are drawn all count."""

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, expect

from engine.methods import methods
from tests.browser.conftest import Server
from tests.browser.driver import go_to, rail, settle, tab, wait_for_runs

# While lines change places, Streamlit keeps a hidden copy of what stood in each. Nobody
# can click it, and what is done to it is not shown.
SEEN = """
    const seen = what => [...document.querySelectorAll(what)]
        .filter(one => one.checkVisibility());
    const click = async (what, is) => {
        for (let frame = 0; frame < 600; frame++) {
            const found = seen(what).find(is);
            if (found) return found.click();
            await new Promise(requestAnimationFrame);  // it is drawn anew
        }
        throw new Error(`nobody sees ${what}`);
    };
    const METHODS = '[data-testid=stSidebar] [class*=st-key-widget-method-] input';
    const SIZES = '[data-testid=stSidebar] .st-key-widget-sizes button';
"""

CLICK = f"""async ([methods, sizes, gaps]) => {{ {SEEN}
    const wait = () => new Promise(done => setTimeout(done, gaps.pop()));
    for (const name of methods) {{
        await click(METHODS, one => one.ariaLabel === name);
        await wait();
    }}
    for (const k of sizes) {{
        await click(SIZES, one => one.textContent.trim() === k);
        await wait();
    }}
}}"""

CHOSEN = f"""() => {{ {SEEN}
    return [
        seen(METHODS + ':checked').map(one => one.ariaLabel).sort(),
        seen(SIZES + '[data-selected]').map(one => one.textContent.trim()).sort(),
    ];
}}"""

Chosen = list[list[str]]


def chosen(page: Page) -> Chosen:
    choices: Chosen = page.evaluate(CHOSEN)
    return choices


def expect_chosen(page: Page, wanted: Chosen, what: object) -> None:
    """See that the page shows a choice, and the workspace behind it has the same."""
    limit = time.monotonic() + 20.0
    while chosen(page) != wanted and time.monotonic() < limit:
        page.wait_for_timeout(50)
    assert chosen(page) == wanted, what


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """Keep processors busy beside the server."""
    code = "while True: pass"
    running = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


@pytest.mark.parametrize(("processes", "times"), [(0, 15), (6, 6)])
def test_methods_and_sizes_that_are_clicked_at_once_are_all_chosen(
    browser: Browser, server: Server, processes: int, times: int
) -> None:
    """While results arrive and the page is drawn again and again."""
    rng = random.Random(times)
    with tab(browser, server.url) as page, busy(processes):
        go_to(page, "Compare")
        wait_for_runs(page)
        lines = rail(page).locator("[class*=st-key-widget-method-line]")
        expect(lines.first).to_be_visible()  # the table has been read
        ticked = lines.get_by_role("checkbox", checked=True)
        expect(ticked).not_to_have_count(0)  # and what is chosen is shown
        boxes = lines.get_by_role("checkbox").all()
        names = [str(box.get_attribute("aria-label")) for box in boxes]
        before = chosen(page)
        assert before[0]
        assert before[1]
        for at in range(times):
            methods = rng.sample(names, rng.choice([2, len(names)]))
            sizes = rng.sample(["3", "5", "10"], rng.choice([0, 1, 2]))
            longest = rng.choice([0, 5, 40, 120])
            gaps = [longest * rng.random() for _ in range(9)]
            page.evaluate(CLICK, [methods, sizes, gaps])
            settle(page)
            choices = [
                sorted({*before[0]} ^ {*methods}),
                sorted({*before[1]} ^ {*sizes}),
            ]
            expect_chosen(page, choices, (at, before, methods, sizes, longest))
            before = choices
        expect(page.get_by_text("Connection error")).to_have_count(0)
        go_to(page, "Data")  # and back: now the server says what is chosen
        go_to(page, "Compare")
        expect_chosen(page, before, "after all")


def test_methods_ticked_at_once_in_the_list_of_all_are_all_chosen(
    browser: Browser, server: Server
) -> None:
    """Those that stand in the rail as well are told there while others are ticked."""
    with tab(browser, server.url) as page:
        go_to(page, "Compare")
        wait_for_runs(page)
        rail(page).get_by_role("button", name=f"All {len(methods.infos())}").click()
        settle(page)
        titles = page.evaluate(
            f"""async () => {{ {SEEN}
                const all = '[class*=st-key-widget-any-method-] input';
                const names = seen(all).slice(0, 5).map(one => one.ariaLabel);
                for (const name of names) {{
                    await click(all, one => one.ariaLabel === name);
                    await new Promise(done => setTimeout(done, 60));
                }}
                return names;
            }}"""
        )
        settle(page)
        for title in titles:
            expect(
                rail(page)
                .locator("[class*=st-key-widget-method-line]")
                .get_by_role("checkbox", name=title, exact=True)
            ).to_be_checked()
