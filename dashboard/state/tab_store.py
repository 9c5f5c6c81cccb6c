"""Store of the workspaces of browser tabs, from which a reloaded page gets its own.

A reload gives a tab a new session, and the old session's state is gone. The store keeps
each tab's workspace under the name of its page, for the same browser and person, until
nobody has looked at it for a while.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

import streamlit as st

from dashboard.server import browsers, sign_in
from dashboard.server.adapter import access
from dashboard.server.adapter.runtime import KEPT_SECONDS


@dataclass
class _Left:
    """Object of a tab, with its session, person and time when it was last seen."""

    thing: object
    session: str
    person: str
    seen: float


class StoreByTab:
    """Store of one object per page of a browser tab, kept for a time after it closes.

    Parameters
    ----------
    seconds : float
        How long after.
    """

    def __init__(self, seconds: float = KEPT_SECONDS) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._things: dict[tuple[str, str], _Left] = {}
        threading.Thread(target=self._tidy, name="tab store", daemon=True).start()

    def put_object(self, value: object) -> None:
        """Store an object for the page shown now, if its tab is recognisable later."""
        place = browsers.current_page_in_tab()
        if place.browser and place.tab:
            with self._lock:
                self._things[place.browser, place.tab] = _Left(
                    value,
                    access.current_session_id(),
                    sign_in.signed_in_person_id(),
                    time.monotonic(),
                )

    def find_object(self) -> object:
        """Return the object of this page, or of its predecessor in the tab, or None."""
        place = browsers.current_page_in_tab()
        with self._lock:
            for name in (place.tab, place.before):
                entry = self._things.get((place.browser, name))
                # At a machine that people share, a browser may be another one's.
                if entry is not None and entry.person == sign_in.signed_in_person_id():
                    return entry.thing
        return None

    def remove_expired(self) -> None:
        """Remove the objects of tabs closed for longer than the store's seconds."""
        now = time.monotonic()
        with self._lock:
            for place, entry in list(self._things.items()):
                if access.is_session_open(entry.session):
                    entry.seen = now
                elif now - entry.seen > self._seconds:
                    del self._things[place]

    def _tidy(self) -> None:
        while True:
            time.sleep(self._seconds / 10)
            self.remove_expired()


@st.cache_resource(show_spinner=False)
def server_store_by_tab() -> StoreByTab:
    """Return this server's one store of objects by tab."""
    return StoreByTab()
