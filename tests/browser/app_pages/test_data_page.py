"""The Data page: columns are found, decided and changed together, also thousands."""

import re
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Server
from tests.browser.driver import button, look, settle, tab, upload

OPEN_QUESTIONS = re.compile("questions? (is|are) open")


def wide(folder: Path, columns: int, records: int = 60) -> Path:
    """Write a file of many columns that nothing is known of."""
    path = folder / f"{columns} columns.csv"
    lines = [",".join(f"c{j}" for j in range(columns))]
    lines += [
        ",".join(f"v{i * (j % 5 + 1) % 7}" for j in range(columns))
        for i in range(records)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def rows(page: Page) -> int:
    """Return how many rows of the list are in the page."""
    return page.get_by_role("rowgroup").get_by_role("rowheader").count()


def fate(page: Page, name: str) -> str:
    choice: str = page.get_by_label(f"What becomes of {name}", exact=True).input_value()
    return choice


def test_many_columns_are_searched_and_changed_together(
    browser: Browser, server: Server, tmp_path: Path
) -> None:
    columns = 4_000
    path = wide(tmp_path, columns)
    with tab(browser, server.url) as page:
        upload(page, path)
        expect(page.get_by_label("What becomes of c0", exact=True)).to_be_visible()
        settle(page)
        assert rows(page) < 60  # of all columns, those in view
        expect(button(page, "Choose protection")).to_be_disabled()

        search = page.get_by_label("Search columns", exact=True)
        search.fill("c39")
        expect(page.get_by_text(f"of {columns:,} columns").first).to_be_visible()
        expect(page.get_by_role("rowheader", name="c39", exact=True)).to_be_visible()
        settle(page)
        # What nobody has come to yet is looked at when it comes into view.
        why = page.get_by_role("row").filter(has_text="c39")
        expect(why.first).to_contain_text("different")

        page.get_by_label("Tick all columns that are shown", exact=True).check()
        bulk_choice = page.get_by_label("What becomes of them", exact=True)
        bulk_choice.select_option(label="Leaves as it is")
        settle(page)
        assert fate(page, "c39") == "other"
        button(page, "Untick").click()
        search.fill("")
        filters = page.get_by_label("Show columns by what becomes of them", exact=True)
        filters.select_option("other")
        expect(page.get_by_role("rowheader", name="c390", exact=True)).to_be_visible()
        look(page, f"data-{columns}-columns-light-1280")

        button(page, "Remove all").click()
        settle(page)
        expect(page.get_by_text(OPEN_QUESTIONS)).to_have_count(0)
        page.get_by_role("button", name="Undo").first.click()
        settle(page)
        expect(page.get_by_text(OPEN_QUESTIONS)).to_be_visible()


def test_what_nobody_has_said_comes_first_and_a_keyboard_decides_it(
    browser: Browser, server: Server, tmp_path: Path
) -> None:
    path = tmp_path / "letters.csv"
    lines = ["age,alpha,beta"]
    lines += [f"{20 + i % 50},{'ABC'[i % 3]},{'uv'[i % 2]}" for i in range(90)]
    path.write_text("\n".join(lines), encoding="utf-8")
    with tab(browser, server.url) as page:
        upload(page, path)
        names = page.get_by_role("rowheader")
        expect(names).to_have_text(["alpha", "beta", "age"])
        first = page.get_by_label("What becomes of alpha", exact=True)
        first.focus()
        page.keyboard.press("c")  # as in every list of a browser: the first letter
        settle(page)
        assert fate(page, "alpha") == "confidential"
        expect(names).to_have_text(["beta", "age", "alpha"])
        # The next column to decide has come to where the hand is.
        expect(page.get_by_label("What becomes of beta", exact=True)).to_be_focused()
        expect(page.get_by_text("1 question is open")).to_be_visible()
        button(page, "No, it may leave").click()
        settle(page)
        expect(button(page, "Choose protection")).to_be_enabled()

        page.get_by_label("Tick age", exact=True).focus()
        page.keyboard.press("Space")
        page.keyboard.press("ArrowDown")
        expect(page.get_by_label("Tick alpha", exact=True)).to_be_focused()
        page.keyboard.press("Space")
        expect(page.get_by_text("2 ticked:")).to_be_visible()


MAX_SHIFT = 0.2
"""Layout shift up to which somebody who waits for a file sees nothing jump."""

WATCH_SHIFTS = """() => {
  window.shifted = 0;
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) window.shifted += one.value;
  }).observe({ type: "layout-shift" });
}"""


def test_nothing_jumps_while_a_file_is_opened(
    browser: Browser, server: Server, tmp_path: Path
) -> None:
    with tab(browser, server.url) as page:
        expect(page.get_by_role("rowheader").first).to_be_visible()
        settle(page)
        page.evaluate(WATCH_SHIFTS)
        upload(page, wide(tmp_path, 11))
        expect(page.get_by_role("rowheader", name="c10", exact=True)).to_be_visible()
        settle(page)
        assert page.evaluate("window.shifted") <= MAX_SHIFT
