"""What a workspace holds of the server's memory, and what it can do without."""

from __future__ import annotations

from dataclasses import replace

from dashboard.jobs.holdings import holdings
from dashboard.server import browsers, sign_in, tabs
from dashboard.state.findings import with_memo
from dashboard.state.memo import bytes_of
from dashboard.state.snapshot import History, frame_bytes, weight
from dashboard.state.workspace import Workspace
from engine.core.errors import InputError


def size(ws: Workspace) -> int:
    """Return about how many bytes a workspace holds."""
    frame = None if ws.table is None else ws.table.frame
    own = 0 if ws.table is None or ws.sample else frame_bytes(ws.table.frame)
    kept = [*ws.history.past, *ws.history.future, *(run.snapshot for run in ws.runs)]
    if ws.upload is not None:
        own += len(ws.upload.content)
    return own + weight(kept, frame) + sum(map(bytes_of, ws.memo.values()))


def fitted(ws: Workspace) -> Workspace:
    """Return a workspace, and count what it holds.

    Where that is more than its person may hold, it can no longer go back to earlier
    tables, and forgets results that nobody asks for now.
    """
    session, person = tabs.current(), _person()
    room = holdings().room(person, session)
    if room is None:
        return ws
    if size(ws) > room:
        ws = _lightened(ws)
    holdings().note(session, person, ws, size(ws))
    return ws


def refuse_too_large(before: Workspace, after: Workspace) -> None:
    """Refuse another table for which its person has no room.

    Raises
    ------
    InputError
        If there is none, one sentence.
    """
    earlier = None if before.table is None else before.table.frame
    if after.table is not None and after.table.frame is not earlier:
        needed = size(_lightened(after))
        why = holdings().why_not(needed, _person(), tabs.current())
        if why:
            raise InputError(why)


def _lightened(ws: Workspace) -> Workspace:
    runs = tuple(replace(run, snapshot=run.snapshot.lightened()) for run in ws.runs)
    return with_memo(replace(ws, history=History(), runs=runs), ws.memo, most=0)


def _person() -> str:
    return sign_in.user_id() or browsers.visit().browser or tabs.current()
