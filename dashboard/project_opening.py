"""Opening a project: what happens between a drop and the work on screen."""

from __future__ import annotations

import streamlit as st

from dashboard import state
from dashboard.engine_words import said as in_words
from dashboard.language import _, n_
from dashboard.project import SUFFIX, from_bytes
from dashboard.resuming import resumed
from dashboard.text_session import PROJECT_AGAIN
from engine.errors import EngineError

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
    said = [_("The project {name} is open.").format(name=f"**{project.name}**")]
    back = sum(key in ws.memo for key in project.kept)
    lost = sum(key not in ws.memo and key not in ws.sleeping for key in project.kept)
    if back:
        words = n_("{count} result is back.", "{count} results are back.", back)
        said.append(words.format(count=back))
    if lost:
        said.append(_(PROJECT_AGAIN).format(count=lost))
    if ws.awaiting is not None:
        said.append(
            _("It waits for its data: open {file} on the Data page.").format(
                file=ws.awaiting.origin.name or ws.awaiting.title
            )
        )
    st.session_state[_SAID] = " ".join(said)


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
