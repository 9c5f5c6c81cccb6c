"""Note of a user's running dashboard, opening it in a browser, waiting for disuse."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import hashlib
import http.client
import json
import os
import threading
import time
import webbrowser
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import streamlit as st

from engine.core.platform.files import move_and_replace, user_cache_folder

UNTIL_CLOSED_VARIABLE = "COTERIE_UNTIL_CLOSED"
"""Variable set where the server ends once its last tab has been closed."""

MAX_ANSWER_SECONDS = 2.0
"""Seconds for which a dashboard is asked whether it is there."""

MAX_START_SECONDS = 60.0
"""Seconds for which a dashboard that was begun may take until it answers."""

CLOSED_SECONDS = 60.0
"""Seconds without a tab after which nobody is taken to come back by a reload."""


def _note_path() -> Path | None:
    """Return where this installation's dashboard is noted, if anything can be."""
    cache = user_cache_folder()
    place = hashlib.sha256(os.fsencode(Path(__file__).resolve())).hexdigest()
    return None if cache is None else cache / f"dashboard-{place}.json"


def write_dashboard_note(address: str) -> None:
    """Write this dashboard's address to a note file, if possible; remove it at exit."""
    path = _note_path()
    if path is None:
        return
    me = psutil.Process()
    note = {"address": address, "pid": me.pid, "began": me.create_time()}
    new = path.with_name(f"{path.name}.{me.pid}")
    with contextlib.suppress(OSError):  # then a second start is served by itself
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        new.write_text(json.dumps(note), encoding="utf-8")
        move_and_replace(new, path)
        atexit.register(_forget_dashboard, path, note)


def _forget_dashboard(path: Path, note: dict[str, object]) -> None:
    with contextlib.suppress(OSError, ValueError):
        if json.loads(path.read_text(encoding="utf-8")) == note:
            path.unlink()


def find_running_dashboard() -> str | None:
    """Return the address of this user's noted dashboard if it answers; else None.

    What is noted is believed only of a process that began when it says, and answers.
    One that is still starting, as when somebody clicks twice, is waited for.
    """
    path = _note_path()
    if path is None:
        return None
    try:
        note = json.loads(path.read_text(encoding="utf-8"))
        address, pid, began = str(note["address"]), int(note["pid"]), note["began"]
        while psutil.Process(pid).create_time() == began:
            if _is_served(address):
                return address
            if time.time() > began + MAX_START_SECONDS:
                break
            time.sleep(0.05)
        return None
    except (OSError, ValueError, TypeError, LookupError, psutil.Error):
        return None


def _is_served(address: str) -> bool:
    """Return whether a dashboard answers at an address."""
    where = urlsplit(address)
    connection = http.client.HTTPConnection(
        where.hostname or "", where.port, timeout=MAX_ANSWER_SECONDS
    )
    try:
        with contextlib.closing(connection):
            connection.request("GET", f"{where.path}/_stcore/health")
            return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False


def open_in_browser_unless_headless(address: str) -> None:
    """Open an address in the default browser, unless the server is headless.

    Streamlit opens a browser, and heeds the variable, for scripts only: the dashboard
    is an application.
    """
    flag = os.environ.get("STREAMLIT_SERVER_HEADLESS")
    is_headless = st.get_option("server.headless") if flag is None else flag == "true"
    if not is_headless:
        webbrowser.open(address)


def open_in_browser_once_served(address: str) -> None:
    """Open an address as soon as it answers, from a thread; not if headless."""

    def wait_and_open() -> None:
        while not _is_served(address):
            time.sleep(0.05)
        open_in_browser_unless_headless(address)

    threading.Thread(target=wait_and_open, daemon=True).start()


async def wait_until_unused(
    is_used: Callable[[], bool],
    seconds: float = CLOSED_SECONDS,
    tick_seconds: float = 1.0,
) -> None:
    """Wait until a dashboard, once used, has been unused for some seconds.

    Before its first tab it is waited for: a browser may take long to begin.
    """
    last: float | None = None
    while last is None or time.monotonic() - last < seconds:
        if is_used():
            last = time.monotonic()
        await asyncio.sleep(tick_seconds)
