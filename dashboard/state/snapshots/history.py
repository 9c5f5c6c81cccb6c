"""Undo and redo of choices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from dashboard.state.snapshots.restore import copy_with_snapshot, take_snapshot
from dashboard.state.snapshots.snapshot import (
    Snapshot,
    UndoSnapshots,
    have_same_choices,
    total_snapshot_nbytes,
)
from dashboard.state.workspace import Workspace

MAX_UNDO_STEPS = 100
"""Changes that can be undone."""


MAX_UNDO_BYTES = 2**30
"""Bytes of earlier tables' records that are kept for undo."""


COALESCE_SECONDS = 2.0
"""Seconds within which two changes of one number become one undo step."""


def copy_with_undo_step(
    old: Workspace, new: Workspace, clock_seconds: float
) -> Workspace:
    """Return the new workspace with the old history, and a step if choices differ.

    Parameters
    ----------
    old, new : Workspace
    clock_seconds : float
        Seconds on a clock that never goes back.
    """
    was, is_ = take_snapshot(old), take_snapshot(new)
    history = old.history
    if have_same_choices(was, is_) or _is_default_filled_in(was, is_):
        return replace(new, history=history)
    number = _single_number_path(was, is_)
    same_breath = (
        number == history.number and clock_seconds - history.when < COALESCE_SECONDS
    )
    if number and same_breath and history.past and not history.future:
        past = history.past
        if have_same_choices(past[-1], is_):  # back where it began
            past, number = past[:-1], ()
    else:
        past = (*history.past, was)
    steps = _trim_history(past, is_.frame)
    return replace(new, history=UndoSnapshots(steps, (), number, clock_seconds))


def copy_after_undo(ws: Workspace) -> Workspace:
    """Return the workspace with the choices that it had before the last change."""
    past, future = ws.history.past, ws.history.future
    if not past:
        return ws
    history = UndoSnapshots(past[:-1], (*future, take_snapshot(ws)))
    return replace(copy_with_snapshot(ws, past[-1]), history=history)


def copy_after_redo(ws: Workspace) -> Workspace:
    """Return the workspace with the choices that it had before the last undo."""
    past, future = ws.history.past, ws.history.future
    if not future:
        return ws
    history = UndoSnapshots((*past, take_snapshot(ws)), future[:-1])
    return replace(copy_with_snapshot(ws, future[-1]), history=history)


def _trim_history(
    past: tuple[Snapshot, ...], current: pd.DataFrame | None
) -> tuple[Snapshot, ...]:
    """Return the past without the oldest steps above the limits."""
    past = past[-MAX_UNDO_STEPS:]
    while past and total_snapshot_nbytes(past, current) > MAX_UNDO_BYTES:
        past = past[1:]
    return past


def _is_default_filled_in(was: Snapshot, is_: Snapshot) -> bool:
    """Return whether a page has merely filled in a default that a choice needs.

    Were that a step, undo would lead to where the page draws one again.
    """
    if was.source != is_.source:
        return False
    edits = list(iterate_differences(was.choices, is_.choices))
    return [(path, before) for path, before, _ in edits] == [(("shuffle_seed",), None)]


def _single_number_path(was: Snapshot, is_: Snapshot) -> tuple[str, ...]:
    """Return the path of the only difference, if that is one number."""
    if was.source is not is_.source and was.source != is_.source:
        return ()
    changes = list(iterate_differences(was.choices, is_.choices))
    if len(changes) != 1:
        return ()
    path, before, after = changes[0]
    return path if _is_number(before) or _is_number(after) else ()


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def iterate_differences(
    old_values: Mapping[str, Any], new_values: Mapping[str, Any]
) -> Iterator[tuple[tuple[str, ...], Any, Any]]:
    """Yield path, old and new value of each difference; None for an absent value."""
    for name in dict.fromkeys((*old_values, *new_values)):
        a, b = old_values.get(name), new_values.get(name)
        if a == b:
            continue
        if isinstance(a, Mapping) or isinstance(b, Mapping):
            for path, before, after in iterate_differences(a or {}, b or {}):
                yield (name, *path), before, after
        else:
            yield (name,), a, b
