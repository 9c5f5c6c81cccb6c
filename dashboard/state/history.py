"""Undo and redo: the choices before each change, and those after an undone one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from dashboard.state.restore import restore, take_snapshot
from dashboard.state.snapshot import History, Snapshot, same, weight
from dashboard.state.workspace import Workspace

STEPS = 100
"""Changes that can be undone."""


MAX_BYTES = 2**30
"""Records of earlier tables that are kept to go back to."""


BREATH = 2.0
"""Seconds within which two changes of one number are one step."""


def record(before: Workspace, after: Workspace, now: float) -> Workspace:
    """Return `after` with a history in which the choices of `before` can be found.

    Parameters
    ----------
    before, after : Workspace
    now : float
        Seconds on a clock that never goes back.
    """
    was, is_ = take_snapshot(before), take_snapshot(after)
    history = before.history
    if same(was, is_) or _filled_in(was, is_):
        return replace(after, history=history)
    number = _one_number(was, is_)
    same_breath = number == history.number and now - history.when < BREATH
    if number and same_breath and history.past and not history.future:
        past = history.past
        if same(past[-1], is_):  # back where it began
            past, number = past[:-1], ()
    else:
        past = (*history.past, was)
    kept = _bounded(past, is_.frame)
    return replace(after, history=History(kept, (), number, now))


def undo(ws: Workspace) -> Workspace:
    """Return the workspace with the choices before the last change."""
    past, future = ws.history.past, ws.history.future
    if not past:
        return ws
    history = History(past[:-1], (*future, take_snapshot(ws)))
    return replace(restore(ws, past[-1]), history=history)


def redo(ws: Workspace) -> Workspace:
    """Return the workspace with the choices before the last undo."""
    past, future = ws.history.past, ws.history.future
    if not future:
        return ws
    history = History((*past, take_snapshot(ws)), future[:-1])
    return replace(restore(ws, future[-1]), history=history)


def _bounded(
    past: tuple[Snapshot, ...], current: pd.DataFrame | None
) -> tuple[Snapshot, ...]:
    """Return the past without the oldest steps above the limits."""
    past = past[-STEPS:]
    while past and weight(past, current) > MAX_BYTES:
        past = past[1:]
    return past


def _filled_in(was: Snapshot, is_: Snapshot) -> bool:
    """Return whether a page has only drawn the number that a choice needs.

    Were that a step, undo would lead to where the page draws one again.
    """
    if was.source != is_.source:
        return False
    found = list(differences(was.choices, is_.choices))
    return [(path, before) for path, before, _ in found] == [(("shuffle_seed",), None)]


def _one_number(was: Snapshot, is_: Snapshot) -> tuple[str, ...]:
    """Return where the one number lies in which two snapshots differ, if it is so."""
    if was.source is not is_.source and was.source != is_.source:
        return ()
    found = list(differences(was.choices, is_.choices))
    if len(found) != 1:
        return ()
    path, before, after = found[0]
    return path if _is_number(before) or _is_number(after) else ()


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def differences(
    one: Mapping[str, Any], other: Mapping[str, Any]
) -> Iterator[tuple[tuple[str, ...], Any, Any]]:
    """Yield each difference: where, and both values; None where there is none."""
    for name in dict.fromkeys((*one, *other)):
        a, b = one.get(name), other.get(name)
        if a == b:
            continue
        if isinstance(a, Mapping) or isinstance(b, Mapping):
            for path, before, after in differences(a or {}, b or {}):
                yield (name, *path), before, after
        else:
            yield (name,), a, b
