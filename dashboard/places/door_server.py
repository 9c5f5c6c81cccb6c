"""HTTP server of the door: reads heads of requests only, never bodies."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Callable
from http import HTTPStatus

from dashboard.places.door import DoorReply, DoorRequest
from dashboard.places.settings import SocketAddress

HEAD_SECONDS = 20.0
"""Seconds within which a request has to say what it asks for."""

MAX_HEAD_BYTES = 2**16

MAX_BACKLOG = 4_096
"""Connections that wait to be taken: as many as the proxies that are started keep."""


async def serve_door(
    address: SocketAddress, answer: Callable[[DoorRequest], DoorReply]
) -> asyncio.Server:
    """Serve the door.

    Parameters
    ----------
    address : SocketAddress
    answer : callable
        Answers one request.
    """

    async def hear(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), HEAD_SECONDS)
            arrival = parse_request_head(head)
            reply = DoorReply(400, "") if arrival is None else answer(arrival)
            is_head = arrival is not None and arrival.method == "HEAD"
            writer.write(format_reply(reply, is_head))
            await writer.drain()
        except (OSError, EOFError, asyncio.LimitOverrunError, TimeoutError):
            pass
        finally:
            with contextlib.suppress(OSError):
                writer.close()

    if sys.platform != "win32" and address.path is not None:
        return await asyncio.start_unix_server(
            hear, address.path, limit=MAX_HEAD_BYTES, backlog=MAX_BACKLOG
        )
    return await asyncio.start_server(
        hear, address.host, address.port, limit=MAX_HEAD_BYTES, backlog=MAX_BACKLOG
    )


def parse_request_head(head: bytes) -> DoorRequest | None:
    """Return the request in the head of an HTTP message; None where it is none."""
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
    return DoorRequest(words[0], words[1], headers)


def format_reply(reply: DoorReply, is_head: bool) -> bytes:
    """Return a reply as the bytes of an HTTP response."""
    body = reply.body.encode()
    lines = [f"HTTP/1.1 {reply.status} {HTTPStatus(reply.status).phrase}"]
    lines += [f"{name}: {value}" for name, value in reply.headers]
    lines += [f"Content-Length: {len(body)}", "Connection: close", "", ""]
    return "\r\n".join(lines).encode("latin-1") + (b"" if is_head else body)
