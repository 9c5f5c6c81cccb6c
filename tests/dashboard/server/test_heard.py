"""A later click wins over an earlier page, and every click is worked in."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import RerunData
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequests
from streamlit.runtime.state.safe_session_state import SafeSessionState
from streamlit.runtime.state.session_state import SessionState
from streamlit.testing.v1 import AppTest

from dashboard.server.heard import SEEN, finish_callbacks, heed_browsers, take_in

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


@pytest.fixture
def heeded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have Streamlit heed browsers for one test."""
    for owner, name in (
        (SessionState, "on_script_will_rerun"),
        (SessionState, "register_widget"),
        (SafeSessionState, "on_script_will_rerun"),
        (ScriptRunner, "_maybe_handle_execution_control_request"),
    ):
        monkeypatch.setattr(owner, name, getattr(owner, name))
    heed_browsers()
    finish_callbacks()


class Page:
    """What a browser does: it holds values, says all of them, and is told some."""

    def __init__(self, script: str = SCRIPT) -> None:
        self.app = AppTest.from_string(script, default_timeout=30)
        self.held: dict[str, WidgetState] = {}
        self.app.run()
        self.look()

    def look(self) -> set[str]:
        """Take over what is told; return of which widgets."""
        told = set()
        for one in (*self.app.checkbox, *self.app.button_group):
            if one.proto.set_value:
                told.add(one.label)
                self.held[one.label] = WidgetState(id=one.proto.id)
                if one.type == "checkbox":
                    self.held[one.label].bool_value = one.proto.value
                else:
                    values = one.proto.raw_values
                    self.held[one.label].string_array_value.data.extend(values)
        return told

    def tick(self, label: str, on: bool = True) -> None:
        self.held[label].bool_value = on

    def say(self, ago: float = 0.0) -> WidgetStates:
        """Return what the page says of itself, as if it had come a while ago."""
        said = WidgetStates(widgets=list(self.held.values()))
        take_in(cast(AppSession, SimpleNamespace(_scriptrunner=None)), said)
        said.widgets[-1].double_value -= ago
        return WidgetStates.FromString(said.SerializeToString())

    def run(self, said: WidgetStates) -> list[str]:
        """Have the script run with what was said; return what is chosen then."""
        self.app._run(said)
        assert not self.app.exception
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
    time.sleep(SEEN)
    page.run(page.say())
    assert "pills" not in page.look()  # the same ones, in the order of the clicks


@pytest.mark.usefixtures("heeded")
def test_what_is_repeated_in_ignorance_is_nobodys_choice() -> None:
    page = Page()
    page.tick("a")
    page.run(page.say())
    page.app.session_state["chosen"] = []  # as a button would
    assert page.run(page.say()) == []
    assert page.held["a"].bool_value
    page.tick("b")  # it does not know yet that a is out
    assert page.run(page.say(SEEN / 2)) == ["b"]
    assert "a" in page.look()
    time.sleep(SEEN)
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


def test_a_callback_is_carried_out_whatever_is_clicked_meanwhile(heeded: None) -> None:
    """Streamlit would take up the next click where the callback asks for anything."""
    looks: list[str] = []
    state = SafeSessionState(SessionState(), lambda: None)
    runner = object.__new__(ScriptRunner)

    def look(where: str) -> Callable[[], None]:
        def asked() -> None:
            try:
                runner._maybe_handle_execution_control_request()
            except AttributeError:  # it looks for more: here is no script
                looks.append(where)

        return asked

    object.__setattr__(state, "_yield_callback", look("hearing"))
    first = WidgetStates()
    take_in(cast(AppSession, SimpleNamespace(_scriptrunner=None)), first)
    early = WidgetStates.FromString(first.SerializeToString())
    early.widgets[0].double_value -= 1.0
    state.on_script_will_rerun(first)
    assert looks == []
    state["key"] = 1
    assert looks == ["hearing"]
    state.on_script_will_rerun(early)  # it was overtaken: whoever stopped it is heard
    assert looks == ["hearing"] * 2


def test_a_click_that_waits_is_said_with_the_next_one() -> None:
    requests = ScriptRequests()
    clicked = WidgetState(id="button", trigger_value=True)
    before = WidgetStates(widgets=[clicked, WidgetState(id="box", bool_value=False)])
    requests.request_rerun(RerunData(widget_states=before))
    runner = SimpleNamespace(_requests=requests)
    session = cast(AppSession, SimpleNamespace(_scriptrunner=runner))
    said = WidgetStates(widgets=[WidgetState(id="box", bool_value=True)])
    take_in(session, said)
    found: dict[str, Any] = {one.id: one for one in said.widgets}
    assert found["button"].trigger_value
    assert found["box"].bool_value
    requests.on_scriptrunner_ready()  # it is taken up
    said = WidgetStates()
    take_in(session, said)
    assert "button" not in {one.id for one in said.widgets}
