"""Plan file uploader, and what came of the last file."""

from __future__ import annotations

import streamlit as st

from dashboard.app_pages.data.plan_file import with_plan
from dashboard.i18n import text_measures
from dashboard.i18n.language import _
from dashboard.i18n.markdown import plain
from dashboard.readers.readings import read_now
from dashboard.state import session
from dashboard.ui import components, open_file
from engine.core.errors import EngineError

_NOTES = session.key("plan", "notes")
_WRONG = session.key("plan", "wrong")


def plan_opener() -> None:
    """Show where a plan file can be opened."""
    with st.popover(_("Open a plan"), icon=":material/settings_backup_restore:"):
        st.caption(_(text_measures.PLAN_OPEN_HELP))
        file = st.file_uploader(
            _("Plan file"),
            ["json"],
            help=_(text_measures.PLAN_OPEN_HELP),
            key=session.key("plan", "file", open_file.round_number()),
        )
    if file is not None:
        open_plan(file.getvalue(), file.name)
        open_file.next_round()
        st.rerun()


def open_plan(content: bytes, name: str) -> None:
    """Take over the choices of a plan; one that is none leaves all as it was."""
    st.session_state[_NOTES], st.session_state[_WRONG] = (), ""
    try:
        plan = read_now("plan", content, name)
        ws, notes = with_plan(session.workspace(), plan)
    except EngineError as error:
        st.session_state[_WRONG] = plain(_(error.message))
        return
    session.adopt(ws)
    st.session_state[_NOTES] = notes or (text_measures.PLAN_WHOLE,)


def show_messages() -> None:
    """Say what the plan that was opened last did, once."""
    wrong = st.session_state.pop(_WRONG, "")
    if wrong:
        st.error(wrong, icon=":material/error:")
    notes = st.session_state.pop(_NOTES, ())
    if notes == (text_measures.PLAN_WHOLE,):
        st.success(
            _("The plan's choices are restored.") + f" {_(notes[0])}",
            icon=":material/check_circle:",
        )
    else:
        components.sentences(
            notes,
            st.warning,
            ":material/rule:",
            _("Restored, as far as this table allows:"),
        )
