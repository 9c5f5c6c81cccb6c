"""Validation of browser messages: their kind, and values against a page's widgets.

Whoever sends messages by a program can say anything of any widget. Streamlit takes a
value for what its widget expects, keeps it, and fails at it whenever the page is drawn
again; and it hands on what no widget has offered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from streamlit.elements.lib.file_uploader_utils import enforce_filename_restriction
from streamlit.elements.widgets.number_input import NumberInputSerde
from streamlit.elements.widgets.selectbox import SelectboxSerde
from streamlit.elements.widgets.text_widgets import TextAreaSerde, TextInputSerde
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.state.common import WidgetMetadata, unpack_widget_state_value

MAX_TEXT_LENGTH = 10_000
"""Characters of a text that somebody types, and of an address."""

MAX_FILES = 20
"""Files for which a page may ask addresses at once; uploaders take one file."""

_KINDS = (
    "rerun_script",
    "stop_script",
    "set_run_on_save",
    "file_urls_request",
    "app_heartbeat",
    "backend_operation_request",
)
_OPERATIONS = ("deferred_file", "dataframe_chunk")
"""What pages send. Others would empty the caches of all, or write into this program."""

_NUMBERS = {"int_value", "double_value"}
_TEXTS = (TextInputSerde, TextAreaSerde)
_TEXT_KINDS = dict.fromkeys((SelectboxSerde, *_TEXTS), "string_value")
_EMPTIABLE = _TEXT_KINDS | {NumberInputSerde: "double_value"}
"""What fields say whose kind Streamlit forgets, once told that they are empty."""

Widgets = Mapping[str, WidgetMetadata[Any]]


def is_parsable_message(received: Mapping[str, Any]) -> bool:
    """Return whether a received event can be parsed as a browser message.

    Streamlit would log a traceback for each that cannot, as often as somebody likes.
    """
    return _parse(received) is not None


def _parse(received: Mapping[str, Any]) -> BackMsg | None:
    message: BackMsg | None = None
    with suppress(DecodeError, KeyError, TypeError):
        message = BackMsg.FromString(received["bytes"])
    return message


def is_supported_message(message: BackMsg) -> bool:
    """Return whether a browser message is of a kind and size that pages send."""
    kind = message.WhichOneof("type")
    if kind == "backend_operation_request":
        return message.backend_operation_request.WhichOneof("payload") in _OPERATIONS
    if kind == "file_urls_request":
        return len(message.file_urls_request.file_names) <= MAX_FILES
    return kind in _KINDS


def is_requested_rerun(received: Mapping[str, Any]) -> bool:
    """Return whether a received message asks for a rerun that is not automatic."""
    message = _parse(received) or BackMsg()
    is_run = message.WhichOneof("type") == "rerun_script"
    return is_run and not message.rerun_script.is_auto_rerun


def remove_impossible_widget_values(
    client_state: ClientState, widgets: Widgets, file_names: Mapping[str, str]
) -> None:
    """Remove impossible widget values and a too long query, in place.

    Parameters
    ----------
    client_state : ClientState
    widgets : mapping of str to WidgetMetadata
        Widgets that the session has shown, by identifier.
    file_names : mapping of str to str
        Names of the files that the session has uploaded, by identifier.
    """
    states = client_state.widget_states
    valid_states = [
        state
        for state in states.widgets
        if _is_possible_value(state, widgets.get(state.id), file_names)
    ]
    states.CopyFrom(WidgetStates(widgets=valid_states))
    if len(client_state.query_string) > MAX_TEXT_LENGTH:
        client_state.query_string = ""


def _is_possible_value(
    state: WidgetState, widget: WidgetMetadata[Any] | None, names: Mapping[str, str]
) -> bool:
    """Return whether a widget that was shown can have this value."""
    kind = state.WhichOneof("value")
    if widget is None or kind is None:
        return widget is not None  # cleared
    reader = getattr(widget.deserializer, "__self__", None)
    widget_kind = widget.value_type or _EMPTIABLE.get(type(reader))
    if kind != widget_kind and not {kind, widget_kind} <= _NUMBERS:
        return False
    try:
        value = unpack_widget_state_value(state)
        if kind == "file_uploader_state_value":
            _check_names(state, getattr(reader, "allowed_types", None), names)
        elif kind == "json_value" and not isinstance(value, dict):
            return False  # what components say of themselves is an object
        else:
            widget.deserializer(value)
    except Exception:  # whatever it is, the page would fail at it as well
        return False
    if isinstance(reader, _TEXTS):
        return len(state.string_value) <= MAX_TEXT_LENGTH
    if widget.formatted_options is not None:
        chosen = [value] if isinstance(value, str) else value
        return set(chosen) <= set(widget.formatted_options)
    return True


def _check_names(
    state: WidgetState, suffixes: Sequence[str] | None, names: Mapping[str, str]
) -> None:
    for file in state.file_uploader_state_value.uploaded_file_info:
        name = names.get(file.file_id)
        if name is not None and suffixes:
            enforce_filename_restriction(name, suffixes)
