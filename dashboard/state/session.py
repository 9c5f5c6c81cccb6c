"""Session state of one browser tab: its workspace, and the keys of its widgets.

Widget values vanish on page change, so every choice lives in one frozen
:class:`Workspace`. A page reads it with :func:`workspace`, changes it with
:func:`update_workspace`, and ties widgets to its fields with :func:`bind_widget`::

    ws = session.workspace()
    st.number_input("Seed", min_value=0, **session.bind_widget("seed"))
    st.slider("Gain", 0.0, 2.0, **session.bind_widget("parameters", "vmdav", "gamma"))

A run is started, followed and kept like this::

    job = jobs.start_run(ws.table, resolve_plans(ws), requested_results(ws))
    session.set_current_job(job)
    ...
    view = jobs.view_job(ws.job)     # in a fragment, every half second
    session.merge_job_results(view)  # from now on requested_results(ws) has them
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

from dashboard.audit import events
from dashboard.i18n import language
from dashboard.jobs.job_view import JobView
from dashboard.server import sign_in
from dashboard.server.adapter.access import current_script_run
from dashboard.state.caches import memory
from dashboard.state.new_tables.new_table import copy_with_sample, copy_with_table
from dashboard.state.results import job_results
from dashboard.state.results.requested import (
    requested_outcomes,
    requested_results,
    results_for_plans,
    selected_or_recommended_outcome,
)
from dashboard.state.results.run_log import copy_with_finished_run
from dashboard.state.results.runs import StartedRun
from dashboard.state.shared_choices import can_choice_be_none
from dashboard.state.snapshots import history
from dashboard.state.snapshots.restore import take_snapshot
from dashboard.state.snapshots.snapshot import Upload
from dashboard.state.tab_store import server_store_by_tab
from dashboard.state.workspace import (
    Workspace,
    copy_with_changes,
    resolve_plans,
    reuse_resolved_plans_in_place,
)
from engine.data.table import Table

# What pages take from here, and other modules define.
__all__ = [
    "Upload",
    "Workspace",
    "requested_outcomes",
    "requested_results",
    "resolve_plans",
    "results_for_plans",
    "selected_or_recommended_outcome",
]

_WORKSPACE_KEY = "workspace"
_WIDGET_PREFIX = "widget"


def workspace() -> Workspace:
    """Return this tab's workspace, that of its page before a reload, or a new one."""
    tab_object = st.session_state.get(_WORKSPACE_KEY)
    if isinstance(tab_object, Workspace):
        return tab_object
    leftover = server_store_by_tab().find_object()
    return replace_workspace(
        leftover if isinstance(leftover, Workspace) else copy_with_sample(Workspace())
    )


def update_workspace(**changes: Any) -> Workspace:
    """Change fields of this tab's workspace, and return the new one.

    Raises
    ------
    TypeError
        If the workspace has no such field: a mistake in the program.
    """
    return replace_workspace(copy_with_changes(workspace(), **changes))


def update_on_click(**changes: Any) -> None:
    """Change fields of this tab's workspace; return None, for use as a callback."""
    update_workspace(**changes)


def replace_workspace(ws: Workspace) -> Workspace:
    """Replace this tab's workspace, with an undo step if choices differ; return it."""
    before = st.session_state.get(_WORKSPACE_KEY)
    if isinstance(before, Workspace):
        ws = history.copy_with_undo_step(before, ws, time.monotonic())
    return _put(ws)


def _put(ws: Workspace) -> Workspace:
    ws = job_results.copy_with_restored_results(ws)
    before = st.session_state.get(_WORKSPACE_KEY)
    if isinstance(before, Workspace):
        ws = reuse_resolved_plans_in_place(before, ws)
    ws = memory.copy_within_quota_and_record_bytes(ws)
    st.session_state[_WORKSPACE_KEY] = ws
    _heard.language = ""
    server_store_by_tab().put_object(ws)
    return ws


def undo_last_change() -> Workspace:
    """Undo the last change of choices in this tab, if any; return the workspace."""
    return _put(history.copy_after_undo(workspace()))


def redo_last_undo() -> Workspace:
    """Redo the change undone last in this tab, if any; return the workspace."""
    return _put(history.copy_after_redo(workspace()))


class _Heard(threading.local):
    """The language that one run of the script has asked for; texts ask a lot."""

    script: object = None
    language: str = ""


_heard = _Heard()


def _language_code() -> str:
    """Return the language chosen in this tab, else the browser's."""
    script = current_script_run()
    if script is None or not script.session_id:
        return language.ENGLISH
    if _heard.script is not script or not _heard.language:
        tab_object = st.session_state.get(_WORKSPACE_KEY)
        chosen = tab_object.language if isinstance(tab_object, Workspace) else ""
        _heard.script = script
        _heard.language = chosen or language.match_locale(st.context.locale)
    return _heard.language


language.set_language_source(_language_code)


def adopt_opened(ws: Workspace) -> Workspace:
    """Replace this tab's workspace by what was opened, log it, return it as stored.

    Raises
    ------
    InputError
        If this person has no room for its table here.
    AuditError
        If it cannot be logged; so for all that opens a table.
    """
    memory.refuse_workspace_above_quota(workspace(), ws)
    _log_opening(ws)
    return replace_workspace(ws)


