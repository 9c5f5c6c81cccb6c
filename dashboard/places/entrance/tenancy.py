"""Middleware of a person's server process: admits their browser and health checks."""

from __future__ import annotations

import asyncio
import contextlib
import time

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dashboard.places.entrance.place_assigner import DOOR_HEADERS, is_health_path
from dashboard.places.settings import COOKIE
from dashboard.places.sharing.supervisor_link import SupervisorLink
from dashboard.server import sign_in
from dashboard.server.adapter.messages import is_requested_rerun
from dashboard.server.browsers import GONE, base_path
from dashboard.server.sign_in_page import SIGN_OUT_PATH

_QUIET_SECONDS = 10.0
"""The supervisor is told of clicks no more often than this."""

SIGN_IN_CHECK_SECONDS = 10.0
"""Seconds between looks whether the person of an open tab is still signed in."""


class PlaceAccessMiddleware:
    """Middleware that admits only a place's person and health checks; counts tabs.

    Parameters
    ----------
    app : ASGIApp
        What is a person's own.
    link : SupervisorLink
        Connection to the supervisor, who decides about everybody else.
    """

    def __init__(self, app: ASGIApp, link: SupervisorLink) -> None:
        self._app, self._link = app, link
        self._tabs = 0
        self._told = 0.0
        self._person = ""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or hold one connection."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        cookie = connection.cookies.get(COOKIE, "")
        if cookie == self._link.token:
            self._note_activity()
            self._note_person(sign_in.user_of_connection(connection))
            await self._let_in(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()
            # Only a connection that is open can say why it is closed; and browsers hear
            # nothing where none of the protocols that they speak is named.
            protocol = next(iter(scope.get("subprotocols") or ()), None)
            await send({"type": "websocket.accept", "subprotocol": protocol})
            await send({"type": "websocket.close", "code": GONE})
        elif not cookie and is_health_path(scope["path"]):
            await self._app(scope, receive, send)
        else:
            await self._turn_away(connection, receive, send)

    async def _let_in(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await self._hold(scope, receive, send)
            return
        path = scope["path"].removeprefix(base_path()).strip("/")
        has_left = False

        async def leaving(message: Message) -> None:
            nonlocal has_left
            # Whoever may not sign out this way is led elsewhere.
            if message["type"] == "http.response.start" and message["status"] == 200:
                has_left = True
                headers = MutableHeaders(scope=message)
                headers.append("Set-Cookie", expired_cookie_header_value())
            await send(message)

        await self._app(scope, receive, leaving if path == SIGN_OUT_PATH else send)
        if has_left:
            self._link.tell("leave", why="left")

    async def _hold(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count a tab from when it is let in, and what is done in it."""
        counting: asyncio.Task[None] | None = None

        async def heard() -> Message:
            message = await receive()
            if message["type"] == "websocket.receive" and is_requested_rerun(message):
                self._note_activity()
            return message

        async def told(message: Message) -> None:
            nonlocal counting
            if message["type"] == "websocket.accept":
                tab = self._count_while_admitted(HTTPConnection(scope).cookies)
                counting = asyncio.create_task(tab)
            await send(message)

        try:
            await self._app(scope, heard, told)
        finally:
            if counting is not None:
                counting.cancel()

    async def _count_while_admitted(self, cookies: dict[str, str]) -> None:
        """Count a tab for as long as its person is signed in, if people must be."""
        self._count_tab(1)
        try:
            while _is_admitted(cookies):
                await asyncio.sleep(SIGN_IN_CHECK_SECONDS)
        finally:
            self._count_tab(-1)

    def _count_tab(self, change: int) -> None:
        self._tabs += change
        self._link.tell("tabs", count=self._tabs)

    def _note_person(self, user: sign_in.RequestUser) -> None:
        if user.person and user.person != self._person:
            self._person = user.person
            cookie = user.sign_out_token if user.admitted else ""
            self._link.tell("person", who=user.person, cookie=cookie)

    def _note_activity(self) -> None:
        now = time.monotonic()
        if now - self._told > _QUIET_SECONDS:
            self._told = now
            self._link.tell("active")

    async def _turn_away(
        self, connection: HTTPConnection, receive: Receive, send: Send
    ) -> None:
        scope = connection.scope
        request = {
            "method": scope["method"],
            "target": scope["path"],
            "headers": {
                name: connection.headers.get(name, "") for name in DOOR_HEADERS
            },
        }
        forwarded = connection.headers.getlist("x-forwarded-for")
        request["headers"]["x-forwarded-for"] = ", ".join(forwarded)
        query = scope.get("query_string", b"").decode("latin-1")
        if query:
            request["target"] += f"?{query}"
        reply = await asyncio.to_thread(self._link.ask, "answer", **request)
        response = Response(reply["body"], reply["status"])
        for name, value in reply["headers"]:
            response.headers.append(name, value)
        with contextlib.suppress(OSError):
            await response(scope, receive, send)


def _is_admitted(cookies: dict[str, str]) -> bool:
    """Return whether these cookies sign somebody in; True while that cannot be told."""
    try:
        return sign_in.user_of_request(cookies).admitted
    except Exception:  # the secrets are being written anew: asked again in a moment
        return True


def expired_cookie_header_value() -> str:
    """Return the ``Set-Cookie`` value that deletes a browser's cookie of its place."""
    return f"{COOKIE}=; Path={base_path() or '/'}; Max-Age=0; HttpOnly; SameSite=Lax"
