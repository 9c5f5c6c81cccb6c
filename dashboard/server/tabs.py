"""Browser tabs: which sessions are open, and their workspaces for a reload.

A reload gives a tab a new session, and the old session's state is gone. The shelf
keeps each tab's workspace under a token that only that tab's address holds, until
nobody has looked at it for a while.
"""

from __future__ import annotations

import secrets
import threading
import time
from dataclasses import dataclass

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dashboard.server import sign_in

KEPT_SECONDS = 120.0
"""How long what a closed tab leaves behind is kept, for a reload."""


def current() -> str:
    """Return the identifier of the session that runs this script; may be empty."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context is not None else ""


def is_open(session: str) -> bool:
    """Return whether a session's tab is open; without a server, none is."""
    if not session or not runtime.exists():
        return False
    # Streamlit's own tests put a mock in the place of the runtime.
    return runtime.get_instance().is_active_session(session) is True


def new_token() -> str:
    """Return a name that nobody can guess."""
    return secrets.token_urlsafe(24)


@dataclass
class _Left:
    thing: object
    session: str
    person: str
    seen: float


class Shelf:
    """Things by token, each kept while its tab is open and a while after.

    Parameters
    ----------
    seconds : float
        How long after.
    """

    def __init__(self, seconds: float = KEPT_SECONDS) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._things: dict[str, _Left] = {}
        threading.Thread(target=self._tidy, name="shelf", daemon=True).start()

    def put(self, token: str, thing: object) -> None:
        """Keep `thing` for the current session."""
        with self._lock:
            self._things[token] = _Left(
                thing, current(), sign_in.user_id(), time.monotonic()
            )

    def find(self, token: str) -> object:
        """Return what is kept under `token` for the same person, or None."""
        with self._lock:
            left = self._things.get(token)
        # At a machine that people share, an address may still stand there.
        mine = left is not None and left.person == sign_in.user_id()
        return left.thing if left is not None and mine else None

    def sweep(self) -> None:
        """Drop what belongs to tabs that have been closed for long enough."""
        now = time.monotonic()
        with self._lock:
            for token, left in list(self._things.items()):
                if is_open(left.session):
                    left.seen = now
                elif now - left.seen > self._seconds:
                    del self._things[token]

    def _tidy(self) -> None:
        while True:
            time.sleep(self._seconds / 10)
            self.sweep()


@st.cache_resource(show_spinner=False)
def shelf() -> Shelf:
    """Return the server's shelf."""
    return Shelf()
