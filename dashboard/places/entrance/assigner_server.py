"""HTTP server of the door, control socket and metrics, with parsing and formatting."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from http import HTTPStatus

from dashboard.places.entrance.place_assigner import HttpReply, HttpRequest
from dashboard.places.settings import SocketAddress
from dashboard.server.browsers import GONE

HEAD_SECONDS = 20.0
"""Seconds within which a request has to say what it asks for."""

MAX_HEAD_BYTES = 2**16

MAX_BODY_BYTES = 2**16
"""Bytes of a request's body that are read at most."""

MAX_BACKLOG = 4_096
"""Connections that wait to be taken: as many as the proxies that are started keep."""


Answer = Callable[[HttpRequest], HttpReply | Awaitable[HttpReply]]
"""Answers one request."""

_WEBSOCKET_ID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
"""Text by which a server shows that it speaks the protocol (RFC 6455)."""


async def start_http_server(
    address: SocketAddress,
    answer: Answer,
    has_body: Callable[[HttpRequest], bool] = lambda request: False,
) -> asyncio.Server:
    """Start an HTTP server at an address that answers by `answer`; return the server.

    Parameters
    ----------
    address : SocketAddress
    answer : callable
    has_body : callable
        Whether the body of a request is read, which may be short only.
    """

    async def serve_connection(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        try:
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), HEAD_SECONDS)
            arrival = parse_request_head(head)
            if arrival is not None and has_body(arrival):
                size = arrival.headers.get("content-length", "")[:9]
                n_bytes = int(size) if size.isascii() and size.isdecimal() else 0
                body = reader.readexactly(min(n_bytes, MAX_BODY_BYTES))
                body_bytes = await asyncio.wait_for(body, HEAD_SECONDS)
                arrival = replace(arrival, body=body_bytes)
            reply = HttpReply(400, "") if arrival is None else answer(arrival)
            if isinstance(reply, Awaitable):
                reply = await reply
            is_head = arrival is not None and arrival.method == "HEAD"
            is_lost = reply.status in (409, 410)
            if arrival is not None and arrival.is_websocket and is_lost:
                writer.write(websocket_place_gone_bytes(arrival))
            else:
                writer.write(format_http_reply(reply, is_head))
            await writer.drain()
        except (OSError, EOFError, asyncio.LimitOverrunError, TimeoutError):
            pass
        finally:
            with contextlib.suppress(OSError):
                writer.close()

    if sys.platform != "win32" and address.path is not None:
        return await asyncio.start_unix_server(
            serve_connection, address.path, limit=MAX_HEAD_BYTES, backlog=MAX_BACKLOG
        )
    return await asyncio.start_server(
        serve_connection,
        address.host,
        address.port,
        limit=MAX_HEAD_BYTES,
        backlog=MAX_BACKLOG,
    )


def parse_request_head(head: bytes) -> HttpRequest | None:
    """Return the request in an HTTP head; None if the request line is malformed."""
    first, *lines = head.decode("latin-1").split("\r\n")
    words = first.split(" ")
    if len(words) != 3 or not words[1].startswith("/") or not words[0].isalpha():
        return None
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        name = name.strip().lower()
        if colon and name == "x-forwarded-for" and name in headers:
            headers[name] += f", {value.strip()}"  # proxies may add lines
        elif colon:
            headers[name] = value.strip()
    return HttpRequest(words[0], words[1], headers)


def websocket_place_gone_bytes(request: HttpRequest) -> bytes:
    """Return bytes that accept a websocket and close it: the place (process) is gone.

    Only a connection that is open can say so; the page then asks what has happened.
    """
    key = request.headers.get("sec-websocket-key", "").encode()
    proof = base64.b64encode(hashlib.sha1(key + _WEBSOCKET_ID).digest()).decode()
    lines = [
        "HTTP/1.1 101 Switching Protocols",
        "Upgrade: websocket",
        "Connection: Upgrade",
        f"Sec-WebSocket-Accept: {proof}",
    ]
    protocols = request.headers.get("sec-websocket-protocol", "")
    if protocol := protocols.partition(",")[0].strip():
        lines.append(f"Sec-WebSocket-Protocol: {protocol}")
    close = bytes([0x88, 2]) + GONE.to_bytes(2)
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + close


def format_http_reply(reply: HttpReply, is_head: bool) -> bytes:
    """Return a reply as the bytes of an HTTP response; no body if `is_head`."""
    body = reply.body.encode()
    lines = [f"HTTP/1.1 {reply.status} {HTTPStatus(reply.status).phrase}"]
    lines += [f"{name}: {value}" for name, value in reply.headers]
    lines += [f"Content-Length: {len(body)}", "Connection: close", "", ""]
    return "\r\n".join(lines).encode("latin-1") + (b"" if is_head else body)
