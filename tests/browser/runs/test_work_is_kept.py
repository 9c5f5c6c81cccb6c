"""Work is never lost: undone by keyboard, found after a reload, saved as a file."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Server
from tests.browser.driver import (
    add_size,
    button,
    download,
    give,
    go_to,
    look,
    settle,
    tab,
    upload,
    wait_for_results,
)

NUMBERS = ("MDAV", "Refined", "V-MDAV")
"""Methods that a table of numbers begins with."""


@pytest.fixture(scope="module")
def firms(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(7)
    frame = pd.DataFrame(
        {
            "turnover": rng.lognormal(3, 1, 300).round(2),
            "staff": rng.integers(1, 99, 300),
            "debt": rng.integers(0, 999, 300),
        }
    )
    path = tmp_path_factory.mktemp("work") / "firms.csv"
    frame.to_csv(path, index=False)
    return path


def choose(page: Page, k: str) -> None:
    page.get_by_role("button", name=k, exact=True).click()
    settle(page)


def press(page: Page, keys: str) -> None:
    page.keyboard.press(keys)
    settle(page)


def start(page: Page, firms: Path) -> None:
    upload(page, firms)
    go_to(page, "Compare")
    wait_for_results(page, NUMBERS)


def test_choices_are_undone_by_button_and_keyboard_also_after_a_reload(
    browser: Browser, server: Server, firms: Path
) -> None:
    with tab(browser, server.url) as page:
        start(page, firms)
        choose(page, "10")
        wait_for_results(page, NUMBERS, [3, 5])
        press(page, "Control+z")
        wait_for_results(page, NUMBERS)
        press(page, "Control+Shift+z")
        wait_for_results(page, NUMBERS, [3, 5])

        # While somebody types, the keys are the text's own.
        field = page.get_by_label("Another k", exact=True)
        field.click()
        page.keyboard.type("7")
        press(page, "Control+z")
        expect(field).to_have_value("")
        wait_for_results(page, NUMBERS, [3, 5])

        page.reload()
        wait_for_results(page, NUMBERS, [3, 5])
        page.get_by_role("button", name="Undo").hover()
        expect(page.get_by_text("Undo: k 3, 5, 10 → 3, 5")).to_be_visible()
        page.get_by_role("button", name="Undo").click()
        wait_for_results(page, NUMBERS)


def test_a_run_gets_a_name_and_is_gone_back_to(
    browser: Browser, server: Server, firms: Path
) -> None:
    with tab(browser, server.url) as page:
        start(page, firms)
        choose(page, "5")
        add_size(page, 37)
        wait_for_results(page, NUMBERS, [3, 10, 37])
        page.get_by_role("button", name="Runs").click()
        dialog = page.get_by_role("dialog")
        expect(dialog.get_by_text("300 records").first).to_be_visible()
        # The newest comes first; before both the sample may have run by itself.
        name = dialog.get_by_role("textbox").nth(1)
        name.fill("With five")
        name.press("Enter")
        settle(page)
        dialog.get_by_text("Beside the current results").nth(1).click()
        settle(page)
        look(page, "runs-light-1280")
        dialog.get_by_role("button", name="Go back to it").nth(1).click()
        expect(dialog).to_be_hidden()
        wait_for_results(page, NUMBERS)
        page.get_by_role("button", name="Undo").hover()
        expect(page.get_by_text("Undo: k 3, 10, 37 → 3, 5, 10")).to_be_visible()


def test_a_project_is_taken_along_and_gone_on_with(
    browser: Browser, server: Server, firms: Path, tmp_path: Path
) -> None:
    with tab(browser, server.url, dark=True) as page:
        start(page, firms)
        page.get_by_role("button", name="Project").click()
        name = page.get_by_label("Name of the project")
        expect(name).to_have_value("firms")
        name.fill("Spring")
        name.press("Enter")
        settle(page)
        look(page, "project-1-save-dark-1280")
        project = download(page, "Save the project", tmp_path)
        assert project.name == "Spring.coterie"
    with tab(browser, server.url, dark=True) as page:
        page.get_by_role("button", name="Project").click()
        field = page.get_by_role("dialog").get_by_test_id("stFileUploaderDropzoneInput")
        give(page, field, project)
        expect(page.get_by_text("waits for its data")).to_be_visible()
        expect(page.get_by_text("· firms.csv, 3 methods × 3 k")).to_be_visible()
        look(page, "project-2-waits-dark-1280")
        upload(page, firms)
        # And of the sample's nine those that had come before the file was opened.
        back = page.get_by_text(re.compile(r"\b(9|1[0-8]) results are back\."))
        expect(back).to_be_visible()
        go_to(page, "Compare")
        expect(page.get_by_text("All figures")).to_be_visible()
        wait_for_results(page, NUMBERS)
        expect(button(page, "Run")).to_be_hidden()
