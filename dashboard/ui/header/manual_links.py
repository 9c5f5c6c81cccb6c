"""Links from the pages into the manual on Help."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import streamlit as st

from dashboard.i18n.language import _
from dashboard.manual.chapters import AT, CHAPTER
from dashboard.state import session

HELP_PAGE = "app_pages/help/view.py"

HOW_TO_BY_PAGE: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "data": ("choose-columns", ""),
        "need": ("need", ""),
        "compare": ("choose-method", ""),
        "inspect": ("pages", "inspect"),
        "release": ("evidence", ""),
        "learn": ("class", ""),
    }
)
"""By a page's name in the address, the chapter and heading that help on it."""


def show_manual_link_for_page(page_name: str) -> None:
    """Show a question mark that links to the manual's chapter about a page.

    Parameters
    ----------
    page_name : str
        Name of the page in the address; one without a chapter has no link.
    """
    if page_name not in HOW_TO_BY_PAGE:
        return
    chapter, anchor = HOW_TO_BY_PAGE[page_name]
    label = _("How-to for this page")
    with st.container(key=session.widget_key("how to"), width="content"):
        st.page_link(
            HELP_PAGE,
            label=label,
            icon=":material/help:",
            help=label,
            query_params={CHAPTER: chapter} | ({AT: anchor} if anchor else {}),
        )
