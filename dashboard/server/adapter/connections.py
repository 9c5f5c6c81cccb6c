"""Connections that are in use: nobody holds one for a request that does not come."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn import config
from uvicorn.protocols.http.h11_impl import H11Protocol

MAX_HEAD_SECONDS = 20.0
"""Within which a request has to say what it asks for."""


class TimelyProtocol(H11Protocol):
    """HTTP on one connection, which ends where the next request does not come.

    Uvicorn waits five seconds for one to begin, and then, as long as a letter comes
    now and then, for ever.
    """

    _timer: asyncio.TimerHandle | None = None

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
        self._timer = self.loop.call_later(MAX_HEAD_SECONDS, self._end, self.cycle)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _end(self, last: object) -> None:
        """Close the connection, if no request has come after the last one."""
        if self.cycle is last and not self.transport.is_closing():
            self.transport.close()


def limit_waiting() -> None:
    """Have uvicorn, before it is configured, end connections in time."""
    config.HTTP_PROTOCOLS["auto"] = f"{__name__}:{TimelyProtocol.__name__}"
