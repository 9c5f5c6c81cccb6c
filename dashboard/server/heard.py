"""What browsers have said of their widgets: a later click wins over an earlier page.

A page has each choice shown as the workspace has it, and says with each click what all
of its widgets hold. Both may be out of date when they arrive. Told what it had said
itself, a browser would take back what was clicked meanwhile; and what it says of a
widget that it has been told another value of, before it can know, is nobody's choice.
And Streamlit takes up the next click as soon as a script asks for anything, even while
it works in the last one, which would never be done then.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field, replace
from typing import Any

from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
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

SEEN = 0.2
"""Seconds from when a browser is told a value until somebody may have acted on it."""

_ARRIVED = "arrived"
_HEARD = STREAMLIT_INTERNAL_KEY_PREFIX + "_HEARD"


@dataclass
class _Heard:
    """What one session's browser said last, and when.

    And of which widgets it was told a value: when, and what it had said till then.
    """

    since: float = 0.0
    said: dict[str, bytes] = field(default_factory=dict)
    told: dict[str, tuple[float, bytes | None]] = field(default_factory=dict)


def take_in(session: AppSession, said: WidgetStates) -> None:
    """Note in what a page says when it arrived, and add what nobody has taken up yet.

    Parameters
    ----------
    session : AppSession
        The page's.
    said : WidgetStates
        Changed.
    """
    runner = session._scriptrunner
    if runner is not None and runner._requests._state == ScriptRequestType.RERUN:
        waiting = runner._requests._rerun_data.widget_states
        both = _coalesce_widget_states(waiting, said)  # a button is told of once
        if both is not None:
            said.CopyFrom(both)
    others = [one for one in said.widgets if one.id != _ARRIVED]
    now = WidgetState(id=_ARRIVED, double_value=time.monotonic())
    said.CopyFrom(WidgetStates(widgets=[*others, now]))


def heed_browsers() -> None:
    """Have Streamlit know what browsers have said, and what they could not know."""
    rerun, register = SessionState.on_script_will_rerun, SessionState.register_widget

    def on_script_will_rerun(
        self: SessionState, fresh: WidgetStates | None, **others: Any
    ) -> None:
        rerun(self, None if fresh is None else _known(_heard(self), fresh), **others)

    def register_widget(
        self: SessionState, metadata: WidgetMetadata[Any], user_key: str | None
    ) -> RegisterWidgetResult[Any]:
        heard, one = _heard(self), metadata.id
        result = register(self, metadata, user_key)
        if not result.value_changed or metadata.value_type in _TRIGGER_PROTO_FIELDS:
            return result  # a click is never a repetition
        said = self._new_widget_state
        if one in heard.said and one in said and _alike(said[one], result.value):
            # As the browser has it: Streamlit tells it where the order differs, too.
            return replace(result, value=said[one], value_changed=False)
        heard.told[one] = time.monotonic(), heard.said.get(one)
        return result

    SessionState.on_script_will_rerun = on_script_will_rerun  # type: ignore[method-assign, assignment]
    SessionState.register_widget = register_widget  # type: ignore[method-assign]


def finish_callbacks() -> None:
    """Have Streamlit work in all that was done on a page before it takes up more.

    What was said before that which was worked in last has come too late.
    """
    hear = SafeSessionState.on_script_will_rerun
    look = ScriptRunner._maybe_handle_execution_control_request
    here = threading.local()

    def on_script_will_rerun(
        self: SafeSessionState, fresh: WidgetStates | None, **others: Any
    ) -> None:
        late = fresh is not None and _arrival(fresh) < _heard(self._state).since
        here.hearing = not late
        try:
            hear(self, fresh, **others)
        finally:
            here.hearing = False

    def look_for_more(self: ScriptRunner) -> None:
        if not getattr(here, "hearing", False):
            look(self)

    SafeSessionState.on_script_will_rerun = on_script_will_rerun  # type: ignore[method-assign, assignment]
    ScriptRunner._maybe_handle_execution_control_request = look_for_more  # type: ignore[method-assign]


def _heard(state: SessionState) -> _Heard:
    found: _Heard = state._old_state.setdefault(_HEARD, _Heard())
    return found


def _arrival(said: WidgetStates) -> float:
    """Return when a page said it: now, where nobody has noted it."""
    noted = (one.double_value for one in said.widgets if one.id == _ARRIVED)
    return next(noted, time.monotonic())


def _known(heard: _Heard, fresh: WidgetStates) -> WidgetStates:
    """Return what a page says, without what it repeats in ignorance."""
    heard.since = _arrival(fresh)
    widgets = [one for one in fresh.widgets if one.id != _ARRIVED]
    said = {one.id: one.SerializeToString() for one in widgets}
    limit = heard.since - SEEN
    heard.told = {one: told for one, told in heard.told.items() if told[0] > limit}
    stale = {one for one, (_, was) in heard.told.items() if said.get(one) == was}
    heard.said = said
    return WidgetStates(widgets=[one for one in widgets if one.id not in stale])


def _alike(said: object, value: object) -> bool:
    """Return whether two values show the same; of several ones, in whatever order."""
    if isinstance(said, list) and isinstance(value, list):
        return len(said) == len(value) and all(one in value for one in said)
    return type(said) is type(value) and bool(said == value)
