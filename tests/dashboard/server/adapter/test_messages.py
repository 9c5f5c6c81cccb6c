"""A message says of widgets only what a page could have said."""

import contextlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from streamlit.elements.widgets.file_uploader import FileUploaderSerde
from streamlit.elements.widgets.number_input import NumberInputSerde
from streamlit.elements.widgets.text_widgets import TextInputSerde
from streamlit.proto.BackMsg_pb2 import BackendOperationRequest, BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.NumberInput_pb2 import NumberInput
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.state.common import WidgetMetadata
from streamlit.testing.v1 import AppTest
from websockets.exceptions import ConnectionClosed

from dashboard.server.adapter import messages
from engine.core.platform.memory import resident_bytes
from tests.asynchronous import finish
from tests.benchmarks.visitor import Visitor, visit
from tests.browser.conftest import serving


def widget(name: str, kind: Any, read: Any, **more: Any) -> WidgetMetadata[Any]:
    return WidgetMetadata(name, read, lambda value: value, kind, **more)


WIDGETS = {
    one.id: one
    for one in (
        widget(
            "k", "double_value", NumberInputSerde(3, NumberInput.INT, 2, 9).deserialize
        ),
        widget("name", "string_value", TextInputSerde("").deserialize),
        widget("method", "string_value", str, formatted_options=["MDAV", "V-MDAV"]),
        widget("sizes", "string_array_value", list, formatted_options=["3", "5"]),
        widget("list", "json_value", dict),
        widget("table", "string_value", json.loads),
        widget(
            "file",
            "file_uploader_state_value",
            FileUploaderSerde(False, [".csv"]).deserialize,
        ),
        widget("run", "trigger_value", bool),
    )
}


def several(*values: str) -> WidgetState:
    state = WidgetState()
    state.string_array_value.data.extend(values)
    return state


def file(file_id: str) -> WidgetState:
    state = WidgetState()
    state.file_uploader_state_value.uploaded_file_info.add().file_id = file_id
    return state


def left(name: str, state: WidgetState) -> bool:
    """Return whether a widget's value comes through, beside another that does."""
    client_state = ClientState()
    for widget_state, of in ((state, name), (WidgetState(int_value=4), "k")):
        added = client_state.widget_states.widgets.add()
        added.CopyFrom(widget_state)
        added.id = of
    names: Mapping[str, str] = {"1": "a.csv", "2": "a.exe"}
    messages.remove_impossible_widget_values(client_state, WIDGETS, names)
    through = [widget_state.id for widget_state in client_state.widget_states.widgets]
    assert through[-1] == "k"
    return name in through[:-1]


@pytest.mark.parametrize(
    ("name", "state"),
    [
        ("k", WidgetState(int_value=5)),
        ("k", WidgetState(double_value=5.0)),
        ("name", WidgetState(string_value="ä" * messages.MAX_TEXT_LENGTH)),
        ("name", WidgetState()),
        ("method", WidgetState(string_value="V-MDAV")),
        ("sizes", several("3", "5")),
        ("sizes", several()),
        ("list", WidgetState(json_value='{"role": "other"}')),
        ("table", WidgetState(string_value='{"selection": {}}')),
        ("file", file("1")),
        ("run", WidgetState(trigger_value=True)),
    ],
    ids=str,
)
def test_what_a_page_says_is_heard(name: str, state: WidgetState) -> None:
    assert left(name, state)


@pytest.mark.parametrize(
    ("name", "state"),
    [
        ("k", WidgetState(string_value="5")),
        ("k", WidgetState(double_value=float("nan"))),
        ("k", WidgetState(bool_value=True)),
        ("name", WidgetState(string_value="x" * (messages.MAX_TEXT_LENGTH + 1))),
        ("name", WidgetState(json_value="{}")),
        ("method", WidgetState(string_value="mdav")),
        ("method", WidgetState(int_value=0)),
        ("sizes", several("3", "4")),
        ("list", WidgetState(json_value="")),
        ("list", WidgetState(json_value='"x"')),
        ("list", WidgetState(json_value="[" * 100_000)),
        ("table", WidgetState(string_value="{")),
        ("file", file("2")),
        ("file", WidgetState(string_value="a.csv")),
        ("run", WidgetState(bytes_value=b"x")),
        ("unknown", WidgetState(bool_value=True)),
    ],
    ids=lambda parameter: str(parameter)[:40],
)
def test_what_no_page_says_is_not_heard(name: str, state: WidgetState) -> None:
    assert not left(name, state)


FIELDS = """
import streamlit as st
st.number_input("k", 2, 9, None)
st.number_input("share", 0.0, 1.0, None)
st.text_input("name", None)
st.text_area("words", None)
st.selectbox("method", ["MDAV", "V-MDAV"], None)
st.selectbox("other", ["MDAV"], None, accept_new_options=True)
"""


