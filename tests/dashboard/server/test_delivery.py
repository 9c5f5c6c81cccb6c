"""What scripts say reaches browsers whole, in order, and in few parcels."""

from __future__ import annotations

import asyncio
import threading
from typing import Any
from unittest import mock

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import ScriptRunnerEvent
from streamlit.web.server.starlette import starlette_websocket
from uvicorn import config

from dashboard.server import delivery
from dashboard.server.delivery import (
    Gathered,
    Mailbox,
    Parcel,
    gather_messages,
    gather_writes,
)
from tests.asynchronous import finish

NOW, SOON = True, False


def test_what_threads_want_done_is_done_in_their_order_in_few_turns() -> None:
    mailbox, done, woken = Mailbox(), [], []

    async def look() -> None:
        loop = asyncio.get_running_loop()
        wake, over = loop.call_soon_threadsafe, asyncio.Event()

        def counted(*call: Any) -> Any:
            woken.append(call)
            return wake(*call)

        loop.call_soon_threadsafe = counted  # type: ignore[method-assign, assignment]

        def say() -> None:
            for number in range(100):
                mailbox.put(loop, lambda number=number: done.append(number), SOON)
            mailbox.put(loop, over.set, NOW)

        threading.Thread(target=say).start()
        await asyncio.wait_for(over.wait(), 30)

    finish(look())
    assert done == list(range(100))
    assert len(woken) < 20


def test_what_can_wait_is_done_all_the_same() -> None:
    mailbox = Mailbox()

    async def look() -> None:
        over = asyncio.Event()
        mailbox.put(asyncio.get_running_loop(), over.set, SOON)
        await asyncio.wait_for(over.wait(), 30)

    finish(look())


def test_one_mishap_leaves_all_others_to_be_done() -> None:
    mailbox, wrong = Mailbox(), []

    async def look() -> None:
        loop, over = asyncio.get_running_loop(), asyncio.Event()
        loop.set_exception_handler(lambda _loop, what: wrong.append(what["exception"]))

        def fail() -> None:
            raise ValueError("no")

        mailbox.put(loop, fail, SOON)
        mailbox.put(loop, over.set, NOW)
        await asyncio.wait_for(over.wait(), 30)

    finish(look())
    assert [str(one) for one in wrong] == ["no"]


def test_a_loop_that_is_closed_is_told_nothing() -> None:
    loop = asyncio.new_event_loop()
    loop.close()
    Mailbox().put(loop, lambda: None, NOW)


class Session:
    """What is left of a session of Streamlit's for its events."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._event_loop = loop


@pytest.fixture
def gathering(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Gather, and note what an event loop is told of it."""
    told: list[Any] = []
    names = "_handle_scriptrunner_event_on_event_loop", "flush_browser_queue"
    acts = lambda self, *what: told.append(what), lambda self: told
    for name, act in zip(names, acts, strict=True):
        monkeypatch.setattr(AppSession, name, act)
    monkeypatch.setattr(AppSession, "_on_scriptrunner_event", None)
    monkeypatch.setattr(delivery, "mailbox", Mailbox())
    gather_messages()
    return told


def test_messages_wait_for_the_end_of_their_script(gathering: list[Any]) -> None:
    async def look() -> None:
        session = Session(asyncio.get_running_loop())
        said = AppSession._on_scriptrunner_event
        said(session, None, ScriptRunnerEvent.ENQUEUE_FORWARD_MSG, 1)  # type: ignore[arg-type]
        said(session, None, ScriptRunnerEvent.ENQUEUE_FORWARD_MSG, 2)  # type: ignore[arg-type]
        await asyncio.sleep(0)
        assert gathering == []
        said(session, None, ScriptRunnerEvent.SCRIPT_STOPPED_WITH_SUCCESS)  # type: ignore[arg-type]
        for _ in range(3):
            await asyncio.sleep(0)

    finish(look())
    events = [event for _sender, event, *_told in gathering]
    assert [told for *_event, told in gathering[:2]] == [1, 2]
    assert events[-1] is ScriptRunnerEvent.SCRIPT_STOPPED_WITH_SUCCESS


def test_a_browser_gets_its_messages_in_one_parcel(gathering: list[Any]) -> None:
    flush = AppSession.flush_browser_queue
    assert flush(None) == []  # type: ignore[arg-type]
    for count in (1, 2):
        gathering[:] = [ForwardMsg() for _ in range(count)]
        (parcel,) = flush(None)  # type: ignore[arg-type]
        assert isinstance(parcel, Parcel)
        assert parcel.take() == gathering
        assert not parcel


class Wire:
    """A connection that notes what it is given."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.closed = False

    def write(self, data: bytes) -> None:
        self.sent.append(data)

    def close(self) -> None:
        self.closed = True

    def is_closing(self) -> bool:
        return self.closed


def test_what_is_written_in_one_turn_goes_at_once_and_before_the_end() -> None:
    async def look() -> None:
        wire = Wire()
        gathered = Gathered(wire, asyncio.get_running_loop())  # type: ignore[arg-type]
        gathered.write(b"a")
        gathered.write(b"b")
        assert wire.sent == []
        await asyncio.sleep(0)
        assert wire.sent == [b"ab"]
        gathered.write(b"c")
        gathered.close()
        assert wire.sent == [b"ab", b"c"]
        assert gathered.is_closing()
        await asyncio.sleep(0)
        assert wire.sent == [b"ab", b"c"]

    finish(look())


def test_a_browser_that_draws_for_long_gets_every_page_that_was_clicked_meanwhile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Streamlit lets go of it where two pages wait, and leaves its connection open."""
    limit = "WEBSOCKET_MAX_SEND_QUEUE_SIZE"
    monkeypatch.setattr(starlette_websocket, limit, 500)
    monkeypatch.setattr(config, "WS_PROTOCOLS", dict(config.WS_PROTOCOLS))
    gather_writes()
    pages, each = 10, 300

    async def look() -> None:
        reads, read = asyncio.Event(), []

        async def send(data: bytes) -> None:
            await reads.wait()
            read.append(ForwardMsg.FromString(data).script_finished)

        client = starlette_websocket.StarletteSessionClient(
            mock.MagicMock(send_bytes=send)
        )
        for _ in range(pages * each):
            client.write_forward_msg(ForwardMsg(script_finished=2))  # type: ignore[arg-type]
            await asyncio.sleep(0)
        reads.set()
        while len(read) < pages * each:
            await asyncio.sleep(0)
        await client.aclose()

    finish(asyncio.wait_for(look(), 30))
