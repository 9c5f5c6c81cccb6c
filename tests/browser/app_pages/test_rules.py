"""Rules are typed, checked against the records, and hold in the file that comes out."""

import csv
from fractions import Fraction
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Server
from tests.browser.driver import (
    button,
    cell,
    download_release,
    look,
    settle,
    tab,
    upload,
    wait_for_runs,
)

NAMES = ["net", "tax", "gross"]


def invoices(folder: Path, n: int = 90) -> Path:
    """Write a file in which three records do not add up and one is negative."""
    path = folder / "invoices.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(NAMES)
        for number in range(n):
            net = Fraction(1000 + 37 * number * number % 90011, 100)
            tax = round(net * Fraction(19, 100), 2)
            wrong = {7: Fraction(5), 20: Fraction(-40), 55: Fraction(1, 100)}
            gross = net + tax + wrong.get(number, 0)
            row = [net, -tax if number == 3 else tax, gross]
            writer.writerow([f"{float(value):.2f}" for value in row])
    return path


def type_rule(page: Page, rule: str) -> None:
    field = page.get_by_role("textbox", name="New rule")
    field.fill(rule)
    field.press("Enter")
    settle(page)


def test_rules_from_the_keyboard_to_the_file(
    browser: Browser, server: Server, tmp_path: Path
) -> None:
    with tab(browser, server.url) as page:
        upload(page, invoices(tmp_path))
        expect(page.get_by_text("90 records").first).to_be_visible()
        page.get_by_text("Rules that must still hold").click()
        settle(page)
        type_rule(page, "net + tax = grosss")
        expect(page.get_by_text("names 'grosss'")).to_be_visible()
        look(page, "rules-1-wrong-light-1280")
        type_rule(page, "net + tax = gross")
        expect(page.get_by_text("4 of 90 records break it")).to_be_visible()
        page.get_by_test_id("stButtonGroup").get_by_text("tax", exact=True).click()
        settle(page)
        expect(page.get_by_text("1 of 90 records breaks it")).to_be_visible()
        grid = page.get_by_test_id("stDataFrame").count() - 1
        assert cell(page, 1, 0, grid) == "21"
        page.get_by_text("Own decimals, always", exact=True).click()
        settle(page)
        look(page, "rules-2-kept-light-1280")
        button(page, "Choose protection").click()
        wait_for_runs(page)
        button(page, "Choose a release").click()
        settle(page)
        look(page, "rules-3-release-light-1280")
        release = download_release(page, tmp_path)
    with release.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 90
    for row in rows:
        net, tax, gross = (Fraction(row[name]) for name in NAMES)
        assert net + tax == gross
        assert tax >= 0
        assert (100 * net).denominator == 1
