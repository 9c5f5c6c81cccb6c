"""Closed sessions give their memory back, whatever others do meanwhile."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from unittest import mock

import pytest
from streamlit import config
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime
from streamlit.runtime.app_session import AppSession

from dashboard.server import application
from dashboard.server.delivery import Parcel, gather_messages
from tests.asynchronous import finish


class Closing:
    """A runtime in which a session is closed at each of the first looks."""

    def __init__(self, looks: int) -> None:
        self.looks, self.closed = looks, 0

    def close_overdue(self) -> int:
        more = self.closed < self.looks
        self.closed += more
        return int(more)


def test_memory_is_given_back_while_others_are_closed_and_after_the_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(application, "TICK", 0.001)
    runtime, given = Closing(5 * application.AFTER), []

    async def watch() -> None:
        clock = asyncio.create_task(
            application.close_in_time(
                cast(Any, runtime), lambda: given.append(runtime.closed)
            )
        )
        while runtime.looks not in given:
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.02)
        clock.cancel()

    finish(asyncio.wait_for(watch(), 30))
    assert len([one for one in given if one < runtime.looks]) >= 3
    assert given.count(runtime.looks) <= 2


def test_a_page_is_told_by_name_what_it_was_sent_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    handled: list[BackMsg] = []
    monkeypatch.setattr(
        Runtime, "handle_backmsg", lambda _self, _id, msg, client: handled.append(msg)
    )
    session = SimpleNamespace(
        id="id",
        _scriptrunner=None,
        _session_state=SimpleNamespace(
            _new_widget_state=SimpleNamespace(widget_metadata={})
        ),
    )
    runtime = object.__new__(application.OwnedRuntime)
    runtime._session_mgr = cast(Any, mock.Mock())
    runtime._session_mgr.get_active_session_info.return_value.session = session
    runtime._uploads, runtime._held = cast(Any, mock.Mock(file_storage={})), {}
    runtime._shown = {}
    sent = ForwardMsg(hash="sent")
    sent.metadata.cacheable = True
    runtime._send_message(cast(Any, mock.Mock(session=session)), Parcel([sent]))
    page = BackMsg()
    page.rerun_script.cached_message_hashes[:] = ["sent", "never"]
    runtime.handle_backmsg("id", page, client=None)
    assert list(handled[0].rerun_script.cached_message_hashes) == ["sent"]


def test_looks_are_paced_and_clicks_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    handled: list[BackMsg] = []
    monkeypatch.setattr(
        Runtime, "handle_backmsg", lambda _self, _id, msg, client: handled.append(msg)
    )
    runtime = object.__new__(application.OwnedRuntime)
    runtime._session_mgr = cast(Any, mock.Mock())
    runtime._session_mgr.get_active_session_info.return_value = None
    runtime._looks = application.Looks(1e-3)
    look, click = BackMsg(), BackMsg()
    for message in (look, click):
        message.rerun_script.fragment_id = "part"
    look.rerun_script.is_auto_rerun = True
    for message in (look, look, click, look, click):
        runtime.handle_backmsg("id", message)
    assert handled == [look, click, click]


def test_settings_are_the_same_without_a_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    before = config.get_option
    section = config.get_options_for_section
    monkeypatch.setattr(config, "get_option", before)
    monkeypatch.setattr(config, "get_options_for_section", section)
    application.ask_settings_freely()
    for name in ("theme", "theme.dark", "server"):
        for _ in range(2):
            found = config.get_options_for_section(name)
            assert found == section(name)
            found.clear()  # it is the asker's own
    assert config.get_option is not before
    for key in config.get_config_options():
        assert config.get_option(key) == before(key)
    with pytest.raises(RuntimeError, match="not defined"):
        config.get_option("server.nothing")
    with config._config_lock:  # held by somebody who has to wait
        asked = threading.Thread(target=config.get_option, args=("server.port",))
        asked.start()
        asked.join(10)
        assert not asked.is_alive()


class Work:
    """What somebody has in a session."""


def test_nothing_of_the_last_closed_session_stays_on_an_idle_server(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(Runtime, "_instance", None)
    for name in ("flush_browser_queue", "_on_scriptrunner_event"):
        monkeypatch.setattr(AppSession, name, getattr(AppSession, name))
    if AppSession.flush_browser_queue.__module__ != gather_messages.__module__:
        gather_messages()  # another test has not imported what serves
    app = SimpleNamespace(_resolve_script_path=lambda: tmp_path / "app.py")
    application.give_runtime(cast(Any, app))
    sent: list[ForwardMsg] = []
    client: Any = SimpleNamespace(client_context=None, write_forward_msg=sent.append)

    def parcels() -> set[int]:
        """Return the parcels that hold anything, those of other tests too."""
        every = gc.get_objects()  # the class of a proxy is that of what may be gone
        return {id(one) for one in every if type(one) is Parcel and one}

    before = parcels()

    async def come_and_go() -> None:
        runtime = app._create_runtime()
        await runtime.start()
        session_id = runtime.connect_session(client, {})
        session = runtime._session_mgr.get_active_session_info(session_id).session
        session.session_state["work"], part = Work(), Work()
        session._fragment_storage.register("part", part)
        held = weakref.ref(session.session_state["work"]), weakref.ref(part)
        session._enqueue_forward_msg(ForwardMsg())
        while not sent:
            await asyncio.sleep(0.01)
        runtime.disconnect_session(session_id)
        runtime.close_overdue(-1.0)
        del session, part
        while any(one() is not None for one in held) or parcels() - before:
            await asyncio.sleep(0.01)  # until the server has noticed, or too late
            gc.collect()
        runtime.stop()
        await runtime.stopped

    finish(asyncio.wait_for(come_and_go(), 30))
