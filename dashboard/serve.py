"""What is served: the app, to pages of its own alone.

Streamlit lets a page from elsewhere talk to the app where it looks harmless, and asks
a server on the internet for this machine's address to find out. Neither is needed:
whoever is not where the app itself came from is turned away before.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

from dashboard.jobs.shares import shares
from dashboard.server import plotly_script, sign_in
from dashboard.server.adapter import contract
from dashboard.server.adapter.connections import limit_waiting
from dashboard.server.adapter.runtime import close_in_time, give_runtime, runtime_of
from dashboard.server.guard import Guard
from dashboard.server.quotas import Quotas

FIRST = (
    "dashboard.i18n.text_help",
    "dashboard.i18n.text_lessons",
    "dashboard.ui.auto_run",
    "dashboard.ui.run_panel",
    "dashboard.ui.chrome",
    "dashboard.ui.learn_links",
    "dashboard.app_pages.data.column_list",
    "dashboard.app_pages.data.hierarchy_editor",
    "dashboard.app_pages.data.plan_opener",
    "dashboard.app_pages.data.rule_editor",
    "dashboard.app_pages.data.summary",
)
"""Modules that the first page imports; those left out come with them."""

NEXT = (
    "dashboard.app_pages.compare.next_choices",
    "dashboard.app_pages.compare.column_charts",
    "dashboard.app_pages.compare.decision",
    "dashboard.app_pages.compare.left_out",
    "dashboard.app_pages.compare.overview",
    "dashboard.app_pages.compare.panels",
    "dashboard.app_pages.compare.rail.choices",
    "dashboard.app_pages.compare.run_time",
    "dashboard.app_pages.compare.side_by_side",
)
"""The same of the page that the first one leads to."""


def load() -> None:
    """Import what the first page is made of, and the one that it leads to."""
    for name in FIRST:
        import_module(name)
    plotly_script.packed()  # it takes a moment
    for name in NEXT:
        import_module(name)


def _prepare() -> None:
    # A worker reads kernels while the rest is imported: the first run is soon there.
    import_module("dashboard.jobs.jobs").warm()
    load()


@asynccontextmanager
async def _serving(served: st.App) -> AsyncIterator[None]:
    # Meanwhile the browser fetches and reads the scripts that draw any page.
    threading.Thread(target=_prepare).start()
    runtime = runtime_of(served)
    assert runtime is not None
    if _reruns is not None:
        runtime.note_rerun = _reruns.note_arrival
    clock = asyncio.create_task(close_in_time(runtime))
    try:
        yield
    finally:
        clock.cancel()


def _quotas() -> Quotas:
    share = shares()
    return Quotas(share.person_bytes, share.held_bytes)


contract.check()
sign_in.log_briefly()
limit_waiting()
_reruns = None
if not contract.RERUNS.deviations:
    _reruns = import_module("dashboard.server.adapter.reruns")
    _reruns.sync_widgets()
    _reruns.hear_ends()
    _reruns.hold_messages()

app: st.App = st.App(
    Path(__file__).with_name("app.py"),
    lifespan=_serving,
    middleware=[Middleware(Guard, lambda: runtime_of(app), _quotas())],
)
give_runtime(app)
