"""Connections that are in use: nobody holds one for a request that does not come."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from streamlit.web.server.starlette import starlette_server
from uvicorn import config
from uvicorn.protocols.http.h11_impl import H11Protocol

from dashboard.server import delivery, messages

HEAD_SECONDS = 20.0
"""Seconds within which a request has to say what it asks for."""

DESCRIPTORS = 2**16
"""Open files and connections of the server, where the system allows so many."""


class InTime(H11Protocol):
    """HTTP on one connection, which ends where the next request does not come.

    Uvicorn waits five seconds for one to begin, and then, as long as a letter comes
    now and then, for ever.
    """

    _awaited: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._await_request()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self._await_request()
        super().on_response_complete()

    def handle_websocket_upgrade(self, event: Any) -> None:
        """Let go of a connection that is used otherwise from now on."""
        self._stop_waiting()
        super().handle_websocket_upgrade(event)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _await_request(self) -> None:
        self._stop_waiting()
        self._awaited = self.loop.call_later(HEAD_SECONDS, self._end, self.cycle)

    def _stop_waiting(self) -> None:
        if self._awaited is not None:
            self._awaited.cancel()
            self._awaited = None

    def _end(self, before: object) -> None:
        """Close the connection, if no request has come after the one before."""
        if self.cycle is before and not self.transport.is_closing():
            self.transport.close()


def guard_connections() -> None:
    """Have Streamlit's server end connections in time, and take no message too long.

    A message is collected before anybody is asked whether it may come; those that
    pages send are far shorter than what they are sent.
    """
    config.HTTP_PROTOCOLS["auto"] = f"{__name__}:{InTime.__name__}"
    delivery.gather_writes()
    most = 2 * messages.MOST_BYTES
    starlette_server.get_max_message_size_bytes = lambda: most  # type: ignore[attr-defined]


def allow_descriptors() -> None:
    """Have the system allow as many connections as it can, up to a limit."""
    with contextlib.suppress(ImportError, OSError, ValueError):  # not every system
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, DESCRIPTORS)
        if soft != resource.RLIM_INFINITY and soft < most:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
