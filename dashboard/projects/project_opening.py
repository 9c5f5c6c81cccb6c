"""Opening a project: what happens between a drop and the work on screen."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from dashboard import state
from dashboard.execution.memo import Key
from dashboard.projects.project import SUFFIX
from dashboard.projects.project_reading import from_bytes
from dashboard.projects.resuming import arrived, resumed
from dashboard.words.engine_words import said as in_words
from dashboard.words.language import _, n_
from dashboard.words.markdown import plain
from engine.core.errors import EngineError
from engine.data.table import Table

_SAID = state.key("project", "said")
_WRONG = state.key("project", "wrong")


def is_project(name: str) -> bool:
    """Return whether a file's name is that of a project."""
    return name.lower().endswith(f".{SUFFIX}")


def open_project(content: bytes) -> None:
    """Take a project over; a file that is none leaves all as it was."""
    st.session_state[_SAID], st.session_state[_WRONG] = "", ""
    try:
        project = from_bytes(content)
    except EngineError as error:
        st.session_state[_WRONG] = in_words(str(error))
        return
    ws = state.adopt(resumed(state.workspace(), project))
    said = [_("The project {name} is open.").format(name=f"**{plain(project.name)}**")]
    said += _results(ws, project.kept)
    if ws.awaiting is not None:
        said.append(
            _("It waits for its data: open {file} on the Data page.").format(
                file=plain(ws.awaiting.origin.name or ws.awaiting.title)
            )
        )
    st.session_state[_SAID] = " ".join(said)


def open_awaited(table: Table, upload: state.Upload) -> None:
    """Give the project the table that it waits for."""
    before = state.workspace()
    ws = state.adopt(arrived(before, table, upload))
    st.session_state[_SAID] = " ".join(
        [_("These are the project's data."), *_results(ws, before.sleeping)]
    )


def _results(ws: state.Workspace, kept: Iterable[Key]) -> list[str]:
    """Return how many results are back, and how many cannot be."""
    kept, said = set(kept), []
    back = len(kept & set(ws.memo))
    lost = len(kept - set(ws.memo) - set(ws.sleeping))
    if back:
        words = n_("{count} result is back.", "{count} results are back.", back)
        said.append(words.format(count=back))
    if lost:
        words = n_(
            "{count} result cannot be made again from its groups alone: it has to run "
            "again.",
            "{count} results cannot be made again from their groups alone: they have "
            "to run again.",
            lost,
        )
        said.append(words.format(count=lost))
    return said


def what_came_of_it() -> None:
    """Say what the project that was opened last brought, until it was said once."""
    wrong = st.session_state.pop(_WRONG, "")
    if wrong:
        st.error(
            _("The project was not opened, and nothing has changed. {reason}").format(
                reason=wrong
            ),
            icon=":material/error:",
        )
    said = st.session_state.pop(_SAID, "")
    if said:
        st.success(said, icon=":material/folder_open:")
