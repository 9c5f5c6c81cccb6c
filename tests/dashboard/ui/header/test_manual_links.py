"""The question mark of every page leads to a place of the manual."""

from __future__ import annotations

import pytest

from dashboard.manual import read_manual_chapters_by_name
from dashboard.ui.header.toolbar import HOW_TO_BY_PAGE
from tests.dashboard.pages import APP, open_page


def how_tos(name: str) -> list[str]:
    """Return what the question marks of a page ask Help for."""
    links = [one.proto for one in open_page(name).get("page_link")]
    return [one.query_string for one in links if one.icon == ":material/help:"]


def test_every_page_but_help_has_a_how_to() -> None:
    pages = {path.parent.name for path in (APP.parent / "app_pages").glob("*/view.py")}
    assert set(HOW_TO_BY_PAGE) == pages - {"help"}
    assert how_tos("help") == []


@pytest.mark.parametrize("page", HOW_TO_BY_PAGE)
def test_it_leads_to_a_heading_of_the_manual(page: str) -> None:
    chapter, anchor = HOW_TO_BY_PAGE[page]
    assert anchor in [
        one.anchor for one in read_manual_chapters_by_name()[chapter].sections
    ]
    (asked,) = how_tos(page)
    assert asked == f"chapter={chapter}" + (f"&at={anchor}" if anchor else "")
