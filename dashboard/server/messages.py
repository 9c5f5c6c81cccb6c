"""What pages say, as far as a page of ours could have said it.

Whoever sends messages by a program can say anything of any widget. Streamlit takes a
value for what its widget expects, keeps it, and fails at it whenever the page is drawn
again; and it keeps as much of it as is sent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from streamlit.elements.lib.file_uploader_utils import enforce_filename_restriction
from streamlit.elements.widgets.text_widgets import TextAreaSerde, TextInputSerde
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.state.common import WidgetMetadata, unpack_widget_state_value

MOST_BYTES = 16 * 2**20
"""Of all that a session's widgets hold: twenty thousand points may be selected."""

MOST_TEXT = 10_000
"""Characters of a text that somebody types, and of an address."""

MOST_FILES = 20
"""Files for which places are asked at once; uploaders take one."""

_NUMBERS = {"int_value", "double_value"}

Widgets = Mapping[str, WidgetMetadata[Any]]


def is_message(heard: Mapping[str, Any]) -> bool:
    """Return whether what came over a connection is a message, and not too long."""
    content = heard.get("bytes")
    if not isinstance(content, bytes) or len(content) > 2 * MOST_BYTES:
        return False
    try:
        BackMsg.FromString(content)
    except DecodeError:
        return False
    return True


def sift(
    said: ClientState, widgets: Widgets, names: Mapping[str, str], held: dict[str, int]
) -> None:
    """Take out of a message whatever its widgets could not have said.

    Parameters
    ----------
    said : ClientState
    widgets : mapping of str to WidgetMetadata
        Those that the session has shown, by identifier.
    names : mapping of str to str
        Names of the files that the session has uploaded, by identifier.
    held : dict of str to int
        Bytes of what each widget of the session holds; changed.
    """
    kept = [
        state
        for state in said.widget_states.widgets
        if _has_room(state, held) and _may_say(state, widgets.get(state.id), names)
    ]
    if len(kept) < len(said.widget_states.widgets):
        for state in kept:
            held[state.id] = state.ByteSize()
        others = [WidgetState.FromString(one.SerializeToString()) for one in kept]
        del said.widget_states.widgets[:]
        said.widget_states.widgets.extend(others)
    if len(said.query_string) > MOST_TEXT:
        said.query_string = ""


def _has_room(state: WidgetState, held: dict[str, int]) -> bool:
    """Return whether a session may hold this as well, and note that it does."""
    size = state.ByteSize()
    others = sum(held.values()) - held.get(state.id, 0)
    if others + size > MOST_BYTES:
        return False
    held[state.id] = size
    return True


def _may_say(
    state: WidgetState, widget: WidgetMetadata[Any] | None, names: Mapping[str, str]
) -> bool:
    """Return whether a widget that was shown can have this value."""
    kind = state.WhichOneof("value")
    if widget is None:
        return False
    if kind is None:
        return True  # cleared
    if kind != widget.value_type and not {kind, widget.value_type} <= _NUMBERS:
        return False
    try:
        value = unpack_widget_state_value(state)
        reader = getattr(widget.deserializer, "__self__", None)
        if kind == "file_uploader_state_value":
            _check_names(state, getattr(reader, "allowed_types", None), names)
        elif kind == "json_value" and not isinstance(value, dict):
            return False  # what components say of themselves is an object
        else:
            widget.deserializer(value)
    except Exception:  # whatever it is, the page would fail at it as well
        return False
    if isinstance(reader, (TextInputSerde, TextAreaSerde)):
        return len(state.string_value) <= MOST_TEXT
    if widget.formatted_options is not None:
        said = [value] if isinstance(value, str) else value
        return set(said) <= set(widget.formatted_options)
    return True


def _check_names(
    state: WidgetState, suffixes: Sequence[str] | None, names: Mapping[str, str]
) -> None:
    for file in state.file_uploader_state_value.uploaded_file_info:
        name = names.get(file.file_id)
        if name is not None and suffixes:
            enforce_filename_restriction(name, suffixes)
