"""Project menu: save or open a project, and show which data file it waits for."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dashboard.i18n import text_session
from dashboard.i18n.language import _
from dashboard.i18n.markdown import escape_text
from dashboard.projects import project
from dashboard.results.figures import plan_title
from dashboard.state import session
from dashboard.state.results import runs
from dashboard.state.results.runs import FinishedRun
from dashboard.state.workspace import Workspace
from dashboard.ui.headings import show_table_with_tooltips
from dashboard.ui.table import open_file

_OPENED_KEY = session.widget_key("project", "opened")


def open_project_dialog() -> None:
    """Show a dialog in which the project is saved or another one opened."""
    st.session_state[_OPENED_KEY] = False
    st.dialog(_("Project"), icon=":material/folder:")(_save_or_open)()


def _save_or_open() -> None:
    if st.session_state.get(_OPENED_KEY):
        st.rerun()  # all of the page, and not the dialog alone
    _save(session.workspace())
    key = session.widget_key("project", "file", open_file.table_reset_count())
    st.file_uploader(
        _("Open a project"),
        [project.PROJECT_SUFFIX],
        help=_(
            "Choices, runs and figures come back; what this session has stays, and "
            "Undo leads back to it."
        ),
        key=key,
        on_change=_open,
        args=(key,),
    )


def _open(key: str) -> None:
    file = st.session_state[key]
    if file is not None:
        open_file.start_opening_project(file.getvalue(), file.name)
        st.session_state[_OPENED_KEY] = True


def _save(ws: Workspace) -> None:
    st.text_input(
        _("Name of the project"),
        **session.bind_widget(
            "project", to_widget=lambda name: name or project.suggest_project_name(ws)
        ),
    )
    name = ws.project or project.suggest_project_name(ws)
    with_data = st.toggle(
        _("With the data file"),
        key=session.widget_key("project", "with data"),
        help=_(
            "Puts the data file as you opened it into the project. Samples come with "
            "Coterie and are never needed."
        ),
        disabled=ws.upload is None,
        persist_state="session",
    )
    with_data = with_data and ws.upload is not None
    st.caption(_(text_session.PROJECT_HOLDS))
    if with_data:
        st.warning(_(text_session.PROJECT_HOLDS_DATA), icon=":material/lock:")
    st.download_button(
        _("Save the project"),
        lambda: project.project_to_bytes(ws, name, with_data),
        file_name=project.project_file_name(name),
        mime="application/zip",
        icon=":material/save:",
        key=session.widget_key("project", "save"),
        on_click="ignore",
        width="stretch",
    )


def show_data_awaited_by_project() -> None:
    """Show which file the project awaits, if any, and the figures of runs on it."""
    ws = session.workspace()
    source = ws.awaiting
    if source is None:
        return
    st.info(
        _(
            "The project was made with **{file}**, {count} records. Open that file "
            "above, and its results appear again; its choices, and the figures of its "
            "runs, are back already."
        ).format(
            file=escape_text(source.origin.name or source.title),
            count=f"{source.n_records:,}",
        ),
        icon=":material/hourglass_empty:",
    )
    for run in reversed(ws.runs):
        if (
            run.snapshot.source is None
            or run.snapshot.source.fingerprint != source.fingerprint
        ):
            continue
        st.subheader(escape_text(runs.run_title(run)), anchor=False)
        show_table_with_tooltips(
            run_figures_table(run), session.widget_key("project", "run", run.number)
        )


def run_figures_table(run: FinishedRun) -> pd.DataFrame:
    """Return a data frame of a finished run's figures, with a row per result."""
    results = run.results_with_figures
    return pd.DataFrame(
        {
            _("Method"): [plan_title(plan) for plan, _one in results],
            "k": [plan.k for plan, _one in results],
            _("Lost (%)"): [figure.lost for _plan, figure in results],
            _("Measured by"): [
                "IL" if figure.of_numbers else "NCP" for _plan, figure in results
            ],
            _("Groups"): [figure.n_groups for _plan, figure in results],
            _("Seconds"): [figure.seconds for _plan, figure in results],
        }
    )