@pytest.mark.parametrize("field", ["k", "share", "name", "words", "method", "other"])
def test_what_is_put_into_an_emptied_field_is_heard(field: str) -> None:
    """A part of the page that looks again says of all fields that they are empty."""
    app = AppTest.from_string(FIELDS, default_timeout=30).run()
    fields = [*app.number_input, *app.text_input, *app.text_area, *app.selectbox]
    control = next(
        input_widget for input_widget in fields if input_widget.label == field
    )
    app._run(
        WidgetStates(
            widgets=[WidgetState(id=input_widget.id) for input_widget in fields]
        )
    )
    widget_states = app.session_state._state._state._new_widget_state
    widget_states.set_widget_from_proto(WidgetState(id=control.id))
    assert widget_states[control.id] is None
    metadata = widget_states.widget_metadata
    assert metadata[control.id].value_type is None  # or Streamlit knows better by now

    number = WidgetState(id=control.id, double_value=3.0 if field == "k" else 0.5)
    words = WidgetState(id=control.id, string_value="MDAV")
    good, bad = (number, words) if field in ("k", "share") else (words, number)
    for state, is_heard in (
        (good, True),
        (bad, False),
        (WidgetState(id=control.id, json_value="{}"), False),
        (WidgetState(id=control.id), True),
    ):
        client_state = ClientState(widget_states=WidgetStates(widgets=[state]))
        messages.remove_impossible_widget_values(client_state, metadata, {})
        assert bool(client_state.widget_states.widgets) == is_heard, state


def asks(**wanted: Any) -> BackMsg:
    return BackMsg(backend_operation_request=BackendOperationRequest(**wanted))


@pytest.mark.parametrize(
    ("message", "known"),
    [
        (BackMsg(app_heartbeat=True), True),
        (BackMsg(rerun_script=ClientState()), True),
        (BackMsg(file_urls_request={"file_names": ["a"] * messages.MAX_FILES}), True),
        (BackMsg(file_urls_request={"file_names": ["a"] * 21}), False),
        (asks(deferred_file={"file_id": "1"}), True),
        (asks(install_skills={}), False),
        (asks(dismiss_skills_nudge={}), False),
        (asks(), False),
        (BackMsg(clear_cache=True), False),
        (BackMsg(load_git_info=True), False),
        (BackMsg(), False),
    ],
    ids=str,
)
def test_pages_are_answered_what_pages_ask(message: BackMsg, known: bool) -> None:
    assert messages.is_supported_message(message) == known


def test_only_messages_are_messages() -> None:
    content = BackMsg(app_heartbeat=True).SerializeToString()
    assert messages.is_parsable_message({"bytes": content})
    assert messages.is_parsable_message({"bytes": b""})
    for other in ({"bytes": b"\xff" * 9}, {"text": "x"}, {"bytes": None}):
        assert not messages.is_parsable_message(other)


def test_an_address_has_an_end() -> None:
    client_state = ClientState(query_string="x" * 10**6)
    messages.remove_impossible_widget_values(client_state, WIDGETS, {})
    assert client_state.query_string == ""


VALUES = (
    WidgetState(int_value=-(2**63)),
    WidgetState(double_value=float("nan")),
    WidgetState(double_value=1e308),
    WidgetState(string_value="9" * 500),
    WidgetState(string_value="x" * 20_000),
    WidgetState(string_value='{"selection":{"rows":[1000000000,-5],"columns":["no"]}}'),
    WidgetState(string_value='{"selection":{"points":[5],"point_indices":["x"]}}'),
    WidgetState(json_value='"x"'),
    WidgetState(json_value="[" * 100_000),
    WidgetState(json_value='{"value":5,"edits":[{"name":"no"}],"rows":[-1,1e300]}'),
    WidgetState(json_trigger_value='[{"event":5}]'),
    WidgetState(bytes_value=b"\x00"),
    several("9" * 100_000),
    several(*["x"] * 10_000),
    file("../../etc/passwd"),
)


async def _say_anything(port: int, page: str) -> None:
    """Say every value of every widget of a page; it is drawn as before."""
    async with visit(port, Visitor) as visitor:
        await visitor.do("open")
        await visitor.turn_to(page)
        widget_ids = {
            getattr(element, element.WhichOneof("type")).id
            for element in visitor.elements
            if hasattr(getattr(element, element.WhichOneof("type")), "id")
        }
        assert len(widget_ids) > 5
        for state in VALUES:
            message = visitor.request()
            for name in sorted(widget_ids):
                added = message.rerun_script.widget_states.widgets.add()
                added.CopyFrom(state)
                added.id = name
            await visitor.do("anything", message)
            assert visitor.exceptions == []
        await visitor.do("as before")
        for content in (b"\xff" * 100, b"\x08\x01" * 20_000_000, "text"):
            with contextlib.suppress(ConnectionClosed):
                await visitor._talk.send(content)


@pytest.mark.slow
def test_a_hostile_page_harms_nobody(tmp_path: Path) -> None:
    with serving(tmp_path) as server:  # which looks for tracebacks at the end
        for page in ("", "release", "compare"):
            finish(_say_anything(server.port, page))
        assert resident_bytes(server.process.pid) < 1e9
