"""The lesson on published tables as a person takes it: a copy in, verdicts out."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests import casc
from tests.browser.conftest import Server
from tests.browser.driver import (
    button,
    cell,
    figures,
    go_to,
    look,
    settle,
    tab,
    upload,
)

RUN = "Run the published cells"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "width", "dark"), [("census", 1280, False), ("tarragona", 1920, True)]
)
def test_published_figures_are_seen_beside_ours(
    browser: Browser,
    server: Server,
    tmp_path: Path,
    name: str,
    width: int,
    dark: bool,
) -> None:
    path = casc.path(name)
    look_of = f"{'dark' if dark else 'light'}-{width}"
    with tab(browser, server.url, width=width, dark=dark) as page:
        go_to(page, "Learn")
        expect(page.get_by_text("Printed values", exact=True)).to_be_visible()
        look(page, f"learn-0-empty-{look_of}")
        upload(page, path)
        expect(page.get_by_text(f"{name.capitalize()} is open")).to_be_visible()
        button(page, RUN).click()
        settle(page)
        go_to(page, "Protect")
        go_to(page, "Learn")
        expect(page.get_by_text("What the figures say")).to_be_visible(timeout=240_000)
        expect(page.get_by_test_id("stProgress")).to_have_count(0, timeout=240_000)
        settle(page)
        look(page, f"learn-1-{name}-{look_of}")
        assert cell(page, 0, 1) == "MDAV-1"
        printed, ours = cell(page, 2, 1), cell(page, 3, 1)
        assert casc.printed(float(ours), printed) == printed
        assert cell(page, 5, 1) == "equal to every printed digit"
        assert len(figures(page)) == 3
        page.reload()
        settle(page)
        expect(page.get_by_text("What the figures say")).to_be_visible()
        assert button(page, RUN).count() == 0
        with page.expect_download() as coming:
            page.get_by_test_id("stDownloadButton").first.locator("button").click()
        saved = tmp_path / "cells.csv"
        coming.value.save_as(saved)
    with saved.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    exact = [row for row in rows if row["Method"] in ("MDAV-1", "DBA-1", "LDF")]
    assert len(exact) == 12
    for row in exact:
        assert row["Printed IL (%)"] == row["Our IL (%)"]


def test_cancel_is_answered(browser: Browser, server: Server) -> None:
    path = casc.path("census")
    with tab(browser, server.url) as page:
        go_to(page, "Learn")
        upload(page, path)
        with server.workers_held():  # the cells may take less than a click
            button(page, RUN).click()
            button(page, "Cancel").click()
            expect(page.get_by_text("Cancelled.")).to_be_visible()
        expect(button(page, RUN)).to_be_visible()
