"""A later click wins over an earlier page, and every click is worked in."""

import asyncio
import inspect
import threading
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast
from unittest import mock

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.app_session import AppSession, AppSessionState
from streamlit.runtime.scriptrunner import (
    RerunData,
    ScriptRunner,
    ScriptRunnerEvent,
    StopException,
)
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequests
from streamlit.runtime.session_manager import SessionClientDisconnectedError
from streamlit.runtime.state.safe_session_state import SafeSessionState
from streamlit.runtime.state.session_state import SessionState
from streamlit.testing.v1 import AppTest
from streamlit.web.server.starlette import (
    starlette_server_config,
    starlette_websocket,
)

from dashboard.server.adapter import reruns
from dashboard.server.adapter.reruns import (
    REACTION_SECONDS,
    add_arrival_and_clicks,
)
from tests.asynchronous import finish

SCRIPT = """
import streamlit as st
chosen = st.session_state.setdefault("chosen", [])
def toggle(name):
    chosen = st.session_state.chosen
    st.session_state.chosen = (
        [one for one in chosen if one != name] if name in chosen else [*chosen, name]
    )
for name in "ab":
    st.session_state["box " + name] = name in st.session_state.chosen
    st.checkbox(name, key="box " + name, on_change=toggle, args=(name,))
st.session_state["pills"] = sorted(st.session_state.chosen)
st.pills("pills", ["a", "b", "c"], selection_mode="multi", key="pills")
"""


REPLACED = ("on_script_will_rerun", "register_widget")


