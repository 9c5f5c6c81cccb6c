"""A server that nobody asks sleeps, and hears at once that it is to end."""

import os
import signal
import socket
import threading
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
import streamlit as st

from dashboard.places import asgi_server

A_DAY = 86_400.0


async def answer(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "lifespan":
        while True:
            kind = (await receive())["type"]
            await send({"type": f"{kind}.complete"})
            if kind == "lifespan.shutdown":
                return
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"here"})


@pytest.fixture
def listener(monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    options = {"server.maxMessageSize": 64}
    monkeypatch.setattr(st, "get_option", options.get)
    monkeypatch.setattr(asgi_server, "load_streamlit_settings", lambda settings: None)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener
    signal.signal(signal.SIGINT, before)


@pytest.mark.posix("a process there cannot interrupt itself")
def test_it_ends_when_it_is_told_to_and_not_at_the_next_tick(
    listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asgi_server, "_TICK_SECONDS", A_DAY)
    answers = []
    port = listener.getsockname()[1]

    def visit() -> None:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/") as page:
            answers.append((page.read(), page.headers["date"]))
        os.kill(os.getpid(), signal.SIGINT)

    visitor = threading.Thread(target=visit)
    visitor.start()
    with pytest.raises(KeyboardInterrupt):
        asgi_server.serve_app_until_stopped(answer, {}, listener)  # type: ignore[arg-type]
    visitor.join()
    ((content, date),) = answers
    assert content == b"here"
    assert date.endswith("GMT")
