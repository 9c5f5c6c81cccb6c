"""Session state of one browser tab: the only file that names session keys.

Widget values vanish on page change, so every choice lives in one frozen
:class:`Workspace`. A page reads it with :func:`workspace`, changes it with
:func:`update`, and ties widgets to its fields with :func:`bound`::

    ws = state.workspace()
    st.number_input("Seed", min_value=0, **state.bound("seed"))
    st.slider("Gain", 0.0, 2.0, **state.bound("parameters", "vmdav", "gamma"))

A run is started, followed and kept like this::

    job = jobs.start(ws.table, state.plans(ws), known=state.results(ws))
    state.begin(job)
    ...
    view = jobs.view(ws.job)      # in a fragment, every half second
    state.collect(view)           # from now on state.results(ws) has them
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from dataclasses import fields, replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

import streamlit as st

from dashboard.i18n import language
from dashboard.jobs.job_view import JobView
from dashboard.server import audit, tabs
from dashboard.server.adapter.access import current_run
from dashboard.state import history
from dashboard.state.findings import with_findings, with_results, with_timings
from dashboard.state.holding import fitted, refuse_too_large
from dashboard.state.new_table import with_sample, with_table
from dashboard.state.restore import take_snapshot
from dashboard.state.run_log import keep_unasked, record_run, record_shown
from dashboard.state.runs import Begun
from dashboard.state.saved_results import with_saved_results
from dashboard.state.shared_choices import may_be_none
from dashboard.state.snapshot import Upload
from dashboard.state.workspace import (
    Workspace,
    carried_over,
    changed,
    outcomes,
    plans,
    results,
    results_of,
    selected,
)
from engine.data.table import Table

__all__ = [
    "Upload",
    "Workspace",
    "adopt",
    "adopt_project",
    "begin",
    "bound",
    "collect",
    "collect_ahead",
    "key",
    "list_shown",
    "mark_rows",
    "open_sample",
    "open_table",
    "outcomes",
    "plans",
    "redo",
    "results",
    "results_of",
    "selected",
    "undo",
    "update",
    "workspace",
]

_WORKSPACE = "workspace"
_WIDGET = "widget"


def workspace() -> Workspace:
    """Return this tab's workspace: as it was, also after a reload, or a new one.

    A new one holds the default sample.
    """
    return _current()


def update(**changes: Any) -> Workspace:
    """Change some fields of this tab's workspace and return the new one.

    Raises
    ------
    TypeError
        If the workspace has no such field: a mistake in the program.
    """
    return _keep(changed(_current(), **changes))


def change(**changes: Any) -> None:
    """Do what :func:`update` does, for a click."""
    update(**changes)


def _current() -> Workspace:
    found = st.session_state.get(_WORKSPACE)
    if isinstance(found, Workspace):
        return found
    left = tabs.shelf().find()
    return _keep(left if isinstance(left, Workspace) else with_sample(Workspace()))


def _keep(ws: Workspace) -> Workspace:
    """Make this the tab's workspace; what it changes of the choices can be undone."""
    before = st.session_state.get(_WORKSPACE)
    if isinstance(before, Workspace):
        ws = history.record(before, ws, time.monotonic())
    return _put(ws)


def _put(ws: Workspace) -> Workspace:
    ws = with_saved_results(ws)
    before = st.session_state.get(_WORKSPACE)
    if isinstance(before, Workspace):
        ws = carried_over(before, ws)
    ws = fitted(ws)
    st.session_state[_WORKSPACE] = ws
    _heard.language = ""
    tabs.shelf().put(ws)
    return ws


def undo() -> Workspace:
    """Take the last change of a choice back; results stay."""
    return _put(history.undo(_current()))


def redo() -> Workspace:
    """Make the change again that was undone last."""
    return _put(history.redo(_current()))


class _Heard(threading.local):
    """The language that one run of the script has asked for; texts ask a lot."""

    script: object = None
    language: str = ""


_heard = _Heard()


def _language() -> str:
    """Return the language that this tab has chosen, or else its browser's."""
    script = current_run()
    if script is None or not script.session_id:
        return language.ENGLISH
    if _heard.script is not script or not _heard.language:
        found = st.session_state.get(_WORKSPACE)
        chosen = found.language if isinstance(found, Workspace) else ""
        _heard.script = script
        _heard.language = chosen or language.nearest(st.context.locale)
    return _heard.language


language.follow(_language)


def adopt(ws: Workspace) -> Workspace:
    """Take over a whole workspace, such as one that a plan has restored."""
    return _keep(ws)


def adopt_project(ws: Workspace) -> Workspace:
    """Take over a workspace with what a project has brought.

    Raises
    ------
    InputError
        If this person has no room for its table here.
    """
    refuse_too_large(_current(), ws)
    return _keep(ws)


