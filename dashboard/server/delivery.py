"""Delivery: what scripts say goes to browsers in few parcels.

A page is some hundred messages. Streamlit wakes its event loop for each, looks for
more after each, and hands each to the system by itself; and every time the thread that
does so lets go of the interpreter, and waits while others use it. Here messages are
gathered: until a script has begun or ended, or for a moment.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime
from streamlit.runtime.app_session import AppSession, AppSessionState
from streamlit.runtime.scriptrunner import RerunData, ScriptRunner, ScriptRunnerEvent
from streamlit.web.server.starlette import starlette_server, starlette_websocket
from streamlit.web.server.starlette.starlette_websocket import StarletteSessionClient
from uvicorn import config
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

MOMENT = 0.02
"""Seconds for which messages are gathered: a blink takes ten times as long."""

ROOM = 300
"""Messages that wait for a browser where it gets no more: two pages. While one is busy
drawing somebody may go on clicking, and what each click leaves of the page before need
not be sent any more."""


class Mailbox:
    """What threads want done on the event loop, in their order, in few turns of it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[Callable[[], None]] = []

    def put(
        self, loop: asyncio.AbstractEventLoop, act: Callable[[], None], now: bool
    ) -> None:
        """Have something done on the event loop, soon or now.

        Parameters
        ----------
        loop : asyncio.AbstractEventLoop
            The only one of this mailbox; where it is closed, nothing is done.
        act : callable
        now : bool
            Whether it cannot wait, and all before it neither.
        """
        with self._lock:
            self._waiting.append(act)
            first = len(self._waiting) == 1
        try:
            if now:
                loop.call_soon_threadsafe(self.empty)
            elif first:
                loop.call_soon_threadsafe(loop.call_later, MOMENT, self.empty)
        except RuntimeError:
            if not loop.is_closed():
                raise

    def empty(self) -> None:
        """Do all that waits, in the loop's next turn; on the event loop only."""
        with self._lock:
            acts, self._waiting = self._waiting, []
        for act in acts:
            asyncio.get_running_loop().call_soon(act)


mailbox = Mailbox()
"""That of this server."""


class Parcel(list[ForwardMsg]):
    """Messages for one browser that are handed over at once."""

    def take(self) -> list[ForwardMsg]:
        """Return the messages, and keep none: Streamlit holds on to what it sent."""
        taken = self[:]
        self.clear()
        return taken


class Gathered:
    """A connection that sends what is written in one turn of the event loop at once.

    Parameters
    ----------
    transport : asyncio.Transport
        The connection itself, which does all else.
    loop : asyncio.AbstractEventLoop
    """

    def __init__(
        self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop
    ) -> None:
        self._transport, self._loop = transport, loop
        self._written: list[bytes] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Send some bytes, with all that is written before the loop's next turn."""
        if not self._written:
            self._loop.call_soon(self._send)
        self._written.append(data)

    def close(self) -> None:
        """Send what was written, and close."""
        self._send()
        self._transport.close()

    def _send(self) -> None:
        written, self._written = self._written, []
        if written and not self._transport.is_closing():
            self._transport.write(b"".join(written))


class GatheredSocket(WebSocketsSansIOProtocol):
    """A websocket that sends what is written in one turn of the event loop at once."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Write to the connection through what gathers."""
        super().connection_made(transport)
        self.transport = Gathered(self.transport, self.loop)  # type: ignore[assignment]


def gather_messages() -> None:
    """Have Streamlit and its server gather what scripts say."""
    handle = AppSession._handle_scriptrunner_event_on_event_loop
    flush = AppSession.flush_browser_queue

    def heard(
        self: AppSession, sender: Any, event: ScriptRunnerEvent, *told: Any, **more: Any
    ) -> None:
        now = event is not ScriptRunnerEvent.ENQUEUE_FORWARD_MSG
        mailbox.put(
            self._event_loop, lambda: handle(self, sender, event, *told, **more), now
        )

    def flushed(self: AppSession) -> list[Any]:
        told = self._message_enqueued_callback
        if told is not None and _behind(self.id):
            # Not gone, as Streamlit takes it, which would leave its page as it is.
            self._event_loop.call_later(MOMENT, told)
            return []
        messages = flush(self)
        return [Parcel(messages)] if messages else []

    AppSession._on_scriptrunner_event = heard  # type: ignore[method-assign]
    AppSession.flush_browser_queue = flushed  # type: ignore[method-assign]


def _behind(session_id: str) -> bool:
    """Return whether a browser has still to take what was sent to it."""
    client = Runtime.instance().get_client(session_id)
    if not isinstance(client, StarletteSessionClient) or client._closed.is_set():
        return False
    return client._send_queue.qsize() > ROOM


def hear_ends() -> None:
    """Have a part of a page run only when all that the run before said was heard.

    Streamlit ignores what is left of it, and its end, as soon as there is another run:
    the browser would wait for ever.
    """
    create = AppSession._create_scriptrunner

    def created(self: AppSession, wanted: RerunData) -> None:
        runner = self._scriptrunner
        if runner is None or not wanted.fragment_id:
            create(self, wanted)
        elif not runner.request_rerun(wanted):  # it is ending
            self._event_loop.call_later(MOMENT, again, self, wanted, runner)

    def again(self: AppSession, wanted: RerunData, before: ScriptRunner) -> None:
        if self._state == AppSessionState.SHUTDOWN_REQUESTED:
            return
        whole = self._scriptrunner not in (before, None)
        if self.has_fragment(str(wanted.fragment_id)) and not (
            whole and wanted.is_auto_rerun  # all of the page is drawn
        ):
            created(self, wanted)

    AppSession._create_scriptrunner = created  # type: ignore[method-assign, assignment]


def gather_writes() -> None:
    """Have the server's websockets gather what they send, before it is configured."""
    # As many as there are: it is here that they are counted.
    starlette_websocket.WEBSOCKET_MAX_SEND_QUEUE_SIZE = 0  # type: ignore[attr-defined]
    name = starlette_server._get_websocket_protocol()
    config.WS_PROTOCOLS[name] = f"{__name__}:{GatheredSocket.__name__}"
