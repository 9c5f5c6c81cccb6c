"""Everybody can use it: axe-core finds nothing serious, and a keyboard is enough."""

from itertools import pairwise
from pathlib import Path
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from tests.browser.conftest import Server
from tests.browser.driver import (
    button,
    choose_methods,
    go_to,
    rail,
    recommended,
    settle,
    tab,
    wait_for_results,
    wait_for_runs,
)

PAGES = ("Data", "Need", "Compare", "Inspect", "Release", "Learn", "Help")

STREAMLITS_OWN = {
    # White on our blue and our blue on black cannot both reach 4.5 to 1, and Streamlit
    # has one colour for both: buttons have it, chosen segments 3.5 to 1 in the dark.
    ("color-contrast", "[data-testid=stButtonGroup] [data-selected=true] p"),
}
"""By rule, what is not ours to mend; everything else must be empty."""


def violations(page: Page) -> list[str]:
    """Return what axe-core finds serious or critical, apart from what is known.

    What was drawn anew fades in, and has the colour that people read only then: what
    is found must be found again after a second, and once more.
    """
    for _ in range(3):
        if not (faults := _violations(page)):
            break
        page.wait_for_timeout(1_000)
    return faults


def _violations(page: Page) -> list[str]:
    rules: list[dict[str, Any]] = Axe().run(page).response["violations"]
    return [
        f"{rule['id']}: {rule['help']}: {node['html'][:300]}"
        for rule in rules
        if rule["impact"] in ("serious", "critical")
        for node in rule["nodes"]
        if not is_known(page, rule["id"], node["target"])
    ]


def is_known(page: Page, rule: str, target: list[Any]) -> bool:
    """Return whether an element is on the list."""
    if len(target) > 1 or not isinstance(target[0], str):
        return False  # inside a frame or a shadow root: none is on the list
    element = page.locator(target[0]).first
    return any(
        rule == known_rule
        and element.evaluate("(e, selector) => e.matches(selector)", where)
        for known_rule, where in STREAMLITS_OWN
    )


def unnamed_charts(page: Page) -> int:
    """Return the number of charts that are nothing to people who do not see them."""
    n_charts: int = page.evaluate(
        """() => Array.from(document.querySelectorAll('.js-plotly-plot'))
            .filter(plot => !plot.closest('[role=figure][aria-label]')).length"""
    )
    return n_charts


def headings(page: Page) -> list[int]:
    """Return the levels of the page's headings, in their order."""
    levels: list[int] = page.evaluate(
        """() => Array.from(document.querySelectorAll('h1, h2, h3, h4, h5, h6'))
            .filter(each => each.checkVisibility())
            .map(each => Number(each.tagName[1]))"""
    )
    return levels


def test_no_page_has_a_serious_violation(browser: Browser, server: Server) -> None:
    """In light and in dark, as a page follows the system from one to the other."""
    faults: dict[str, object] = {}
    schemes = ["light", "dark"]

    def examine(where: str) -> None:
        for scheme in schemes:
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            settle(page)
            faults[f"{where}, {scheme}"] = violations(page)
        schemes.reverse()  # the next one is drawn in the colours of now

    with tab(browser, server.url) as page:
        go_to(page, "Compare")
        wait_for_runs(page)
        choose_methods(page)
        examine("Compare, before")
        button(page, "Recommended").click()
        wait_for_results(page, recommended())
        for summary in rail(page).locator("summary").all():
            summary.click()
        settle(page)
        examine("Compare, all unfolded")
        for title in PAGES:
            go_to(page, title)
            examine(title)
            faults[f"{title}, charts without words"] = unnamed_charts(page)
            levels = headings(page)
            faults[f"{title}, headings left out"] = [
                (entry, other) for entry, other in pairwise(levels) if other > entry + 1
            ]
        assert {where: what for where, what in faults.items() if what} == {}
        # The list of what is known hides nothing else: a pale text of our own is
        # found, beside a chosen segment that is known.
        go_to(page, "Data")
        page.emulate_media(color_scheme="dark")
        settle(page)
        page.evaluate(
            """() => {
                const ours = document.createElement('p');
                ours.textContent = 'pale words'; ours.style.color = '#333';
                document.querySelector('[data-testid=stMain] h3').append(ours);
            }"""
        )
        assert any("pale words" in entry for entry in violations(page))


def press_until(page: Page, name: str, key: str = "Tab", most: int = 200) -> None:
    """Move the focus until it is on a button or link with this name."""
    for _ in range(most):
        page.keyboard.press(key)
        focused = page.evaluate(
            """() => {
                const at = document.activeElement;
                return at.ariaLabel || (at.tagName === 'BUTTON' ? at.innerText : '');
            }"""
        )
        if name in focused.split("\n"):  # beside it stands its icon
            return
    raise AssertionError(f"{name!r} was not reached by {key}")


def test_a_keyboard_is_enough_from_opening_to_the_download(
    browser: Browser, server: Server, tmp_path: Path
) -> None:
    with tab(browser, server.url) as page:
        for name in ("Choose protection", "Choose a release"):
            press_until(page, name)
            page.keyboard.press("Enter")
            wait_for_runs(page)
        press_until(page, "Download business_survey_protected.csv")
        outline = page.evaluate(
            """() => {
                const style = getComputedStyle(document.activeElement);
                return style.boxShadow + style.outlineStyle;
            }"""
        )
        assert outline != "nonenone"  # the focus can be seen
        with page.expect_download() as coming:
            page.keyboard.press("Enter")
        coming.value.save_as(tmp_path / "release.csv")
    assert len((tmp_path / "release.csv").read_text().splitlines()) == 1201