def open_sample(sample_id: str) -> Workspace:
    """Open a table that comes with Coterie, with the roles of its own schema.

    Raises
    ------
    ParameterError
        If there is no such sample.
    """
    return _keep(with_sample(_current(), sample_id))


def open_table(table: Table, upload: Upload | None = None) -> Workspace:
    """Open an uploaded table; choices that still make sense stay.

    Roles and kinds stay for columns of the same name, if the two tables have at
    least half of their columns in common; k, methods and all else stays always.
    ``notes`` of the workspace says what does not apply any more.

    Raises
    ------
    InputError
        If this person has no room for it here.
    """
    ws = with_table(_current(), table, upload)
    refuse_too_large(_current(), ws)
    audit.record("open", table=table.fingerprint, records=table.n_records)
    return _keep(ws)


def begin(job: str, by_itself: bool = False) -> Workspace:
    """Follow a run that was started with the current choices.

    `by_itself` says that nobody has asked for it.
    """
    ws = _current()
    begun = Begun(job, take_snapshot(ws), by_itself)
    return _keep(replace(ws, job=job, begun=begun))


def collect(view: JobView) -> Workspace:
    """Keep a run's results so far in the workspace and return it."""
    ws = _current()
    found = {**view.so_far, **view.results}
    with_them = with_results(ws, view.table, view.plans, found)
    with_them = with_findings(with_them, view)
    with_them = with_timings(with_them, view)
    with_them = record_run(with_them, view, datetime.now(UTC))
    return ws if with_them is ws else _keep(with_them)


def collect_ahead(view: JobView) -> Workspace:
    """Keep what was worked out before anybody asked; it is no run of anybody's."""
    ws = _current()
    with_them = keep_unasked(ws, view)
    return ws if with_them is ws else _keep(with_them)


def list_shown() -> Workspace:
    """List what is shown among the runs, if it was worked out before it was asked."""
    ws = _current()
    listed = record_shown(ws, datetime.now(UTC))
    return ws if listed is ws else _keep(listed)


def mark_rows(widget: str, rows: list[int]) -> None:
    """Have a table on screen, by its key, show these rows as selected."""
    st.session_state[widget] = {"selection": {"rows": rows}}


def key(*parts: Hashable) -> str:
    """Return a session key for a widget that is not tied to a field."""
    return ":".join([_WIDGET, *map(str, parts)])


def bound(
    name: str,
    *path: str,
    default: Any = None,
    show: Callable[[Any], Any] | None = None,
    read: Callable[[Any], Any] | None = None,
) -> dict[str, Any]:
    """Return the arguments that tie a widget to a field of the workspace.

    Do not give the widget a value or default of its own.

    Parameters
    ----------
    name : str
        Field of :class:`Workspace`.
    *path : str
        Inside a mapping, as in ``bound("parameters", "vmdav", "gamma")``.
    default : object, optional
        Shown where the mapping says nothing.
    show, read : callable, optional
        From the field's value to the widget's, and back. Lists become tuples by
        themselves; None takes an entry out of a mapping.

    Returns
    -------
    dict
        ``key``, ``on_change`` and ``args``, for ``st.slider("k", **bound(...))``.
    """
    if name not in {entry.name for entry in fields(Workspace)}:
        raise TypeError(f"a workspace has no field {name!r}")
    widget = key(name, *path)
    value = _field(_current(), name, path, default)
    if show is not None:
        value = show(value)
    if isinstance(value, tuple):
        value = list(value)
    # Every time, and not only when it differs: a click that interrupts the run in
    # which a browser is first told the value would leave the widget empty there, and
    # the next click would bring the emptiness back here.
    st.session_state[widget] = value
    return {"key": widget, "on_change": _copy_back, "args": (name, path, widget, read)}


def _field(ws: Workspace, name: str, path: tuple[str, ...], default: Any) -> Any:
    value = getattr(ws, name)
    for step in path[:-1]:
        value = value.get(step, {})
    return value.get(path[-1], default) if path else value


def _copy_back(
    name: str,
    path: tuple[str, ...],
    widget: str,
    read: Callable[[Any], Any] | None,
) -> None:
    value = st.session_state[widget]
    if isinstance(value, list):
        value = tuple(value)
    if read is not None:
        value = read(value)
    if value is None and not path and not may_be_none(name):
        return  # no page lets go of it; a program that speaks for one can
    update(**{name: _changed(getattr(_current(), name), path, value)})


def _changed(whole: Any, path: tuple[str, ...], value: Any) -> Any:
    """Return a mapping with the value at `path` replaced, the rest shared."""
    if not path:
        return value
    inner = whole.get(path[0], {})
    entry = _changed(inner, path[1:], value)
    rest = {name: one for name, one in whole.items() if name != path[0]}
    return MappingProxyType(rest if entry is None else {**whole, path[0]: entry})
