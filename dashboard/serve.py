"""What is served: the app, to pages of its own alone.

Streamlit lets a page from elsewhere talk to the app where it looks harmless, and asks
a server on the internet for this machine's address to find out. Neither is needed:
whoever is not where the app itself came from is turned away before.
"""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from urllib.parse import urlsplit

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = "; ".join(
    [
        "connect-src 'self' data: blob:",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "form-action 'self'",
        "frame-ancestors 'self'",
        "base-uri 'self'",
        "object-src 'none'",
    ]
)
"""What the browser may do for our pages: nothing leaves, whatever a page contains."""

_HEADERS = {
    "Content-Security-Policy": POLICY,
    # The address holds the name under which a reload finds the work.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}


class Guard:
    """Turns away connections of pages from elsewhere, and binds our own pages.

    Parameters
    ----------
    app : ASGIApp
        What is guarded.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request or connection."""
        if scope["type"] == "websocket" and is_foreign(Headers(scope=scope)):
            await receive()
            await send({"type": "websocket.close", "code": 1008})
            return

        async def bound(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        await self._app(scope, receive, bound if scope["type"] == "http" else send)


def is_foreign(headers: Headers) -> bool:
    """Return whether a page that was not loaded from here asks."""
    origin = headers.get("origin")
    return origin is not None and urlsplit(origin).netloc != headers.get("host")


FIRST = (
    "dashboard.ui.run_panel",
    "dashboard.ui.toolbar",
    "dashboard.ui.learn_links",
    "dashboard.server.garbage",
    "dashboard.app_pages.data.columns",
    "dashboard.app_pages.data.hierarchy_editor",
    "dashboard.app_pages.data.plan_opener",
    "dashboard.app_pages.data.reading_options",
    "dashboard.app_pages.data.rule_editor",
)
"""Modules that the first page imports; those left out come with them."""


def load() -> None:
    """Import what the first page is made of."""
    for name in FIRST:
        import_module(name)


@asynccontextmanager
async def _serving(served: st.App) -> AsyncIterator[None]:
    # Meanwhile the browser fetches and reads the scripts that draw any page.
    threading.Thread(target=load).start()
    yield


app = st.App(
    Path(__file__).with_name("app.py"),
    lifespan=_serving,
    middleware=[Middleware(Guard)],
)