@pytest.fixture
def heeded(as_streamlit_is: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have Streamlit heed browsers for one test."""
    for name in REPLACED:
        monkeypatch.setattr(SafeSessionState, name, getattr(SafeSessionState, name))
    reruns.patch_to_drop_stale_values()


@pytest.fixture
def as_streamlit_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have nothing replaced, whatever another test has imported."""
    for name in REPLACED:
        original_method = inspect.unwrap(getattr(SafeSessionState, name))
        monkeypatch.setattr(SafeSessionState, name, original_method)
    limit = "WEBSOCKET_MAX_SEND_QUEUE_SIZE"
    own_limit = getattr(starlette_server_config, limit)
    monkeypatch.setattr(starlette_websocket, limit, own_limit)


class Page:
    """What a browser does: it holds values, says all of them, and is told some."""

    def __init__(self, script: str = SCRIPT) -> None:
        self.app = AppTest.from_string(script, default_timeout=30)
        self.held: dict[str, WidgetState] = {}
        self.app.run()
        self.look()

    def look(self) -> set[str]:
        """Take over what is told; return of which widgets."""
        labels = set()
        for widget in (*self.app.checkbox, *self.app.button_group):
            if widget.proto.set_value:
                labels.add(widget.label)
                self.held[widget.label] = WidgetState(id=widget.proto.id)
                if widget.type == "checkbox":
                    self.held[widget.label].bool_value = widget.proto.value
                else:
                    values = widget.proto.raw_values
                    self.held[widget.label].string_array_value.data.extend(values)
        return labels

    def tick(self, label: str, on: bool = True) -> None:
        self.held[label].bool_value = on

    def say(self, ago: float = 0.0) -> WidgetStates:
        """Return what the page says of itself, as if it had come a while ago."""
        widget_states = WidgetStates(widgets=list(self.held.values()))
        add_arrival_and_clicks(
            cast(AppSession, SimpleNamespace(_scriptrunner=None)), widget_states
        )
        widget_states.widgets[-1].double_value -= ago
        return WidgetStates.FromString(widget_states.SerializeToString())

    def run(self, said: WidgetStates) -> list[str]:
        """Have the script run with what was said; return what is chosen then."""
        self.app._run(said)
        return list(self.app.session_state["chosen"])


@pytest.mark.usefixtures("heeded")
def test_a_browser_is_not_told_what_it_has_said() -> None:
    page = Page()
    assert set(page.held) >= {"a", "b"}
    page.tick("a")
    assert page.run(page.say()) == ["a"]
    assert not {"a", "b"} & page.look()
    page.tick("b")
    assert page.run(page.say()) == ["a", "b"]
    assert not {"a", "b"} & page.look()
    del page.held["pills"].string_array_value.data[:]
    page.held["pills"].string_array_value.data.extend(["b", "a"])
    time.sleep(REACTION_SECONDS)
    page.run(page.say())
    assert "pills" not in page.look()  # the same ones, in the order of the clicks


@pytest.mark.usefixtures("as_streamlit_is")
def test_streamlit_tells_a_browser_what_it_has_said_and_believes_what_it_repeats() -> (
    None
):
    page = Page()
    page.tick("a")
    assert page.run(page.say()) == ["a"]
    assert "a" in page.look()  # which takes back what was clicked meanwhile
    page.app.session_state["chosen"] = []  # as a button would
    page.app.run()
    page.tick("b")  # it has not been told yet that a is out
    assert page.run(page.say()) == ["a", "b"]


@pytest.mark.usefixtures("heeded")
def test_what_is_repeated_in_ignorance_is_nobodys_choice() -> None:
    page = Page()
    page.tick("a")
    page.run(page.say())
    page.app.session_state["chosen"] = []  # as a button would
    assert page.run(page.say()) == []
    assert page.held["a"].bool_value
    page.tick("b")  # it does not know yet that a is out
    assert page.run(page.say(REACTION_SECONDS / 2)) == ["b"]
    assert "a" in page.look()
    time.sleep(REACTION_SECONDS)
    page.tick("a")  # and now somebody has seen it
    assert page.run(page.say()) == ["b", "a"]


STEPS = """
import streamlit as st
left = st.session_state.setdefault("left", 1)
st.session_state.setdefault("done", 0)
def step():
    st.session_state.left -= 1
    st.session_state.done += 1
def more():
    st.session_state.left += 1
st.button("step", on_click=step, key="step", disabled=not left)
st.button("more", on_click=more, key="more")
"""


@pytest.mark.usefixtures("heeded")
def test_no_click_is_taken_for_the_one_before_it() -> None:
    app = AppTest.from_string(STEPS, default_timeout=30).run()
    for name in ("step", "more", "step", "more", "step"):
        app.button(name).click().run()  # at once, as two keys are pressed
    assert app.session_state["done"] == 3


def begin_run(act: Callable[[SafeSessionState], None], late: bool = False) -> None:
    """Begin the run of a click, whose callback does something, while another waits."""
    runner = object.__new__(ScriptRunner)
    runner._script_thread, runner._execing = threading.current_thread(), True
    runner._requests, runner._join_wake_coordinator = ScriptRequests(), None
    runner._join_wake_lock = threading.Lock()
    session_state = SessionState()
    state = SafeSessionState(
        session_state, runner._maybe_handle_execution_control_request
    )
    calls = session_state.__class__._call_callbacks
    with mock.patch.object(SessionState, "_call_callbacks") as called:
        called.side_effect = lambda **_: (runner.request_stop(), act(state))
        clicked = arrived()
        if late:
            reruns._sync(session_state).since = time.monotonic() + 1.0
            runner.request_stop()
        state.on_script_will_rerun(clicked)
    assert SessionState._call_callbacks is calls
    assert runner._execing


def arrived() -> WidgetStates:
    states = WidgetStates()
    add_arrival_and_clicks(
        cast(AppSession, SimpleNamespace(_scriptrunner=None)), states
    )
    return states


def set_key(state: SafeSessionState) -> None:
    state["key"] = 1


@pytest.mark.usefixtures("as_streamlit_is")
def test_streamlit_ends_a_callback_where_another_click_waits() -> None:
    with pytest.raises(StopException):
        begin_run(set_key)


@pytest.mark.usefixtures("heeded")
def test_a_callback_is_carried_out_whatever_is_clicked_meanwhile() -> None:
    begin_run(set_key)
    with pytest.raises(StopException):  # it was overtaken: whoever stopped it is heard
        begin_run(set_key, late=True)


@pytest.mark.usefixtures("heeded")
def test_the_next_click_waits_until_callbacks_have_ended() -> None:
    session_state, order = SessionState(), []
    inside, goes_on = threading.Event(), threading.Event()

    def act(**_: object) -> None:
        order.append("begun")
        if len(order) == 1:
            inside.set()
            assert goes_on.wait(30)
        order.append("ended")

    def run() -> None:
        SafeSessionState(session_state, lambda: None).on_script_will_rerun(arrived())

    with mock.patch.object(SessionState, "_call_callbacks", side_effect=act):
        first, second = threading.Thread(target=run), threading.Thread(target=run)
        first.start()
        assert inside.wait(30)
        second.start()
        second.join(0.05)
        assert second.is_alive()
        goes_on.set()
        first.join(30)
        second.join(30)
    assert order == ["begun", "ended"] * 2


def test_a_click_that_waits_is_said_with_the_next_one() -> None:
    requests = ScriptRequests()
    clicked = WidgetState(id="button", trigger_value=True)
    before = WidgetStates(widgets=[clicked, WidgetState(id="box", bool_value=False)])
    requests.request_rerun(RerunData(widget_states=before))
    runner = SimpleNamespace(_requests=requests)
    session = cast(AppSession, SimpleNamespace(_scriptrunner=runner))
    widget_states = WidgetStates(widgets=[WidgetState(id="box", bool_value=True)])
    add_arrival_and_clicks(session, widget_states)
    state_by_id: dict[str, Any] = {
        widget_state.id: widget_state for widget_state in widget_states.widgets
    }
    assert state_by_id["button"].trigger_value
    assert state_by_id["box"].bool_value
    requests.on_scriptrunner_ready()  # it is taken up
    widget_states = WidgetStates()
    add_arrival_and_clicks(session, widget_states)
    assert "button" not in {widget_state.id for widget_state in widget_states.widgets}


class EndingRunner:
    """A run that is ending: nobody may ask anything more of it."""

    def request_rerun(self, _wanted: RerunData) -> bool:
        return False


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[RerunData]:
    """Hear ends; note which runs are made."""
    recorded_reruns: list[RerunData] = []
    act = lambda _self, rerun: recorded_reruns.append(rerun)  # noqa: E731
    monkeypatch.setattr(AppSession, "_create_scriptrunner", act)
    reruns.patch_fragments_to_await_previous_run()
    return recorded_reruns


@pytest.mark.parametrize("auto", [False, True])
@pytest.mark.parametrize("then", ["nothing", "a run of all", "the end"])
def test_a_part_runs_when_all_of_the_run_before_was_heard(
    made: list[RerunData], auto: bool, then: str
) -> None:
    part = RerunData(fragment_id="part", is_auto_rerun=auto)

    async def look() -> None:
        session = mock.MagicMock(
            _scriptrunner=EndingRunner(), has_fragment=lambda _: True
        )
        session._event_loop = asyncio.get_running_loop()
        AppSession._create_scriptrunner(session, part)
        await asyncio.sleep(3 * reruns.RETRY_SECONDS)
        assert made == []
        whole = mock.MagicMock(request_rerun=lambda rerun: made.append(rerun) or True)
        session._scriptrunner = whole if then == "a run of all" else None
        if then == "the end":
            session._state = AppSessionState.SHUTDOWN_REQUESTED
        await asyncio.sleep(3 * reruns.RETRY_SECONDS)

    finish(look())
    drawn_anyway = then == "a run of all" and auto
    assert made == ([] if drawn_anyway or then == "the end" else [part])


def test_a_run_of_all_waits_for_none(made: list[RerunData]) -> None:
    session = mock.MagicMock(_scriptrunner=EndingRunner())
    AppSession._create_scriptrunner(session, RerunData())
    assert made == [RerunData()]


def test_streamlit_does_not_hear_the_end_of_a_run_after_which_a_part_is_asked_for() -> (
    None
):
    script_events: list[ScriptRunnerEvent] = []
    session = object.__new__(AppSession)
    session._scriptrunner = before = mock.Mock()
    session._state = AppSessionState.SHUTDOWN_REQUESTED  # for its end
    session._enqueue_forward_msg = script_events.append  # type: ignore[method-assign, assignment]

    async def look() -> None:
        session._event_loop = asyncio.get_running_loop()
        session._scriptrunner = mock.Mock()  # that of the part
        session._handle_scriptrunner_event_on_event_loop(
            before, ScriptRunnerEvent.SCRIPT_STOPPED_WITH_SUCCESS
        )

    finish(look())
    assert script_events == []


async def draw_slowly(count: int) -> int:
    """Send messages to a browser that takes none yet; return how many it gets."""
    reads, read = asyncio.Event(), []

    async def send(data: bytes) -> None:
        await reads.wait()
        read.append(data)

    socket = mock.MagicMock(send_bytes=send)
    client = starlette_websocket.StarletteSessionClient(socket)
    message = ForwardMsg(script_finished=2)  # type: ignore[arg-type]
    try:
        for _ in range(count):
            client.write_forward_msg(message)
        reads.set()
        while len(read) < count:
            await asyncio.sleep(0)
        return len(read)
    finally:
        await client.aclose()


PAGES = 5 * 150
"""Messages of five pages."""


@pytest.mark.usefixtures("as_streamlit_is")
def test_streamlit_lets_go_of_a_browser_that_draws_for_long() -> None:
    with pytest.raises(SessionClientDisconnectedError):
        finish(draw_slowly(PAGES))


@pytest.mark.usefixtures("as_streamlit_is")
def test_a_browser_that_draws_for_long_is_kept() -> None:
    reruns.raise_send_queue_limit()
    assert finish(draw_slowly(PAGES)) == PAGES
