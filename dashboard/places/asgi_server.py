"""Serving of the application by uvicorn, as Streamlit lets any ASGI server do.

Streamlit's own launcher looks at three files of settings five times a second, and
uvicorn ten times a second whether it is to end: for each place, whether anybody is
there or not. Settings are read once here, and whoever ends the server wakes it.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Mapping
from contextlib import suppress
from types import FrameType
from typing import Any

import streamlit as st
import uvicorn

from dashboard.server.adapter.access import load_streamlit_settings

_TICK_SECONDS = 1.0
"""Seconds after which the header with the date is made anew."""

_PING_SECONDS = 30.0
"""Seconds between looks whether a browser is still there, and until it must answer."""


def serve_app_until_stopped(
    app: st.App, settings: Mapping[str, Any], listener: socket.socket
) -> None:
    """Serve the application until stopped.

    Parameters
    ----------
    app : st.App
    settings : mapping
        Streamlit's, by name; the others are read from ``.streamlit/config.toml`` beside
        the dashboard.
    listener : socket
        Bound to the address and port, and listening.
    """
    load_streamlit_settings(settings)
    ping_seconds = st.get_option("server.websocketPingInterval") or _PING_SECONDS
    serving = uvicorn.Config(
        app,
        ws="websockets-sansio",
        ws_ping_interval=ping_seconds,
        ws_ping_timeout=ping_seconds,
        ws_max_size=st.get_option("server.maxMessageSize") * 10**6,
        ws_per_message_deflate=st.get_option("server.enableWebsocketCompression"),
        ssl_certfile=st.get_option("server.sslCertFile"),
        ssl_keyfile=st.get_option("server.sslKeyFile"),
        use_colors=False,
        access_log=False,
    )
    _QuietServer(serving).run(sockets=[listener])


class _QuietServer(uvicorn.Server):
    """A server that sleeps until somebody comes or ends it."""

    def __init__(self, serving: uvicorn.Config) -> None:
        super().__init__(serving)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._end = asyncio.Event()

    async def main_loop(self) -> None:
        self._loop = asyncio.get_running_loop()
        while not await self.on_tick(0):
            with suppress(TimeoutError):
                await asyncio.wait_for(self._end.wait(), _TICK_SECONDS)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._end.set)