def open_sample(sample_id: str) -> Workspace:
    """Open a sample table in this tab, with the roles of its own schema.

    Raises
    ------
    ParameterError
        If there is no such sample.
    """
    ws = copy_with_sample(workspace(), sample_id)
    _log_opening(ws)
    return replace_workspace(ws)


def open_table(table: Table, upload: Upload | None = None) -> Workspace:
    """Open an uploaded table in this tab, keeping the choices that still apply.

    Roles and kinds stay for columns of the same name, if the two tables have at
    least half of their columns in common; all else stays where it still applies.
    ``notes`` of the workspace says what does not apply any more.

    Raises
    ------
    InputError
        If this person has no room for it here.
    """
    return adopt_opened(copy_with_table(workspace(), table, upload))


def _log_opening(ws: Workspace) -> None:
    if (table := ws.table) is not None:
        who = sign_in.signed_in_person_id()
        events.log_event("open", who, table=table.fingerprint, records=table.n_records)


def set_current_job(job_id: str, is_automatic: bool = False) -> Workspace:
    """Make a started job this tab's current one; return the stored workspace."""
    ws = workspace()
    started_run = StartedRun(job_id, take_snapshot(ws), is_automatic)
    return replace_workspace(replace(ws, job=job_id, begun=started_run))


def merge_job_results(job_view: JobView) -> Workspace:
    """Store a job's results so far in this tab's workspace, and return it."""
    ws = workspace()
    results = {**job_view.so_far, **job_view.results}
    with_them = job_results.copy_with_results(
        ws, job_view.table, job_view.plans, results
    )
    with_them = job_results.copy_with_findings(with_them, job_view)
    with_them = job_results.copy_with_timings(with_them, job_view)
    with_them = job_results.copy_with_need_answer(with_them, job_view)
    with_them = copy_with_finished_run(with_them, job_view, datetime.now(UTC))
    return ws if with_them is ws else replace_workspace(with_them)


def select_table_rows(widget_key: str, rows: list[int]) -> None:
    """Set the rows selected in a table widget, by its key in the session state."""
    st.session_state[widget_key] = {"selection": {"rows": rows}}


def widget_key(*name_parts: Hashable) -> str:
    """Return the session key of a widget, made of the parts of its name."""
    return ":".join([_WIDGET_PREFIX, *map(str, name_parts)])


def bind_widget(
    field_name: str,
    *path: str,
    default: Any = None,
    to_widget: Callable[[Any], Any] | None = None,
    from_widget: Callable[[Any], Any] | None = None,
) -> dict[str, Any]:
    """Set a widget to a workspace field's value; return arguments that bind it.

    Do not give the widget a value or default of its own.

    Parameters
    ----------
    field_name : str
        Field of :class:`Workspace`.
    *path : str
        Inside a mapping, as in ``bind_widget("parameters", "vmdav", "gamma")``.
    default : object, optional
        Shown where the mapping says nothing.
    to_widget, from_widget : callable, optional
        From the field's value to the widget's, and back. Lists become tuples by
        themselves; None takes an entry out of a mapping.

    Returns
    -------
    dict
        ``key``, ``on_change`` and ``args``, for ``st.slider("k",
        **bind_widget(...))``; ``disabled`` where another choice excludes this one.
    """
    if field_name not in {entry.name for entry in fields(Workspace)}:
        raise TypeError(f"a workspace has no field {field_name!r}")
    widget = widget_key(field_name, *path)
    value = _field_value(workspace(), field_name, path, default)
    if to_widget is not None:
        value = to_widget(value)
    if isinstance(value, tuple):
        value = list(value)
    # Every time, and not only when it differs: a click that interrupts the run in
    # which a browser is first told the value would leave the widget empty there, and
    # the next click would bring the emptiness back here.
    st.session_state[widget] = value
    greyed = {"disabled": True} if field_name in workspace().excluded_choices else {}
    return greyed | {
        "key": widget,
        "on_change": _copy_back,
        "args": (field_name, path, widget, from_widget),
    }


def _field_value(ws: Workspace, name: str, path: tuple[str, ...], default: Any) -> Any:
    value = getattr(ws, name)
    for step in path[:-1]:
        value = value.get(step, {})
    return value.get(path[-1], default) if path else value


def _copy_back(
    name: str, path: tuple[str, ...], widget: str, read: Callable[[Any], Any] | None
) -> None:
    value = st.session_state[widget]
    if isinstance(value, list):
        value = tuple(value)
    if read is not None:
        value = read(value)
    if value is None and not path and not can_choice_be_none(name):
        return  # no page lets go of it; a program that speaks for one can
    update_workspace(
        **{name: _replace_at_path(getattr(workspace(), name), path, value)}
    )


def _replace_at_path(whole: Any, path: tuple[str, ...], value: Any) -> Any:
    """Return a mapping with the value at `path` replaced, the rest shared."""
    if not path:
        return value
    inner = whole.get(path[0], {})
    entry = _replace_at_path(inner, path[1:], value)
    rest = {name: child for name, child in whole.items() if name != path[0]}
    return MappingProxyType(rest if entry is None else {**whole, path[0]: entry})
