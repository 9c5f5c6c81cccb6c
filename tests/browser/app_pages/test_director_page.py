"""The director's page is one sheet of A4, and everybody can read it."""

import re
from contextlib import closing
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from tests.engine.report.test_director import firms, page_of

LONG = tuple(f"{n} a very long name of a column " * 9 for n in range(4))


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        (("size", "wages", "debt", "firm"), ""),
        (LONG, "Agreed with everybody on the board " * 30),
    ],
)
def test_it_prints_on_one_sheet_without_asking_anybody(
    browser: Browser, tmp_path: Path, names: tuple[str, ...], reason: str
) -> None:
    path = tmp_path / "page.html"
    path.write_text(page_of(firms(names), reason, f"{names[0][:200]}.csv"))
    with closing(browser.new_page()) as page:
        urls: list[str] = []
        page.on("request", lambda request: urls.append(request.url))
        page.goto(path.as_uri())
        printed = page.pdf(prefer_css_page_size=True)
        assert re.findall(rb"/Count (\d+)", printed) == [b"1"]
        assert re.search(rb"/MediaBox \[0 0 59[45][.\d]* 84[12]", printed)
        assert urls == [path.as_uri()]
        assert Axe().run(page).response["violations"] == []
