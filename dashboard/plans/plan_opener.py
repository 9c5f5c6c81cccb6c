"""A plan file on screen: an uploader, and what came of the last one."""

from __future__ import annotations

import streamlit as st

from dashboard import components, state
from dashboard.data import opening
from dashboard.plans.restoring import restored
from dashboard.words import text_measures
from dashboard.words.engine_words import said as in_words
from dashboard.words.language import _
from engine.core.errors import EngineError
from engine.pipeline.plan import Plan

_SAID = state.key("plan", "said")
_WRONG = state.key("plan", "wrong")


def plan_opener() -> None:
    """Show where a plan file can be opened."""
    with st.popover(_("Open a plan"), icon=":material/settings_backup_restore:"):
        st.caption(_(text_measures.PLAN_OPEN_HELP))
        file = st.file_uploader(
            _("Plan file"),
            ["json"],
            help=_(text_measures.PLAN_OPEN_HELP),
            key=state.key("plan", "file", opening.round_number()),
        )
    if file is not None:
        open_plan(file.getvalue())
        opening.next_round()
        st.rerun()


def open_plan(content: bytes) -> None:
    """Take over the choices of a plan; one that is none leaves all as it was."""
    st.session_state[_SAID], st.session_state[_WRONG] = (), ""
    try:
        ws, notes = restored(state.workspace(), Plan.from_json(content))
    except EngineError as error:
        st.session_state[_WRONG] = in_words(str(error))
        return
    state.adopt(ws)
    st.session_state[_SAID] = notes or (text_measures.PLAN_WHOLE,)


def what_came_of_it() -> None:
    """Say what the plan that was opened last did, until it was said once."""
    wrong = st.session_state.pop(_WRONG, "")
    if wrong:
        st.error(wrong, icon=":material/error:")
    said = st.session_state.pop(_SAID, ())
    if said == (text_measures.PLAN_WHOLE,):
        st.success(
            _("The plan's choices are restored.") + f" {_(said[0])}",
            icon=":material/check_circle:",
        )
    else:
        components.sentences(
            said,
            st.warning,
            ":material/rule:",
            _("Restored, as far as this table allows:"),
        )
