"""What scripts say reaches browsers whole, in order, and in few parcels."""

from __future__ import annotations

import asyncio
import threading
from typing import Any
from unittest import mock

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession, AppSessionState
from streamlit.runtime.scriptrunner import RerunData, ScriptRunnerEvent
from streamlit.web.server.starlette import starlette_websocket
from uvicorn import config

from dashboard.server import delivery
from dashboard.server.delivery import (
    ROOM,
    Gathered,
    Mailbox,
    Parcel,
    gather_messages,
    gather_writes,
    hear_ends,
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
    session = mock.MagicMock(_message_enqueued_callback=None)
    assert AppSession.flush_browser_queue(session) == []
    for count in (1, 2):
        gathering[:] = [ForwardMsg() for _ in range(count)]
        (parcel,) = AppSession.flush_browser_queue(session)
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


@pytest.fixture
def unlimited(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have Streamlit's clients hold what they are given."""
    limit = "WEBSOCKET_MAX_SEND_QUEUE_SIZE"
    monkeypatch.setattr(starlette_websocket, limit, 500)
    monkeypatch.setattr(config, "WS_PROTOCOLS", dict(config.WS_PROTOCOLS))
    gather_writes()


@pytest.mark.usefixtures("unlimited")
def test_a_browser_that_draws_for_long_is_kept_and_gets_no_more_meanwhile(
    gathering: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Streamlit lets go of it where two pages wait, and leaves its connection open."""
    page = [ForwardMsg(script_finished=2)] * 3 * ROOM  # type: ignore[arg-type]
    asked: list[float] = []

    async def look() -> None:
        reads, read = asyncio.Event(), []

        async def send(data: bytes) -> None:
            await reads.wait()
            read.append(data)

        socket = mock.MagicMock(send_bytes=send)
        client = starlette_websocket.StarletteSessionClient(socket)
        clients = mock.MagicMock(get_client=lambda _session_id: client)
        monkeypatch.setattr(delivery.Runtime, "instance", lambda: clients)
        session = mock.MagicMock(_message_enqueued_callback=lambda: None)
        session._event_loop.call_later = lambda wait, _told: asked.append(wait)
        gathering[:] = page
        (parcel,) = AppSession.flush_browser_queue(session)
        for one in parcel.take():
            client.write_forward_msg(one)
        await asyncio.sleep(0)
        assert AppSession.flush_browser_queue(session) == []
        assert asked == [delivery.MOMENT]
        reads.set()
        while len(read) < len(page):
            await asyncio.sleep(0)
        assert len(AppSession.flush_browser_queue(session)) == 1
        await client.aclose()

    finish(asyncio.wait_for(look(), 30))


class Runner:
    """A run that is ending: nobody may ask anything more of it."""

    def request_rerun(self, _wanted: RerunData) -> bool:
        return False


@pytest.mark.parametrize("auto", [False, True])
@pytest.mark.parametrize("then", ["nothing", "a run of all", "the end"])
def test_a_part_runs_when_all_of_the_run_before_was_heard(
    monkeypatch: pytest.MonkeyPatch, auto: bool, then: str
) -> None:
    made: list[RerunData] = []
    act = lambda _self, wanted: made.append(wanted)  # noqa: E731
    monkeypatch.setattr(AppSession, "_create_scriptrunner", act)
    hear_ends()
    part = RerunData(fragment_id="part", is_auto_rerun=auto)

    async def look() -> None:
        session = mock.MagicMock(_scriptrunner=Runner(), has_fragment=lambda _: True)
        session._event_loop = asyncio.get_running_loop()
        AppSession._create_scriptrunner(session, part)
        await asyncio.sleep(3 * delivery.MOMENT)
        assert made == []
        whole = mock.MagicMock(request_rerun=lambda wanted: made.append(wanted) or True)
        session._scriptrunner = whole if then == "a run of all" else None
        if then == "the end":
            session._state = AppSessionState.SHUTDOWN_REQUESTED
        await asyncio.sleep(3 * delivery.MOMENT)

    finish(look())
    drawn_anyway = then == "a run of all" and auto
    assert made == ([] if drawn_anyway or then == "the end" else [part])


def test_a_run_of_all_waits_for_none(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[RerunData] = []
    act = lambda _self, wanted: made.append(wanted)  # noqa: E731
    monkeypatch.setattr(AppSession, "_create_scriptrunner", act)
    hear_ends()
    AppSession._create_scriptrunner(mock.MagicMock(_scriptrunner=Runner()), RerunData())
    assert made == [RerunData()]
