"""Rate limits of sign-ins by network address and by person."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections import defaultdict, deque
from collections.abc import Callable
from ipaddress import ip_address, ip_network

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.types import Message as AsgiMessage

from dashboard.audit import events
from dashboard.server import sign_in_page
from dashboard.server.browsers import application_path
from dashboard.server.guard import CALLBACK_PATH, person_in_set_cookie_headers
from engine.core.message import Message

MAX_TRIES_PER_ADDRESS = 60
"""Sign-ins begun or failed, less those that ended well: an office has one address."""

MAX_SIGN_INS_PER_PERSON = 20
"""Sign-ins of one person: nobody signs in so often, but programs do."""

WINDOW_SECONDS = 300.0
"""Seconds in which sign-ins are counted."""

MAX_KEYS = 100_000
"""Addresses and people that are remembered; whoever was seen first is forgotten."""


class SignInRateLimiter:
    """Limiter of sign-ins in five minutes: begun by address, completed by person."""

    def __init__(self) -> None:
        self._times: dict[str, deque[float]] = defaultdict(deque)

    def begin(self, address: str) -> float:
        """Count a sign-in begun at an address; return seconds to wait, 0 for none."""
        return self._count(f"address {address}", MAX_TRIES_PER_ADDRESS)

    def end(self, address: str, person: str) -> float:
        """Count a person's completed sign-in; return seconds to wait, 0 for none."""
        tries = self._times.get(f"address {address}")
        if tries:
            tries.pop()
        return self._count(f"person {person}", MAX_SIGN_INS_PER_PERSON)

    def _count(self, key: str, max_times: int) -> float:
        now = time.monotonic()
        times = self._times[key]
        while times and times[0] < now - WINDOW_SECONDS:
            times.popleft()
        if len(times) >= max_times:
            return times[0] + WINDOW_SECONDS - now
        times.append(now)
        while len(self._times) > MAX_KEYS:
            del self._times[next(iter(self._times))]
        return 0.0

    def count(self, address: str, person: str) -> float:
        """Count a sign-in begun, or completed by a person; return seconds to wait."""
        return self.end(address, person) if person else self.begin(address)


class RateLimitMiddleware:
    """Middleware that refuses sign-ins above the limits of an address or a person.

    Parameters
    ----------
    app : ASGIApp
        What signs people in.
    count : callable
        Counts a sign-in by address, and by person where it has ended well; returns the
        seconds to wait. May block.
    """

    def __init__(self, app: ASGIApp, count: Callable[[str, str], float]) -> None:
        self._app, self._count = app, count

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or hold one connection."""
        path = application_path(scope)
        is_begun, is_ended = path.startswith("auth/login"), path == CALLBACK_PATH
        if scope["type"] != "http" or not (is_begun or is_ended):
            await self._app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        address = client_address_or_network(connection)
        if is_begun and (seconds := await self._count_sign_in(address)):
            await _refuse(connection, seconds)(scope, receive, send)
            return
        answer: HTMLResponse | None = None

        async def counted(message: AsgiMessage) -> None:
            nonlocal answer
            if message["type"] == "http.response.start" and is_ended:
                person = person_in_set_cookie_headers(MutableHeaders(scope=message))
                seconds = await self._count_sign_in(address, person)
                answer = _refuse(connection, seconds, person) if seconds else None
            if answer is None:
                await send(message)

        await self._app(scope, receive, counted)
        if answer is not None:
            await answer(scope, receive, send)

    async def _count_sign_in(self, address: str, person: str = "") -> float:
        return await asyncio.to_thread(self._count, address, person)


def client_address_or_network(connection: HTTPConnection) -> str:
    """Return a request's client host, or the /64 network of an IPv6 address."""
    host = connection.client.host if connection.client else ""
    with contextlib.suppress(ValueError):
        if ip_address(host).version == 6:
            return str(ip_network(f"{host}/64", strict=False))
    return host


def _refuse(
    connection: HTTPConnection, seconds: float, person: str = ""
) -> HTMLResponse:
    """Return the page that says how long to wait, and count the refusal."""
    events.count_refusal(
        client_address_or_network(connection), "too many sign-ins", person
    )
    why = Message(
        "There have been too many sign-ins from your address, or by you: try again in "
        "{minutes} minutes.",
        minutes=math.ceil(seconds / 60),
    )
    answer = sign_in_page.refusal_response(why, connection, 429)
    answer.headers["Retry-After"] = str(math.ceil(seconds))
    return answer
