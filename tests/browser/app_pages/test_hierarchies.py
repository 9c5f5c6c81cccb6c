"""A hierarchy as a person makes it: built, edited in its table, seen, taken home."""

import contextlib
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Locator, Page, TimeoutError, expect

from tests.browser.conftest import Server
from tests.browser.driver import (
    PATIENCE,
    button,
    download,
    go_to,
    look,
    settle,
    tab,
    upload,
)

HEADER, ROW = 32, 31
"""Heights in the level table, in pixels."""


def pains(folder: Path) -> Path:
    """Write a file with a column of words to be put into groups by hand."""
    words = ["knee", "hip", "neck", "back"]
    lines = [f"{words[i % 4]},{20 + i},{i % 7}" for i in range(40)]
    path = folder / "pains.csv"
    path.write_text("\n".join(["pain,age,visits", *lines]) + "\n", encoding="utf-8")
    return path


def level_table(page: Page) -> Locator:
    """Return the grid of the level table: the second one of the page."""
    return page.get_by_test_id("stDataFrame").nth(1)


def choose_column(page: Page, name: str) -> None:
    settle(page)
    box = page.get_by_role("combobox", name="Column", exact=True)
    box.click()
    page.keyboard.press("Control+a")
    page.keyboard.type(name)
    # Others that have these letters apart from each other are offered as well.
    page.get_by_role("option", name=name, exact=True).click()
    settle(page)
    expect(box).to_have_value(name)


def rows(page: Page, columns: int, count: int) -> list[tuple[str, ...]]:
    grid = level_table(page)
    return [
        tuple(
            grid.locator(f"#glide-cell-{column}-{row}").inner_text()
            for column in range(columns)
        )
        for row in range(count)
    ]


def write(page: Page, row: int, x: int, text: str) -> None:
    """Type a label over a cell of the level table."""
    field = page.locator("#portal textarea")
    for _ in range(5):  # a grid that has just been drawn can miss a click, or move
        level_table(page).scroll_into_view_if_needed()
        box = level_table(page).bounding_box()
        assert box is not None
        page.mouse.dblclick(box["x"] + x, box["y"] + HEADER + ROW * row + ROW / 2)
        with contextlib.suppress(TimeoutError):
            field.wait_for(timeout=5_000)
            break
    field.fill(text)
    page.keyboard.press("Enter")
    settle(page)


def boxes(page: Page) -> dict[str, Any]:
    """Return label to parent's label of every box of the tree."""
    page.wait_for_selector(".js-plotly-plot")
    parent_labels: dict[str, Any] = page.evaluate(
        """() => {
            const trace = document.querySelector('.js-plotly-plot')._fullData[0];
            const labels = Object.fromEntries(
                trace.ids.map((id, at) => [id, trace.labels[at]]));
            return Object.fromEntries(trace.labels.map(
                (label, at) => [label, labels[trace.parents[at]] ?? '']));
        }"""
    )
    return parent_labels


def wait_for_boxes(page: Page, expected: dict[str, Any]) -> None:
    """Wait until the tree, which follows the table, has just these boxes."""
    limit = time.monotonic() + PATIENCE / 1000
    while boxes(page) != expected:
        assert time.monotonic() < limit, boxes(page)
        settle(page)


def test_words_are_grouped_by_hand_beside_their_tree(
    browser: Browser, server: Server, tmp_path: Path
) -> None:
    with tab(browser, server.url) as page:
        upload(page, pains(tmp_path))
        expect(page.get_by_text("40 records").first).to_be_visible()
        # Nothing is generalised yet: it stands back until somebody wants it.
        expect(page.get_by_text("Build it from")).not_to_be_visible()
        page.get_by_text("Hierarchies: what values may become").click()
        choose_column(page, "pain")
        page.get_by_role("radio", name="By hand").click()
        settle(page)
        button(page, "Build").click()
        expect(page.get_by_text("4 values, 2 levels above.")).to_be_visible()
        settle(page)
        for row, label in enumerate(["spine", "leg", "leg", "spine"]):
            write(page, row, 260, label)
            expect(level_table(page).locator(f"#glide-cell-1-{row}")).to_have_text(
                label
            )
        grouped = {"back": "spine", "hip": "leg", "knee": "leg", "neck": "spine"}
        wait_for_boxes(page, grouped | {"spine": "*", "leg": "*", "*": ""})
        look(page, "hierarchy-1-hand-light-1280")
        written = download(page, "Download level file", tmp_path)
        assert written.name == "pain_hierarchy.csv"
        assert written.read_text(encoding="utf-8").splitlines() == [
            f"{value};{group};*" for value, group in grouped.items()
        ]
        button(page, "Remove").click()
        expect(page.get_by_text("4 values, 2 levels above.")).not_to_be_visible()
        page.get_by_role("radio", name="Level file").click()
        settle(page)
        upload(page, written, 1)
        expect(page.get_by_text("4 values, 2 levels above.")).to_be_visible()
        go_to(page, "Compare")
        go_to(page, "Data")
        assert rows(page, 3, 4) == [(a, b, "*") for a, b in grouped.items()]
