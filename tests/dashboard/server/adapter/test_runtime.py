"""What a session holds is its own, and goes when it is closed."""

import asyncio
import gc
import weakref
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from unittest import mock

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime
from streamlit.runtime.media_file_storage import MediaFileKind
from streamlit.runtime.scriptrunner_utils.exceptions import RerunException
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData

from dashboard.server.adapter import access
from dashboard.server.adapter import runtime as runtime_module
from dashboard.state.workspace import Workspace
from dashboard.ui.table import open_file
from engine.core.message import Message
from tests.asynchronous import finish


def test_what_a_page_says_is_noted_before_it_is_worked_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    acts: list[Any] = []
    monkeypatch.setattr(Runtime, "handle_backmsg", lambda *_, **__: acts.append("work"))
    session = mock.MagicMock()
    runtime = object.__new__(runtime_module.OwnedRuntime)
    runtime._session_mgr = mock.Mock()
    runtime._session_mgr.get_active_session_info.return_value.session = session
    runtime._uploads = cast(Any, mock.Mock(file_storage={}))
    runtime.note_rerun = lambda *arguments: acts.append(arguments)
    page = BackMsg()
    page.rerun_script.query_string = ""
    runtime.handle_backmsg("id", page, client=None)
    assert acts == [(session, page.rerun_script.widget_states), "work"]


class Work:
    """What somebody has in a session."""


def test_nothing_of_the_last_closed_session_stays_on_an_idle_server(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(Runtime, "_instance", None)
    app = runtime_module.OwnedApp(tmp_path / "app.py")
    sent: list[ForwardMsg] = []
    client: Any = SimpleNamespace(client_context=None, write_forward_msg=sent.append)

    async def come_and_go() -> None:
        runtime = app._create_runtime()
        await runtime.start()
        session_id = runtime.connect_session(client, {})
        session = runtime._session_mgr.get_active_session_info(session_id).session
        session.session_state["work"], part = Work(), Work()
        session._fragment_storage.register("part", part)
        references = weakref.ref(session.session_state["work"]), weakref.ref(part)
        message = ForwardMsg(hash="shown")
        session._enqueue_forward_msg(message)
        while not sent:
            await asyncio.sleep(0.01)
        runtime.disconnect_session(session_id)
        runtime.close_overdue(-1.0)
        assert references[0]() is not None  # its script may still draw
        assert runtime.erase_closed() == 1
        del session, part
        while any(reference() is not None for reference in references) or message.hash:
            await asyncio.sleep(0.01)  # until the server has noticed, or too late
            gc.collect()
        runtime.stop()
        await runtime.stopped

    finish(asyncio.wait_for(come_and_go(), 30))


def test_closed_sessions_are_erased_at_the_next_look(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(runtime_module, "TICK_SECONDS", 0.001)
    acts: list[str] = []

    class Closing:
        """A runtime that notes what it is asked for."""

        def close_overdue(self) -> None:
            acts.append("close")

        def erase_closed(self) -> int:
            acts.append("erase")
            return 1

    async def watch() -> None:
        clock = asyncio.create_task(
            runtime_module.close_expired_sessions(cast(Any, Closing()))
        )
        while len(acts) < 6:
            await asyncio.sleep(0.001)
        clock.cancel()

    finish(asyncio.wait_for(watch(), 30))
    assert acts[:6] == ["erase", "close"] * 3


def test_a_file_that_is_made_on_request_is_that_sessions_own() -> None:
    """Streamlit makes it on a thread that belongs to no session."""
    media = runtime_module.OwnedMedia("/media")

    async def ask() -> str:
        token = runtime_module._asking.set("hers")
        task = asyncio.create_task(
            asyncio.to_thread(
                media.load_and_get_id, b"x", "text/csv", MediaFileKind.DOWNLOADABLE
            )
        )
        runtime_module._asking.reset(token)
        return await task

    assert media.makers == {finish(ask()): {"hers"}}


def test_a_refusal_is_told_though_a_click_ends_the_run_that_would_tell_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    runtime = object.__new__(runtime_module.OwnedRuntime)
    runtime.refusals = {"": (Message("The disk is full."), True)}
    monkeypatch.setattr(access, "streamlit_runtime", lambda: runtime)
    monkeypatch.setattr(open_file.session, "workspace", lambda: Workspace())
    told = list[str]()

    def tell(message: Message, _name: str) -> None:
        told.append(str(message))
        if len(told) == 1:
            raise RerunException(RerunData())
        if len(told) == 2:  # another one comes meanwhile
            runtime.refusals[""] = Message("It is too large."), True

    monkeypatch.setattr(open_file, "_report_problem", tell)
    with pytest.raises(RerunException):
        open_file.show_reading_progress_and_open_file()
    for _ in range(3):
        open_file.show_reading_progress_and_open_file()
    assert told == ["The disk is full."] * 2 + ["It is too large."]
    assert not runtime.refusals
