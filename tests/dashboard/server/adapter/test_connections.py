"""Nobody holds a connection for a request that does not come."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from uvicorn import config as settings
from websockets.exceptions import ConnectionClosedError

from dashboard.server.adapter import connections
from tests.asynchronous import finish
from tests.benchmarks.visitor import Visitor, visit
from tests.browser.conftest import Server
from tests.browser.conftest import serving as serving_coterie

Talk = tuple[asyncio.StreamReader, asyncio.StreamWriter]

WHOLE = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"


@contextlib.asynccontextmanager
async def serving(app: Any) -> AsyncIterator[Callable[[], Awaitable[Talk]]]:
    """Serve an application as Streamlit would; give what opens a connection."""
    served = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error"))
    running = asyncio.create_task(served.serve())
    while not served.started:
        await asyncio.sleep(0.01)
    assert served.config.http_protocol_class is connections.TimelyProtocol
    port = served.servers[0].sockets[0].getsockname()[1]
    yield lambda: asyncio.open_connection("127.0.0.1", port)
    served.should_exit = True
    await running


@pytest.fixture(autouse=True)
def guarded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(settings.HTTP_PROTOCOLS, "auto", "")
    monkeypatch.setattr(connections, "MAX_HEAD_SECONDS", 0.4)
    connections.limit_waiting()


async def answering(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "lifespan":
        return
    await asyncio.sleep(1.0 if scope["path"] == "/slow" else 0.0)
    start = {"type": "http.response.start", "status": 200}
    await send({**start, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


async def answered(reader: asyncio.StreamReader) -> bytes:
    head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 60)
    assert head.startswith(b"HTTP/1.1 200")
    return await reader.readexactly(2)


async def drip(writer: asyncio.StreamWriter, letters: bytes) -> None:
    with contextlib.suppress(OSError):
        while True:
            writer.write(letters)
            await writer.drain()
            await asyncio.sleep(0.05)


@pytest.mark.parametrize(
    "before",
    [b"", b"GET / HTTP/1.1\r\nX-a: ", WHOLE, WHOLE.replace(b"GET", b"POST")],
    ids=["nothing", "half a head", "after an answer", "after another"],
)
def test_a_request_that_does_not_come_ends_its_connection(before: bytes) -> None:
    async def act() -> None:
        async with serving(answering) as talk:
            reader, writer = await talk()
            writer.write(before)
            if before.startswith((b"GET / HTTP/1.1\r\nHost", b"POST")):
                assert await answered(reader) == b"ok"
            dripping = asyncio.create_task(drip(writer, b"G" if not before else b"x"))
            with contextlib.suppress(ConnectionResetError):
                rest = await asyncio.wait_for(reader.read(), 60)
                assert b"HTTP/1.1 200" not in rest
            dripping.cancel()
            writer.close()

    finish(act())


def test_a_slow_answer_is_waited_for() -> None:
    async def act() -> None:
        async with serving(answering) as talk:
            reader, writer = await talk()
            writer.write(WHOLE.replace(b"/ ", b"/slow ", 1))
            assert await answered(reader) == b"ok"
            writer.close()

    finish(act())


@pytest.mark.slow
def test_a_real_server_holds_nothing_for_those_who_say_nothing(tmp_path: Path) -> None:
    async def act(server: Server) -> None:
        talks = [
            await asyncio.open_connection("127.0.0.1", server.port) for _ in range(300)
        ]
        for _reader, writer in talks:
            writer.write(b"GET / HTTP/1.1\r\nX-a: ")
        async with visit(server.port, Visitor) as visitor:
            await visitor.do("open")  # others come in meanwhile
            with contextlib.suppress(ConnectionClosedError):
                await visitor._talk.send(bytes(18_000_000))
            await visitor._talk.wait_closed()
            assert visitor._talk.close_code == 1009
            for reader, writer in talks:
                with contextlib.suppress(ConnectionResetError):
                    await asyncio.wait_for(reader.read(), 300)
                writer.close()

    with serving_coterie(tmp_path) as server:
        finish(act(server))
