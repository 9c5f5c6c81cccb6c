"""Plan file uploader, with messages on the last file."""

from __future__ import annotations

import streamlit as st

from dashboard.app_pages.data.plan_file import copy_with_plan_and_notes
from dashboard.i18n import text_measures
from dashboard.i18n.language import _
from dashboard.i18n.markdown import escape_text
from dashboard.readers.readings import read_file_and_wait
from dashboard.state import session
from dashboard.ui.browser_components import components
from dashboard.ui.table import open_file
from engine.core.errors import EngineError

_NOTES_KEY = session.widget_key("plan", "notes")
_PROBLEM_KEY = session.widget_key("plan", "wrong")


def show_plan_uploader() -> None:
    """Show the uploader of plan files; load an uploaded plan into the workspace."""
    with st.popover(_("Open a plan"), icon=":material/settings_backup_restore:"):
        st.caption(_(text_measures.PLAN_OPEN_HELP))
        file = st.file_uploader(
            _("Plan file"),
            ["json"],
            help=_(text_measures.PLAN_OPEN_HELP),
            key=session.widget_key("plan", "file", open_file.table_reset_count()),
        )
    if file is not None:
        open_plan_file(file.getvalue(), open_file.name_of_upload(file))
        open_file.reset_table_widgets()
        st.rerun()


def open_plan_file(content: bytes, file_name: str) -> None:
    """Load a plan file's choices into the workspace; keep an invalid one's error."""
    st.session_state[_NOTES_KEY], st.session_state[_PROBLEM_KEY] = (), ""
    try:
        plan = read_file_and_wait("plan", content, file_name)
        ws, notes = copy_with_plan_and_notes(session.workspace(), plan)
    except EngineError as error:
        st.session_state[_PROBLEM_KEY] = escape_text(_(error.message))
        return
    session.replace_workspace(ws)
    st.session_state[_NOTES_KEY] = notes or (text_measures.PLAN_WHOLE,)


def show_plan_messages() -> None:
    """Show the messages about the plan file loaded last, then forget them."""
    wrong = st.session_state.pop(_PROBLEM_KEY, "")
    if wrong:
        st.error(wrong, icon=":material/error:")
    notes = st.session_state.pop(_NOTES_KEY, ())
    if notes == (text_measures.PLAN_WHOLE,):
        st.success(
            _("The plan's choices are restored.") + f" {_(notes[0])}",
            icon=":material/check_circle:",
        )
    else:
        components.show_sentence_or_list(
            notes,
            st.warning,
            ":material/rule:",
            _("Restored, as far as this table allows:"),
        )
