"""Opening in the workspace of projects that were read, and messages on it."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from dashboard.i18n.language import _, n_
from dashboard.i18n.markdown import escape_text
from dashboard.projects.project import PROJECT_SUFFIX, Project
from dashboard.projects.resume import copy_with_awaited_table, copy_with_project
from dashboard.readers.reading import FileReadingJob
from dashboard.state import session
from dashboard.state.caches.memo import Key
from dashboard.ui.table.no_table import no_table_message
from engine.core.errors import EngineError
from engine.core.message import Message
from engine.data.table import Table

_SENTENCES_KEY = session.widget_key("project", "sentences")
_PAGE_KEY = session.widget_key("project", "where")
_PROBLEM_KEY = session.widget_key("project", "wrong")


def is_project_file(file_name: str) -> bool:
    """Return whether a file name ends like that of a project."""
    return file_name.lower().endswith(f".{PROJECT_SUFFIX}")


def clear_project_messages() -> None:
    """Remove the messages on the project that was opened before."""
    st.session_state[_SENTENCES_KEY], st.session_state[_PROBLEM_KEY] = "", ""


def open_project_from_reading(reading: FileReadingJob) -> None:
    """Open a project that was read in this tab, or record why it cannot be opened."""
    if reading.state != "done":
        _report_problem(reading.message, reading.name)
        return
    project: Project = reading.result
    try:
        ws = session.adopt_opened(copy_with_project(session.workspace(), project))
    except EngineError as error:  # its ledger is another one
        _report_problem(error.message, reading.name)
        return
    sentences = [
        _("The project {name} is open.").format(name=f"**{escape_text(project.name)}**")
    ]
    sentences += _restored_results_text(ws, project.outcomes)
    if ws.awaiting is not None:
        sentences.append(no_table_message(ws))
    _show_sentences(" ".join(sentences))


def _report_problem(message: Message, name: str) -> None:
    st.session_state[_PROBLEM_KEY] = escape_text(_(message))
    session.update_workspace(failed_upload=name)


def set_awaited_table(table: Table, upload: session.Upload) -> None:
    """Give the open project its missing table, and restore its saved results."""
    before = session.workspace()
    ws = session.adopt_opened(copy_with_awaited_table(before, table, upload))
    sentences = [_("These are the project's data.")]
    _show_sentences(
        " ".join([*sentences, *_restored_results_text(ws, before.saved_outcomes)])
    )


def _restored_results_text(
    ws: session.Workspace, kept_keys: Iterable[Key]
) -> list[str]:
    """Return how many results are back, and how many cannot be."""
    kept_keys, sentences = set(kept_keys), []
    back = len(kept_keys & set(ws.memo))
    n_lost = len(kept_keys - set(ws.memo) - set(ws.saved_outcomes))
    if back:
        words = n_("{count} result is back.", "{count} results are back.", back)
        sentences.append(words.format(count=back))
    if n_lost:
        words = n_(
            "{count} result cannot be made again from its groups alone: it has to run "
            "again.",
            "{count} results cannot be made again from their groups alone: they have "
            "to run again.",
            n_lost,
        )
        sentences.append(words.format(count=n_lost))
    return sentences


def show_project_messages(page_name: str) -> None:
    """Show the messages on the project that was opened last.

    That of success stands until another page or table is looked at: a page is drawn
    anew for many reasons, and one time may be too short to be read.
    """
    wrong = st.session_state.pop(_PROBLEM_KEY, "")
    if wrong:
        st.error(
            _("The project was not opened. {reason}").format(reason=wrong),
            icon=":material/error:",
        )
    sentences = st.session_state.get(_SENTENCES_KEY, "")
    if not sentences:
        return
    table = session.workspace().table
    where = (page_name, None if table is None else table.fingerprint)
    if st.session_state.setdefault(_PAGE_KEY, where) != where:
        _show_sentences("")
        return
    st.success(sentences, icon=":material/folder_open:")


def _show_sentences(sentences: str) -> None:
    st.session_state[_SENTENCES_KEY] = sentences
    st.session_state.pop(_PAGE_KEY, None)
