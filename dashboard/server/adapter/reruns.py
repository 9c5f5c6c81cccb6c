"""Reruns of page scripts in Streamlit, patched so that no click is lost.

A page shows each choice as the workspace has it, and says with each click what all of
its widgets hold. Both may be out of date when they arrive. Told what it had said
itself, a browser would take back what was clicked meanwhile; and what it says of a
widget that it has been told another value of, before it can know, is nobody's choice.
Streamlit also stops a callback for the next click, loses a click that still waits when
another one comes, ignores the end of a run when a part of the page is asked for, and
lets go of a browser that is busy drawing.

Known there, below https://github.com/streamlit/streamlit/: that a click ends what
writes state (issues/10578, open), callbacks that have old values (issues/8365),
choices lost to quick clicks (issues/4836), pages that run for ever (issues/9632), and
the queue that closes at 500 messages (pull/13372). What is mended here is shown by a
test for each, without it and with it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import wraps
from types import SimpleNamespace
from typing import Any

from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.app_session import AppSession, AppSessionState
from streamlit.runtime.scriptrunner import RerunData, ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_requests import (
    _TRIGGER_PROTO_FIELDS,
    ScriptRequestType,
    _coalesce_widget_states,
)
from streamlit.runtime.state.common import RegisterWidgetResult, WidgetMetadata
from streamlit.runtime.state.safe_session_state import SafeSessionState
from streamlit.runtime.state.session_state import (
    STREAMLIT_INTERNAL_KEY_PREFIX,
    SessionState,
)
from streamlit.web.server.starlette import starlette_websocket

REACTION_SECONDS = 0.2
"""Seconds from when a browser is told a value until somebody may have acted on it."""

RETRY_SECONDS = 0.02
"""Seconds until it is looked again whether the run before has ended."""

MAX_WAITING_MESSAGES = 5_000
"""Messages for a drawing browser: thirty pages, ten times what Streamlit holds."""

_ARRIVAL = "arrival"
_SYNC = STREAMLIT_INTERNAL_KEY_PREFIX + "_WIDGET_SYNC"


@dataclass
class _WidgetSync:
    """What one session's browser said last, when, and what it was told since.

    Attributes
    ----------
    since : float
        When the rerun arrived that was worked in last.
    said : dict of str to bytes
        States of widgets, serialised, by identifier.
    told : dict of str to tuple of float and bytes or None
        When a widget was told a value, and what it had said until then.
    callbacks : lock
        Held while callbacks run: the next click's run already has a thread.
    """

    since: float = 0.0
    said: dict[str, bytes] = field(default_factory=dict)
    told: dict[str, tuple[float, bytes | None]] = field(default_factory=dict)
    callbacks: Any = field(default_factory=threading.RLock)


def add_arrival_and_clicks(session: AppSession, widget_states: WidgetStates) -> None:
    """Add the arrival time and unprocessed clicks to a rerun's widget states, in place.

    Parameters
    ----------
    session : AppSession
        The page's.
    widget_states : WidgetStates
        Changed.
    """
    runner = session._scriptrunner
    if runner is not None and runner._requests._state == ScriptRequestType.RERUN:
        waiting = runner._requests._rerun_data.widget_states
        # A click is said once.
        all_states = _coalesce_widget_states(waiting, widget_states) or widget_states
        widget_states.CopyFrom(all_states)
    widgets = [state for state in widget_states.widgets if state.id != _ARRIVAL]
    now = WidgetState(id=_ARRIVAL, double_value=time.monotonic())
    widget_states.CopyFrom(WidgetStates(widgets=[*widgets, now]))


def patch_to_drop_stale_values() -> None:
    """Patch Streamlit to drop outdated widget values and to complete begun callbacks.

    What was said before that which was worked in last has come too late.
    """
    rerun = SafeSessionState.on_script_will_rerun
    register = SafeSessionState.register_widget

    @wraps(rerun)
    def on_script_will_rerun(
        self: SafeSessionState, fresh: WidgetStates | None, **options: Any
    ) -> None:
        sync = _sync(self._state)
        with sync.callbacks:
            if fresh is None:
                rerun(self, None, **options)
                return
            is_late = _arrival(fresh) < sync.since
            with nullcontext() if is_late else _uninterrupted(self):
                self._yield_callback()
                rerun(self, _without_stale(sync, fresh), **options)

    @wraps(register)
    def register_widget(
        self: SafeSessionState, metadata: WidgetMetadata[Any], user_key: str | None
    ) -> RegisterWidgetResult[Any]:
        result = register(self, metadata, user_key)
        if not result.value_changed or metadata.value_type in _TRIGGER_PROTO_FIELDS:
            return result  # a click is never a repetition
        sync, widget = _sync(self._state), metadata.id
        states = self._state._new_widget_state
        if (
            widget in sync.said
            and widget in states
            and _is_same(states[widget], result.value)
        ):
            # As the browser has it: Streamlit tells it where the order differs, too.
            return replace(result, value=states[widget], value_changed=False)
        sync.told[widget] = time.monotonic(), sync.said.get(widget)
        return result

    SafeSessionState.on_script_will_rerun = on_script_will_rerun  # type: ignore[method-assign, assignment]
    SafeSessionState.register_widget = register_widget  # type: ignore[method-assign]


def patch_fragments_to_await_previous_run() -> None:
    """Patch Streamlit to start a fragment only after the previous run has ended.

    Streamlit ignores what is left of it, and its end, as soon as there is another run:
    the browser would wait for ever.
    """
    create = AppSession._create_scriptrunner

    @wraps(create)
    def create_after(self: AppSession, wanted: RerunData) -> None:
        runner = self._scriptrunner
        if runner is None or not wanted.fragment_id:
            create(self, wanted)
        elif not runner.request_rerun(wanted):  # it is ending
            self._event_loop.call_later(RETRY_SECONDS, retry, self, wanted, runner)

    def retry(self: AppSession, wanted: RerunData, ending: ScriptRunner) -> None:
        if self._state == AppSessionState.SHUTDOWN_REQUESTED:
            return
        is_redrawn = self._scriptrunner not in (ending, None)
        if self.has_fragment(str(wanted.fragment_id)) and not (
            is_redrawn and wanted.is_auto_rerun
        ):
            create_after(self, wanted)

    AppSession._create_scriptrunner = create_after  # type: ignore[method-assign, assignment]


def raise_send_queue_limit() -> None:
    """Raise Streamlit's limit of messages queued for a slow browser.

    It closes its queue where two pages wait, and leaves the connection open: the page
    would stand still for ever.
    """
    starlette_websocket.WEBSOCKET_MAX_SEND_QUEUE_SIZE = MAX_WAITING_MESSAGES  # type: ignore[attr-defined]


@contextmanager
def _uninterrupted(state: SafeSessionState) -> Iterator[None]:
    """Have a script take up no other request, for as long as the block takes."""
    nobody = SimpleNamespace(_execing=False)
    runner: Any = getattr(state._yield_callback, "__self__", nobody)
    before, runner._execing = runner._execing, False
    try:
        yield
    finally:
        runner._execing = before


def _sync(state: SessionState) -> _WidgetSync:
    sync: _WidgetSync = state._old_state.setdefault(_SYNC, _WidgetSync())
    return sync


def _arrival(states: WidgetStates) -> float:
    """Return when a rerun arrived: now, where nobody has noted it."""
    noted = (state.double_value for state in states.widgets if state.id == _ARRIVAL)
    return next(noted, time.monotonic())


def _without_stale(sync: _WidgetSync, fresh: WidgetStates) -> WidgetStates:
    """Return what a page says, without what it repeats in ignorance."""
    sync.since = _arrival(fresh)
    widgets = [state for state in fresh.widgets if state.id != _ARRIVAL]
    payloads = {state.id: state.SerializeToString() for state in widgets}
    limit = sync.since - REACTION_SECONDS
    sync.told = {widget: pair for widget, pair in sync.told.items() if pair[0] > limit}
    stale = {
        widget for widget, (_, was) in sync.told.items() if payloads.get(widget) == was
    }
    sync.said = payloads
    return WidgetStates(widgets=[state for state in widgets if state.id not in stale])


def _is_same(first: object, value: object) -> bool:
    """Return whether two values show the same; of several ones, in whatever order."""
    if isinstance(first, list) and isinstance(value, list):
        return len(first) == len(value) and all(item in value for item in first)
    return type(first) is type(value) and bool(first == value)
