"""The served application, with its preloaded modules.

Streamlit lets a page from elsewhere talk to the app where it looks harmless, and asks
a server on the internet for this machine's address to find out. Neither is needed:
whoever is not where the app itself came from is turned away before.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware
from starlette.types import ASGIApp

from dashboard.jobs.failures import log_and_format_program_error
from dashboard.jobs.workers.resource_limits import resource_limits
from dashboard.places.entrance.provider_logout import (
    LogoutVerifier,
    ProviderLogoutMiddleware,
    read_providers,
)
from dashboard.places.entrance.sign_in_rate_limit import (
    RateLimitMiddleware,
    SignInRateLimiter,
)
from dashboard.places.entrance.tenancy import PlaceAccessMiddleware
from dashboard.places.preload import import_first_pages
from dashboard.places.running import UNTIL_CLOSED_VARIABLE, wait_until_unused
from dashboard.places.sharing.supervisor_link import supervisor_link
from dashboard.server import sign_in
from dashboard.server.adapter import private_names
from dashboard.server.adapter.access import AUTH_LOGGER, PAGE_LOGGER
from dashboard.server.adapter.runtime import (
    OwnedApp,
    OwnedRuntime,
    close_expired_sessions,
)
from dashboard.server.guard import RequestGuard


def _prepare() -> None:
    # A worker reads kernels while the rest is imported: the first run is soon there.
    from dashboard.jobs import jobs

    jobs.prestart_worker()
    import_first_pages()


@asynccontextmanager
async def _serving_lifespan(served: st.App) -> AsyncIterator[None]:
    # Meanwhile the browser fetches and reads the scripts that draw any page.
    threading.Thread(target=_prepare).start()
    runtime = app.owned_runtime
    assert runtime is not None
    if not private_names.RERUNS.deviations:
        # Imported late: what it patches may not be there in another Streamlit.
        from dashboard.server.adapter import reruns

        runtime.note_rerun = reruns.add_arrival_and_clicks
    tasks = [asyncio.create_task(close_expired_sessions(runtime))]
    if UNTIL_CLOSED_VARIABLE in os.environ:
        tasks.append(asyncio.create_task(_end_when_closed(runtime)))
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()


async def _end_when_closed(runtime: OwnedRuntime) -> None:
    def is_used() -> bool:
        # Imported late, as in `_prepare`: the first page must not wait for it.
        from dashboard.jobs import jobs

        return runtime.has_open_tabs() or jobs.has_unfinished_runs()

    await wait_until_unused(is_used)
    signal.raise_signal(signal.SIGINT)  # as Ctrl-C, which the server ends in order at


def _middleware() -> list[Middleware]:
    max_bytes = resource_limits().person_bytes
    guard = Middleware(RequestGuard, lambda: app.owned_runtime, max_bytes)
    supervisor = supervisor_link()
    if supervisor is None:
        limiter = Middleware(RateLimitMiddleware, SignInRateLimiter().count)
        return [guard, limiter, Middleware(_add_provider_logout)]
    from dashboard.places.sharing.place_sharing import connect_to_supervisor

    connect_to_supervisor(supervisor)

    def count(address: str, person: str) -> float:
        answer = supervisor.ask("sign-in", address=address, person=person)
        return float(answer["seconds"])

    tenancy = Middleware(PlaceAccessMiddleware, supervisor)
    return [tenancy, guard, Middleware(RateLimitMiddleware, count)]


def _add_provider_logout(app: ASGIApp) -> ASGIApp:
    """Return an application that hears sign-outs of identity providers, if there are.

    Called when the server begins: secrets are read by settings that are known then.
    """
    paths = st.get_option("secrets.files") if sign_in.is_sign_in_required() else []
    providers = [
        provider
        for path in paths
        if Path(path).exists()
        for provider in read_providers(Path(path))
    ]
    if not providers:
        return app
    verifier = LogoutVerifier(providers)
    return ProviderLogoutMiddleware(app, verifier, sign_in.add_sign_out_revocation)


def _shorten_logs() -> None:
    """Have failed sign-ins and pages logged in one line each, without a traceback.

    Whoever comes to the door can have Streamlit log as often as they like, and what an
    error of a page says may hold values.
    """

    def shortened(record: logging.LogRecord) -> bool:
        record.exc_info = None
        return True

    def located(record: logging.LogRecord) -> bool:
        error = record.exc_info and record.exc_info[1]
        if isinstance(error, Exception):
            log_and_format_program_error("a page failed", error)
        return not error

    logging.getLogger(AUTH_LOGGER).addFilter(shortened)
    logging.getLogger(PAGE_LOGGER).addFilter(located)


def _patch_reruns() -> None:
    if private_names.RERUNS.deviations:
        return
    from dashboard.server.adapter import reruns

    reruns.patch_to_drop_stale_values()
    reruns.patch_fragments_to_await_previous_run()
    reruns.raise_send_queue_limit()


private_names.check_private_names_and_list_warnings()
_shorten_logs()
_patch_reruns()

app = OwnedApp(
    Path(__file__).with_name("app.py"),
    lifespan=_serving_lifespan,
    middleware=_middleware(),
)
