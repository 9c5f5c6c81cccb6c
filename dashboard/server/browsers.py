"""Browsers and their tabs, distinguished by a cookie and by tab names.

A cookie that no script can read and no other site can have sent binds what is kept here
to one browser. A script of ours gives each page that is loaded a name, keeps it in the
tab's own storage, and tells it when it connects, together with the name that the page
before it had in this tab: a reload finds its work by that, a copied address does not,
and the name alone is of no use in another browser.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import parse_qs

import streamlit as st
from starlette.types import Scope

COOKIE = "coterie"

SCRIPT_NAME = "coterie-tab.js"

TAB, BEFORE = "x-coterie-tab", "x-coterie-before"
"""Headers of a connection as the application sees them; nobody can send them."""

_TAB_NAME = re.compile(r"[0-9a-zA-Z-]{8,64}")

GONE = 4410
"""Code with which a connection is closed whose session another process has, or none."""


@dataclass(frozen=True)
class PageInTab:
    """Browser of a session, and names of its page and the page before it in the tab.

    Attributes
    ----------
    browser : str
        What its cookie says; empty where there is none.
    tab, before : str
        Name of the page, and of the one before it in the same tab; may be empty.
    """

    browser: str
    tab: str
    before: str


def base_path() -> str:
    """Return the path under which the application is served; empty for the root."""
    path = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{path}" if path else ""


def application_path(scope: Scope) -> str:
    """Return the path that a request asks of the application, without a slash first."""
    return str(scope.get("path", "")).removeprefix(base_path()).lstrip("/")


def headers_from_tab_query(query: bytes) -> list[tuple[bytes, bytes]]:
    """Return the valid page names in a WebSocket's query as request headers."""
    parameters = parse_qs(query.decode("latin-1"))
    return [
        (header.encode(), value.encode())
        for header, name in ((TAB, "tab"), (BEFORE, "before"))
        for value in parameters.get(name, [])[:1]
        if _TAB_NAME.fullmatch(value)
    ]


def current_page_in_tab() -> PageInTab:
    """Return the browser and the page names of the running session."""
    cookie: str = st.context.cookies.get(COOKIE, "")
    tab, before = (st.context.headers.get(header, "") for header in (TAB, BEFORE))
    return PageInTab(cookie, tab, before)
